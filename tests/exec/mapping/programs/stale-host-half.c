// stale host data: the end copies one half to the host, which reads the other one, too.
#include <stdlib.h>
int main(void)
{
    int *c = calloc(64, sizeof *c);
#pragma acc enter data copyin(c[0:64])
#pragma acc parallel loop present(c[0:64])
    for (int i = 0; i < 64; i++)
        c[i] = 1;
#ifdef RIGHT
#pragma acc exit data copyout(c[0:64])
#else
#pragma acc exit data copyout(c[0:32]) // strict: lost-change
#endif
    int last = c[63]; // checked: stale-data
    free(c);
    return last < 0;
}
