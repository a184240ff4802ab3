// missing wait: two target regions with nowait use one array, and no depend clause orders them.
int main(void)
{
    int a[16] = {0}, b[16] = {0};
#pragma omp target data map(tofrom : a, b)
    {
#ifdef RIGHT
#pragma omp target nowait depend(out : a)
#else
#pragma omp target nowait
#endif
        for (int i = 0; i < 16; i++)
            a[i] = i;
#ifdef RIGHT
#pragma omp target nowait depend(in : a)
#else
#pragma omp target nowait // strict: missing-wait
#endif
        for (int i = 0; i < 16; i++)
            b[i] = a[i]; // checked: missing-wait
#pragma omp taskwait
    }
    return b[4] < 0;
}
