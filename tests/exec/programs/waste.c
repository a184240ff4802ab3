/* Transfers and allocations that could be left out, each case with a twin in which they are needed. */
#include <openacc.h>
#include <stdio.h>
#include <string.h>

enum { N = 200, TIMES = 4 };
static double a[N], b[N], c[N];

/* Moves the data of each iteration; change: the host changes them in between. */
static void resend(int change)
{
    for (int t = 0; t < TIMES; t++) {
        a[0] += change;
#pragma acc parallel loop copyin(a) copyout(b)
        for (int i = 0; i < N; i++)
            b[i] = a[i] + t;
    }
}

/* The device changes what the host sends again, so that it would not have the bytes any more. */
static void resend_after_change(void)
{
#pragma acc enter data create(b)
    for (int t = 0; t < 2; t++) {
#pragma acc parallel loop copyin(a) present(b)
        for (int i = 0; i < N; i++)
            b[i] = a[i]++;
    }
#pragma acc exit data copyout(b)
}

/* One mapping for all iterations. */
static void mapped_once(void)
{
#pragma acc data copyin(a) copyout(b)
    for (int t = 0; t < TIMES; t++) {
#pragma acc parallel loop present(a, b)
        for (int i = 0; i < N; i++)
            b[i] = a[i] + t;
    }
}

/* Scratch memory of each iteration. */
static void scratch(void)
{
    for (int t = 0; t < TIMES; t++) {
#pragma acc data create(c)
        {
#pragma acc parallel loop present(c)
            for (int i = 0; i < N; i++)
                c[i] = i;
        }
    }
}

/* Two allocations are too few for advice. */
static void scratch_twice(void)
{
    for (int t = 0; t < 2; t++) {
#pragma acc data create(c)
        {
        }
    }
}

/* Data that come back; change: as the kernel has changed them. */
static void round_trip(int change)
{
#pragma acc data copy(a) copyout(b)
    {
#pragma acc parallel loop present(a, b)
        for (int i = 0; i < N; i++) {
            b[i] = a[i] + 1;
            if (change)
                a[i] = -1;
        }
    }
}

/* Updates of the device; change: after a change of the host. */
static void update(int change)
{
#pragma acc data copyin(a) copyout(b)
    for (int t = 0; t < TIMES; t++) {
        a[0] += change;
#pragma acc update device(a)
#pragma acc parallel loop present(a, b)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
    }
}

/* Updates of parts, of which each second one is needed. */
static void parts(void)
{
#pragma acc enter data copyin(a)
    for (int t = 0; t < TIMES; t++) {
        a[150] += t % 2;
#pragma acc update device(a[100:100])
    }
#pragma acc exit data delete(a)
}

/* Results of kernels that are the same each time, in host memory that has them already. */
static void results(void)
{
    for (int t = 0; t < 2; t++) {
#pragma acc parallel loop copyout(b, c)
        for (int i = 0; i < N; i++)
            b[i] = c[i] = 0;
    }
}

/* Memory that grows; the peak is at the second call. */
static void peak(void)
{
    acc_copyin(a, sizeof a);
    acc_copyin(b, sizeof b);
    acc_delete(b, sizeof b);
    acc_copyin(c, sizeof c / 2);
    acc_delete(c, sizeof c / 2);
    acc_delete(a, sizeof a);
}

/* Scalars and sums, which the compiler moves with each construct. */
static void small(void)
{
    double sum = 0;
    for (int t = 0; t < TIMES; t++) {
#pragma acc parallel loop reduction(+:sum)
        for (int i = 0; i < N; i++)
            sum += 0;
    }
    printf("%g\n", sum);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    for (int i = 0; i < N; i++)
        a[i] = i;
#define RUN(case, call)     \
    if (!strcmp(name, case)) \
        call;
    RUN("resend", resend(0))
    RUN("resend-new", resend(1))
    RUN("resend-after-change", resend_after_change())
    RUN("mapped-once", mapped_once())
    RUN("scratch", scratch())
    RUN("scratch-twice", scratch_twice())
    RUN("round-trip", round_trip(0))
    RUN("round-trip-new", round_trip(1))
    RUN("update", update(0))
    RUN("update-new", update(1))
    RUN("parts", parts())
    RUN("results", results())
    RUN("peak", peak())
    RUN("small", small())
    printf("%g %g\n", a[1], b[1]);
}
