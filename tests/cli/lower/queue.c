#include <openacc.h>
void f(int *a, int n)
{
#pragma acc parallel loop copy(a[0:n]) async(1)
    for (int i = 0; i < n; i++)
        a[i]++;
    acc_wait(1);
    if (n)
        acc_wait_all_async(2);
    else
        acc_async_wait_all();
}
