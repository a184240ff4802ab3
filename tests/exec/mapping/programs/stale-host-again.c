// stale host data: a kernel's change is lost; the data are mapped once more, and the host reads what it had before.
#include <stdlib.h>

int main(void)
{
    double *a = malloc(100 * sizeof *a), sum = 0;
    for (int i = 0; i < 100; i++)
        a[i] = i;
#pragma acc enter data copyin(a[0:100])
#pragma acc parallel loop present(a[0:100])
    for (int i = 0; i < 100; i++)
        a[i] = 2 * a[i] + 1;
#ifdef RIGHT
#pragma acc exit data copyout(a[0:100])
#else
#pragma acc exit data delete(a[0:100]) // may: lost-change
#endif
#pragma acc enter data copyin(a[0:100])
#pragma acc parallel loop present(a[0:100]) reduction(+: sum)
    for (int i = 0; i < 50; i++)
        sum += a[i];
#pragma acc exit data delete(a[0:100])
    for (int i = 50; i < 100; i++)
        sum += a[i]; // checked: stale-data
    free(a);
    return sum < 10000;
}
