// freed while mapped: the data are unmapped late, and the next ones at the same address never.
#include <stdlib.h>

int main(void)
{
    double *a = malloc(4096), *next;
#pragma acc enter data create(a[0:512])
#ifdef RIGHT
#pragma acc exit data delete(a[0:512])
    free(a);
#else
    free(a); // may: still-mapped
#pragma acc exit data delete(a[0:512])
#endif
    next = malloc(4096);
#pragma acc enter data create(next[0:512]) // may: still-mapped
#ifdef RIGHT
#pragma acc exit data delete(next[0:512])
#endif
    free(next); // expect: still-mapped
}
