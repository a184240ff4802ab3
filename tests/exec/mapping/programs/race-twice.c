// data race: only the second run of the kernel has a dependence.
static void shift(int *a, int by)
{
#pragma acc parallel loop present(a[0:96])
    for (int i = 0; i < 32; i++)
        a[i + by] = a[i] + 1; // checked: data-race
}

int main(void)
{
    int a[96] = {0};
#pragma acc data copy(a)
    {
        shift(a, 64);
#ifdef RIGHT
        shift(a, 32);
#else
        shift(a, 16);
#endif
    }
    return a[64] != 1;
}
