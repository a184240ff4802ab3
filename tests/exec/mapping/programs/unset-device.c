// uninitialized data: memory of acc_malloc is read before it is written.
#include <openacc.h>
int main(void)
{
    int sum = 0, *d = acc_malloc(16 * sizeof *d);
#ifdef RIGHT
#pragma acc parallel loop deviceptr(d)
    for (int i = 0; i < 16; i++)
        d[i] = 1;
#endif
#pragma acc parallel loop deviceptr(d) reduction(+ : sum)
    for (int i = 0; i < 16; i++)
        sum += d[i]; // checked: uninitialized-read
    acc_free(d);
    return sum == 1;
}
