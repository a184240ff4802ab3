/* Accesses of kernels of queues that nothing orders, in programs compiled for checking, and the same with the wait that
 * is missing, by argument. */
#include <openacc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { N = 100 };
static double a[N], seen[3];
static int total;
static bool waits;

static void look(int queue)
{
#pragma acc parallel present(a, seen) async(queue)
    for (int i = 0; i < N; i++)
        seen[queue] += a[i];
}

/* Two queues read at once: what writes later has to wait for both. */
static void readers(void)
{
#pragma acc data copy(a, seen)
    {
        look(1);
        look(2);
        look(1);
        if (waits)
            acc_wait_async(2, 3);
        acc_wait_async(1, 3);
#pragma acc parallel loop present(a) async(3)
        for (int i = 0; i < N; i++)
            a[i] = 0;
#pragma acc wait
    }
}

/* Atomic operations need no order, among themselves. */
static void atomics(void)
{
#pragma acc enter data copyin(total)
    for (int queue = 1; queue < 4; queue++) {
#pragma acc parallel loop present(total) async(queue)
        for (int i = 0; i < N; i++) {
#pragma acc atomic update
            total += 1;
        }
    }
    if (waits)
        acc_wait_async(2, 1);
    acc_wait_async(3, 1);
#pragma acc exit data copyout(total) async(1)
#pragma acc wait
}

/* Device memory without an array of the host; the host is done with it before the queue is. */
static void memory(void)
{
    int *p = acc_malloc(N * sizeof *p), first = 0;
#pragma acc parallel loop deviceptr(p) async(1)
    for (int i = 0; i < N; i++)
        p[i] = i;
    if (waits)
        acc_wait(1);
    acc_memcpy_from_device(&first, p + 1, sizeof first);
    acc_free(p);
    acc_wait(1);
    total = first;
}

/* Each element has a queue of its own, and another one uses them all. */
static void crowd(void)
{
    static int each[N];
#pragma acc data copy(each)
    {
        for (int q = 0; q < N; q++) {
#pragma acc parallel present(each) async(q)
            each[q] = q;
        }
        for (int q = 0; q < N; q++)
            if (q != 60 || waits)
                acc_wait_async(q, N);
#pragma acc parallel loop present(each) async(N)
        for (int i = 0; i < N; i++)
            each[i]++;
#pragma acc wait
    }
    total = each[60];
}

/* Right with or without waits: each queue has parts of its own. */
static void parts(void)
{
    static char text[N];
    static short row[N];
    static long many[8];
#pragma acc data copy(text, row, many)
    {
        for (int q = 0; q < 3; q++) {
#pragma acc parallel loop present(text, row) async(q)
            for (int i = q; i < N; i += 3) {
                text[i] = (char)q;
                row[N - 1 - i] += (short)text[i];
            }
        }
        for (int i = 0; i < 34000; i++) { /* more than works have numbers */
#pragma acc parallel present(many) async(i % 8)
            many[i % 8]++;
        }
#pragma acc wait
    }
    total = text[98] + row[0] + (int)many[7];
}

/* Atomic operations of another queue need no order with those of the first, but with what it wrote before. */
static void sums(void)
{
#pragma acc enter data create(total)
#pragma acc parallel present(total) async(1)
    total = 0;
    for (int queue = 1; queue < 3; queue++) {
        if (waits)
            acc_wait(1);
#pragma acc parallel loop present(total) async(queue)
        for (int i = 0; i < N; i++) {
#pragma acc atomic update
            total += 1;
        }
    }
#pragma acc wait
#pragma acc exit data copyout(total)
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    waits = argc > 2;
    if (!strcmp(way, "readers"))
        readers();
    else if (!strcmp(way, "atomics"))
        atomics();
    else if (!strcmp(way, "sums"))
        sums();
    else if (!strcmp(way, "memory"))
        memory();
    else if (!strcmp(way, "crowd"))
        crowd();
    else
        parts();
    printf("%d\n", total);
}
