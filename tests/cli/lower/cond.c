struct part { int n; float *v;
#pragma acc shape include(v[0:n])
};
void f(struct part *p)
{
#pragma acc parallel loop copy(p[0:1])
#ifdef FAST
    for (int i = 0; i < 2; i++) {
#else
    for (int i = 0; i < 3; i++) {
#endif
        p->v[i] = 1;
    }
}
