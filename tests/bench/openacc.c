/* openacc.c [N] - what directives of a real OpenACC program cost while N objects are present; run by one runtime or
 * another. Prints one number, in nanoseconds, for each row. */
#include <openacc.h>

#include "rows.h"

static float a[SMALL], b[SMALL], c[SMALL];

static void directives(int rounds)
{
    int n = SMALL;
#pragma acc enter data copyin(a, b, c)
    double start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma acc data present(a)
        {
        }
    }
    print_row("data-present-1", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma acc data copyin(a, b) copy(c)
        {
        }
    }
    print_row("data-present-3", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma acc enter data copyin(a)
#pragma acc exit data delete (a)
    }
    print_row("enter-exit-present", start, 2.0 * rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma acc serial present(a, b, c)
        {
            c[0] = a[0] + b[0];
        }
    }
    print_row("compute-present-3", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma acc update device(a [0:n])
    }
    print_row("update-256-bytes", start, rounds);
#pragma acc exit data delete (a, b, c)
}

/* Leaves them present. */
static void lookups(char *const *order, size_t n)
{
    uint64_t seed = 2, found = 0;
    const size_t rounds = 200000 / n;
    double start = get_seconds(), took;
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < n; i++)
            acc_create(order[i], PIECE);
        for (size_t i = n; i-- > 0;)
            acc_delete(order[i], PIECE);
    }
    took = print_row("create-delete", start, 2.0 * (double)(rounds * n));
    for (size_t i = 0; i < n; i++)
        acc_create(order[i], PIECE);
    start = get_seconds();
    for (int i = 0; i < LOOKUPS; i++)
        found += (uint64_t)acc_is_present(order[next(&seed) % n], PIECE);
    took += print_row("is-present", start, LOOKUPS);
    start = get_seconds();
    for (int i = 0; i < LOOKUPS; i++)
        found += (uintptr_t)acc_deviceptr(order[next(&seed) % n] + 8) != 0;
    took += print_row("deviceptr", start, LOOKUPS);
    start = get_seconds();
    for (int i = 0; i < LOOKUPS / 4; i++) {
        char *p = order[next(&seed) % n], *q = order[next(&seed) % n];
#pragma acc data present(p [0:PIECE], q [0:PIECE])
        {
        }
    }
    took += print_row("data-present-random-2", start, LOOKUPS / 4);
    print_row("all-lookups", get_seconds() - took, 2.25 * LOOKUPS + 2.0 * (double)(rounds * n));
    if (found != 2 * (uint64_t)LOOKUPS)
        exit(2);
}

/* A deep copy by clauses of sections, object by object. */
static void time_deep_copy(int rounds)
{
    struct object *o = structures();
    double in = 0, out = 0;
    for (int r = 0; r < rounds; r++) {
        in -= get_seconds();
#pragma acc enter data copyin(o [0:STRUCTURES])
        for (int i = 0; i < STRUCTURES; i++) {
#pragma acc enter data copyin(o[i].x [0:ELEMENTS], o[i].y [0:ELEMENTS], o[i].z [0:ELEMENTS])
        }
        in += get_seconds();
        out -= get_seconds();
        for (int i = 0; i < STRUCTURES; i++) {
#pragma acc exit data delete (o[i].x [0:ELEMENTS], o[i].y [0:ELEMENTS], o[i].z [0:ELEMENTS])
        }
#pragma acc exit data delete (o [0:STRUCTURES])
        out += get_seconds();
    }
    print_row("deep-in", get_seconds() - in, (double)rounds * STRUCTURES);
    print_row("deep-out", get_seconds() - out, (double)rounds * STRUCTURES);
    free(o[0].x);
    free(o);
}

/* A structure and what its members point to, on one directive. */
static void time_member_copy(int rounds)
{
    static struct object s; /* variables of a function are looked at */
    struct object *o = structures();
    const int n = ELEMENTS;
    double start = get_seconds();
    s = *o;
    for (int i = 0; i < rounds; i++) {
#pragma acc data copyin(s, s.x [0:n], s.y [0:n])
        {
        }
    }
    print_row("data-members", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma acc enter data copyin(s, s.x [0:n], s.y [0:n])
#pragma acc exit data copyout(s.x [0:n], s.y [0:n])
#pragma acc exit data delete (s)
    }
    print_row("enter-exit-members", start, 3.0 * rounds);
#pragma acc enter data copyin(s, s.x [0:n], s.y [0:n])
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma acc data copyin(s, s.x [0:n], s.y [0:n])
        {
        }
    }
    print_row("data-members-present", start, rounds);
    start = get_seconds();
    for (int i = 0; i < rounds; i++) {
#pragma acc serial present(s)
        {
            s.x[0] += s.y[0];
        }
    }
    print_row("compute-members", start, rounds);
#pragma acc exit data delete (s.x [0:n], s.y [0:n])
#pragma acc exit data delete (s)
    free(o[0].x);
    free(o);
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    char *data = malloc(n * PIECE * 2), **order = scattered(data, n);
    lookups(order, n);
    directives(200000);
    time_deep_copy(20);
    time_member_copy(20000);
    for (size_t i = 0; i < n; i++)
        acc_delete(order[i], PIECE);
    free(order);
    free(data);
    return 0;
}
