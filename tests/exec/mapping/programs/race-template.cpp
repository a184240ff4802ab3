// data race: a template of a sum has no reduction.
template <class T> static T sum(const T *a, int n)
{
    T s = 0;
#ifdef RIGHT
#pragma acc parallel loop copyin(a[0:n]) copy(s) reduction(+ : s)
#else
#pragma acc parallel loop copyin(a[0:n]) copy(s)
#endif
    for (int i = 0; i < n; i++)
        s += a[i]; // checked: data-race
    return s;
}

int main()
{
    double a[64];
    long b[64];
    for (int i = 0; i < 64; i++)
        a[i] = b[i] = i;
    return sum(a, 64) != 2016 || sum(b, 64) != 2016;
}
