// absent data: present names the pointer, and not the block.
#include <stdlib.h>
int main(void)
{
    int *a = calloc(16, sizeof *a);
#pragma acc enter data copyin(a[0:16])
#ifdef RIGHT
#pragma acc parallel loop present(a[0:16])
#else
#pragma acc parallel loop present(a) // expect: not-present
#endif
    for (int i = 0; i < 16; i++)
        a[i] = 1;
#pragma acc exit data copyout(a[0:16])
    return a[2] != 1;
}
