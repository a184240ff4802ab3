/* mem.h - memory of a context: the caller's allocator with a cache, pools of equal blocks, scratch space. */
#ifndef ACCD_MEM_H
#define ACCD_MEM_H

#include "accdeep_context.h"

#include <stdbool.h>
#include <string.h>

enum { ACCD_CACHED_BLOCKS = 16 };

/* Memory of a context: an allocator, and a cache of large freed blocks. */
struct accd__mem {
    accd_allocator fn;
    void *ud;
    /* Ring of large freed blocks for the next construct that needs as many bytes. Fresh pages would cost more than
     * writing to them. */
    struct {
        void *block;
        size_t bytes;
    } cache[ACCD_CACHED_BLOCKS];
    unsigned oldest_cached; /* index in `cache` of the oldest block, which is replaced next */
    size_t cached_bytes;    /* bytes of all blocks in `cache` */
    bool small_slabs;       /* true if pools have small slabs; set with checkpoints, which save all memory in use */
    bool (*reclaim)(void *owner); /* frees caches after the allocator failed; returns true if it freed some memory */
    void *owner;
};

/* Makes a memory that uses the caller's allocator; fn = NULL: realloc and free. */
void accd__mem_init(struct accd__mem *mem, accd_allocator fn, void *ud);
/* Returns all cached blocks to the allocator. */
void accd__mem_drop_cache(struct accd__mem *mem);
/* Returns a block with undefined contents; NULL without memory. */
void *accd__mem_alloc(struct accd__mem *mem, size_t bytes);
/* Returns a block of zeros; NULL without memory. */
void *accd__mem_alloc_zeroed(struct accd__mem *mem, size_t bytes);
/* Returns a block for `count` elements of `size` bytes; NULL without memory, or if the product overflows. */
void *accd__mem_alloc_array(struct accd__mem *mem, size_t count, size_t size);
/* Frees a block that was allocated with `bytes` bytes, or caches it if it is large; NULL does nothing. */
void accd__mem_free(struct accd__mem *mem, void *block, size_t bytes);
/* Returns a copy of `text`, which must not be NULL; returns NULL without memory. */
char *accd__mem_copy_string(struct accd__mem *mem, const char *text);
/* Grows *array of *capacity elements to at least `need` elements of `size` bytes, and updates both. Keeps the elements;
 * new ones are undefined. Returns 1, or 0, with nothing changed, without memory. */
int accd__mem_grow(struct accd__mem *mem, void **array, size_t *capacity, size_t need, size_t size);
/* Calls accd__mem_grow for a typed array and its capacity. */
#define ACCD_GROW(mem, array, capacity, need) \
    accd__mem_grow((mem), (void **)&(array), &(capacity), (need), sizeof *(array))

#ifndef ACCD_MAX_SLAB_BLOCKS
#define ACCD_MAX_SLAB_BLOCKS 128 /* most blocks of a slab, unless more are needed at once; tests build with 3 */
#endif

/* Pool of blocks of one size, from slabs that are freed with the pool. */
struct accd__pool {
    struct accd__mem *mem;
    size_t size, per_slab;
    size_t spare; /* number of blocks on the free list */
    void *free;   /* free list, linked through the first word of each block */
    void *slabs;
};

/* Makes an empty pool of blocks of `size` bytes, with at most `per_slab` blocks in a slab. */
void accd__pool_init(struct accd__pool *pool, struct accd__mem *mem, size_t size, size_t per_slab);
/* Adds at least `blocks` blocks to the free list, by a new slab. Returns 1, or 0 without memory. */
int accd__pool_grow(struct accd__pool *pool, size_t blocks);
/* Reserves blocks so that the next n calls of accd__pool_alloc succeed. Returns 1, or 0 without memory. */
static inline int accd__pool_reserve(struct accd__pool *pool, size_t n)
{
    return n <= pool->spare || accd__pool_grow(pool, n - pool->spare);
}
/* Returns a block with undefined contents; NULL without memory. */
static inline void *accd__pool_alloc(struct accd__pool *pool)
{
    if (!pool->free && !accd__pool_grow(pool, 1))
        return NULL;
    void *block = pool->free;
    memcpy(&pool->free, block, sizeof pool->free);
    pool->spare--;
    return block;
}
/* Returns a block, which must not be NULL, to its pool. */
static inline void accd__pool_free(struct accd__pool *pool, void *block)
{
    memcpy(block, &pool->free, sizeof pool->free);
    pool->free = block;
    pool->spare++;
}
/* Frees all slabs, and so all blocks of the pool; the pool stays usable. */
void accd__pool_free_all(struct accd__pool *pool);

/* Type of a list in scratch space, to which ACCD_SCRATCH_APPEND (base.h) appends. */
#define ACCD_SCRATCH_LIST(type) \
    struct {                    \
        type *at;               \
        size_t n, capacity;     \
    }

/* Scratch space, valid until the end of the construct: allocated in order, freed all at once. */
struct accd__scratch {
    struct accd__mem *mem;
    struct accd__scratch_chunk *chunk; /* current chunk, with older ones linked from it */
};

/* Chunk: one allocation of the scratch space, of which the first `used` bytes of `capacity` are given out. */
struct accd__scratch_chunk {
    struct accd__scratch_chunk *older;
    size_t capacity, used;
    _Alignas(16) char space[];
};

/* Adds a chunk of at least `bytes` bytes, and returns these bytes, allocated from it; NULL without memory. */
void *accd__scratch_add_chunk(struct accd__scratch *scratch, size_t bytes);
/* Returns `bytes` bytes of scratch space, aligned to 16; NULL without memory. */
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
/* Makes space for one more element of an array of n elements of `size` bytes, and updates *array and *capacity. Returns
 * false, with nothing changed, without memory. Outgrown arrays are freed with the scratch space. */
bool accd__scratch_grow_array(struct accd__scratch *scratch, void **array, size_t n, size_t *capacity, size_t size);
/* Frees everything allocated from the scratch space; a chunk of at most 1 MiB is kept for the next construct. */
void accd__scratch_reset(struct accd__scratch *scratch);
/* Frees all chunks. */
void accd__scratch_free(struct accd__scratch *scratch);

#endif
