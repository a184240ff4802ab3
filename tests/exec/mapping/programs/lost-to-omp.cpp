// lost change: map(to) where map(tofrom) is needed.
template <typename T> static void scale(T *x, int n)
{
#ifdef RIGHT
#pragma omp target map(tofrom : x[0:n])
#else
#pragma omp target map(to : x[0:n]) // strict: lost-change
#endif
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
int main()
{
    double x[10] = {1, 2, 3};
    scale(x, 10);
    return x[1] < 0; // checked: stale-data
}
