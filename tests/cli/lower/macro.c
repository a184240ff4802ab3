struct part { int n; float *v;
#pragma acc shape include(v[0:n])
};
#define COPY(x) _Pragma("acc enter data copyin<all>(x)")
void f(struct part *p) { COPY(p[0:1]) }
