// Sections whose pointer and length change in their region, bit-fields and plain structures in
// updates.
#include <stdio.h>
#include <stdlib.h>
struct v {
    int n;
    double *x;
#pragma acc shape include(x [0:n])
};
static struct v make(int n)
{
    struct v a = {n, calloc(n, 8)};
    return a;
}
static int calls;
static int three(void)
{
    calls++;
    return 3;
}
struct bits {
    int n;
    unsigned b : 4, c : 9;
    double *x;
    int m : 3;
    double *y;
    struct {
        short s : 4;
        int k;
    } in;
    struct plain {
        int i;
        float w[2];
    } pl[2], one;
#pragma acc shape include(x [0:n], y [0:n])
#pragma acc policy(outx) default(copyin) copyout(x)
#pragma acc policy(outn) default(create) copyout(n, x)
};
static void updates(void)
{
    struct bits a = {2, 3, 100, calloc(2, 8), 2, calloc(2, 8), {5, 6}, {{0, {0}}}, {0, {0}}};
#pragma acc enter data copyin(a)
#pragma acc serial present(a)
    {
        a.b = 7;
        a.m = 1;
        a.in.s = 3;
        a.pl[1].w[1] = 5;
        a.one.i = 6;
        a.x[0] = a.c;
    }
#pragma acc update self(a)
    printf("%g %d %d %d %d %d %g\n", a.pl[1].w[1], a.one.i, a.b, a.c, a.m, a.in.s, a.x[0]);
    a.c = 50;
#pragma acc update device(a)
#pragma acc serial present(a)
    {
        a.x[1] = a.c;
        a.b = 1;
    }
#pragma acc exit data copyout(a)
    printf("%d %d %g\n", a.b, a.c, a.x[1]);
#pragma acc parallel invoke<outx>(a)
    {
        a.x[0] = 3;
    }
    printf("%g %d\n", a.x[0], a.n);
#pragma acc parallel invoke<outn>(a)
    {
        a.x[0] = 4;
        a.x[1] = 4;
        a.n = 2;
    }
    printf("%g %d %d\n", a.x[0], a.n, a.c);
}

int main(void)
{
    struct v t[3] = {make(2), make(3), make(4)}, *p = t;
    int n = 3;
#pragma acc data copy(p [0:n])
    {
#pragma acc parallel loop present(p [0:n])
        for (int i = 0; i < n; i++)
            p[i].x[0] += 1;
        n = 1;
        p = t + 1;
        for (int k = 0; k < 3; k++) {
            if (k == 1)
                continue;
            if (k == 2)
                break;
        }
    }
    p = t;
#pragma acc parallel loop copy(p [0:three()])
    for (int i = 0; i < 3; i++)
        p[i].x[0] += 1;
    printf("%g %g %g\n", t[0].x[0], t[1].x[0], t[2].x[0]);
#pragma acc enter data copyin(t)
#pragma acc parallel loop present(t)
    for (int i = 0; i < 3; i++)
        t[i].x[0] += 1;
#pragma acc exit data copyout(t)
    printf("%g\n", t[2].x[0]);
    updates();
    return 0;
}
