// lost change: the result is released, not copied.
int main(void)
{
    int a[16] = {0};
#pragma omp target enter data map(to : a)
#pragma omp target
    for (int i = 0; i < 16; i++)
        a[i] = i;
#ifdef RIGHT
#pragma omp target exit data map(from : a)
#else
#pragma omp target exit data map(release : a) // strict: lost-change
#endif
    return a[4] == 5; // checked: stale-data
}
