/* openmp.c [N] - what target directives of a real OpenMP program cost while N objects are present; run by one runtime
 * or another. Prints one number, in nanoseconds, for each row. */
#include <omp.h>

#include "rows.h"

static float a[SMALL], b[SMALL], c[SMALL];

static void directives(int rounds)
{
    const int n = SMALL;
    int one = 1;
#pragma omp target enter data map(to : a, b, c)
    double start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma omp target data map(alloc : a)
        {
        }
    }
    print_row("data-present-1", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma omp target data map(to : a, b) map(tofrom : c)
        {
        }
    }
    print_row("data-present-3", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(release : a)
    }
    print_row("enter-exit-present", start, 2.0 * rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma omp target map(alloc : a, b, c)
        {
            c[0] = a[0] + b[0];
        }
    }
    print_row("target-present-3", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma omp target map(alloc : a) firstprivate(one)
        {
            a[0] += (float)one;
        }
    }
    print_row("target-firstprivate", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds / 4; i++) {
#pragma omp target teams distribute parallel for map(alloc : a, b, c) num_teams(1) thread_limit(1)
        for (int k = 0; k < SMALL; k++)
            c[k] = a[k] + b[k];
    }
    print_row("target-teams-loop", start, rounds / 4);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma omp target update to(a [0:n])
    }
    print_row("update-256-bytes", start, rounds);
#pragma omp target exit data map(delete : a, b, c)
}

/* Leaves them present. */
static void lookups(char *const *order, size_t n)
{
    const int device = omp_get_default_device();
    uint64_t seed = 2, found = 0;
    const size_t rounds = 200000 / n;
    double start = get_seconds(), took;
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < n; i++) {
            char *p = order[i];
#pragma omp target enter data map(alloc : p [0:PIECE])
        }
        for (size_t i = n; i-- > 0;) {
            char *p = order[i];
#pragma omp target exit data map(delete : p [0:PIECE])
        }
    }
    took = print_row("alloc-delete", start, 2.0 * (double)(rounds * n));
    for (size_t i = 0; i < n; i++) {
        char *p = order[i];
#pragma omp target enter data map(alloc : p [0:PIECE])
    }
    start = get_seconds();
    for (int i = 0; i < LOOKUPS; i++)
        found += (uint64_t)omp_target_is_present(order[next(&seed) % n], device);
    took += print_row("is-present", start, LOOKUPS);
    start = get_seconds();
    for (int i = 0; i < LOOKUPS / 4; i++) {
        char *p = order[next(&seed) % n], *q = order[next(&seed) % n];
#pragma omp target data map(alloc : p [0:PIECE], q [0:PIECE])
        {
        }
    }
    took += print_row("data-present-random-2", start, LOOKUPS / 4);
    print_row("all-lookups", get_seconds() - took, 1.25 * LOOKUPS + 2.0 * (double)(rounds * n));
    if (found != LOOKUPS)
        exit(2);
}

/* A deep copy by clauses of sections, object by object. */
static void time_deep_copy(int rounds)
{
    struct object *o = structures();
    double in = 0, out = 0;
    for (int r = 0; r < rounds; r++) {
        in -= get_seconds();
#pragma omp target enter data map(to : o [0:STRUCTURES])
        for (int i = 0; i < STRUCTURES; i++) {
#pragma omp target enter data map(to : o[i].x [0:ELEMENTS], o[i].y [0:ELEMENTS], o[i].z [0:ELEMENTS])
        }
        in += get_seconds();
        out -= get_seconds();
        for (int i = 0; i < STRUCTURES; i++) {
#pragma omp target exit data map(release : o[i].x [0:ELEMENTS], o[i].y [0:ELEMENTS], o[i].z [0:ELEMENTS])
        }
#pragma omp target exit data map(delete : o [0:STRUCTURES])
        out += get_seconds();
    }
    print_row("deep-in", get_seconds() - in, (double)rounds * STRUCTURES);
    print_row("deep-out", get_seconds() - out, (double)rounds * STRUCTURES);
    free(o[0].x);
    free(o);
}

#ifdef __clang__
#pragma omp declare mapper(time_deep_copy                \
                           : struct object o) map(tofrom \
                                                  : o, o.x [0:ELEMENTS], o.y [0:ELEMENTS], o.z [0:ELEMENTS])

/* The same by a mapper. gcc 12 has none. */
static void mapped(int rounds)
{
    struct object *o = structures();
    double in = 0, out = 0;
    for (int r = 0; r < rounds; r++) {
        in -= get_seconds();
#pragma omp target enter data map(mapper(time_deep_copy), to : o [0:STRUCTURES])
        in += get_seconds();
        out -= get_seconds();
#pragma omp target exit data map(mapper(time_deep_copy), from : o [0:STRUCTURES])
        out += get_seconds();
    }
    print_row("mapper-in", get_seconds() - in, (double)rounds * STRUCTURES);
    print_row("mapper-out", get_seconds() - out, (double)rounds * STRUCTURES);
    free(o[0].x);
    free(o);
}
#endif

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    char *data = malloc(n * PIECE * 2), **order = scattered(data, n);
    if (omp_get_num_devices() < 1)
        return 3;
    lookups(order, n);
    directives(100000);
    time_deep_copy(20);
#ifdef __clang__
    mapped(20);
#endif
    for (size_t i = 0; i < n; i++) {
        char *p = order[i];
#pragma omp target exit data map(delete : p [0:PIECE])
    }
    free(order);
    free(data);
    return 0;
}
