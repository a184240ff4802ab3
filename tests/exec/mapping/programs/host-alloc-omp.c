// device pointer on the host: the host reads memory of omp_target_alloc.
#include <omp.h>
int main(void)
{
    int value = 0, *d = omp_target_alloc(64, 0);
#pragma omp target is_device_ptr(d)
    d[0] = 7;
#ifdef RIGHT
    omp_target_memcpy(&value, d, sizeof value, 0, 0, omp_get_initial_device(), 0);
#else
    value = d[0]; // expect: device-pointer-on-host
#endif
    omp_target_free(d, 0);
    return value != 7;
}
