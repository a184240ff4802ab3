/* The call of a directive has a line of a system header, as after an optimization that moves inlined code. */
#include <stdio.h>

int main(void)
{
    int a[100] = {0};
#pragma acc enter data copyin(a)
    a[3] = 1;
    puts("before");
#line 397 "/usr/include/c++/12/bits/stl_vector.h"
#pragma acc update self(a)
#line 13 "programs/stray.c"
    printf("%d\n", a[3]);
#pragma acc exit data delete(a)
}
