#include "head.h"
double work(struct s X)
{
    double sum = 0;
#pragma acc data copy(X, sum)
    {
#pragma acc parallel loop reduction(+:sum)
        for (int i = 0; i < X.n; i++)
            sum += X.x[i];
    }
    return sum;
}
