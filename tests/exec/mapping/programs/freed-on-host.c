// device pointer on the host: the host frees memory of the device like a block of malloc.
#include <openacc.h>
#include <stdlib.h>

int main(void)
{
    int *device = acc_malloc(100 * sizeof *device), *a = malloc(100 * sizeof *a);
#pragma acc parallel loop deviceptr(device) copyout(a[0:100])
    for (int i = 0; i < 100; i++)
        a[i] = device[i] = i;
#ifdef RIGHT
    acc_free(device);
#else
    free(device); // expect: device-pointer-on-host
#endif
    const int last = a[99];
    free(a);
    return last != 99;
}
