// Structures that functions declare; macros with names that generated functions use.
#include <stdio.h>
#include <stdlib.h>

#define host 7
#define objects 8

static int g(int n)
{
    struct part {
        int n;
        float *v;
#pragma acc shape include(v[0:n])
    };
    struct part p = { n, malloc(n * sizeof(float)) };
    for (int i = 0; i < n; i++)
        p.v[i] = i;
#pragma acc data copy(p)
#pragma acc serial present(p)
    for (int i = 0; i < p.n; i++)
        p.v[i] += 1;
    return (int)p.v[n - 1];
}

static int h(int n)
{
    struct row {
        double *w;
        int m;
#pragma acc shape include(w[0:m])
    };
    struct row p = { malloc(n * sizeof(double)), n };
    for (int i = 0; i < n; i++)
        p.w[i] = i;
#pragma acc data copy(p)
#pragma acc serial present(p)
    for (int i = 0; i < p.m; i++)
        p.w[i] += 2;
    return (int)p.w[n - 1];
}

int main(void)
{
    printf("%d %d %d\n", g(3), h(4), objects - host);
    return 0;
}
