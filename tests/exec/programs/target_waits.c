int main(void)
{
    int a[4] = {0}, b[4] = {0};
    #pragma omp target map(tofrom: a) nowait depend(out: a)
    a[0] = 1;
    #pragma omp target map(tofrom: b) nowait
    b[0] = 1;
    #pragma omp target map(tofrom: a) depend(in: a)
    a[1] = a[0];
    #pragma omp taskwait
    #pragma omp taskwait
    return a[1] + b[0] == 2 ? 0 : 1;
}
