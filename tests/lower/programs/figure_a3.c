// TR14, figures A.3, A.6 and A.7 in C: policies, the same as nests, and convenience syntax (A.8).
#include <stdio.h>
#include <stdlib.h>

#define MORE(x) ((x) + 1)

typedef struct {
    int n;
    float *a, *b, *c;
#pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])
#pragma acc policy(calc_a) default(copyin) copyout(a)
#pragma acc policy(move_a_to_c) default(copyin) copyout(c) exclude(b)
#pragma acc policy(update_b) default(exclude) update(b)
} deep_type;

struct bare {
    int n;
    float *a, *b, *c;
};

static float *row(int n, float first)
{
    float *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++)
        p[i] = first + i;
    return p;
}

static void show(const char *what, int n, const float *p)
{
    printf("%s:", what);
    for (int i = 0; i < n; i++)
        printf(" %g", p[i]);
    printf("\n");
}

static void policies(deep_type *x)
{
#pragma acc data invoke<calc_a>(x[0:1])
    {
#pragma acc parallel loop present(x[0:1])
        for (int i = 0; i < x->n; i++) x->a[i] = x->b[i] + x->c[i];
    }
    show("calc_a", x->n, x->a);
#pragma acc data invoke<move_a_to_c>(x[0:1])
#pragma acc parallel loop present(x[0:1])
    for (int i = 0; i < x->n; i++)
        x->c[i] = MORE(x->a[i]);
    show("move_a_to_c", x->n, x->c);
#pragma acc enter data copyin(x[0:1])
    x->b[0] = 70;
#pragma acc update invoke<update_b>(device: x[0:1])
#pragma acc serial present(x[0:1])
    x->b[1] = x->b[0] + 1;
#pragma acc update invoke<>(self: x[0:1])::{ default(exclude) update(b) }
    show("update_b", x->n, x->b);
#pragma acc exit data delete(x[0:1])
}

static void nests(struct bare X, struct bare *Y, int size)
{
    if (size > 1)
#pragma acc parallel loop copy(X)::{ init_needed(n) include(a[0:n], b[0:n], c[0:n]) }
        for (int i = 0; i < X.n; i++)
            X.c[i] = X.a[i] * X.b[i];
    else
        printf("never\n");
    show("nest", X.n, X.c);
#pragma acc data copyin(Y[0:size])::{ include(n, a[0:n], b[0:n]) exclude(c) } \
                 create(X)::{ default(exclude) include(a[0:n]) }
    {
#pragma acc parallel loop present(Y[0:size])
        for (int k = 0; k < size; k++) {
            Y[k].a[0] += Y[k].b[Y[k].n - 1];
        }
#pragma acc update self(Y[0:size])::{ include(a[0:n]) exclude(n, b, c) }
    }
    show("update self(Y)", 1, Y[0].a);
    show("update self(Y)", 2, Y[1].a);
#pragma acc data copyin(X.a[0:X.n], X.b[0:X.n]) copyout(X.c[0:X.n])
    {
        const int n = X.n; // the member itself is not moved
#pragma acc parallel loop present(X.a[0:X.n], X.b[0:X.n], X.c[0:X.n])
        for (int i = 0; i < n; i++)
            X.c[i] = X.b[i] - X.a[i];
    }
    show("members", X.n, X.c);
}

int main(void)
{
    deep_type x = {3, row(3, 1), row(3, 10), row(3, 100)};
    struct bare X = {2, row(2, 3), row(2, 5), row(2, 7)}, Y[2];
    Y[0] = (struct bare){1, row(1, 1), row(1, 2), NULL};
    Y[1] = (struct bare){2, row(2, 1), row(2, 2), NULL};
    policies(&x);
    nests(X, Y, 2);
    return 0;
}
