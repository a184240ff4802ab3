/* rows.h - for programs that several runtimes run: a row is a name and nanoseconds. */
#ifndef ROWS_H
#define ROWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SMALL = 64, PIECE = 64, LOOKUPS = 1000000, STRUCTURES = 1000, ELEMENTS = 16 };

static double get_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs run, too */
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Returns the time since the start. */
static double print_row(const char *name, double start, double n)
{
    const double took = get_seconds() - start;
    printf("%s %.1f\n", name, took / n);
    fflush(stdout);
    return took;
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* n pieces of PIECE bytes, with as much between them, in no order. */
static char **scattered(char *data, size_t n)
{
    char **order = malloc(n * sizeof *order);
    uint64_t seed = 1;
    if (!data || !order)
        exit(1);
    for (size_t i = 0; i < n; i++)
        order[i] = data + i * 2 * PIECE;
    for (size_t i = n - 1; i > 0; i--) {
        size_t k = next(&seed) % (i + 1);
        char *swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    return order;
}

struct object {
    int n;
    float *x, *y, *z;
};

/* STRUCTURES of them; their floats lie in one block. */
static struct object *structures(void)
{
    struct object *o = calloc(STRUCTURES, sizeof *o);
    float *floats = calloc((size_t)3 * STRUCTURES * ELEMENTS, sizeof *floats);
    if (!o || !floats)
        exit(1);
    for (int i = 0; i < STRUCTURES; i++) {
        o[i] = (struct object){.n = ELEMENTS};
        o[i].x = floats + (size_t)3 * (size_t)i * ELEMENTS;
        o[i].y = o[i].x + ELEMENTS;
        o[i].z = o[i].y + ELEMENTS;
    }
    return o;
}

#endif
