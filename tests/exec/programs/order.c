/* Work of queues that nothing orders, and the same with the wait that is missing, by argument. */
#include <openacc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100 };
static int a[N], b[N];
static bool waits;

static void add(int *u, int n, int queue)
{
    #pragma acc parallel loop present(u[0 : n]) async(queue)
    for (int i = 0; i < n; i++)
        u[i] += i + 1;
}

/* A kernel and a transfer of what it changes, in two queues. */
static void update(void)
{
    #pragma acc data copyin(a)
    {
        add(a, N, 1);
        if (waits) {
            #pragma acc update self(a) async(2) wait(1)
        } else {
            #pragma acc update self(a) async(2)
        }
        #pragma acc wait
    }
}

/* One kernel uses what another one writes. */
static void kernels(void)
{
    #pragma acc data copy(a, b)
    {
        add(a, N, 1);
        if (waits)
            acc_wait_async(1, 2);
        #pragma acc parallel loop present(a, b) async(2)
        for (int i = 0; i < N; i++)
            b[i] += a[i];
        #pragma acc wait
    }
}

/* The host gets what a kernel has not yet written. */
static void host(void)
{
    #pragma acc data copy(a)
    {
        add(a, N, 3);
        if (waits) {
            #pragma acc wait(3)
        }
        #pragma acc update self(a[10 : 5])
        #pragma acc wait
    }
}

/* A transfer from memory that another transfer still fills. */
static void transfers(void)
{
    #pragma acc enter data copyin(a) create(b)
    add(a, N, 1);
    acc_update_self_async(a, sizeof a, 1);
    if (waits)
        while (!acc_async_test(1))
            ;
    #pragma acc enter data copyin(a[0 : N]) async(2)
    #pragma acc update device(a) async(2)
    #pragma acc wait
    #pragma acc exit data delete(a, b) finalize
}

/* Device memory that a kernel uses is freed. */
static void leave(void)
{
    #pragma acc enter data copyin(a)
    add(a, N, acc_async_noval);
    if (waits) {
        #pragma acc exit data copyout(a) async
        #pragma acc wait
    } else {
        #pragma acc exit data delete(a)
        acc_wait_all();
    }
}

/* The host changes what a queue has yet to send, and what a queue has yet to fill. */
static void change(void)
{
    int *u = calloc(N, sizeof *u);
    #pragma acc enter data copyin(u[0 : N]) async(1)
    if (waits)
        acc_wait(1);
    u[7] = 1;
    #pragma acc wait(1)
    #pragma acc update device(u[7 : 1])
    add(u, N, 1);
    #pragma acc exit data copyout(u[0 : N]) async(1)
    if (waits)
        acc_wait(1);
    u[8] = 0;
    #pragma acc wait
    free(u);
}

/* Right with or without waits: each queue has a part, or reads only; one waits for the other. */
static void parts(void)
{
    int sum = 0;
    #pragma acc data copyin(a) copyout(b)
    {
        for (int q = 0; q < 4; q++) {
            #pragma acc parallel loop present(a, b) async(q)
            for (int i = q * N / 4; i < (q + 1) * N / 4; i++)
                b[i] = a[i] + a[N - 1 - i];
            #pragma acc update self(b[q * N / 4 : N / 4]) async(q)
        }
        #pragma acc update self(a)
        #pragma acc wait(0, 1) async(2)
        #pragma acc wait(2, 3) async(7)
        #pragma acc update device(a) async(7)
        #pragma acc parallel loop reduction(+: sum) present(b) copy(sum) async(7)
        for (int i = 0; i < N; i++)
            sum += b[i];
        #pragma acc wait(7)
    }
    printf("sum %d\n", sum);
    for (int i = 0; i < 3; i++) { /* each gets device memory of its own */
        #pragma acc parallel loop copy(a) async(1)
        for (int k = 0; k < N; k++)
            a[k]++;
        #pragma acc parallel loop copy(b) async(2)
        for (int k = 0; k < N; k++)
            b[k]++;
    }
    #pragma acc wait
}

/* A queue without work of its own waits for another one, and the host for that queue. */
static void chain(void)
{
    #pragma acc enter data copyin(a) wait(1)
    add(a, N, 1);
    if (waits) {
        #pragma acc wait(1) async(6)
    }
    #pragma acc wait(6)
    #pragma acc update self(a)
    a[0] = 1;
    #pragma acc wait
    #pragma acc exit data delete(a)
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    waits = argc > 2;
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i;
    if (!strcmp(way, "update"))
        update();
    else if (!strcmp(way, "kernels"))
        kernels();
    else if (!strcmp(way, "host"))
        host();
    else if (!strcmp(way, "transfers"))
        transfers();
    else if (!strcmp(way, "leave"))
        leave();
    else if (!strcmp(way, "change"))
        change();
    else if (!strcmp(way, "chain"))
        chain();
    else
        parts();
    printf("%d %d\n", a[9], b[9]);
}
