// declared variables: gcc leaves variables of the file out of update, and the device keeps the old value.
#include <openacc.h>
#include <stdio.h>

double gravity = 9.81;
#pragma acc declare create(gravity)

int main(void)
{
    double e = 2;
    gravity = 1.62;
#ifdef RIGHT
    acc_update_device(&gravity, sizeof gravity);
#else
#pragma acc update device(gravity)
#endif
#pragma acc parallel copy(e) // expect: stale-data
    e *= gravity;
    printf("%g\n", e);
    return 0;
}
