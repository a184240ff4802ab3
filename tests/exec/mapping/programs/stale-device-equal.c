// stale device data: the host stores the value that is there, a kernel reads it, and then the host changes it.
#include <stdio.h>

int main(void)
{
    double q[2] = {1, 0}, d = 0;
#pragma acc enter data copyin(q)
    q[0] = 1;
#pragma acc parallel copyout(d)
    d = q[0];
    printf("%g\n", d);
    q[0] = 2;
#ifdef RIGHT
#pragma acc update device(q)
#endif
#pragma acc parallel copyout(d) // strict: stale-data
    d = q[0]; // checked: stale-data
#pragma acc exit data delete(q)
    printf("%g\n", d);
    return 0;
}
