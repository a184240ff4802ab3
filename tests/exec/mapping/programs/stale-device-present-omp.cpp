// stale device data: map(to) of present data copies nothing.
int main()
{
    double a[8] = {}, sum = 0;
#pragma omp target enter data map(to : a)
    a[2] = 1;
#ifdef RIGHT
#pragma omp target map(always, to : a) map(tofrom : sum)
#else
#pragma omp target map(to : a) map(tofrom : sum) // strict: stale-data
#endif
    for (int i = 0; i < 8; i++)
        sum += a[i]; // checked: stale-data
#pragma omp target exit data map(release : a)
    return sum > 1;
}
