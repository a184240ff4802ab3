// leak: a function maps its argument, and each call increments the counter.
static void ready(int *x, int n)
{
#pragma omp target enter data map(to : x[0:n]) // expect: still-mapped
}
int main()
{
    static int x[12];
    ready(x, 12);
#ifndef RIGHT
    ready(x, 12);
#endif
#pragma omp target
    x[1] = 2;
#pragma omp target exit data map(from : x)
    return 0;
}
