struct part { int n; float *v;
#pragma acc shape include(v[0:m])
};
struct other { int n; float *v;
#pragma acc shape include(v[0:n])
};
void f(struct part *p)
{
#pragma acc enter data copyin(p[0:1])
}
