// missing wait: the host reads the result of a target region with nowait.
int main(void)
{
    int a[16] = {0}, seen;
#pragma omp target map(tofrom : a) nowait
    for (int i = 0; i < 16; i++)
        a[i] = i;
#ifdef RIGHT
#pragma omp taskwait
#endif
    seen = a[4]; // checked: missing-wait
#pragma omp taskwait
    return seen < 0;
}
