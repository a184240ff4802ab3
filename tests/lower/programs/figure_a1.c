// TR14, figure A.1: shapes, in C. The values are those of spec/tr14/A.1-figure.lua.
#include <stdio.h>
#include <stdlib.h>

struct deep_type {
    int n;
    float *a, *b, *c;
    #pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])
    #pragma acc shape(part_a) exclude(b, c)
    #pragma acc shape(only_b) default(exclude) include(b)
};

static float *row(int n, float first, float step)
{
    float *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = first + step * i;
    return p;
}

static void show(const char *what, int n, const float *p)
{
    printf("%s:", what);
    for (int i = 0; i < n; i++)
        printf(" %g", p[i]);
    printf("\n");
}

int main(void)
{
    struct deep_type X = {3, row(3, 1, 1), row(3, 4, 1), row(3, 7, 1)};
    struct deep_type *Y = malloc(2 * sizeof *Y);
    int size = 2;
    Y[0] = (struct deep_type){1, row(1, 1, 0), row(1, 2, 0), row(1, 3, 0)};
    Y[1] = (struct deep_type){2, row(2, 1, 0), row(2, 2, 0), row(2, 3, 0)};

#pragma acc data copy(X)
    {
#pragma acc parallel loop present(X)
        for (int i = 0; i < X.n; i++)
            X.c[i] = X.a[i] + X.b[i];
    }
    show("copy(X)", X.n, X.c);

#pragma acc enter data create(X)
#pragma acc parallel loop present(X)
    for (int i = 0; i < X.n; i++)
        X.a[i] = X.b[i] = X.c[i] = 20 + i;
#pragma acc exit data copyout(X)
    show("create(X)", X.n, X.b);

#pragma acc data copyout<part_a>(X)
    {
#pragma acc parallel loop present<part_a>(X)
        for (int i = 0; i < X.n; i++)
            X.a[i] = 10 + i;
    }
    show("copyout<part_a>(X)", X.n, X.a);

#pragma acc data copyin(X)
    {
#pragma acc parallel loop present(X)
        for (int i = 0; i < X.n; i++)
            X.a[i] = X.b[i] = X.c[i] = i;
#pragma acc update self(X)
        show("update self(X)", X.n, X.c);
#pragma acc serial present(X)
        X.b[0] = 50;
#pragma acc update self<only_b>(X)
        show("update self<only_b>(X)", X.n, X.b);
        X.b[1] = 60;
#pragma acc update device(X.b[0:X.n])
#pragma acc serial present(X)
        X.b[2] = X.b[1] + 1;
#pragma acc update self(X.b[0:X.n])
        show("update self(X.b[0:X.n])", X.n, X.b);
    }

#pragma acc data copy(Y[0:size])
    {
#pragma acc parallel loop present(Y[0:size])
        for (int k = 0; k < size; ++k)
            Y[k].a[Y[k].n - 1] = 100 + k;
    }
    show("copy(Y[0:size])", 1, Y[0].a);
    show("copy(Y[0:size])", 2, Y[1].a);

#pragma acc enter data copyin(Y[0:size])
    for (int i = 0; i < size; i++)
        Y[i].b[0] = 5 + i;
#pragma acc update device<only_b>(Y[0:size])
#pragma acc parallel loop present(Y[0:size])
    for (int k = 0; k < size; ++k)
        Y[k].b[0] *= 2;
    for (int i = 0; i < size; i++) {
#pragma acc update self(Y[i].b[0:Y[i].n])
    }
#pragma acc exit data delete(Y[0:size])
    show("update self(Y[i].b[0:Y[i].n])", 2, Y[1].b);
    printf("line %d\n", __LINE__);
    return 0;
}
