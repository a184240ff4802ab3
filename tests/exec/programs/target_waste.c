/* Transfers and allocations of OpenMP that could be left out, each case with a twin in which they are needed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200, TIMES = 4 };

/* Maps in each iteration; change: the host changes the data in between. */
static void resend(double *a, double *b, int change)
{
    for (int t = 0; t < TIMES; t++) {
        a[0] += change;
#pragma omp target map(to : a[0:N]) map(from : b[0:N])
        for (int i = 0; i < N; i++)
            b[i] = a[i] + t;
    }
}

/* One mapping for all iterations; always: the data are sent in each of them. */
static void mapped_once(double *a, double *b, int always, int change)
{
#pragma omp target data map(to : a[0:N]) map(from : b[0:N])
    for (int t = 0; t < TIMES; t++) {
        a[0] += change;
        if (always) {
#pragma omp target update to(a[0:N])
        }
#pragma omp target
        for (int i = 0; i < N; i++)
            b[i] = a[i] + t;
    }
}

/* Data that come back; change: as the kernel has changed them. */
static void round_trip(double *a, int change)
{
#pragma omp target data map(tofrom : a[0:N])
    {
#pragma omp target
        for (int i = 0; i < N; i++)
            a[i] += change;
    }
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    double *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b);
    for (int i = 0; i < N; i++)
        a[i] = i;
#define RUN(case, call)     \
    if (!strcmp(name, case)) \
        call;
    RUN("resend", resend(a, b, 0))
    RUN("resend-new", resend(a, b, 1))
    RUN("mapped-once", mapped_once(a, b, 0, 0))
    RUN("update", mapped_once(a, b, 1, 0))
    RUN("update-new", mapped_once(a, b, 1, 1))
    RUN("round-trip", round_trip(a, 0))
    RUN("round-trip-new", round_trip(a, 1))
    printf("%g %g\n", a[1], b[1]);
    free(a);
    free(b);
}
