/* What programs of clang ask for and do not get. */
#include <omp.h>
#ifdef unified_shared_memory
#undef unified_shared_memory
#pragma omp requires unified_shared_memory
#endif

int main(void)
{
    int a[4] = {0};
#ifdef interop
    omp_interop_t object = omp_interop_none;
#undef interop
    #pragma omp interop init(targetsync: object)
#endif
    #pragma omp target
    a[0] = 1;
    return a[0];
}
