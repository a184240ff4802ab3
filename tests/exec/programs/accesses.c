#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Each way has a defect that a check of accesses finds, but "right". */
static int g[4];
static double table[4];
#pragma acc declare copyin(table)
static __attribute__((noinline)) void free_mapped(int n)
{
    double *d = malloc(n * sizeof *d);
    d[0] = 1;
#pragma acc enter data copyin(d[0:n])
    free(d);
#pragma acc exit data delete(d[0:n])
}

int main(int argc, char **argv)
{
    int n = 10;
    const char *way = argc > 1 ? argv[1] : "right";
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    for (int i = 0; i < n; i++)
        a[i] = i, b[i] = 0;
    if (!strcmp(way, "right")) {
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
        for (int i = 0; i < n; i++)
            a[i] += 1 + b[i];
        printf("%g\n", a[3]);
    } else if (!strcmp(way, "unwritten")) {
#pragma acc parallel loop copy(a[0:n]) create(b[0:n])
        for (int i = 0; i < n; i++)
            a[i] += b[i];
        printf("%d\n", a[3] == a[3]);
    } else if (!strcmp(way, "stale-host")) {
#pragma acc data copy(a[0:n])
        {
#pragma acc parallel loop
            for (int i = 0; i < n; i++)
                a[i] += 1;
            printf("%g\n", a[3]);
        }
    } else if (!strcmp(way, "stale-device")) {
#pragma acc data copy(a[0:n])
        {
            a[4] = 7;
#pragma acc parallel loop
            for (int i = 0; i < n; i++)
                a[i] += 1;
        }
    } else if (!strcmp(way, "lost")) {
#pragma acc parallel loop copyin(a[0:n])
            for (int i = 0; i < n; i++)
                a[i] += 1;
        printf("%g\n", a[3]);
    } else if (!strcmp(way, "copyout")) {
#pragma acc parallel loop copyout(a[0:n])
            for (int i = 0; i < n-1; i++)
                a[i] = 1;
        printf("%d\n", a[n-1] == 1);
    } else if (!strcmp(way, "overwritten")) {
#pragma acc data copy(a[0:n])
        {
#pragma acc parallel loop
            for (int i = 0; i < n; i++)
                a[i] += 1;
#pragma acc update device(a[0:n])
        }
    } else if (!strcmp(way, "overwritten-host")) {
#pragma acc data copy(a[0:n])
        {
            a[2] = 1;
        }
    } else if (!strcmp(way, "outside")) {
#pragma acc parallel loop copy(a[0:n-1])
            for (int i = 0; i < n; i++)
                a[i] += 1;
    } else if (!strcmp(way, "before")) {
#pragma acc parallel loop copy(a[1:n-1])
            for (int i = 0; i < n; i++)
                a[i] += 1;
    } else if (!strcmp(way, "host")) {
        struct { double *p; } s = {a};
#pragma acc parallel loop copyin(s) copy(b[0:n])
            for (int i = 0; i < n; i++)
                b[i] += s.p[i];
    } else if (!strcmp(way, "global")) {
        int *p = g;
#pragma acc parallel loop copyin(p) copy(b[0:n])
            for (int i = 0; i < 4; i++)
                b[i] += ((int *volatile)p)[i];
    } else if (!strcmp(way, "declared")) {
#pragma acc parallel loop
        for (int i = 0; i < 4; i++)
            table[i] = i;
        printf("%g\n", table[3]);
    } else if (!strcmp(way, "freed")) {
        free_mapped(n);
    } else if (!strcmp(way, "idle")) {
        enum { LONG = 100 };
        double c[LONG] = {0};
#pragma acc enter data copyin(c)
#pragma acc update device(c)
#pragma acc parallel loop present(c)
        for (int i = 0; i < LONG; i++)
            c[i] += 1;
#pragma acc exit data copyout(c)
        printf("%g\n", c[3]);
    } else if (!strcmp(way, "unused")) {
        enum { LONG = 100 };
        double c[LONG] = {0}, d[LONG] = {0}, e[LONG] = {0}, *p = malloc(sizeof d);
        for (int i = 0; i < 2; i++) {
#pragma acc data copy(c) copyin(d, e) create(p[0:LONG])
            {
#pragma acc parallel loop
                for (int i = 0; i < LONG; i++)
                    c[i] = d[i];
#pragma acc host_data use_device(e)
                n += e != d; /* for a library */
            }
        }
        free(p);
        printf("%g\n", c[3] + n);
    } else if (!strcmp(way, "device")) {
        double x;
#pragma acc data copy(a[0:n])
#pragma acc host_data use_device(a)
        x = a[1];
        printf("%g\n", x);
    }
    return 0;
}
