static int size = 3;
struct s {
    double *x;
#pragma acc shape include(x[0:size])
};
void work(struct s *p, int size)
{
#pragma acc enter data copyin(p[0:size])
}
