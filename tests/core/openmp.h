/* openmp.h - what the tests of OpenMP's data environment share: variables, contexts, items. */
#ifndef ACCD_TEST_OPENMP_H
#define ACCD_TEST_OPENMP_H

#include "support.h"

struct shape { /* that of the examples, smaller */
    char buffer[16];
    float x;
    float a, b;
    float *p;
};
enum { N = 8 };

static struct shape S;
static float pool[2 * N], other[N];
static int v[16];

#define ONE(what, object) BYTES(what, &(object), sizeof(object))

static inline accd_context *new_openmp_context(struct meter *meter, const char *rules)
{
    for (int i = 0; i < 16; i++)
        v[i] = i;
    for (int i = 0; i < 2 * N; i++)
        pool[i] = (float)i;
    memset(other, 0, sizeof other);
    S = (struct shape){.x = 9, .a = 2, .b = 4, .p = pool};
    *meter = (struct meter){0};
    return open_with(meter, NULL, rules ? rules : "openmp-5.1", 64);
}

static inline void free_openmp_context(accd_context *context, struct meter *meter)
{
    is_sound(context);
    accd_context_free(context);
    is_number(meter->live + meter->blocks + meter->wrong, 0, "all memory is given back");
}

static inline accd_item with(accd_item item, unsigned flags)
{
    item.flags = (uint16_t)(item.flags | flags);
    return item;
}

/* map(type: p[from:n]) through the pointer at slot. */
static inline accd_item section(uint8_t action, float **slot, size_t from, size_t n)
{
    return (accd_item){.host = *slot + from,
                       .base = *slot,
                       .bytes = n * sizeof **slot,
                       .slot = slot,
                       .start = (int64_t)from,
                       .action = action};
}

static inline int read_device_int(accd_context *context, const int *at)
{
    int value = -1;
    device_get(context, at, &value, sizeof value);
    return value;
}

static inline void put_device(accd_context *context, const int *at, int value)
{
    must(device_put(context, at, &value, sizeof value), "written");
}

#define WHERE(context, status_, rule_, what)                                                                  \
    ok(accd_context_error(context)->status == (status_) && !strcmp(accd_context_error(context)->rule, rule_), \
       "%s: cites %s", what, accd_context_error(context)->rule)

static inline uint64_t there(accd_context *context, const void *host)
{
    return accd_device_address(context, 0, host);
}

/* The pointer's device copy leads to the device copy of what it points to. */
static inline bool leads(accd_context *context, float **slot)
{
    return device_word(context, slot) == there(context, *slot) && there(context, *slot);
}

#endif
