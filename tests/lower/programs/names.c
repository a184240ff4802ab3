// Bounds with names that functions of the lowered text have for their own variables.
#include <stdio.h>
#include <stdlib.h>
int count = 2, q = 2, i = 2, objects = 2, kept = 2, to = 2;
struct s { float *x, *y, *z, *w, *v; int k; int raw[4];
#pragma acc shape include(x[0:count], y[0:q], z[0:i], w[0:objects], v[0:kept])
#pragma acc shape(k) exclude(k) include(raw[0:to])
};
int main(void)
{
    struct s a = { .k = 1 };
    a.x = calloc(4, 4); a.y = calloc(4, 4); a.z = calloc(4, 4); a.w = calloc(4, 4); a.v = calloc(4,4);
#pragma acc data copy<k>(a)
#pragma acc serial present<k>(a)
    { a.x[1] = 1; a.y[1] = 2; a.z[1] = 3; a.w[1] = 4; a.raw[1] = 5; a.v[1] = 6; }
    printf("%g %g %g %g %d %g\n", a.x[1], a.y[1], a.z[1], a.w[1], a.raw[1], a.v[1]);
}
