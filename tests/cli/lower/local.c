struct part { double *w; };
int f(int n)
{
    struct part { int n; float *v;
#pragma acc shape include(v[0:n])
    } p = {n, 0};
#pragma acc enter data copyin(p)
    return p.n;
}
