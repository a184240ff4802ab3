/* requested_sizes.c - sizes that the program requested for its blocks of malloc, because the C library rounds
 * them up and forgets them. The sizes are in a hash table by address, in PARTS parts with a spin lock each.
 * Sizes are recorded only in a process with the runtime. */
#include "fast_path.h"

#include <stdlib.h>

void *__libc_calloc(size_t n, size_t element_size); /* functions of the GNU C library */
void __libc_free(void *at);

enum { PARTS = 64 };
static struct part {
    bool spin_lock;
    size_t n, capacity; /* number of used slots; number of all slots, 0 or a power of two. At most half are used */
    struct block {
        uintptr_t start; /* address of the block; 0: the slot is free */
        size_t bytes;
    } * blocks;
} parts[PARTS];

/* Returns true if the process has the runtime: `accdeep exec` sets the environment variable ACCDEEP_REPORT. */
static bool has_runtime(void)
{
    static int cached_answer; /* 1: true, -1: false, 0: not known */
    int answer = __atomic_load_n(&cached_answer, __ATOMIC_RELAXED);
    if (!answer) {
        answer = getenv("ACCDEEP_REPORT") ? 1 : -1;
        __atomic_store_n(&cached_answer, answer, __ATOMIC_RELAXED);
    }
    return answer > 0;
}

/* Returns the part of the table to which an address belongs. */
static struct part *get_table_part(uintptr_t start)
{
    return &parts[(start >> 4) * 0x9E3779B97F4A7C15u >> 58];
}

/* Returns the slot of a part at which the search for an address begins. */
static size_t get_home_slot(const struct part *part, uintptr_t start)
{
    return (size_t)((start >> 4) * 0x9E3779B97F4A7C15u >> 20) & (part->capacity - 1);
}

/* Returns the slot of the block at `start`, or the free slot where it belongs. The part must have slots. */
static size_t find_entry(const struct part *part, uintptr_t start)
{
    size_t i = get_home_slot(part, start);
    while (part->blocks[i].start && part->blocks[i].start != start)
        i = (i + 1) & (part->capacity - 1);
    return i;
}

/* Doubles the slots of a part, whose lock the caller holds. Returns false without memory. */
static bool grow_part(struct part *part)
{
    struct block *const old = part->blocks;
    const size_t n = part->capacity;
    struct block *new_blocks = __libc_calloc(n ? 2 * n : 64, sizeof *new_blocks);
    if (!new_blocks)
        return false;
    part->blocks = new_blocks;
    part->capacity = n ? 2 * n : 64;
    for (size_t i = 0; i < n; i++)
        if (old[i].start)
            part->blocks[find_entry(part, old[i].start)] = old[i];
    __libc_free(old);
    return true;
}

/* Sets the requested size of the block at `start` to `bytes`. Does nothing if `start` is 0, without the
 * runtime, or without memory. */
void rt_record_requested_size(uintptr_t start, size_t bytes)
{
    struct part *part = get_table_part(start);
    if (!start || !has_runtime())
        return;
    rt_spin_lock(&part->spin_lock);
    if (2 * part->n < part->capacity || grow_part(part)) {
        struct block *block = &part->blocks[find_entry(part, start)];
        part->n += !block->start;
        *block = (struct block){start, bytes};
    }
    rt_spin_unlock(&part->spin_lock);
}

/* Removes the entry of the block at `start`, if there is one. Later entries of its probe sequence move into the hole.
 */
void rt_forget_requested_size(uintptr_t start)
{
    struct part *part = get_table_part(start);
    if (!start || !has_runtime())
        return;
    rt_spin_lock(&part->spin_lock);
    size_t hole = part->capacity ? find_entry(part, start) : 0;
    if (part->capacity && part->blocks[hole].start) {
        for (size_t k = (hole + 1) & (part->capacity - 1); part->blocks[k].start; k = (k + 1) & (part->capacity - 1))
            if (((k - get_home_slot(part, part->blocks[k].start)) & (part->capacity - 1)) >=
                ((k - hole) & (part->capacity - 1))) {
                part->blocks[hole] = part->blocks[k];
                hole = k;
            }
        part->blocks[hole].start = 0;
        part->n--;
    }
    rt_spin_unlock(&part->spin_lock);
}

/* Returns the requested size of the block at `start`; 0 if it is not known. */
API size_t rt_get_requested_size(uintptr_t start)
{
    struct part *part = get_table_part(start);
    rt_spin_lock(&part->spin_lock);
    const size_t entry = part->capacity ? find_entry(part, start) : 0;
    const size_t bytes = part->capacity && part->blocks[entry].start ? part->blocks[entry].bytes : 0;
    rt_spin_unlock(&part->spin_lock);
    return bytes;
}
