/* Asynchronous work whose order decides the result, and the same with the wait that is missing, by argument. */
#include <openacc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 64 };
static int a[N], b[N];
static bool waits;

/* The host changes what a transfer has yet to read. */
static void source(void)
{
    #pragma acc enter data create(a)
    #pragma acc update device(a) async(1)
    if (waits) {
        #pragma acc wait(1)
    }
    a[0] = 100;
    #pragma acc wait(1)
    #pragma acc exit data copyout(a)
}

/* One queue takes over, in the middle, what another one makes in two steps: neither late nor early work shows it. */
static void middle(void)
{
    #pragma acc enter data copyin(a) create(b)
    #pragma acc parallel loop present(a) async(1)
    for (int i = 0; i < N; i++)
        a[i] += 1000;
    #pragma acc parallel loop present(a) async(1)
    for (int i = 0; i < N; i++)
        a[i] -= 1000;
    if (waits) {
        #pragma acc wait(1) async(2)
    }
    #pragma acc update self(a) async(2)
    #pragma acc wait(2)
    #pragma acc wait
    #pragma acc exit data delete(a, b)
}

static void change(int *at, int n)
{
    int local[N];
    memcpy(local, at, sizeof local);
    #pragma acc enter data copyin(local) async(1)
    #pragma acc parallel loop present(local) async(1)
    for (int i = 0; i < N; i++)
        local[i] += n;
    #pragma acc exit data copyout(local) async(1)
    if (waits) {
        #pragma acc wait(1)
    }
    memcpy(at, local, sizeof local);
}

/* A function returns while a queue needs its variables. */
static void returned(void)
{
    change(a, 7);
    #pragma acc wait
}

/* Device memory of the program is copied and freed. */
static void memory(void)
{
    int *device = acc_malloc(sizeof a);
    acc_memcpy_to_device(device, a, sizeof a);
    #pragma acc parallel loop deviceptr(device) async(3)
    for (int i = 0; i < N; i++)
        device[i] += 5;
    acc_memcpy_from_device_async(b, device, sizeof b, 3);
    if (waits)
        acc_wait(3);
    a[1] = b[1];
    acc_wait(waits ? 3 : 4);
    acc_free(device);
}

/* Right: private variables, which the compiler passes by reference, change before the queues use them. */
static void right_private(void)
{
    struct { double at[20]; } offsets = {{1, 2, 3}};
    long double scale = 2;
    int sum = 0;
    #pragma acc data copy(a, b)
    {
        for (int q = 0; q < 8; q++) { /* gcc copies q, and copies it back after the call */
            const int from = q * N / 8;
            #pragma acc parallel loop present(a) firstprivate(offsets, scale) async(q)
            for (int i = from; i < from + N / 8; i++)
                a[i] += (int)(scale * offsets.at[1]) + q;
            offsets.at[1] += 1;
            scale += 1;
        }
        #pragma acc wait
        #pragma acc parallel loop present(a) copy(sum) reduction(+: sum) async(1)
        for (int i = 0; i < N; i++)
            sum += a[i];
        #pragma acc wait(1)
    }
    b[0] = sum;
}

/* Right: each queue does its work in order, so that data may be mapped, changed and unmapped again and again. */
static void right_chain(void)
{
    for (int i = 0; i < 5; i++) {
        #pragma acc parallel loop copy(a) async(1)
        for (int k = 0; k < N; k++)
            a[k] = 2 * a[k] + i;
        #pragma acc parallel loop copyin(a) copy(b) async(1)
        for (int k = 0; k < N; k++)
            b[k] += a[k];
    }
    while (!acc_async_test(1))
        ;
    a[2]++;
    b[2]++;
}

static void add_squares(int n)
{
    int local[N];
    #pragma acc enter data create(local)
    #pragma acc parallel loop present(local) async(1)
    for (int i = 0; i < N; i++)
        local[i] = n * i;
    #pragma acc parallel loop copy(local) present(a) async(1)
    for (int i = 0; i < N; i++)
        a[i] += local[i] * local[i];
    #pragma acc exit data delete(local) async(1)
}

/* Right: variables of functions that have returned; only their device memory is still used. */
static void right_resident(void)
{
    #pragma acc enter data copyin(a)
    for (int i = 0; i < 4; i++)
        add_squares(i);
    #pragma acc exit data copyout(a) async(1)
    #pragma acc wait(1)
}

/* Right: waits of queues for queues, and for all. */
static void right_queues(void)
{
    int *p = malloc(N * sizeof *p);
    for (int i = 0; i < N; i++)
        p[i] = i;
    acc_copyin_async(p, N * sizeof *p, 1);
    acc_create_async(b, sizeof b, 2);
    acc_wait_async(1, 2);
    #pragma acc parallel loop present(p[0 : N], b) async(2)
    for (int i = 0; i < N; i++)
        b[i] = p[i] + 1;
    #pragma acc parallel loop present(p[0 : N]) wait(2) async(1)
    for (int i = 0; i < N; i++)
        p[i] = 0;
    acc_copyout_async(b, sizeof b, 2);
    acc_wait_all_async(3);
    acc_delete_async(p, N * sizeof *p, 3);
    acc_wait(3);
    free(p);
    static char large[1 << 20];
    for (int i = 0; i < 40; i++) { /* more than the device has, if its memory is not freed meanwhile */
        #pragma acc parallel loop copy(large) async(1)
        for (int k = 0; k < N; k++)
            large[k]++;
    }
    #pragma acc wait
    b[2] += large[N - 1];
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    waits = argc > 2;
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i;
    if (!strcmp(way, "source"))
        source();
    else if (!strcmp(way, "middle"))
        middle();
    else if (!strcmp(way, "returned"))
        returned();
    else if (!strcmp(way, "memory"))
        memory();
    else if (!strcmp(way, "private"))
        right_private();
    else if (!strcmp(way, "chain"))
        right_chain();
    else if (!strcmp(way, "resident"))
        right_resident();
    else if (!strcmp(way, "queues"))
        right_queues();
    else if (!strcmp(way, "random")) { /* another output in each run */
        source();
        printf("%d\n", (int)getpid());
    } else if (!strcmp(way, "crash")) {
        abort();
    } else if (!strcmp(way, "input")) { /* reads standard input in each run */
        if (scanf("%d", &a[0]) != 1)
            a[0] = -1;
        right_queues();
    } else if (!strcmp(way, "status")) { /* an error of its own, in each order */
        right_queues();
        return 3;
    }
    printf("%d %d %d\n%d %d\n", a[0], a[1], a[2], b[0], b[2]);
}
