// missing data: no clause names the block that the pointer points to, so that the pointer is null.
#include <stdlib.h>
int main(void)
{
    int *a = malloc(32 * sizeof *a), sum = 0;
    for (int i = 0; i < 32; i++)
        a[i] = i;
#ifdef RIGHT
#pragma omp target parallel for map(tofrom : sum) map(to : a[0:32]) reduction(+ : sum)
#else
#pragma omp target parallel for map(tofrom : sum) reduction(+ : sum)
#endif
    for (int i = 0; i < 32; i++)
        sum += a[i]; // expect: null-pointer
    free(a);
    return sum != 496;
}
