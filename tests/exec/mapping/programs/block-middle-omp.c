// outside of a block: the section begins in the middle of the block, and has all its length.
#include <stdlib.h>
int main(void)
{
    float *a = calloc(200, sizeof *a), *half = a + 100;
    int n = 200;
#ifdef RIGHT
    n = 100;
#endif
#pragma omp target map(tofrom : half[0:n]) // expect: invalid-section
    half[5] = 1;
    int wrong = half[5] != 1;
    free(a);
    return wrong;
}
