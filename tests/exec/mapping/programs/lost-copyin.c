// lost change: copyin where copy is needed.
#include <stdlib.h>
int main(void)
{
    float *x = calloc(20, sizeof *x);
#ifdef RIGHT
#pragma acc parallel loop copy(x[0:20])
#else
#pragma acc parallel loop copyin(x[0:20]) // strict: lost-change
#endif
    for (int i = 0; i < 20; i++)
        x[i] += 2;
    float got = x[7]; // checked: stale-data
    free(x);
    return got < 0;
}
