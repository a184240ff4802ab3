void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n]) async(1)
    for (int i = 0; i < n; i++)
        a[i]++;
}
