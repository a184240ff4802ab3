// freed while mapped: the block is freed before it is unmapped.
#include <stdlib.h>
int main(void)
{
    int *a = calloc(16, sizeof *a);
#pragma acc enter data copyin(a[0:16])
#ifdef RIGHT
#pragma acc exit data delete(a[0:16])
    free(a);
#else
    free(a); // expect: still-mapped
#pragma acc exit data delete(a[0:16])
#endif
    return 0;
}
