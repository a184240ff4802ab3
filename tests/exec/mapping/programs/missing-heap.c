// missing data: no clause names the block that the pointer points to.
#include <stdlib.h>
int main(void)
{
    int *a = malloc(32 * sizeof *a), sum = 0;
    for (int i = 0; i < 32; i++)
        a[i] = i;
#ifdef RIGHT
#pragma acc parallel loop copyin(a[0:32]) reduction(+ : sum)
#else
#pragma acc parallel loop reduction(+ : sum)
#endif
    for (int i = 0; i < 32; i++)
        sum += a[i]; // expect: host-pointer-on-device
    free(a);
    return sum != 496;
}
