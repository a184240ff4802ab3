/* mem.h - memory of a context: the caller's allocator, pools of equal blocks, scratch space. */
#ifndef ACCD_MEM_H
#define ACCD_MEM_H

#include "accdeep_core.h"

#include <stdbool.h>
#include <string.h>

enum { ACCD_KEPT = 16 };

struct accd_mem {
    accd_allocator fn;
    void *ud;
    /* Large blocks given back wait here for the next construct that wants as many bytes: fresh pages
     * would cost more than what is written to them. */
    struct {
        void *block;
        size_t bytes;
    } kept[ACCD_KEPT];
    unsigned oldest;
    size_t kept_bytes;
    bool frugal; /* pools have small slabs: all that is in use is saved with a checkpoint */
    bool (*reclaim)(void *owner); /* gives up what only saves time, when memory runs out */
    void *owner;
};

void accd_mem_init(struct accd_mem *mem, accd_allocator fn, void *ud);
void accd_mem_close(struct accd_mem *mem);
/* NULL when out of memory. Contents are undefined. */
void *accd_mem_new(struct accd_mem *mem, size_t bytes);
void *accd_mem_zero(struct accd_mem *mem, size_t bytes);
/* count elements of size bytes, checked for overflow. */
void *accd_mem_array(struct accd_mem *mem, size_t count, size_t size);
void accd_mem_free(struct accd_mem *mem, void *block, size_t bytes);
char *accd_mem_string(struct accd_mem *mem, const char *text);
/* Grows *array to hold at least need elements; *room is its present size. Returns success. */
int accd_mem_grow(struct accd_mem *mem, void **array, size_t *room, size_t need, size_t size);
#define ACCD_GROW(mem, array, room, need) \
    accd_mem_grow((mem), (void **)&(array), &(room), (need), sizeof *(array))

#ifndef ACCD_SLAB_MOST
#define ACCD_SLAB_MOST 128 /* blocks of a slab, unless more are wanted at once; tests build with 3 */
#endif

/* Blocks of one size, from slabs that are given back when the pool is closed. */
struct accd_pool {
    struct accd_mem *mem;
    size_t size, per_slab;
    size_t spare; /* blocks on the free list */
    void *free;   /* linked through their first word */
    void *slabs;
};

void accd_pool_init(struct accd_pool *pool, struct accd_mem *mem, size_t size, size_t per_slab);
int accd_pool_grow(struct accd_pool *pool, size_t blocks); /* by so many, or more */
/* Makes sure that the next n accd_pool_take succeed. Returns success. */
static inline int accd_pool_reserve(struct accd_pool *pool, size_t n)
{
    return n <= pool->spare || accd_pool_grow(pool, n - pool->spare);
}
static inline void *accd_pool_take(struct accd_pool *pool)
{
    if (!pool->free && !accd_pool_grow(pool, 1))
        return NULL;
    void *block = pool->free;
    memcpy(&pool->free, block, sizeof pool->free);
    pool->spare--;
    return block;
}
static inline void accd_pool_give(struct accd_pool *pool, void *block)
{
    memcpy(block, &pool->free, sizeof pool->free);
    pool->free = block;
    pool->spare++;
}
void accd_pool_close(struct accd_pool *pool);

/* An array that grows. */
#define ACCD_LIST(type)   \
    struct {              \
        type *at;         \
        size_t n, room;   \
    }

/* Space that lives until the end of the construct: taken in order, given back at once. */
struct accd_scratch {
    struct accd_mem *mem;
    struct accd_chunk *chunk; /* the current one; older ones are linked behind it */
};

struct accd_chunk {
    struct accd_chunk *older;
    size_t room, used;
    _Alignas(16) char space[];
};

void *accd_scratch_more(struct accd_scratch *scratch, size_t bytes); /* when the chunk is full */
static inline void *accd_scratch_take(struct accd_scratch *scratch, size_t bytes)
{
    struct accd_chunk *chunk = scratch->chunk;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!chunk || chunk->room - chunk->used < bytes)
        return accd_scratch_more(scratch, bytes);
    void *space = chunk->space + chunk->used;
    chunk->used += bytes;
    return space;
}
/* Room for one more element of an array that has n; what the array outgrows goes with the scratch space. */
bool accd_scratch_room(struct accd_scratch *scratch, void **array, size_t n, size_t *room, size_t size);
void accd_scratch_reset(struct accd_scratch *scratch);
void accd_scratch_close(struct accd_scratch *scratch);

#endif
