// missing wait: an update changes an array while a target region with nowait, which names it, reads it.
int main(void)
{
    double a[1000] = {0}, b[1000] = {0};
#pragma omp target data map(tofrom : a, b)
    {
#pragma omp target nowait map(to : a) map(from : b)
        for (int i = 0; i < 1000; i++) {
#ifdef RIGHT
            b[i] = i; // a is named, and not touched
            if (b[i] < 0)
                b[i] = a[i];
#else
            b[i] = a[i];
#endif
        }
        for (int i = 0; i < 1000; i++)
            a[i] = i + 1;
#pragma omp target update to(a) // expect: missing-wait
#pragma omp taskwait
    }
    return a[4] != 5;
}
