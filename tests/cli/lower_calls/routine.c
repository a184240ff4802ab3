#include "head.h"
#include <openacc.h>
int work(struct s X)
{
#pragma acc enter data copyin(X)
    acc_update_self(&X, sizeof X);
    acc_attach((void **)&X.x);
    return acc_is_present(&X, sizeof X);
}
