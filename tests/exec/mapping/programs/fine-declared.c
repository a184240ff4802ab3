// nothing: the host changes a declared variable that no kernel uses after that, and one that a kernel gets anew.
#include <openacc.h>
int steps[4], limit = 3;
#pragma acc declare create(steps, limit)
static int square(int n)
{
    return n * n;
}
int main(void)
{
    int a[8];
    limit = 5;
    acc_update_device(&limit, sizeof limit);
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 8; i++)
        a[i] = i < limit ? i : 0;
    for (int i = 0; i < 4; i++)
        steps[i] = i;
#pragma acc parallel loop copy(a)
    for (int i = 0; i < 8; i++)
        a[i] = a[i] * 2 + 1;
    return square(a[4]) != 81 || steps[3] != 3;
}
