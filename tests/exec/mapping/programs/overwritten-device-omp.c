// overwritten change: update to where update from is needed.
int main(void)
{
    int a[16] = {0};
#pragma omp target enter data map(to : a)
#pragma omp target
    for (int i = 0; i < 16; i++)
        a[i] = 3;
#ifdef RIGHT
#pragma omp target update from(a)
#else
#pragma omp target update to(a) // expect: overwritten-change
#endif
#pragma omp target exit data map(release : a)
#ifdef RIGHT
    return a[4] != 3;
#else
    return 0;
#endif
}
