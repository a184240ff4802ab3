// Arrays in kernels that are used as one object: their size, their address, as arguments.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct v {
    int n;
    double *x;
    int tab[3];
#pragma acc shape include(x [0:n])
};
#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))
static double first(const double *p)
{
    return p[0];
}
static double both(double (*p)[2])
{
    return p[0][0] + p[1][1];
}
int main(void)
{
    struct v s = {2, calloc(2, 8), {1, 2, 3}}, arr[2] = {s, s};
    arr[1].x = calloc(2, 8);
    double a[5] = {1, 2, 3, 4, 5}, b[2][2] = {{1, 2}, {3, 4}}, out[4] = {0};
    int n = 3;
    double vla[n];
    memset(vla, 0, sizeof vla);
#pragma acc parallel loop copy(a, b, arr) copy(out)
    for (int i = 0; i < 1; i++) {
        out[0] = sizeof a;
        out[1] = COUNT(arr);
        out[2] = first(a) + both(b) + *a;
        double *e = a + 1;
        out[3] = e[1] + (&a[1])[0] + (*(&b))[1][0];
        arr->x[0] += 3;
    }
    printf("%g %g %g %g %g\n", out[0], out[1], out[2], out[3], arr[0].x[0]);
#pragma acc parallel loop copy(vla)
    for (int i = 0; i < (int)(sizeof vla / sizeof *vla); i++)
        vla[i] += i;
    printf("%g\n", vla[2]);
#pragma acc serial copy(s)
    {
        memset(s.tab, 0, sizeof s.tab);
        s.x[0] = COUNT(s.tab);
    }
    printf("%g %d\n", s.x[0], s.tab[1]);
    double loc[2] = {1, 2};
#pragma acc parallel loop copyout(out [0:2])
    for (int i = 0; i < 2; i++)
        out[i] = loc[i] + sizeof(out);
    printf("%g\n", out[1]);
}
