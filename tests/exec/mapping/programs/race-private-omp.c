// data race: a scalar that the threads of a team share.
int main(void)
{
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    int t = 0, b[64];
#ifdef RIGHT
#pragma omp target teams distribute parallel for map(from : b) private(t)
#else
#pragma omp target teams distribute parallel for map(from : b)
#endif
    for (int i = 0; i < 64; i++) {
        t = a[i]; // checked: data-race
        b[i] = t + 1;
    }
    return b[5] != 6;
}
