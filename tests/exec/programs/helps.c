/* Defects, one for each argument. With CURED the program does what the help of each report says,
 * and has no report. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int n;
    double *leaf;
};

int main(int argc, char **argv)
{
    const char *way = argv[argc - 1];
    enum { N = 64 };
    double *a = malloc(N * sizeof *a), sum = 0;
    struct node n = {N, a}, *v = malloc(sizeof *v);
    *v = n;
    for (int i = 0; i < N; i++)
        a[i] = 1;
    if (!strcmp(way, "attach")) {
#pragma acc enter data copyin(n)
        double *target = a;
#pragma acc enter data copyin(target [0:N])
#ifdef CURED
#pragma acc enter data attach(n.leaf)
#endif
#pragma acc parallel loop present(n) reduction(+ : sum)
        for (int i = 0; i < N; i++)
            sum += n.leaf[i];
#ifdef CURED
#pragma acc exit data detach(n.leaf)
#endif
#pragma acc exit data delete (target [0:N])
#pragma acc exit data delete (n)
    } else if (!strcmp(way, "target")) {
#ifdef CURED
#pragma acc enter data copyin(n)
#pragma acc enter data copyin(n.leaf [0:N])
#else
#pragma acc enter data copyin(n)
#endif
#pragma acc parallel loop present(n) reduction(+ : sum)
        for (int i = 0; i < N; i++)
            sum += n.leaf[i];
#ifdef CURED
#pragma acc exit data delete (n.leaf [0:N])
#endif
#pragma acc exit data delete (n)
    } else if (!strcmp(way, "overwritten")) {
#pragma acc enter data copyin(n)
#pragma acc enter data copyin(n.leaf [0:N])
#ifdef CURED
#pragma acc exit data detach(n.leaf)
#endif
        n.n = N / 2;
#pragma acc update device(n)
#ifdef CURED
#pragma acc enter data attach(n.leaf)
#endif
#pragma acc parallel loop present(n) reduction(+ : sum)
        for (int i = 0; i < N / 2; i++)
            sum += n.leaf[i];
#pragma acc exit data delete (n.leaf [0:N])
#pragma acc exit data delete (n)
    } else if (!strcmp(way, "pointer")) {
#pragma acc enter data copyin(v [0:1], v->leaf [0:N])
#ifdef CURED
#pragma acc parallel loop present(v [0:1]) reduction(+ : sum)
#else
#pragma acc parallel loop present(v) reduction(+ : sum)
#endif
        for (int i = 0; i < N; i++)
            sum += v->leaf[i];
#pragma acc exit data delete (v->leaf [0:N], v [0:1])
    } else if (!strcmp(way, "malloc")) {
        double *d = acc_malloc(N * sizeof *d);
#ifdef CURED
#pragma acc parallel loop deviceptr(d)
#else
#pragma acc parallel loop present(d [0:N])
#endif
        for (int i = 0; i < N; i++)
            d[i] = 1;
        acc_free(d);
    } else if (!strcmp(way, "pieces")) {
        double *other = a + 16;
#ifdef CURED
#pragma acc enter data copyin(a [0:32])
#else
#pragma acc enter data copyin(a [0:8])
#pragma acc enter data copyin(other [0:16])
#endif
#pragma acc parallel loop present(a [0:8]) reduction(+ : sum)
        for (int i = 0; i < 8; i++)
            sum += a[i] + a[i + 16];
#ifdef CURED
#pragma acc exit data delete (a [0:32])
#else
#pragma acc exit data delete (other [0:16])
#pragma acc exit data delete (a [0:8])
#endif
    } else if (!strcmp(way, "short")) {
#ifdef CURED
#pragma acc parallel loop copyin(a [0:N]) reduction(+ : sum)
#else
#pragma acc parallel loop copyin(a [0:N - 1]) reduction(+ : sum)
#endif
        for (int i = 0; i < N; i++)
            sum += a[i];
    } else if (!strcmp(way, "before")) {
        double *end = a + N / 2;
#ifdef CURED
#pragma acc parallel loop copyin(end [-1:N / 2]) reduction(+ : sum)
#else
#pragma acc parallel loop copyin(end [0:N / 2]) reduction(+ : sum)
#endif
        for (int i = 0; i < N / 2 - 1; i++)
            sum += end[i - 1];
    } else if (!strcmp(way, "host")) {
#pragma acc enter data copyin(a [0:N])
#pragma acc parallel loop present(a [0:N])
        for (int i = 0; i < N; i++)
            a[i] += 1;
#ifdef CURED
#pragma acc update self(a [0:N])
#endif
        sum = a[1];
#pragma acc exit data delete (a [0:N])
    } else if (!strcmp(way, "device")) {
#pragma acc enter data copyin(a [0:N])
        a[3] = 2;
#ifdef CURED
#pragma acc update device(a [0:N])
#endif
#pragma acc parallel loop present(a [0:N]) reduction(+ : sum)
        for (int i = 0; i < N; i++)
            sum += a[i];
#pragma acc exit data delete (a [0:N])
    } else if (!strcmp(way, "removed")) {
#pragma acc enter data copyin(a [0:N])
#pragma acc parallel loop present(a [0:N])
        for (int i = 0; i < N; i++)
            a[i] += 1;
#ifdef CURED
#pragma acc exit data copyout(a [0:N])
#else
#pragma acc exit data delete (a [0:N])
#endif
        sum = a[1];
    } else if (!strcmp(way, "sum")) {
#ifdef CURED
#pragma acc parallel loop copy(a [0:N])
#else
#pragma acc parallel loop copyout(a [0:N])
#endif
        for (int i = 0; i < N; i++)
            a[i] += 1;
    } else if (!strcmp(way, "part")) {
#ifdef CURED
#pragma acc parallel loop copy(a [0:N])
#else
#pragma acc parallel loop copyout(a [0:N])
#endif
        for (int i = 1; i < N; i++)
            a[i] = 2;
        sum = a[0];
    } else if (!strcmp(way, "free")) {
#pragma acc enter data copyin(a [0:N])
#ifdef CURED
#pragma acc exit data delete (a [0:N])
#endif
        free(a);
        return 0;
    } else if (!strcmp(way, "realloc")) {
#pragma acc enter data copyin(a [0:N])
#ifdef CURED
#pragma acc exit data copyout(a [0:N])
#endif
        void *next = malloc(8); /* the block cannot grow where it is */
        a = realloc(a, 4096 * sizeof *a);
        free(next);
#ifdef CURED
#pragma acc enter data copyin(a [0:N])
#pragma acc exit data delete (a [0:N])
#endif
    } else if (!strcmp(way, "map_data")) {
        double *d = acc_malloc(N * sizeof *d);
#pragma acc enter data copyin(a [0:N])
#ifdef CURED
#pragma acc exit data delete (a [0:N])
#endif
        acc_map_data(a, d, N * sizeof *a);
        acc_unmap_data(a);
        acc_free(d);
    } else if (!strcmp(way, "unmap_data")) {
#pragma acc enter data copyin(a [0:N])
#ifdef CURED
#pragma acc exit data delete (a [0:N])
#else
        acc_unmap_data(a);
#endif
    } else if (!strcmp(way, "acc_free")) {
        double *d = acc_malloc(N * sizeof *d);
        acc_map_data(a, d, N * sizeof *a);
#ifdef CURED
        acc_unmap_data(a);
#endif
        acc_free(d);
    } else if (!strcmp(way, "moves") || !strcmp(way, "moved")) {
        double *p = a;
#pragma acc enter data copyin(a[0:N]) copyin(p)
#pragma acc enter data attach(p)
        if (!strcmp(way, "moves")) {
#pragma acc parallel present(p)
            p++;
#ifdef CURED
            p = a + 1;
#else
#pragma acc update self(p)
#endif
            sum = (double)(p - a);
        } else {
#ifdef CURED
#pragma acc exit data detach(p)
            p++;
#pragma acc enter data attach(p)
#else
            p++;
#pragma acc update device(p)
#endif
#pragma acc parallel present(p) copy(sum)
            sum = *p;
        }
#ifdef CURED
#pragma acc exit data detach(p)
#endif
#pragma acc exit data delete(p, a[0:N])
    }
    printf("%g\n", sum);
}
