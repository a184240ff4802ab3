/* mem.h - memory of a context: the caller's allocator with a cache of large blocks, pools of blocks of one size, and
 * scratch space for the time of one construct. */
#ifndef ACCD_MEM_H
#define ACCD_MEM_H

#include "accdeep_context.h"

#include <stdbool.h>
#include <string.h>

enum { ACCD_CACHED_BLOCKS = 16 };

/* Memory of a context: an allocator, and a cache of large freed blocks. */
struct accd__mem {
    accd_allocator fn; /* allocator, called with the argument `ud` */
    void *ud;
    /* Ring of large freed blocks, reused for allocations of exactly the same size. New pages from the system would
     * cost more time than writing to a block. */
    struct {
        void *block;
        size_t bytes;
    } cache[ACCD_CACHED_BLOCKS];
    unsigned oldest_cached; /* index in `cache` of the oldest block, which is replaced next */
    size_t cached_bytes;    /* bytes of all blocks in `cache` */
    bool small_slabs;       /* true if pools allocate few blocks at once, since checkpoints save unused ones, too */
    bool (*reclaim)(void *owner); /* function of the owner that frees its caches after the allocator failed; returns
                                     true if it freed some memory. NULL: none */
    void *owner;                  /* argument of `reclaim` */
};

/* Makes a memory that calls the allocator `fn` with `ud`; fn = NULL: realloc and free. */
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
/* Grows the array *array of *capacity elements of `size` bytes to at least `need` elements, if it has fewer, and
 * updates *array and *capacity. Old elements keep their values; new ones are undefined. Returns 1; without memory
 * returns 0, with nothing changed. */
int accd__mem_grow(struct accd__mem *mem, void **array, size_t *capacity, size_t need, size_t size);
/* Calls accd__mem_grow for a typed array and its capacity. */
#define ACCD_GROW(mem, array, capacity, need) \
    accd__mem_grow((mem), (void **)&(array), &(capacity), (need), sizeof *(array))

/* Most blocks of a slab (one allocation of a pool), unless a call needs more at once; tests build with 3. */
#ifndef ACCD_MAX_SLAB_BLOCKS
#define ACCD_MAX_SLAB_BLOCKS 128
#endif

/* Pool of blocks of one size. It allocates slabs (arrays of blocks), which are freed all together. */
struct accd__pool {
    struct accd__mem *mem;
    size_t size, per_slab; /* bytes of a block; least number of blocks of a new slab */
    size_t spare;          /* number of blocks on the free list */
    void *free;            /* free list, linked through the first word of each block */
    void *slabs;           /* list of all slabs */
};

/* Makes an empty pool of blocks of `size` bytes, at least the size of a pointer. A new slab has `per_slab` blocks, or
 * fewer if ACCD_MAX_SLAB_BLOCKS or mem->small_slabs says so. */
void accd__pool_init(struct accd__pool *pool, struct accd__mem *mem, size_t size, size_t per_slab);
/* Allocates a slab of at least `blocks` blocks, and adds them to the free list. Returns 1, or 0 without memory. */
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

/* Type of a list of elements of `type` in scratch space: n elements at `at`. ACCD_SCRATCH_APPEND (base.h) appends one.
 */
#define ACCD_SCRATCH_LIST(type) \
    struct {                    \
        type *at;               \
        size_t n, capacity;     \
    }

/* Scratch space: memory for data of one construct, allocated one after the other and freed all at once at the
 * construct's end. */
struct accd__scratch {
    struct accd__mem *mem;
    struct accd__scratch_chunk *chunk; /* newest chunk, from which space is allocated; a list with the older chunks */
};

/* Chunk: one allocation of the scratch space, with `capacity` bytes of space, of which the first `used` are in use. */
struct accd__scratch_chunk {
    struct accd__scratch_chunk *older; /* next older chunk; NULL: none */
    size_t capacity, used;
    _Alignas(16) char space[];
};

/* Adds a chunk of at least `bytes` bytes, allocates its first `bytes` bytes, and returns their address; NULL without
 * memory. */
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
/* Makes space for one more element of *array, an array in scratch space with n used elements of `size` bytes, and
 * updates *array and *capacity. Returns true; without memory returns false, with nothing changed. If the array moves,
 * its old space stays allocated until the scratch space is freed. */
bool accd__scratch_grow_array(struct accd__scratch *scratch, void **array, size_t n, size_t *capacity, size_t size);
/* Frees everything allocated from the scratch space. Keeps the newest chunk for the next construct, if it has at most
 * 1 MiB. */
void accd__scratch_reset(struct accd__scratch *scratch);
/* Frees everything allocated from the scratch space, and all its chunks. */
void accd__scratch_free(struct accd__scratch *scratch);

#endif
