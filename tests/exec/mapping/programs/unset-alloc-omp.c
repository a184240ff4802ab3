// uninitialized data: map(alloc) where map(to) is needed.
#include <stdlib.h>
int main(void)
{
    double *a = calloc(30, sizeof *a), sum = 0;
#ifdef RIGHT
#pragma omp target map(to : a[0:30]) map(tofrom : sum)
#else
#pragma omp target map(alloc : a[0:30]) map(tofrom : sum)
#endif
    for (int i = 0; i < 30; i++)
        sum += a[i]; // checked: uninitialized-read
    free(a);
    return sum > 1;
}
