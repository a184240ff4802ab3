// data race: each iteration reads what the one before has written.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;

#ifdef RIGHT
#pragma omp target map(tofrom : a)
#else
#pragma omp target parallel for map(tofrom : a)
#endif
    for (int i = 1; i < 64; i++)
        a[i] = a[i - 1] + 1; // checked: data-race
    return a[63] != 63;
}
