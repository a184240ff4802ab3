// unmapped twice: acc_delete of data that are not present any more.
#include <openacc.h>
int main(void)
{
    static float a[16];
    acc_copyin(a, sizeof a);
    acc_delete(a, sizeof a);
#ifndef RIGHT
    acc_copyout(a, sizeof a); // expect: not-present
#endif
    return 0;
}
