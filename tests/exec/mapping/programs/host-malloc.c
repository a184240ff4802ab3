// device pointer on the host: the host writes to memory of acc_malloc.
#include <openacc.h>
int main(void)
{
    int value = 0, *d = acc_malloc(16 * sizeof *d);
#ifdef RIGHT
#pragma acc parallel deviceptr(d)
    d[3] = 1;
#else
    d[3] = 1; // expect: device-pointer-on-host
#endif
#pragma acc parallel deviceptr(d) copyout(value)
    value = d[3];
    acc_free(d);
    return value != 1;
}
