#include <stdio.h>

/* Each call has its array at the same place of the stack. The first call maps a part of its array again; in the second, data
 * that begin at that part are present. */
static void __attribute__((noinline)) map(int first)
{
    int a[64] = {0};
    if (first) {
#pragma acc enter data copyin(a)
#pragma acc enter data copyin(a[16:48])
#pragma acc exit data delete(a[16:48])
#pragma acc exit data delete(a)
        return;
    }
#pragma acc data create(a[16:48])
    {
#pragma acc enter data copyin(a[20:8])
    }
#pragma acc parallel present(a[16:48])
    a[20] = 7;
#pragma acc update self(a[20:1])
#pragma acc exit data delete(a[16:48])
    printf("%d\n", a[20]);
}

int main(void)
{
    map(1);
    map(0);
    return 0;
}
