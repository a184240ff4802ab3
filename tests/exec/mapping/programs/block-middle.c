// outside of a block: the section begins in the middle of a large block, and ends behind the block.
#include <stdlib.h>
int main(void)
{
    int n = 100000, half = n / 2;
    double *a = calloc((size_t)n, sizeof *a), *other = calloc((size_t)n, sizeof *a);
#ifdef RIGHT
    n -= half;
#endif
#pragma acc enter data copyin(a[half:n]) // checked: invalid-section
#pragma acc exit data delete(a[half:n]) // may: lost-change
    free(a);
    free(other);
    return 0;
}
