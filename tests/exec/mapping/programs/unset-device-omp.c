// uninitialized data: memory of omp_target_alloc is read before it is written.
#include <omp.h>
int main(void)
{
    int sum = 0, *d = omp_target_alloc(16 * sizeof *d, 0);
#ifdef RIGHT
#pragma omp target is_device_ptr(d)
    for (int i = 0; i < 16; i++)
        d[i] = 1;
#endif
#pragma omp target is_device_ptr(d) map(tofrom : sum)
    for (int i = 0; i < 16; i++)
        sum += d[i]; // checked: uninitialized-read
    omp_target_free(d, 0);
    return sum == 1;
}
