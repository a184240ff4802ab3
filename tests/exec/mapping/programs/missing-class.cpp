// missing data: the object is present, and the block that its member points to is not.
struct field {
    int n = 16;
    double *v = new double[16]();
    ~field() { delete[] v; }
    void up()
    {
#pragma acc parallel loop present(this[0:1])
        for (int i = 0; i < n; i++)
            v[i] += 1; // expect: host-pointer-on-device
    }
};
int main()
{
    field f;
#pragma acc enter data copyin(f)
#ifdef RIGHT
#pragma acc enter data copyin(f.v[0:16])
#endif
    f.up();
#ifdef RIGHT
#pragma acc exit data copyout(f.v[0:16])
#endif
#pragma acc exit data delete(f)
    return f.v[7] != 1;
}
