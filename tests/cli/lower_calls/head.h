#include <stdlib.h>
struct s {
    int n;
    double *x;
#pragma acc shape include(x[0:n])
};
