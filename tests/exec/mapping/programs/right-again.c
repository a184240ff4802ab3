// nothing: the host keeps its values on purpose, and maps them again; it writes before it reads. A kernel writes the
// values that were there.
#include <stdlib.h>

int main(void)
{
    double *a = malloc(100 * sizeof *a), *b = malloc(100 * sizeof *b), sum = 0;
    for (int i = 0; i < 100; i++)
        a[i] = b[i] = i;
#pragma acc enter data copyin(a[0:100])
#pragma acc parallel loop present(a[0:100]) reduction(+: sum)
    for (int i = 0; i < 100; i++)
        sum += a[i] *= 2;
#pragma acc exit data delete(a[0:100]) // may: lost-change
#pragma acc enter data copyin(a[0:100])
    for (int i = 0; i < 100; i++)
        a[i] = 3 * i;
#pragma acc update device(a[0:100])
#pragma acc parallel loop present(a[0:100]) reduction(+: sum)
    for (int i = 0; i < 100; i++)
        sum += a[i];
#pragma acc exit data delete(a[0:100])
#pragma acc enter data copyin(b[0:100])
#pragma acc parallel loop present(b[0:100])
    for (int i = 0; i < 100; i++)
        b[i] = (int)b[i];
#pragma acc exit data delete(b[0:100])
    for (int i = 0; i < 100; i++)
        sum += a[i] + b[i];
    free(a);
    free(b);
    return sum != 2 * 4950 + 3 * 4950 + 4 * 4950;
}
