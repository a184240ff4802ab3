// data race: counters of a histogram without atomic.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int h[4] = {0};
#ifdef RIGHT
#pragma omp target teams distribute parallel for map(tofrom : h)
#else
#pragma omp target teams distribute parallel for map(tofrom : h)
#endif
    for (int i = 0; i < 64; i++)
#ifdef RIGHT
#pragma omp atomic
#endif
        h[a[i] % 4] += 1; // checked: data-race
    return h[2] != 16;
}
