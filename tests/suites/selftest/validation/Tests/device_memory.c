/* Passes only with a device that has memory of its own. */
#include "acc_testsuite.h"
#ifndef T1
static int test1(void)
{
    int a = 1;
#pragma acc enter data copyin(a)
    a = 2;
#pragma acc exit data copyout(a)
    return a != 1;
}
#endif
int main(void)
{
    if (test1() == 0)
        return 0;
    fprintf(stderr, "\n%s:1: the host's value came back\n", __FILE__);
    return 1;
}
