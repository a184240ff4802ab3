// stale host data: a kernel adds up by atomic operations, and the result is not fetched.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    double *rho = calloc(2000, sizeof *rho);
#pragma acc enter data copyin(rho[0:2000])
#pragma acc parallel loop present(rho[0:2000])
    for (int i = 0; i < 2000; i++) {
#pragma acc atomic update
        rho[i % 1600] += 1;
    }
#ifdef RIGHT
#pragma acc update self(rho[0:2000])
#endif
    printf("%g\n", rho[5]); // checked: stale-data
#pragma acc exit data delete(rho[0:2000]) // strict: lost-change
    free(rho);
    return 0;
}
