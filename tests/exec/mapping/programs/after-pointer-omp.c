// use after unmap: the address of use_device_ptr is kept, and used after the end of the region.
#include <stdlib.h>
int main(void)
{
    int *a = calloc(16, sizeof *a), *kept = NULL, value = 0;
#pragma omp target data map(to : a[0:16]) use_device_ptr(a)
    {
        kept = a;
#ifdef RIGHT
#pragma omp target is_device_ptr(kept) map(from : value)
        value = kept[3];
#endif
    }
#ifndef RIGHT
#pragma omp target is_device_ptr(kept) map(from : value) // may: uninitialized-read
    value = kept[3]; // expect: out-of-bounds
#endif
    free(a);
    return value;
}
