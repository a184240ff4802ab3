// Macros in kernels whose texts name variables: loops, elements, assert.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
struct grid { int n, m; double *u;
#pragma acc shape include(u[0:n*m])
};
#define U(i, j) g->u[(i) * g->m + (j)]
#define NAME(x) #x
#define EACH(i, n) for (int i = 0; i < (n); i++)
static void f(struct grid *g, const double *w)
{
    const int m = g->m; // comment
#define W(j) w[(j)]
#pragma acc parallel loop present(g[0:1]) copyin(w[0:m])
    EACH(i, g->n)
    {
        /* rows */
#pragma acc loop
        EACH(j,
             g->m) {
            assert(g->m > 0); // as always
            U(i, j) += W(j);
        }
    }
#pragma acc parallel loop present(g[0:1])
    EACH(i, g->n) U(i, 0) *= 2;
    printf("%s %d\n", NAME(g), __LINE__);
}
int main(void)
{
    double u[6] = {1, 2, 3, 4, 5, 6}, w[2] = {10, 20};
    struct grid g = {3, 2, u};
#pragma acc data copy(g)
    f(&g, w);
    printf("%g %g\n", u[4], u[5]);
}
