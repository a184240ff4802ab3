// stale device data: one store of the host changes the end of what is not mapped and the beginning of what is.
#include <stdio.h>
#include <string.h>

int main(void)
{
    static _Alignas(8) short a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const short b[4] = {9, 9, 9, 9};
    int sum = 0;
#pragma acc enter data copyin(a[3:5])
    memcpy(a, b, sizeof b);
#ifdef RIGHT
#pragma acc update device(a[3:1])
#endif
#pragma acc parallel present(a[3:5]) copy(sum) // strict: stale-data
    sum += a[3]; // checked: stale-data
#pragma acc exit data delete(a[3:5])
    printf("%d\n", sum);
    return 0;
}
