// partial section: the kernel reads the element before the section.
int main(void)
{
    float a[32], b[32];
    for (int i = 0; i < 32; i++)
        a[i] = (float)i;
#ifdef RIGHT
#pragma acc parallel loop copyin(a[7:16]) copyout(b[8:15])
#else
#pragma acc parallel loop copyin(a[8:15]) copyout(b[8:15])
#endif
    for (int i = 8; i < 23; i++)
        b[i] = a[i - 1]; // begin: out-of-bounds
    return b[9] != 8;
}
