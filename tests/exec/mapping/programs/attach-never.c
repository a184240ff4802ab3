// unattached pointer: the block was present before the structure, so that nothing attached the member.
#include <stdlib.h>
struct vec {
    int n;
    float *v;
};
int main(void)
{
    struct vec a = {10, calloc(10, sizeof(float))};
#ifdef RIGHT
#pragma acc enter data copyin(a)
#pragma acc enter data copyin(a.v[0:10])
#else
#pragma acc enter data copyin(a.v[0:10])
#pragma acc enter data copyin(a)
#endif
#pragma acc parallel loop present(a)
    for (int i = 0; i < a.n; i++)
        a.v[i] = 1; // expect: host-pointer-on-device
#pragma acc exit data copyout(a.v[0:10])
#pragma acc exit data delete(a)
    return a.v[3] != 1;
}
