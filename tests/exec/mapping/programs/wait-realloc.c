// missing wait: an array is moved by realloc before the wait for the queue that reads it.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { N = 4096 };
    int *a = calloc(N, sizeof *a), sum = 0;
#pragma acc enter data create(a[0:N])
#pragma acc update device(a[0:N]) async(1)
#ifdef RIGHT
#pragma acc wait(1)
#endif
#pragma acc exit data delete(a[0:N]) async(1)
    a = realloc(a, 4000 * N); // checked: missing-wait
#pragma acc wait // strict: missing-wait
    printf("%d\n", sum + (a == NULL));
    free(a);
    return 0;
}
