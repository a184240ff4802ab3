/* Tasks of target directives with nowait that nothing orders, and the same with the wait or the dependence that is
 * missing, by argument. */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100 };
static int a[N], b[N];

/* Transfers after a region, in another task, in the host's program, and at the end of the data. */
static void update(bool waits)
{
    #pragma omp target data map(tofrom: a)
    {
        #pragma omp target nowait
        for (int i = 0; i < N; i++)
            a[i] += 1;
        if (waits) {
            #pragma omp taskwait
        }
        #pragma omp target update from(a)
    }
    #pragma omp taskwait
}

/* A task after another one that writes what it reads. */
static void depend(bool waits)
{
    #pragma omp target data map(tofrom: a, b)
    {
        #pragma omp target nowait depend(out: a)
        for (int i = 0; i < N; i++)
            a[i] += 1;
        if (waits) {
            #pragma omp target nowait depend(in: a) depend(out: b)
            for (int i = 0; i < N; i++)
                b[i] = a[i];
        } else {
            #pragma omp target nowait depend(out: b)
            for (int i = 0; i < N; i++)
                b[i] = a[i];
        }
        #pragma omp target update from(b) depend(in: b)
        #pragma omp taskwait
    }
}

/* A region maps what another task copies back. */
static void map(bool waits)
{
    #pragma omp target map(tofrom: a) nowait depend(out: b)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    if (waits) {
        #pragma omp target map(tofrom: a) depend(in: b)
        a[0] += 1;
    } else {
        #pragma omp target map(tofrom: a)
        a[0] += 1;
    }
    #pragma omp taskwait
}

/* The host changes what a task has yet to send, or to fill. */
static void change(bool waits)
{
    #pragma omp target enter data map(to: a) nowait
    if (waits) {
        #pragma omp taskwait
    }
    a[3] = 1;
    #pragma omp taskwait
    #pragma omp target update to(a[3 : 1])
    #pragma omp target exit data map(from: a) nowait
    if (waits) {
        #pragma omp taskwait
    }
    a[4] = 2;
    #pragma omp taskwait
}

/* Right: barriers, groups, chains, tasks of the host that depend on ours, one part for each. */
static void parts(void)
{
    int sum = 0;
    #pragma omp target enter data map(to: a) map(alloc: b)
    #pragma omp parallel num_threads(2)
    {
        #pragma omp for schedule(dynamic)
        for (int k = 0; k < 4; k++) {
            #pragma omp target nowait
            for (int i = k * N / 4; i < (k + 1) * N / 4; i++)
                b[i] = a[i];
        }
        #pragma omp single
        {
            #pragma omp taskgroup
            {
                #pragma omp target update from(b) nowait
            }
            b[0] += 1;
            #pragma omp target update to(b[0 : 1]) nowait depend(out: b)
            #pragma omp target nowait depend(inout: b)
            for (int i = 0; i < N; i++)
                b[i] += 1;
            #pragma omp task depend(in: b)
            {
                #pragma omp target update from(b)
            }
        }
        #pragma omp barrier
        #pragma omp for reduction(+: sum)
        for (int i = 0; i < N; i++)
            sum += b[i];
    }
    #pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int k = 0; k < 4; k++) {
        #pragma omp target nowait
        for (int i = k * N / 4; i < (k + 1) * N / 4; i++)
            b[i] = a[i];
    }
    #pragma omp target exit data map(release: a) map(from: b)
    printf("sum %d\n", sum);
}

/* A task that has read two arrays came after two others. What comes after one of these alone is not after both. */
static void readers(bool waits)
{
    #pragma omp target enter data map(to: a, b)
    #pragma omp target nowait depend(out: a)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    #pragma omp target nowait depend(out: b)
    for (int i = 0; i < N; i++)
        b[i] += 2;
    #pragma omp target nowait depend(in: a, b)
    for (int i = 0; i < N; i++)
        if (a[i] < b[i] - N)
            abort();
    if (waits) {
        #pragma omp target update from(a) nowait depend(in: a, b)
        #pragma omp target update from(b) depend(in: a, b)
    } else {
        #pragma omp target update from(a) nowait depend(in: b)
        #pragma omp target update from(b) depend(in: a)
    }
    #pragma omp taskwait
    #pragma omp target exit data map(delete: a, b)
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    const bool waits = argc > 2;
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i;
    if (!strcmp(way, "update"))
        update(waits);
    else if (!strcmp(way, "depend"))
        depend(waits);
    else if (!strcmp(way, "map"))
        map(waits);
    else if (!strcmp(way, "change"))
        change(waits);
    else if (!strcmp(way, "readers"))
        readers(waits);
    else
        parts();
    printf("%d %d\n", a[0], b[0]);
}
