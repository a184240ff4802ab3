#pragma once
struct part { int n; float *v;
#pragma acc shape include(v[0:n])
};
static inline void g(struct part *p)
{
    #pragma acc enter data copyin(p[0:1]) async(1)
}
