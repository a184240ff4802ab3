/* Memory that the runtime has to read with care: unmapped while its data are present, or the stack of a kernel that a
 * signal handler interrupts. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 1 << 16 };

static int *counts;
static void count(int signal)
{
    counts[1] += signal == SIGUSR1; /* the host's: the handler is no part of the kernel */
}

/* A handler uses host data while a kernel runs. */
static void interrupt(void)
{
    counts = calloc(100, sizeof *counts);
    signal(SIGUSR1, count);
#pragma acc enter data copyin(counts[0 : 100])
#pragma acc parallel num_gangs(1)
    raise(SIGUSR1);
    printf("%d\n", counts[1]);
#pragma acc exit data delete(counts[0 : 100])
}

/* Unmaps a large block of malloc, or a mapping of the program itself. */
static void unmap(int is_block)
{
    int sum = 0, *b = calloc(N, sizeof *b);
    int *a = is_block ? malloc(N * sizeof *a)
                      : mmap(NULL, N * sizeof *a, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(a, 0, N * sizeof *a);
#pragma acc enter data copyin(a[0 : N], b[0 : N])
    if (is_block)
        free(a);
    else
        munmap(a, N * sizeof *a);
    b[3] = 4; /* stale: not sent */
#pragma acc parallel loop present(a[0 : N], b[0 : N]) reduction(+ : sum)
    for (int i = 0; i < N; i++) {
        a[i]++;
        sum += a[i] + b[i];
    }
    printf("%d\n", sum);
#pragma acc exit data delete(a[0 : N], b[0 : N])
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "handler"))
        interrupt();
    else
        unmap(argc > 1 && !strcmp(argv[1], "block"));
}
