// outside of a block: the section has one element more, which malloc's rounding hides.
#include <stdlib.h>
int main(void)
{
    int n = 10;
    double *a = malloc((size_t)n * sizeof *a), s = 0;
    for (int i = 0; i < n; i++)
        a[i] = 1;
#ifndef RIGHT
    n++;
#endif
#pragma acc parallel loop copyin(a[0:n]) reduction(+:s) // checked: invalid-section
    for (int i = 0; i < n; i++)
        s += a[i];
    free(a);
    return s < 10;
}
