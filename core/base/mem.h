/* mem.h - memory of a context: the caller's allocator, pools of equal blocks, scratch space. */
#ifndef ACCD_MEM_H
#define ACCD_MEM_H

#include "accdeep_core.h"

#include <stdbool.h>
#include <string.h>

enum { ACCD_CACHED_BLOCKS = 16 };

struct accd__mem {
    accd_allocator fn;
    void *ud;
    /* Large blocks given back wait here for the next construct that wants as many bytes: fresh pages
     * would cost more than what is written to them. */
    struct {
        void *block;
        size_t bytes;
    } cache[ACCD_CACHED_BLOCKS];
    unsigned oldest_cached;
    size_t cached_bytes;
    bool small_slabs;             /* pools have small slabs: all that is in use is saved with a checkpoint */
    bool (*reclaim)(void *owner); /* gives up what only saves time, when memory runs out */
    void *owner;
};

void accd__mem_init(struct accd__mem *mem, accd_allocator fn, void *ud);
void accd__mem_drop_cache(struct accd__mem *mem);
/* NULL when out of memory. Contents are undefined. */
void *accd__mem_alloc(struct accd__mem *mem, size_t bytes);
void *accd__mem_alloc_zeroed(struct accd__mem *mem, size_t bytes);
/* count elements of size bytes, checked for overflow. */
void *accd__mem_alloc_array(struct accd__mem *mem, size_t count, size_t size);
void accd__mem_free(struct accd__mem *mem, void *block, size_t bytes);
char *accd__mem_copy_string(struct accd__mem *mem, const char *text);
/* Grows *array to hold at least need elements; *room is its present size. Returns success. */
int accd__mem_grow(struct accd__mem *mem, void **array, size_t *capacity, size_t need, size_t size);
#define ACCD_GROW(mem, array, capacity, need) \
    accd__mem_grow((mem), (void **)&(array), &(capacity), (need), sizeof *(array))

#ifndef ACCD_MAX_SLAB_BLOCKS
#define ACCD_MAX_SLAB_BLOCKS 128 /* blocks of a slab, unless more are wanted at once; tests build with 3 */
#endif

/* Blocks of one size, from slabs that are given back when the pool is closed. */
struct accd__pool {
    struct accd__mem *mem;
    size_t size, per_slab;
    size_t spare; /* blocks on the free list */
    void *free;   /* linked through their first word */
    void *slabs;
};

void accd__pool_init(struct accd__pool *pool, struct accd__mem *mem, size_t size, size_t per_slab);
int accd__pool_grow(struct accd__pool *pool, size_t blocks); /* by so many, or more */
/* Makes sure that the next n accd__pool_alloc succeed. Returns success. */
static inline int accd__pool_reserve(struct accd__pool *pool, size_t n)
{
    return n <= pool->spare || accd__pool_grow(pool, n - pool->spare);
}
static inline void *accd__pool_alloc(struct accd__pool *pool)
{
    if (!pool->free && !accd__pool_grow(pool, 1))
        return NULL;
    void *block = pool->free;
    memcpy(&pool->free, block, sizeof pool->free);
    pool->spare--;
    return block;
}
static inline void accd__pool_free(struct accd__pool *pool, void *block)
{
    memcpy(block, &pool->free, sizeof pool->free);
    pool->free = block;
    pool->spare++;
}
void accd__pool_free_all(struct accd__pool *pool);

/* An array that grows. */
#define ACCD_SCRATCH_LIST(type) \
    struct {                    \
        type *at;               \
        size_t n, capacity;     \
    }

/* Space that lives until the end of the construct: taken in order, given back at once. */
struct accd__scratch {
    struct accd__mem *mem;
    struct accd__scratch_chunk *chunk; /* the current one; older ones are linked behind it */
};

struct accd__scratch_chunk {
    struct accd__scratch_chunk *older;
    size_t capacity, used;
    _Alignas(16) char space[];
};

void *accd__scratch_add_chunk(struct accd__scratch *scratch, size_t bytes); /* when the chunk is full */
static inline void *accd__scratch_alloc(struct accd__scratch *scratch, size_t bytes)
{
    struct accd__scratch_chunk *chunk = scratch->chunk;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!chunk || chunk->capacity - chunk->used < bytes)
        return accd__scratch_add_chunk(scratch, bytes);
    void *space = chunk->space + chunk->used;
    chunk->used += bytes;
    return space;
}
/* Room for one more element of an array that has n; what the array outgrows goes with the scratch space. */
bool accd__scratch_grow_array(struct accd__scratch *scratch, void **array, size_t n, size_t *capacity, size_t size);
void accd__scratch_reset(struct accd__scratch *scratch);
void accd__scratch_free(struct accd__scratch *scratch);

#endif
