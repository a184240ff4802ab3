// Passes only without: a device with memory of its own does not see what was not copied.
#include "acc_testsuite.h"
#ifndef T1
static int test1()
{
    int a = 1;
#pragma acc enter data create(a)
    int seen = 0;
#pragma acc parallel copyout(seen)
    seen = a;
    return seen != 1;
}
#endif
int main()
{
    return test1();
}
