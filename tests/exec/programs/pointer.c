/* Sections of a declared pointer attach it for the functions of a region, which does not name it itself. */
#include <stdio.h>
#include <stdlib.h>

int *values;
#pragma acc declare create(values)
#pragma acc routine seq
int __attribute__((noinline)) take(int i) { return values[i]++; }

int main(void)
{
    int seen = -1;
    for (int n = 4; n < 6; n++) {
        values = calloc((size_t)n, sizeof *values);
#pragma acc parallel copy(values[:n]) copyout(seen)
        seen = take(n - 1);
#pragma acc enter data copyin(values[:n])
#pragma acc parallel copyout(seen)
        seen = take(n - 1);
#pragma acc exit data copyout(values[:n])
        printf("%d %d\n", seen, values[n - 1]);
        free(values);
    }
    for (int n = 10; n <= 100000; n *= 100) { /* sections that begin later, of blocks of both kinds */
        values = calloc((size_t)n, sizeof *values);
        for (int k = 0; k < 2; k++) {
#pragma acc parallel copy(values[2 : n - 2]) copyout(seen)
            seen = take(n - 1);
        }
        printf("%d %d\n", seen, values[n - 1]);
        free(values);
    }
    return 0;
}
