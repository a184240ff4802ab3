/* computes.c WHAT ROUNDS - programs that compute, with OpenACC or OpenMP: what runtimes and checks cost them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENACC
#define LOOP _Pragma("acc parallel loop")
#define QUEUED _Pragma("acc parallel loop async(1)")
#define WAIT _Pragma("acc wait")
#define SUM _Pragma("acc parallel loop copy(sum) reduction(+ : sum)")
#define ENTER(x) _Pragma(TEXT(acc enter data copyin(x)))
#define EXIT(x) _Pragma(TEXT(acc exit data copyout(x)))
#define FETCH(x) _Pragma(TEXT(acc update self(x)))
#define SEND(x) _Pragma(TEXT(acc update device(x)))
#else
#define LOOP _Pragma("omp target teams distribute parallel for")
#define QUEUED _Pragma("omp target teams distribute parallel for nowait depend(inout : a[0])")
#define WAIT _Pragma("omp taskwait")
#define SUM _Pragma("omp target teams distribute parallel for map(sum) reduction(+ : sum)")
#define ENTER(x) _Pragma(TEXT(omp target enter data map(to : x)))
#define EXIT(x) _Pragma(TEXT(omp target exit data map(from : x)))
#define FETCH(x) _Pragma(TEXT(omp target update from(x)))
#define SEND(x) _Pragma(TEXT(omp target update to(x)))
#endif
#define TEXT(...) #__VA_ARGS__

enum { N = 1 << 21, SIDE = 1 << 10, SMALL = 100, ROW = 7 };

static double *array(int n)
{
    double *a = malloc((size_t)n * sizeof *a);
    if (!a)
        exit(1);
    for (int i = 0; i < n; i++)
        a[i] = i % 100;
    return a;
}

static double triad(int rounds)
{
    double *a = array(N), *b = array(N), *c = array(N);
    ENTER(a [0:N]) ENTER(b [0:N]) ENTER(c [0:N]) for (int r = 0; r < rounds; r++)
    {
        LOOP for (int i = 0; i < N; i++) a[i] = b[i] + 3.0 * c[i];
    }
    EXIT(a [0:N])
    return a[N / 2];
}

static double stencil(int rounds)
{
    double *a = array(SIDE * SIDE), *b = array(SIDE * SIDE);
    ENTER(a [0:SIDE * SIDE]) ENTER(b [0:SIDE * SIDE]) for (int r = 0; r < rounds; r++)
    {
        LOOP for (int i = 1; i < SIDE - 1; i++) for (int j = 1; j < SIDE - 1; j++) b[i * SIDE + j] =
            0.2 * (a[i * SIDE + j] + a[i * SIDE + j - 1] + a[i * SIDE + j + 1] + a[(i - 1) * SIDE + j] +
                   a[(i + 1) * SIDE + j]);
        double *t = a;
        a = b;
        b = t;
    }
    EXIT(a [0:SIDE * SIDE])
    return a[SIDE * SIDE / 2 + SIDE / 2];
}

static double gather(int rounds)
{
    double *a = array(N), *b = array(N);
    int *at = malloc(N * sizeof *at);
    unsigned seed = 1;
    if (!at)
        exit(1);
    for (int i = 0; i < N; i++)
        at[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 11);
    ENTER(a [0:N]) ENTER(b [0:N]) ENTER(at [0:N]) for (int r = 0; r < rounds; r++)
    {
        LOOP for (int i = 0; i < N; i++) a[i] += b[at[i]];
    }
    EXIT(a [0:N])
    return a[N / 2];
}

/* The host works on present data, which go to and fro. */
static double host(int rounds)
{
    double *a = array(N), *b = array(N);
    ENTER(a [0:N]) ENTER(b [0:N]) for (int r = 0; r < rounds; r++)
    {
        LOOP for (int i = 0; i < N; i++) a[i] = 0.5 * (a[i] + b[i]);
        FETCH(a [0:N])
        for (int i = 1; i < N; i++)
            b[i] = a[i] + a[i - 1];
        SEND(b [0:N])
    }
    EXIT(a [0:N])
    return a[N / 2];
}

/* Kernels that take less than a microsecond. */
static double calls(int rounds)
{
    double *a = array(SMALL), *b = array(SMALL);
    ENTER(a [0:SMALL]) ENTER(b [0:SMALL]) for (int r = 0; r < rounds * 1000; r++)
    {
        LOOP for (int i = 0; i < SMALL; i++) a[i] = 0.5 * (a[i] + b[i]);
    }
    EXIT(a [0:SMALL])
    return a[SMALL / 2];
}

/* Kernels of a queue, or tasks. */
static double queues(int rounds)
{
    double *a = array(N), *b = array(N), *c = array(N);
    ENTER(a [0:N]) ENTER(b [0:N]) ENTER(c [0:N]) for (int r = 0; r < rounds; r++)
    {
        QUEUED
        for (int i = 0; i < N; i++)
            a[i] = b[i] + 3.0 * c[i];
        QUEUED
        for (int i = 0; i < N; i++)
            a[i] += b[i];
        WAIT
    }
    EXIT(a [0:N])
    return a[N / 2];
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    SUM for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Conjugate gradients; rows of ROW entries, in compressed form. */
static double cg(int rounds)
{
    enum { ROWS = N / 8 };
    double *x = array(ROWS), *r = array(ROWS), *p = array(ROWS), *q = array(ROWS), *value = array(ROWS * ROW);
    int *column = malloc((size_t)ROWS * ROW * sizeof *column), *start = malloc((ROWS + 1) * sizeof *start);
    if (!column || !start)
        exit(1);
    for (int i = 0; i < ROWS; i++) {
        start[i] = i * ROW;
        for (int k = 0; k < ROW; k++) {
            column[i * ROW + k] = (i + (k - ROW / 2) * (k % 2 ? 1 : 512) + 4 * ROWS) % ROWS;
            value[i * ROW + k] = k == ROW / 2 ? 8 : -1;
        }
    }
    start[ROWS] = ROWS * ROW;
    memset(x, 0, ROWS * sizeof *x);
    memcpy(p, r, ROWS * sizeof *p);
    // clang-format off
    ENTER(x[0:ROWS])
    ENTER(r[0:ROWS])
    ENTER(p[0:ROWS])
    ENTER(q[0:ROWS])
    ENTER(value[0:ROWS * ROW])
    ENTER(column[0:ROWS * ROW])
    ENTER(start[0:ROWS + 1])
    // clang-format on
    double rho = dot(r, r, ROWS);
    for (int k = 0; k < rounds && rho > 0; k++) {
        LOOP for (int i = 0; i < ROWS; i++)
        {
            double s = 0;
            for (int e = start[i]; e < start[i + 1]; e++)
                s += value[e] * p[column[e]];
            q[i] = s;
        }
        const double alpha = rho / dot(p, q, ROWS);
        LOOP for (int i = 0; i < ROWS; i++)
        {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const double before = rho, beta = (rho = dot(r, r, ROWS)) / before;
        LOOP for (int i = 0; i < ROWS; i++) p[i] = r[i] + beta * p[i];
    }
    EXIT(x [0:ROWS])
    return rho;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(int rounds);
    } all[] = {{"triad", triad}, {"stencil", stencil}, {"gather", gather}, {"host", host},
               {"calls", calls}, {"cg", cg},           {"queues", queues}};
    const int rounds = argc > 2 ? atoi(argv[2]) : 1;
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(all[i].name, argv[1])) {
            printf("%g\n", all[i].run(rounds));
            return 0;
        }
    return 1;
}
