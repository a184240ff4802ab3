// Pointers to data that are present already: mapped before the structure, by two members, by a variable of the same
// directive, and where the structure itself is absent.
#include <stdio.h>
#include <stdlib.h>
struct part {
    int n;
    float *w, *same, *q;
#pragma acc shape init_needed(n) include(w [0:n], same [0:n], q [1:n - 1])
};
struct in {
    int n;
    float *a;
};
struct out {
    int m;
    struct in *i;
};
static void bottom_up(void)
{
    struct part x = {3, malloc(3 * sizeof(float)), NULL, NULL};
    float *w = x.w, s = 0;
    x.same = x.q = w;
    for (int i = 0; i < 3; i++)
        w[i] = (float)i;
#pragma acc enter data copyin(w [0:3])
#pragma acc enter data copyin(x)
#pragma acc parallel present(x) copy(s)
    {
        for (int i = 0; i < x.n; i++)
            s += x.w[i] + 10 * x.same[i];
        x.w[1] = 5;
        x.same[2] = 6;
        x.q[2] += 1;
    }
#pragma acc exit data copyout(x)
#pragma acc exit data copyout(w [0:3])
    printf("%g, %g %g %g, %d\n", s, x.w[0], x.w[1], x.w[2], x.w == w && x.same == w);
#pragma acc data copy(x)
#pragma acc parallel present(x)
    {
        x.w[0] = 7;
        x.same[1] += x.w[0];
    }
    printf("%g %g %d\n", w[0], w[1], x.w == w && x.same == w);
}
static void pool(void)
{
    float all[10], s = 0;
    struct part t[3];
    for (int i = 0; i < 10; i++)
        all[i] = (float)i;
    for (int i = 0; i < 3; i++)
        t[i] = (struct part){2, all + i, all + i, all + i};
#pragma acc data copyin(t) copyin(all)
#pragma acc serial present(t) copy(s)
    for (int i = 0; i < 3; i++)
        s += t[i].w[1] + t[i].q[1];
    printf("%g\n", s);
}
static void absent(void)
{
    struct out o = {2, malloc(2 * sizeof(struct in))};
    for (int j = 0; j < 2; j++) {
        o.i[j].n = 3;
        o.i[j].a = calloc(3, sizeof(float));
        o.i[j].a[2] = 7.0f * (float)(j + 1);
    }
    struct in *i = o.i;
#pragma acc enter data copyin(i [0:2])::{ include(a[0:3]) }
#pragma acc parallel present(o.i [0:2])::{ include(a[0:3]) }
    o.i[1].a[0] = o.i[0].a[2] + o.i[1].a[2];
#pragma acc exit data copyout(i [0:2])::{ include(a[0:3]) }
    printf("%g\n", o.i[1].a[0]);
}
int main(void)
{
    bottom_up();
    pool();
    absent();
    return 0;
}
