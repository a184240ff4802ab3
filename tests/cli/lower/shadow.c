int size = 3;
struct part { float *v;
#pragma acc shape include(v[0:size])
};
void f(struct part *p, int size)
{
#pragma acc enter data copyin(p[0:size])
}
