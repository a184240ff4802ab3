// Functions of old C, structures without names, qualifiers, variables of other units, constants.
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int n;
    double *x;
} vec, *vec_pointer;
#pragma acc shape type(vec) include(x[0:n])

struct holder {
    const vec *v;
    int k;
    vec w[2];
    struct {
        int n;
        int *i;
    } * out;
    const struct holder *const next;
#pragma acc shape include(v[0:k], out[0:k]) exclude(next)
};

typedef struct {
    short n;
    unsigned char flags : 3;
    const double *in;
    double *restrict out;
    struct {
        int k;
        float *f;
    } inner;
    enum { ONE = 1, TWO } e;
#pragma acc shape include(in[0:n], out[0:n], inner.f[0:TWO])
} mixed;

enum { LENGTH = 3 };
extern double total;
extern vec shared;
extern int counts[LENGTH];
extern const int limit;
static const vec empty = {0, NULL};
static vec table[2][2];

static int old(a, k) vec_pointer a;
int k;
{
    register int i;
#pragma acc parallel loop copy(a[0:1])
    for (i = 0; i < a->n; i++)
        a->x[i] += k;
    return a->n;
}

static double get(const struct holder *h)
{
    double s = 0;
#pragma acc parallel loop copyin(h[0:1]) reduction(+ : s)
    for (int i = 0; i < 2; i++)
        s += h->v->x[i] + h->w[0].x[i];
    return s;
}

static void others(void)
{
    shared.n = LENGTH;
    shared.x = calloc(LENGTH, sizeof(double));
#pragma acc serial copy(total)
    total += 1;
#pragma acc parallel loop copy(shared, counts)
    for (int i = 0; i < shared.n; i++) {
        shared.x[i] += i;
        counts[i] += limit;
    }
    printf("others: %g %g %d\n", total, shared.x[2], counts[2]);
}

int main(void)
{
    vec v = {3, calloc(3, sizeof(double))};
    old(&v, 2);
    struct holder h = {&v, 1, {v, v}, calloc(1, sizeof *h.out), NULL};
    h.w[0].x = calloc(3, sizeof(double));
    printf("old: %g %g\n", v.x[2], get(&h));
#pragma acc parallel loop copyin(empty) copy(v)
    for (int i = 0; i < 3; i++)
        v.x[i] += empty.n + 1;

    double in[3] = {1, 2, 3}, out[3];
    float f[2] = {1, 2};
    mixed m = {.n = 3, .flags = 5, .in = in, .out = out, .inner = {2, f}, .e = TWO};
#pragma acc parallel loop copy(m)
    for (int i = 0; i < m.n; i++)
        m.out[i] = m.in[i] * m.flags + m.inner.f[1] + m.e;
    printf("members: %g %g\n", v.x[2], out[0]);

    for (int i = 0; i < 4; i++)
        table[i / 2][i % 2] = (vec){2, calloc(2, sizeof(double))};
#pragma acc parallel loop copy(table) collapse(2)
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            table[i][j].x[1] += i + j;
    vec(*rows)[2] = &table[1];
#pragma acc parallel loop copy(rows[0][0:2])
    for (int j = 0; j < 2; j++)
        rows[0][j].x[1] += 1;
    printf("arrays: %g\n", table[1][1].x[1]);
    others();
    return 0;
}

double total = 2;
vec shared;
int counts[LENGTH];
const int limit = 4;
