// unattached pointer: a routine copies the host's pointer over the attached one.
#include <openacc.h>
#include <stdlib.h>
struct vec {
    int n;
    float *v;
};
int main(void)
{
    static struct vec a = {10, 0};
    a.v = calloc(10, sizeof *a.v);
#pragma acc enter data copyin(a)
#pragma acc enter data copyin(a.v[0:10])
#ifdef RIGHT
    acc_memcpy_to_device(acc_deviceptr(&a), &a, sizeof a.n);
#else
    acc_memcpy_to_device(acc_deviceptr(&a), &a, sizeof a);
#endif
#pragma acc parallel loop present(a)
    for (int i = 0; i < a.n; i++)
        a.v[i] = 1; // expect: host-pointer-on-device
#pragma acc exit data copyout(a.v[0:10])
#pragma acc exit data delete(a)
    return a.v[3] != 1;
}
