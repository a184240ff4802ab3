// data race: lanes of a simd loop depend on each other.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;

#ifdef RIGHT
#pragma omp target map(tofrom : a)
#else
#pragma omp target simd map(tofrom : a)
#endif
    for (int i = 1; i < 64; i++)
        a[i] += a[i - 1]; // checked: data-race
    return a[1] != 1;
}
