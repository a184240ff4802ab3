struct { int n; float *v;
#pragma acc shape include(v[0:n])
} one;
void f(void)
{
#pragma acc enter data copyin(one)
}
