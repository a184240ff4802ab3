/* Defects in OpenMP, one for each argument. With CURED the program does what the help of each
 * report says, and has no report. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
struct node {
    int n;
    double *leaf;
};
struct tree {
    struct node *left, *right;
};

static double add(const double *in, double *out)
{
#ifdef CURED
#pragma omp target map(to : in [0:N]) map(tofrom : out [0:N])
#else
#pragma omp target map(to : in[:0]) map(tofrom : out[:0])
#endif
    for (int i = 0; i < N; i++)
        out[i] += in[i];
    return out[0];
}

static double call(double (*function)(double), double x)
{
#pragma omp target map(tofrom : x)
    x = function(x);
    return x;
}

int main(int argc, char **argv)
{
    const char *way = argv[argc - 1];
    double *a = malloc(N * sizeof *a), *b = calloc(N, sizeof *b), sum = 0;
    struct node n = {N, a};
    for (int i = 0; i < N; i++)
        a[i] = 1;
    if (!strcmp(way, "null")) { /* one of the two is mapped */
#pragma omp target enter data map(to : a [0:N])
        sum = add(a, b);
#pragma omp target exit data map(delete : a [0:N])
    } else if (!strcmp(way, "nulls")) {
        sum = add(a, b);
    } else if (!strcmp(way, "far")) { /* the element is far from the null pointer */
#ifdef CURED
#pragma omp target map(tofrom : a [0:N])
#else
#pragma omp target
#endif
        a[N - 1] = a[0];
    } else if (!strcmp(way, "member")) {
        struct tree *t = malloc(sizeof *t);
        t->left = &n;
        t->right = NULL;
#ifdef CURED
#pragma omp target enter data map(to : t [0:1])
#pragma omp target enter data map(to : t->left [0:1])
#pragma omp target
#else
#pragma omp target map(tofrom : t->left->n)
#endif
        t->left->n++;
#ifdef CURED
#pragma omp target exit data map(delete : t->left [0:1])
#pragma omp target exit data map(delete : t [0:1])
#endif
        free(t);
    } else if (!strcmp(way, "inner")) { /* a pointer in a structure */
        struct node o = {N, a};
#ifdef CURED
#pragma omp target map(to : o.n) map(tofrom : o.leaf[0 : N])
#else
#pragma omp target map(to : o.n, o.leaf) map(tofrom : o.leaf[ : 0])
#endif
        o.leaf[1] = 2;
    } else if (!strcmp(way, "list")) { /* null on the host, too */
        struct tree t = {0};
#pragma omp target map(to : t)
#ifdef CURED
        if (t.left)
#endif
            t.left->n++;
    } else if (!strcmp(way, "call")) {
        sum = call(NULL, 1);
    } else if (!strcmp(way, "attach")) {
#ifdef CURED
#pragma omp target enter data map(to : n)
#pragma omp target enter data map(to : n.leaf [0:N])
#else
#pragma omp target enter data map(to : a [0:N])
#pragma omp target enter data map(to : n)
#endif
#pragma omp target map(tofrom : sum)
        sum = n.leaf[1];
#ifdef CURED
#pragma omp target exit data map(delete : n.leaf [0:N])
#else
#pragma omp target exit data map(delete : a [0:N])
#endif
#pragma omp target exit data map(delete : n)
    } else if (!strcmp(way, "target")) {
#ifdef CURED
#pragma omp target map(to : n) map(tofrom : n.leaf [0:N])
#else
#pragma omp target map(to : n)
#endif
        n.leaf[1] = 2;
    } else if (!strcmp(way, "alloc")) {
        double *d = omp_target_alloc(N * sizeof *d, 0);
#ifdef CURED
#pragma omp target is_device_ptr(d)
#else
#pragma omp target map(tofrom : d [0:N])
#endif
        d[0] = 1;
        omp_target_free(d, 0);
    } else if (!strcmp(way, "changed")) {
        double *p = a;
#pragma omp target data map(tofrom : p, p [0:N])
        {
#ifdef CURED
#pragma omp target map(tofrom : p) map(tofrom : sum)
            {
                double *q = p;
                q++;
                sum = *q;
            }
#else
#pragma omp target map(tofrom : p) map(tofrom : sum)
            {
                p++;
                sum = *p;
            }
#endif
        }
    } else if (!strcmp(way, "free")) {
#pragma omp target enter data map(to : a [0:N])
#ifdef CURED
#pragma omp target exit data map(delete : a [0:N])
#endif
        free(a);
    }
    printf("%g\n", sum);
}
