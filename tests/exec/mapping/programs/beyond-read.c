// partial section: the kernel reads past the section.
#include <stdlib.h>
int main(void)
{
    double *a = calloc(64, sizeof *a), sum = 0;
#ifdef RIGHT
#pragma acc parallel loop copyin(a[0:64]) reduction(+ : sum)
#else
#pragma acc parallel loop copyin(a[0:50]) reduction(+ : sum)
#endif
    for (int i = 0; i < 64; i++)
        sum += a[i]; // expect: out-of-bounds
    free(a);
    return sum != 0;
}
