/* Passes with and without a device of its own memory. */
#include "acc_testsuite.h"
#ifndef T1
static int test1(void)
{
    int a[4] = {1, 2, 3, 4};
#pragma acc parallel loop copy(a [0:4])
    for (int i = 0; i < 4; i++)
        a[i] += SEED;
    return a[0] != 1 + SEED || a[3] != 4 + SEED;
}
#endif
int main(void)
{
    return test1();
}
