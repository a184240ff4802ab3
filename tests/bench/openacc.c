/* openacc.c - what directives of a real OpenACC program cost; run by one runtime or another. Prints one
 * number, in nanoseconds, for each row. */
#include <openacc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALL = 64, PIECE = 64, LOOKUPS = 1000000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void row(const char *name, double start, double n)
{
    printf("%s %.1f\n", name, (now() - start) / n);
    fflush(stdout);
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static float a[SMALL], b[SMALL], c[SMALL];

static void directives(int rounds)
{
    int n = SMALL;
#pragma acc enter data copyin(a, b, c)
    double start = now();
    for (int i = 0; i < rounds; i++) {
#pragma acc data present(a)
        {
        }
    }
    row("data-present-1", start, rounds);
    start = now();
    for (int i = 0; i < rounds; i++) {
#pragma acc data copyin(a, b) copy(c)
        {
        }
    }
    row("data-present-3", start, rounds);
    start = now();
    for (int i = 0; i < rounds; i++) {
#pragma acc enter data copyin(a)
#pragma acc exit data delete (a)
    }
    row("enter-exit-present", start, 2.0 * rounds);
    start = now();
    for (int i = 0; i < rounds; i++) {
#pragma acc serial present(a, b, c)
        {
            c[0] = a[0] + b[0];
        }
    }
    row("compute-present-3", start, rounds);
    start = now();
    for (int i = 0; i < rounds; i++) {
#pragma acc update device(a[0:n])
    }
    row("update-256-bytes", start, rounds);
#pragma acc exit data delete (a, b, c)
}

static void lookups(size_t n)
{
    char *data = malloc(n * PIECE * 2);
    uint32_t *order = malloc(n * sizeof *order);
    uint64_t seed = 1, found = 0;
    if (!data || !order)
        exit(1);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    for (size_t i = n - 1; i > 0; i--) {
        size_t k = next(&seed) % (i + 1);
        uint32_t swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    double start = now(), first = start;
    for (size_t i = 0; i < n; i++)
        acc_create(data + (size_t)order[i] * 2 * PIECE, PIECE);
    row("create", start, (double)n);
    start = now();
    for (int i = 0; i < LOOKUPS; i++)
        found += (uint64_t)acc_is_present(data + next(&seed) % n * 2 * PIECE, PIECE);
    row("is-present", start, LOOKUPS);
    start = now();
    for (int i = 0; i < LOOKUPS; i++)
        found += (uintptr_t)acc_deviceptr(data + next(&seed) % n * 2 * PIECE + 8) != 0;
    row("deviceptr", start, LOOKUPS);
    start = now();
    for (int i = 0; i < LOOKUPS / 4; i++) {
        char *p = data + next(&seed) % n * 2 * PIECE, *q = data + next(&seed) % n * 2 * PIECE;
#pragma acc data present(p[0 : PIECE], q[0 : PIECE])
        {
        }
    }
    row("data-present-random-2", start, LOOKUPS / 4);
    start = now();
    for (size_t i = 0; i < n; i++)
        acc_delete(data + (size_t)order[n - 1 - i] * 2 * PIECE, PIECE);
    row("delete", start, (double)n);
    row("all-lookups", first, 2.25 * LOOKUPS + 2.0 * (double)n);
    if (found != 2 * (uint64_t)LOOKUPS)
        exit(2);
    free(order);
    free(data);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    directives(200000);
    lookups(n);
    return 0;
}
