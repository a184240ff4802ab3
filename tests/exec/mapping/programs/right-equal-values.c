// nothing: host and device compute the same values before a transfer, so that no value is lost.
#include <openacc.h>
#include <stdio.h>

enum { N = 40 };

int main(void)
{
    int a[N] = {0}, b[N] = {0}, c[N], d[N] = {0};
#pragma acc enter data copyin(a, b) create(c)
#pragma acc parallel loop present(a, b, c)
    for (int i = 0; i < N; i++)
        a[i] = b[i] = c[i] = i;
    for (int i = 0; i < N; i++)
        a[i] = b[i] = c[i] = i;
#pragma acc update self(a)
    acc_memcpy_from_device(b, acc_deviceptr(b), sizeof b);
#pragma acc exit data copyout(c) delete(a, b)
#pragma acc data copyout(d)
    {
#pragma acc parallel loop async
        for (int i = 0; i < N; i++)
            d[i] = i;
        for (int i = 0; i < N; i++)
            d[i] = i;
#pragma acc update self(d) async
#pragma acc wait
    }
    printf("%d %d %d %d\n", a[3], b[4], c[5], d[6]);
}
