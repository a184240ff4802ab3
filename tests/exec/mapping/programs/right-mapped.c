// nothing: acc_map_data with memory of acc_malloc, and transfers by routines.
#include <openacc.h>
#include <stdlib.h>
int main(void)
{
    int *a = calloc(50, sizeof *a);
    void *d = acc_malloc(50 * sizeof *a);
    acc_map_data(a, d, 50 * sizeof *a);
    a[1] = 4;
    acc_update_device(a, 50 * sizeof *a);
#pragma acc parallel loop present(a[0:50])
    for (int i = 0; i < 50; i++)
        a[i] += 1;
    acc_update_self(a, 50 * sizeof *a);
    acc_unmap_data(a);
    acc_free(d);
    int wrong = a[1] != 5;
    free(a);
    return wrong;
}
