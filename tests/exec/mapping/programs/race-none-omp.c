// data race: none: barriers, private copies, reductions, atomics, and disjoint elements.
int main(void)
{
    int a[64], b[64], n = 0, m = 0, t;
#pragma omp target teams distribute parallel for map(from : a) map(tofrom : n, m) reduction(+ : n) private(t)
    for (int i = 0; i < 64; i++) {
        t = i;
        a[i] = t;
        n += t;
#pragma omp atomic
        m++;
    }
#pragma omp target parallel map(tofrom : a) map(from : b)
    {
#pragma omp for
        for (int i = 0; i < 64; i++)
            a[i] += 1;
#pragma omp for
        for (int i = 0; i < 64; i++)
            b[i] = a[63 - i];
#pragma omp for simd
        for (int i = 0; i < 32; i++)
            a[2 * i] = b[2 * i + 1];
    }
    return n != 2016 || m != 64 || b[0] != 64;
}
