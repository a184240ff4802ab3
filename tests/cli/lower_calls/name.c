#include "head.h"
void work(struct s X)
{
#pragma acc parallel copy(X)
    {
        X.x[0] = 1;
        struct s X = {0, NULL};
        (void)X;
    }
}
