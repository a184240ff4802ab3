// device pointer on the host: host code inside host_data reads through the device address.
#include <stdlib.h>
int main(void)
{
    double *a = calloc(20, sizeof *a), seen;
#pragma acc data copy(a[0:20])
    {
#pragma acc parallel present(a[0:20])
        a[2] = 0;
#ifdef RIGHT
#pragma acc update self(a[0:20])
        seen = a[2];
#else
#pragma acc host_data use_device(a)
        seen = a[2]; // expect: device-pointer-on-host
#endif
    }
    return seen != 0;
}
