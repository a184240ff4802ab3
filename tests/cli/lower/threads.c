int f(int *a, int n)
{
    int last = 0, unused;
#pragma acc parallel loop copy(a[0:n]) private(unused)
    for (int i = 0; i < n; i++) {
        unused = a[i];
        last = unused + 1;
        a[i] = last;
    }
    return last;
}
