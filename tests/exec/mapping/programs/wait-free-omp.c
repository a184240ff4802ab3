// missing wait: an array is freed before the wait for the task that copies its data back.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { N = 4096 };
    int *a = calloc(N, sizeof *a);
#pragma omp target teams distribute parallel for nowait map(tofrom: a[0:N])
    for (int i = 0; i < N; i++)
        a[i] += i;
#ifdef RIGHT
#pragma omp taskwait
#endif
    free(a); // checked: missing-wait
#pragma omp taskwait // strict: missing-wait
    puts("done");
    return 0;
}
