/* bench.h - what the files of the benchmark share: time, random order, contexts, std::map. */
#ifndef ACCD_BENCH_H
#define ACCD_BENCH_H

#include "ops/ops.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int bench_beside(lua_State *L); /* beside.c */
int bench_queued(lua_State *L);
int bench_flat(lua_State *L); /* small.c */
int bench_expressions(lua_State *L);

/* map.cpp: std::map of records by their first address. */
struct record {
    uint64_t start, bytes, dev, counters;
};
void *map_new(void);
void map_free(void *map);
void map_free_records(void *map);
void map_insert(void *map, uint64_t key, void *record);
void map_erase(void *map, uint64_t key);
void *map_floor(void *map, uint64_t p);

static inline double get_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline uint64_t next_random(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

static inline void shuffle(uint32_t *list, size_t n)
{
    uint64_t seed = 11;
    for (size_t i = n; i > 1; i--) {
        size_t k = next_random(&seed) % i;
        uint32_t swap = list[i - 1];
        list[i - 1] = list[k];
        list[k] = swap;
    }
}

static inline void *checked(void *block)
{
    if (!block) {
        fprintf(stderr, "bench: not enough memory\n");
        exit(1);
    }
    return block;
}

static inline uint32_t *permutation(size_t n, int random)
{
    uint32_t *list = checked(malloc(n * sizeof *list));
    for (size_t i = 0; i < n; i++)
        list[i] = (uint32_t)i;
    if (random)
        shuffle(list, n);
    return list;
}

static inline void set(lua_State *L, const char *name, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

/* Times the statement for each of `count` operations. */
#define MEASURE(best, count, statement)                                      \
    do {                                                                     \
        double started = get_seconds();                                      \
        statement;                                                           \
        (best) = least((best), (get_seconds() - started) / (double)(count)); \
    } while (0)

static inline void expect_ok(accd_context *context, accd_status status)
{
    if (status == ACCD_OK)
        return;
    fprintf(stderr, "bench: %s\n", accd_context_error(context)->message);
    exit(1);
}

static inline accd_context *open_context(unsigned threads)
{
    accd_context_config config;
    accd_context_config_init(&config);
    config.threads = threads;
    accd_context *context = NULL;
    if (accd_context_new(&context, &config) != ACCD_OK)
        exit(1);
    return context;
}

static inline void run_bench_construct(accd_context *context, accd_construct_kind kind, accd_item *items, size_t n)
{
    expect_ok(context,
              accd_run_construct(
                  context, &(accd_construct){.kind = kind, .items = items, .nitems = n, .name = "benchmark"}, NULL));
}

#endif
