// stale device data: the scalar is mapped by a data region, and the host changes it.
int main(void)
{
    int a[16] = {0}, step = 1;
#pragma acc data copyin(step) copy(a)
    {
        step = 2;
#ifdef RIGHT
#pragma acc update device(step)
#endif
#pragma acc parallel loop present(a, step) // strict: stale-data
        for (int i = 0; i < 16; i++)
            a[i] = step; // checked: stale-data
    }
    return a[2] < 1;
}
