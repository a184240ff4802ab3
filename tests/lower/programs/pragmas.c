// Directives that macros and _Pragma make, in a unit and in its header. lines: no - macros are replaced.
#include <stdio.h>
#include "pragmas/part.h"
#define WITH(...) PRAGMA(acc data __VA_ARGS__)

static void f(struct part *p)
{
    ENTER(p[0:1])
    PARALLEL_FOR(i, p->n,
                 present(p[0:1]))
    {
        p->v[i] += 1;
    }
    int last = p->n - 1; _Pragma("acc parallel loop present(p[0:1])")
    for (int i = 0; i < last; i++)
        p->v[i] *= 2;
    LEAVE(p[0:1])
    printf("line %d\n", __LINE__);
}

int main(void)
{
    double v[3] = {1, 2, 3};
    struct part p = {3, v};
    f(&p);
    part_add(&p, 10);
    printf("%g %g\n", v[0], v[2]);
    WITH(copy(p)) {
        PARALLEL_FOR(i, p.n, present(p)) p.v[i] += 0.5;
    }
    printf("%g, line %d\n", v[2], __LINE__);
    return 0;
}
