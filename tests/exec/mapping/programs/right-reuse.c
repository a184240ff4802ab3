// nothing: a block is freed after it was unmapped, and malloc returns its memory again.
#include <stdlib.h>
int main(void)
{
    int sum = 0;
    for (int t = 0; t < 5; t++) {
        int n = 20 + 10 * t, *a = malloc(n * sizeof *a);
#pragma acc enter data create(a[0:n])
#pragma acc parallel loop present(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = t;
#pragma acc exit data copyout(a[0:n])
        sum += a[n - 1];
        free(a);
    }
    return sum != 10;
}
