// unmapped twice: omp_target_free of freed memory.
#include <omp.h>
#include <stddef.h>
int main(void)
{
    int *d = omp_target_alloc(64, 0);
    omp_target_free(d, 0);
#ifdef RIGHT
    d = NULL;
#endif
    omp_target_free(d, 0); // expect: out-of-bounds
    return 0;
}
