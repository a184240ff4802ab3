// Macros in directives, which GNU's compilers replace there. clang: no.
#include <stdio.h>
#include <stdlib.h>

struct row {
    int n;
    double *x;
#pragma acc shape include(x[0:n])
};

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define COPY copy(a)
#define PASTE(p, q) p##q
#define ROWS(p) p[0:1]
#define GANGS num_gangs(2) /* as many
    as there are */

int main(void)
{
    double x[4] = {1, 2, 3, 4};
    double y[4] = {0};
    struct row a = {4, x}, *p = &a;
#pragma acc parallel /* a comment, copyin(p) */ loop \
    COPY // another
    FOR(i, a.n)
        a.x[i] += 2;
#pragma acc parallel loop copy(PASTE(, p)[0:1]) GANGS
    FOR(i, PASTE(p, )->n)
        p->x[i] += 1;
#pragma acc data copy(ROWS(p)) if(y[0] < 1)
#pragma acc parallel loop present(ROWS(p))
    FOR(i, p->n)
        p->x[i] += 1;
#pragma acc parallel loop copy(PASTE(y,)) GANGS
    FOR(i, 4)
        y[i] += i;
    printf("%g %g, line %d\n", a.x[3], y[3], __LINE__);
    return 0;
}
