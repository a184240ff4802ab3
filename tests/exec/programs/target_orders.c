/* Tasks of nowait directives whose order decides the result, and the same with what orders them, by argument. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };
static int a[N], b[N];

/* The host reads, and changes, what a task has yet to write and to read. */
static void host(bool waits)
{
    #pragma omp target nowait map(tofrom: a) map(to: b)
    for (int i = 0; i < N; i++)
        a[i] += b[i];
    if (waits) {
        #pragma omp taskwait
    }
    const int seen = a[1];
    b[2] = 50;
    #pragma omp taskwait
    a[0] = seen;
}

/* Two tasks change the same data. */
static void twice(bool waits)
{
    #pragma omp target enter data map(to: a)
    if (waits) {
        #pragma omp target nowait depend(inout: a)
        for (int i = 0; i < N; i++)
            a[i] = 3 * a[i];
        #pragma omp target nowait depend(inout: a)
        for (int i = 0; i < N; i++)
            a[i] = a[i] + 1;
    } else {
        #pragma omp target nowait depend(in: a)
        for (int i = 0; i < N; i++)
            a[i] = 3 * a[i];
        #pragma omp target nowait depend(in: a)
        for (int i = 0; i < N; i++)
            a[i] = a[i] + 1;
    }
    #pragma omp target exit data map(from: a) depend(inout: a)
}

/* Right: a chain of transfers, kernels and tasks of the host, and private variables that change after each directive. */
static void right_chain(void)
{
    int step = 1;
    for (int i = 0; i < 4; i++, step += 2) {
        #pragma omp target enter data nowait map(to: a) depend(inout: a)
        #pragma omp target nowait firstprivate(step) depend(inout: a)
        for (int k = 0; k < N; k++)
            a[k] += step;
        #pragma omp target update nowait from(a) depend(inout: a)
        #pragma omp task shared(a, b) depend(in: a) depend(out: b)
        b[i] = a[i];
        #pragma omp target exit data nowait map(delete: a) depend(inout: a)
        #pragma omp target nowait map(tofrom: b) depend(inout: b)
        b[N - 1 - i] = b[i];
    }
    #pragma omp taskwait depend(in: b)
    b[5] = b[0];
    #pragma omp taskgroup
    {
        #pragma omp target nowait map(tofrom: b)
        b[6] = 9;
    }
    b[6]++;
    #pragma omp taskwait
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i;
    if (!strcmp(way, "host"))
        host(argc > 2);
    else if (!strcmp(way, "twice"))
        twice(argc > 2);
    else
        right_chain();
    printf("%d %d %d\n%d %d %d %d\n", a[0], a[1], a[2], b[0], b[5], b[6], b[N - 1]);
}
