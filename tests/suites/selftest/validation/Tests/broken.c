/* Does not compile. */
#include "acc_testsuite.h"
#ifndef T1
int main(void)
{
    return undeclared;
}
#endif
