#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 16;
    double *u = calloc(n, sizeof *u);
#ifdef NVC
#pragma acc parallel loop
#else
#pragma acc parallel loop copy(u[0:n])
#endif
    for (int i = 0; i < n; i++)
        u[i] += 1;
    printf("%g\n", u[n - 1]);
    free(u);
    return 0;
}
