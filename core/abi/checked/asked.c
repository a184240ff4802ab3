/* asked.c - how many bytes the program asked for in each block of malloc: the C library rounds the size up, and forgets
 * it. A table by address, in parts with a lock each; only in a process that has the runtime. */
#include "access.h"

#include <stdlib.h>

void *__libc_calloc(size_t n, size_t each); /* of the GNU C library */
void __libc_free(void *at);

enum { PARTS = 64 };
static struct part {
    bool locked;
    size_t n, room; /* room is 0 or a power of two */
    struct block {
        uintptr_t start; /* 0: the entry is free */
        size_t bytes;
    } *blocks;
} parts[PARTS];

/* `accdeep exec` sets the variable. */
static bool has_runtime(void)
{
    static int known; /* 1: it has, -1: it has not */
    int is = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!is) {
        is = getenv("ACCDEEP_REPORT") ? 1 : -1;
        __atomic_store_n(&known, is, __ATOMIC_RELAXED);
    }
    return is > 0;
}

static struct part *part_of(uintptr_t start)
{
    return &parts[(start >> 4) * 0x9E3779B97F4A7C15u >> 58];
}

static size_t home_of(const struct part *part, uintptr_t start)
{
    return (size_t)((start >> 4) * 0x9E3779B97F4A7C15u >> 20) & (part->room - 1);
}

/* The entry of a block, or the free one for it; there is room. */
static size_t entry_of(const struct part *part, uintptr_t start)
{
    size_t i = home_of(part, start);
    while (part->blocks[i].start && part->blocks[i].start != start)
        i = (i + 1) & (part->room - 1);
    return i;
}

static bool grow(struct part *part)
{
    struct block *const old = part->blocks;
    const size_t n = part->room;
    struct block *grown = __libc_calloc(n ? 2 * n : 64, sizeof *grown);
    if (!grown)
        return false;
    part->blocks = grown;
    part->room = n ? 2 * n : 64;
    for (size_t i = 0; i < n; i++)
        if (old[i].start)
            part->blocks[entry_of(part, old[i].start)] = old[i];
    __libc_free(old);
    return true;
}

void goacc_asked_note(uintptr_t start, size_t bytes)
{
    struct part *part = part_of(start);
    if (!start || !has_runtime())
        return;
    goacc_hold(&part->locked);
    if (2 * part->n < part->room || grow(part)) {
        struct block *block = &part->blocks[entry_of(part, start)];
        part->n += !block->start;
        *block = (struct block){start, bytes};
    }
    goacc_release(&part->locked);
}

/* Removes a block from the table. Later entries of the same run of slots move back into the hole. */
void goacc_asked_forget(uintptr_t start)
{
    struct part *part = part_of(start);
    if (!start || !has_runtime())
        return;
    goacc_hold(&part->locked);
    size_t hole = part->room ? entry_of(part, start) : 0;
    if (part->room && part->blocks[hole].start) {
        for (size_t k = (hole + 1) & (part->room - 1); part->blocks[k].start; k = (k + 1) & (part->room - 1))
            if (((k - home_of(part, part->blocks[k].start)) & (part->room - 1)) >= ((k - hole) & (part->room - 1))) {
                part->blocks[hole] = part->blocks[k];
                hole = k;
            }
        part->blocks[hole].start = 0;
        part->n--;
    }
    goacc_release(&part->locked);
}

API size_t goacc_check_asked(uintptr_t start)
{
    struct part *part = part_of(start);
    goacc_hold(&part->locked);
    const size_t entry = part->room ? entry_of(part, start) : 0;
    const size_t bytes = part->room && part->blocks[entry].start ? part->blocks[entry].bytes : 0;
    goacc_release(&part->locked);
    return bytes;
}
