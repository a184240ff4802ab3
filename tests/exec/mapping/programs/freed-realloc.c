// freed while mapped: realloc frees the old block, which is still mapped.
#include <stdlib.h>
int main(void)
{
    char *a = calloc(100, 1);
#pragma acc enter data copyin(a[0:100])
#ifdef RIGHT
#pragma acc exit data delete(a[0:100])
#endif
    a = realloc(a, 1 << 20); // expect: still-mapped
#ifdef RIGHT
#pragma acc enter data copyin(a[0:100])
#endif
#pragma acc parallel present(a[0:100]) // may: not-present
    a[3] = 1;
#pragma acc exit data copyout(a[0:100])
    free(a);
    return 0;
}
