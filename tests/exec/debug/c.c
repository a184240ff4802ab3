/* Names and lines in a C program. */
#include "probe.h"

#include <stdlib.h>

struct inner {
    double *q;
    int k;
};
struct outer {
    int n;
    double *a, *b;
    struct inner in;
    struct inner *pb;
    struct inner arr[3];
    union {
        float *f;
        long word;
    };
};
struct list {
    struct list *next;
    float *x;
};
struct tail {
    int n;
    double data[];
};

double z[10];
static double *gp;
static double m[4][5];
static struct outer everywhere;

#define APART __attribute__((noipa))

static APART void storage(int n)
{
    struct outer s = {.n = n};
    int scalar = n;
    stands_at("c.c", __LINE__, "storage");
    names(z, sizeof z, "z of 8");
    names(&z[2], 4 * sizeof *z, "z[2:4] of 8");
    names((char *)z + 1, 8, "?");
    names(&z[9], 0, "z[9:0] of 8");
    names(&s, sizeof s, "s");
    names(&s, 0, "s");
    names(&s.n, sizeof s.n, "s.n");
    names(&s.a, sizeof s.a, "s.a");
    names(&s.in.q, sizeof s.in.q, "s.in.q");
    names(&s.in, sizeof s.in, "s.in");
    names(&s.arr[2].q, sizeof s.in.q, "s.arr[2].q");
    names(&s.arr[1], 2 * sizeof s.arr[0], "s.arr[1:2] of 16");
    names(&s.f, sizeof s.f, "s.f");
    names(&s.a, 2 * sizeof s.a, "s.a to s.b");
    names(&scalar, sizeof scalar, "scalar");
    names(&everywhere.in.k, sizeof everywhere.in.k, "everywhere.in.k");
    names(m, sizeof m, "m of 40");
    names(m[1], sizeof m[1], "m[1:1] of 40");
    names(&m[1][2], 2 * sizeof m[0][0], "m[1][2:2] of 8");
}

static APART void pointers(struct outer *p, int n)
{
    float *loc = malloc((size_t)n * sizeof *loc), *other = malloc((size_t)n * sizeof *loc);
    struct outer s = *p;
    s.b = malloc((size_t)n * sizeof *s.b);
    names(&s, sizeof s, "s");
    names(loc, (size_t)n * sizeof *loc, "loc[0:10] of 4");
    names(loc + 2, 4 * sizeof *loc, "loc[2:4] of 4");
    names(other, 0, "other[0:0] of 4");
    names(p->a, (size_t)n * sizeof *p->a, "s.a[0:10] of 8");
    names(&p->n, sizeof p->n, "p->n");
    names(&p->a, sizeof p->a, "p->a");
    names(p, sizeof *p, "p[0:1] of 104");
    names(p + 1, sizeof *p, "p[1:1] of 104");
    element(&s, sizeof s, &s.n, "s.n");
    element(&s, sizeof s, &s.arr[1].q, "s.arr[1].q");
    element(p, 2 * sizeof *p, (char *)&p[1].in.q + 3, "p[1].in.q");
    element(loc + 2, 4 * sizeof *loc, loc + 4, "loc[4]");
    element(loc, 4 * sizeof *loc, (char *)loc - 1, "loc[-1]");
    names(&p[1].in.q, sizeof p->in.q, "p[1].in.q");
    names(p[1].in.q, sizeof p->in.q, "p[1].in.q[0:1] of 8");
    names(p->pb, sizeof *p->pb, "s.pb[0:1] of 16");
    names(&p->pb->q, sizeof p->pb->q, "s.pb->q");
    names(p->pb->q, 3 * sizeof *p->pb->q, "s.pb->q[0:3] of 8");
    names(p->arr[1].q, sizeof *p->arr[1].q, "s.arr[1].q[0:1] of 8");
    names(s.b + 3, 2 * sizeof *s.b, "s.b[3:2] of 8");
    names(gp + 1, 2 * sizeof *gp, "gp[1:2] of 8");
    names_beyond(loc + n, 3 * sizeof *loc);
    free(loc);
    free(other);
    free(s.b);
}

static APART void blocks(int n)
{
    double vla[n];
    vla[0] = 0;
    {
        int hidden = n;
        names(&hidden, sizeof hidden, "hidden");
        if (n) {
            int inner[4] = {n};
            names(inner + 1, 2 * sizeof *inner, "inner[1:2] of 4");
            names(vla, 4 * sizeof *vla, "vla[0:4] of 8");
            names(vla + 2, 4 * sizeof *vla, "vla[2:4] of 8");
        }
    }
    static int counter[3];
    names(counter, sizeof counter, "counter of 4");
}

static inline __attribute__((always_inline)) void inlined(float *inner, int n)
{
    int local = n;
    names(inner, (size_t)n * sizeof *inner, "inner[0:10] of 4");
    names(&local, sizeof local, "local");
    stands_at("c.c", __LINE__, "inlined");
}

static APART void inlines(int n)
{
    float *mine = malloc((size_t)n * sizeof *mine);
    int outside[2] = {n};
    inlined(mine, n);
    names(mine, (size_t)n * sizeof *mine, "mine[0:10] of 4");
    names(outside, sizeof outside, "outside of 4");
    free(mine);
}

static APART void chains(struct list *l, float *x)
{
    struct list third = {NULL, x}, second = {&third, NULL}, first = {&second, NULL};
    names(l->next, sizeof *l, "l->next[0:1] of 16");
    names(l->next->x, sizeof(float), "l->next->x[0:1] of 4");
    names(&l->next->x, sizeof l->x, "l->next->x");
    names_beyond(l->next->next->x, sizeof(float));
    names(&first, sizeof first, "first");
    names(&third.x, sizeof third.x, "third.x");
    names(x, sizeof *x, "x[0:1] of 4");
    free(l->x);
    l->x = NULL;
}

/* Of unknown length, like those of a variable one in optimised code. */
static APART void unknown_length(void)
{
    int(*lines)[] = malloc(20);
    names(lines, 20, "lines[0:5] of 4");
    free(lines);
}

static APART void rows(int n)
{
    double **table = malloc(3 * sizeof *table);
    double(*matrix)[5] = malloc(2 * sizeof *matrix);
    struct tail *t = malloc(sizeof *t + 4 * sizeof t->data[0]);
    void *bare = malloc(24);
    for (int i = 0; i < 3; i++)
        table[i] = malloc((size_t)n * sizeof **table);
    names(table, 3 * sizeof *table, "table[0:3] of 8");
    names(table[2], (size_t)n * sizeof **table, "table[2][0:10] of 8");
    names(matrix + 1, sizeof *matrix, "matrix[1:1] of 40");
    names(&matrix[1][2], 2 * sizeof **matrix, "matrix[1][2:2] of 8");
    names(t->data, 4 * sizeof t->data[0], "t->data[0:4] of 8");
    names(t->data + 1, 2 * sizeof t->data[0], "t->data[1:2] of 8");
    names(bare, 24, "bare[0:24] of 1");
    element(table, 3 * sizeof *table, &table[1], "table[1]");
    element(table[2], 10 * sizeof **table, &table[2][7], "table[2][7]");
    element(matrix, 2 * sizeof *matrix, &matrix[1][3], "matrix[1][3]");
    element(&matrix[1][2], 2 * sizeof **matrix, &matrix[1][3], "matrix[1][3]");
    element(t->data, 4 * sizeof t->data[0], t->data + 5, "t->data[5]");
    element(bare, 24, (char *)bare + 3, "");
    for (int i = 0; i < 3; i++)
        free(table[i]);
    free(table);
    free(matrix);
    free(t);
    free(bare);
}

/* Entries of real directives. */
static APART void directives(struct outer *p, struct inner *parts, int n)
{
    struct outer s = *p;
    float *loc = malloc((size_t)n * sizeof *loc);
    int scalar = n;
    directive("z[2:4] of 8");
#pragma acc enter data copyin(z[2:4])
    directive("scalar, loc[0:10] of 4, s");
#pragma acc enter data copyin(s, loc[0:n], scalar)
    directive("s.n, s.a, s.b, s.b[2:4] of 8, s.b, s.a[0:10] of 8, s.a");
#pragma acc enter data create(s.b[2:4], s.n, s.a[0:n])
    directive("s.in.q, s.in.q[0:3] of 8, s.in.q");
#pragma acc enter data copyin(s.in.q[0:3])
    directive("p[0:1] of 104");
#pragma acc enter data copyin(p[0:1])
    s.b = NULL;
    directive("p->b[0:10] of 8, p->b");
#pragma acc enter data copyin(p->b[0:n])
    directive("parts[1].q[0:3] of 8, parts[1].q");
#pragma acc enter data copyin(parts[1].q[0:3])
    directive("gp[0:10] of 8");
#pragma acc enter data copyin(gp[0:n])
    loc[0] = (float)scalar;
    s.n = parts->k;
    free(loc);
}

/* Pointers that point at nothing are only compared. */
static APART void wild(void)
{
    struct outer *unset = (struct outer *)(size_t)16, *far = (struct outer *)~(size_t)15;
    struct inner **deep = (struct inner **)(size_t)4096;
    int here = 0;
    names(&unset, sizeof unset, "unset");
    names(&far, sizeof far, "far");
    names(&deep, sizeof deep, "deep");
    names((void *)(size_t)16, sizeof *unset, "unset[0:1] of 104");
    names((void *)(size_t)24, 8, "unset->a");
    names((void *)(size_t)0x123450000000, 8, "?");
    names((void *)~(size_t)0, 1, "?");
    names(NULL, 8, "?");
    names(&here, sizeof here, "here");
}

int main(void)
{
    int n = 10;
    struct inner pb = {malloc(3 * sizeof(double)), 0};
    struct outer *both = calloc(2, sizeof *both);
    both->a = malloc((size_t)n * sizeof *both->a);
    both->pb = malloc(sizeof pb);
    *both->pb = pb;
    both->arr[1].q = malloc(sizeof(double));
    both[1].in.q = malloc(sizeof(double));
    gp = malloc((size_t)n * sizeof *gp);
    float *lone = malloc(sizeof *lone);
    struct list *list[3];
    for (int i = 0; i < 3; i++) {
        list[i] = malloc(sizeof *list[i]);
        *list[i] = (struct list){i ? list[i - 1] : NULL, malloc(sizeof(float))};
    }
    storage(n);
    pointers(both, n);
    blocks(n);
    inlines(n);
    chains(list[2], lone);
    rows(n);
    unknown_length();
    wild();
    double *b = malloc((size_t)n * sizeof *b);
    struct inner *parts = calloc(2, sizeof *parts);
    both->b = b;
    both->in = pb;
    parts[1].q = malloc(3 * sizeof *parts->q);
    directives(both, parts, n);
    free(parts[1].q);
    free(parts);
    free(b);
    free(pb.q);
    free(both->a);
    free(both->pb);
    free(both->arr[1].q);
    free(both[1].in.q);
    free(both);
    free(gp);
    free(lone);
    for (int i = 0; i < 3; i++) {
        if (i < 2)
            free(list[i]->x);
        free(list[i]);
    }
    return probe_done();
}
