// stale host data: a kernel stores the value that is there, the host reads it, and then a kernel changes it.
#include <stdio.h>

int main(void)
{
    double q[2] = {1, 0}, d = 0;
#pragma acc enter data copyin(q)
#pragma acc parallel
    q[0] = 1;
    d += q[0];
#pragma acc parallel
    q[0] = 2;
#ifdef RIGHT
#pragma acc update self(q)
#endif
    d += q[0]; // checked: stale-data
#pragma acc exit data delete(q) // strict: lost-change
    printf("%g\n", d);
    return 0;
}
