struct s { int n; float *p;
#pragma acc shape include(p[0:wrong()])
};
void g(s &h) {
#pragma acc enter data copyin(h)
}
