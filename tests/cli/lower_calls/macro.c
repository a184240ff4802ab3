#include "head.h"
#define NTH(i) X.x[i]
void work(struct s X)
{
#pragma acc parallel loop copy(X)
    for (int i = 0; i < X.n; i++)
        NTH(i) += 1;
}
