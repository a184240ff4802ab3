// outside of a block: the section has more elements than malloc returned.
#include <stdlib.h>
int main(void)
{
    int n = 40, *a = calloc(40, sizeof *a);
#ifndef RIGHT
    n = n * (int)sizeof *a;
#endif
#pragma acc enter data copyin(a[0:n]) // expect: invalid-section
#pragma acc exit data delete(a[0:n])
    free(a);
    return 0;
}
