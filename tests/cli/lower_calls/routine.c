#include "head.h"
#include <openacc.h>
int work(struct s X)
{
#pragma acc enter data copyin(X)
    acc_update_self(&X, sizeof X);
    return acc_is_present(&X, sizeof X);
}
