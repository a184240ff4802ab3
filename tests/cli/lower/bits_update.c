struct flat { int n; unsigned kind : 2;
    double *x;
#pragma acc shape include(x[0:n])
};
void up(struct flat *f)
{
#pragma acc update self(f->kind)
}
