/* requested_sizes.c - sizes that the program requested for its blocks of malloc, because the C library rounds
 * them up and forgets them. The sizes are in a hash table by address, in PARTS parts with a spin lock each.
 * Sizes are recorded only in a process with the runtime. */
#include "lib/hash.h"
#include "fast_path.h"
#include "libc_heap.h"

#include <stdlib.h>

/* Block of malloc, with the size that the program requested. */
struct block {
    uintptr_t start;
    size_t bytes;
};
enum { PARTS = 64 };
static struct part {
    bool spin_lock;
    struct rt_hash blocks; /* blocks by start */
} parts[PARTS] = {[0 ... PARTS - 1].blocks = RT_HASH_TABLE(rt_libc_realloc, struct block)};

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

/* Sets the requested size of the block at `start` to `bytes`. Does nothing if `start` is 0, without the
 * runtime, or without memory. */
void rt_record_requested_size(uintptr_t start, size_t bytes)
{
    struct part *part = get_table_part(start);
    if (!start || !has_runtime())
        return;
    rt_spin_lock(&part->spin_lock);
    struct block *block = rt_hash_add(&part->blocks, start);
    if (block)
        block->bytes = bytes;
    rt_spin_unlock(&part->spin_lock);
}

/* Removes the entry of the block at `start`, and returns the block's size; 0 if there is no entry. */
size_t rt_forget_requested_size(uintptr_t start)
{
    struct part *part = get_table_part(start);
    if (!start || !has_runtime())
        return 0;
    rt_spin_lock(&part->spin_lock);
    const struct block *block = rt_hash_find(&part->blocks, start);
    const size_t bytes = block ? block->bytes : 0;
    rt_hash_remove(&part->blocks, start);
    rt_spin_unlock(&part->spin_lock);
    return bytes;
}

/* Returns the requested size of the block at `start`; 0 if it is not known. */
API size_t rt_get_requested_size(uintptr_t start)
{
    struct part *part = get_table_part(start);
    rt_spin_lock(&part->spin_lock);
    const struct block *block = start ? rt_hash_find(&part->blocks, start) : NULL;
    const size_t bytes = block ? block->bytes : 0;
    rt_spin_unlock(&part->spin_lock);
    return bytes;
}
