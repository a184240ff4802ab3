// leak: memory of acc_malloc is not freed.
#include <openacc.h>
#include <stdlib.h>
int main(void)
{
    double *a = calloc(100, sizeof *a);
    void *block[3];
    for (int i = 0; i < 3; i++)
        block[i] = acc_malloc(800); // expect: still-mapped
    acc_map_data(a, block[0], 800);
#pragma acc parallel loop present(a[0:100])
    for (int i = 0; i < 100; i++)
        a[i] = i;
#pragma acc update self(a[0:100])
    acc_unmap_data(a);
#ifdef RIGHT
    for (int i = 0; i < 3; i++)
        acc_free(block[i]);
#endif
    const int right = a[99] == 99;
    free(a);
    return !right;
}
