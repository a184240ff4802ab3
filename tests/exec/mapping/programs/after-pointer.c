// use after unmap: a device address is kept, and used after the data were unmapped.
#include <openacc.h>
int main(void)
{
    static int a[16], value;
    int *d = acc_copyin(a, sizeof a);
#ifdef RIGHT
#pragma acc parallel deviceptr(d) copyout(value)
    value = d[3];
    acc_delete(a, sizeof a);
#else
    acc_delete(a, sizeof a);
#pragma acc parallel deviceptr(d) copyout(value) // may: uninitialized-read
    value = d[3]; // expect: out-of-bounds
#endif
    return value;
}
