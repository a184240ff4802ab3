/* Waits on a device of its own memory for what was never copied; dies on the host. */
#include "acc_testsuite.h"
#include <stdlib.h>
#include <unistd.h>
#ifndef T1
int main(void)
{
    int a = 1;
#pragma acc enter data copyin(a)
    a = 2;
#pragma acc update self(a)
    if (a == 2)
        abort();
    for (;;)
        pause();
}
#endif
