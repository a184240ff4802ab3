// missing wait: an update copies what a target region with nowait still writes.
int main(void)
{
    int a[16] = {0};
#pragma omp target enter data map(to : a)
#pragma omp target nowait
    for (int i = 0; i < 16; i++)
        a[i] = i;
#ifdef RIGHT
#pragma omp taskwait
#endif
#pragma omp target update from(a) // expect: missing-wait
#pragma omp taskwait
#pragma omp target exit data map(release : a)
    return a[4] < 0;
}
