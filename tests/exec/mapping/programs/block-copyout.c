// outside of a block: copyout writes past the end of the block.
#include <stdlib.h>
int main(void)
{
    int n = 1000;
#ifdef RIGHT
    n = 100;
#endif
    int *a = malloc(100 * sizeof *a);
#pragma acc parallel loop copyout(a[0:n]) // expect: invalid-section
    for (int i = 0; i < n; i++)
        a[i] = i;
    int wrong = a[50] != 50;
    free(a);
    return wrong;
}
