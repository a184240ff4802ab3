// leak: memory of omp_target_alloc is not freed.
#include <omp.h>
int main(void)
{
    const int device = omp_get_default_device();
    for (int i = 0; i < 3; i++) {
        void *block = omp_target_alloc(800, device); // expect: still-mapped
#ifdef RIGHT
        omp_target_free(block, device);
#else
        if (!block)
            return 1;
#endif
    }
    return 0;
}
