// stale host data: the host reads what a target region has changed, without an update.
int main(void)
{
    int a[16] = {0}, seen = 0;
#pragma omp target data map(tofrom : a)
    {
#pragma omp target
        for (int i = 0; i < 16; i++)
            a[i] = i;
#ifdef RIGHT
#pragma omp target update from(a)
#endif
        seen = a[9]; // checked: stale-data
    }
    return seen < 0;
}
