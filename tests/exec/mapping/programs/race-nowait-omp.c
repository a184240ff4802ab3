// data race: nowait removes the barrier between two loops.
int main(void)
{
    int a[64] = {0}, b[64];
#pragma omp target parallel map(tofrom : a) map(from : b)
    {
#ifdef RIGHT
#pragma omp for
#else
#pragma omp for nowait
#endif
        for (int i = 0; i < 64; i++)
            a[i] = i;
#pragma omp for
        for (int i = 0; i < 64; i++)
            b[i] = a[63 - i]; // checked: data-race
    }
    return b[0] != 63;
}
