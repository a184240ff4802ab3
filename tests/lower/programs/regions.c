// Regions around constructs: names that mean other variables in blocks, conditions, statements without braces, macros.
#include <stdio.h>
#include <stdlib.h>

struct row {
    int n;
    double *x;
#pragma acc shape include(x[0:n])
};

struct either {
    int n;
    union {
        double *x;
        int *k;
    };
#pragma acc shape include(x[0:n])
};

#define FOR(i, n) for (int i = 0; i < (n); i++)
#define AT(s, i) ((s).x[i])

static struct row make(int n)
{
    struct row a = {n, malloc(n * sizeof *a.x)};
    FOR(i, n)
        a.x[i] = i;
    return a;
}

static void other_variables(void)
{
    struct row a = make(4), b = make(5), *p = &b, c = make(3);
#pragma acc data copy(a, p[0:1])
    {
        {
            struct row a = c;
#pragma acc parallel loop
            for (int i = 0; i < a.n; i++)
                a.x[i] += 10;
        }
        {
            struct row *p = &c;
#pragma acc parallel loop copy(p[0:1])
            for (int i = 0; i < p->n; i++)
                p->x[i] += 100;
        }
        {
            int a[3] = {1, 2, 3};
#pragma acc parallel loop
            for (int i = 0; i < 3; i++)
                a[i] += p->n;
            printf("array: %d\n", a[2]);
        }
#pragma acc parallel loop
        for (int i = 0; i < a.n; i++)
            a.x[i] += 1;
#pragma acc parallel loop present(p[0:1])
        for (int i = 0; i < p->n; i++) {
            double *x = p->x;
            x[i] += 1;
        }
    }
    printf("other variables: %g %g %g\n", a.x[1], b.x[1], c.x[1]);
}

static void conditions(int on, int second)
{
    struct row a = make(4), b = make(3);
    int s = 1;
#pragma acc data copy(a) if(on)
#pragma acc data copy(b) if(second)
#pragma acc parallel loop
    for (int i = 0; i < b.n; i++)
        b.x[i] += a.x[i] + 1;
    printf("nested: %g %g\n", a.x[2], b.x[2]);
#pragma acc data copy(a, s) if(on)
    {
#pragma acc data copyin(a.n) if(second)
#pragma acc parallel loop present(a) if(on)
        for (int i = 0; i < a.n; i++)
            a.x[i] += 1;
#pragma acc parallel loop present(a) if(on)
        for (int i = 0; i < a.n; i++)
            a.x[i] += 1;
        if (second)
#pragma acc parallel loop present(a) if(on)
            for (int i = 0; i < a.n; i++)
                a.x[i] += 1;
        else
#pragma acc parallel loop present(a) if(on)
            for (int i = 0; i < a.n; i++)
                a.x[i] += 2;
#pragma acc serial
        s += 3;
    }
    printf("in a region: %g %d\n", a.x[1], s);
    for (int k = 0; k < 2; k++)
        if (k == second)
#pragma acc data copy(b)
#pragma acc parallel loop
            for (int i = 0; i < b.n; i++)
                if (i == 1)
                    b.x[i] += 1;
                else
                    b.x[i] += 2;
        else if (k)
#pragma acc parallel loop copy(b)
            for (int i = 0; i < b.n; i++)
                b.x[i] *= 2;
    printf("without braces: %g %g\n", b.x[0], b.x[1]);
}

static void labels(int k)
{
    struct row a = make(4);
    switch (k) {
    case 0:
#pragma acc parallel loop copy(a)
        for (int i = 0; i < a.n; i++)
            a.x[i] += 1;
        break;
    default:
        goto out;
    }
out:
#pragma acc serial copy(a)
{
again:
    a.x[1] += 3;
    if (a.x[1] < 8)
        goto again;
}
    printf("labels: %g\n", a.x[1]);
}

static void macros(void)
{
    struct row a = make(4), *p = &a;
    struct either e = {2, {calloc(2, sizeof(double))}};
#pragma acc parallel /* a comment, copyin(p) */ loop \
    copy(a)
    FOR(i, a.n)
        AT(a, i) += 2;
#pragma acc parallel loop copy(p[0:1])
    FOR(i, p->n)
        p->x[i] += 1;
#pragma acc parallel loop copy(e)
    FOR(i, e.n)
        e.x[i] += i + 1;
    printf("macros: %g %g\n", AT(a, 3), e.x[1]);
}

int main(void)
{
    other_variables();
    conditions(1, 1);
    conditions(0, 1);
    conditions(1, 0);
    conditions(0, 0);
    labels(0);
    labels(1);
    macros();
    return 0;
}
