// overwritten change: memset clears the host's copy, and the end of the region overwrites it.
#include <cstring>
int main()
{
    short a[32];
    for (short &x : a)
        x = 7;
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a)
    for (int i = 0; i < 32; i++)
        a[i] += 1;
#ifdef RIGHT
#pragma acc exit data copyout(a)
    std::memset(a, 0, sizeof a);
#else
    std::memset(a, 0, sizeof a);
#pragma acc exit data copyout(a) // expect: overwritten-change
#endif
    return a[3] > 8;
}
