/* A program that needs devices with the memory of the host. */
#include <stdlib.h>

#if __GNUC__ >= 15
#pragma omp requires self_maps
#endif

int main(void)
{
    int *a = malloc(10 * sizeof *a);
#pragma omp target
    a[0] = 1;
    free(a);
    return 0;
}
