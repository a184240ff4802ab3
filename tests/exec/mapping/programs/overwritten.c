// overwritten change: the end of the region overwrites what the host has changed.
int main(void)
{
    int a[16] = {0};
#pragma acc data copy(a) // expect: overwritten-change
    {
#pragma acc parallel loop present(a)
        for (int i = 0; i < 16; i++)
            a[i] = 1;
#ifdef RIGHT
#pragma acc update self(a)
#endif
        a[0] = 9;
#ifdef RIGHT
#pragma acc update device(a[0:1])
#endif
    }
#ifdef RIGHT
    return a[0] != 9;
#else
    return a[1] != 1;
#endif
}
