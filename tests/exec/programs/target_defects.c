/* Defects in OpenMP's target directives, one for each argument. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
    int n;
    double *data;
    int last;
};

int main(int argc, char **argv)
{
    const char *way = argv[argc - 1];
    struct vector v = {4, calloc(4, sizeof(double)), 9};
    int a[16] = {0}, *p = malloc(16 * sizeof *p);
    if (!strcmp(way, "unattached")) {
        #pragma omp target enter data map(to: v.data[0 : v.n])
        #pragma omp target enter data map(to: v)
        #pragma omp target
        v.data[1] = 2;
    } else if (!strcmp(way, "partial")) {
        #pragma omp target data map(to: a[0 : 8])
        #pragma omp target map(tofrom: a[4 : 8])
        a[5] = 1;
    } else if (!strcmp(way, "grows")) {
        #pragma omp target data map(to: v.n, v.data)
        #pragma omp target map(to: v.n, v.last)
        v.last = v.n;
    } else if (!strcmp(way, "between")) {
        #pragma omp target enter data map(to: v.n, v.last)
        #pragma omp target enter data map(to: v.data)
    } else if (!strcmp(way, "null")) {
        #pragma omp target
        p[3] = 1;
    } else if (!strcmp(way, "device")) {
        #pragma omp target device(5)
        a[0] = 1;
    } else if (!strcmp(way, "beyond")) {
        #pragma omp target map(tofrom: p[0 : 1000])
        p[0] = 1;
    } else if (!strcmp(way, "free")) {
        omp_target_free(p, 0);
    } else if (!strcmp(way, "nested")) {
        #pragma omp target map(from: a)
        a[0] = omp_target_is_present(a, 0);
    }
    printf("%d %d\n", a[0], v.last);
}
