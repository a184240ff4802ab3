// nothing: structures with padding are copied, created on the device, and copied to the host.
struct item {
    char c;
    double d;
    short s;
};
int main()
{
    item in[8], out[8];
    for (int i = 0; i < 8; i++) {
        in[i].c = 'a';
        in[i].d = i;
        in[i].s = 1;
    }
#pragma acc data copyin(in) copyout(out)
#pragma acc parallel loop present(in, out)
    for (int i = 0; i < 8; i++) {
        out[i].c = in[i].c;
        out[i].d = in[i].d + 1;
        out[i].s = in[i].s;
    }
    item copy = out[3];
    return copy.d != 4;
}
