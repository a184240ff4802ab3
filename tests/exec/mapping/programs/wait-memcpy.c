// missing wait: the host changes memory that an asynchronous copy to the device has yet to read.
#include <openacc.h>
#include <stdio.h>

int main(void)
{
    enum { N = 100 };
    double m[N] = {1}, sum = 0, *d = acc_malloc(sizeof m);
    acc_memcpy_to_device_async(d, m, sizeof m, 1);
#ifdef RIGHT
#pragma acc wait(1)
#endif
    m[0] = 2; // checked: missing-wait
#pragma acc parallel loop deviceptr(d) reduction(+ : sum) async(1)
    for (int i = 0; i < N; i++)
        sum += d[i];
#pragma acc wait(1) // strict: missing-wait
    printf("%g %g\n", sum, m[0]);
    acc_free(d);
    return 0;
}
