#include <stdio.h>
struct flat { unsigned n : 7, kind : 2;
    double *x;
#pragma acc shape include(x[0:n])
};
int main(void)
{
    double xx[3] = {1, 2, 3};
    struct flat f = {3, 0, xx};
#pragma acc parallel loop copy(f)
    for (int i = 0; i < f.n; i++) f.x[i] += 1;
    printf("%g\n", xx[2]);
}
