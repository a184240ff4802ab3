// stale device data: the host changes an element, and no update sends it.
int main(void)
{
    int a[16] = {0}, sum = 0;
#pragma omp target enter data map(to : a)
    a[5] = 1;
#ifdef RIGHT
#pragma omp target update to(a[5:1])
#endif
#pragma omp target map(tofrom : sum) // strict: stale-data
    for (int i = 0; i < 16; i++)
        sum += a[i]; // checked: stale-data
#pragma omp target exit data map(release : a)
    return sum > 1;
}
