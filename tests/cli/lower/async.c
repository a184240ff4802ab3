struct part { int n; float *v;
#pragma acc shape include(v[0:n])
};
void f(struct part *p, int size)
{
#pragma acc enter data copyin(p[0:size]) async(1)
#pragma acc wait
#pragma acc enter data copyin(p[0:size]) if(size > 1)
}
