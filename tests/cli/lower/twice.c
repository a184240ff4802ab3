struct part { int n; float *v;
#pragma acc shape include(v[0:n])
};
void f(struct part *p)
{
#pragma acc data copyin(p[0:1]) copyout(p[0:1])
    {
    }
#pragma acc enter data copyin(none[0:1])
}
