// leak: target enter data without target exit data.
#include <stdlib.h>
int main(void)
{
    int *a = calloc(16, sizeof *a);
#pragma omp target enter data map(to : a[0:16]) // expect: still-mapped
#pragma omp target
    (void)a[3];
#ifdef RIGHT
#pragma omp target exit data map(release : a[0:16])
    free(a);
#endif
    return 0;
}
