/* mem.c - memory of a context: the caller's allocator with a cache of large blocks; pools of blocks of one size;
 * scratch space, freed after each construct. */
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Implements accd_allocator with realloc and free: resizes the block `ptr` (NULL: none) to n bytes, or frees it if n is
 * 0. Returns the new block; NULL after freeing, or without memory. */
static void *default_allocator(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud;
    (void)old;
    if (n == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, n);
}

/* Makes a memory that uses `fn` with `ud`; fn = NULL: realloc and free. */
void accd__mem_init(struct accd__mem *mem, accd_allocator fn, void *ud)
{
    *mem = (struct accd__mem){.fn = fn ? fn : default_allocator, .ud = ud};
}

/* Least size of a cached block; greatest size of all cached blocks together. */
static const size_t min_cached_bytes = 64 << 10, max_cached_bytes = 96 << 20;

/* Returns the block in cache slot i, if there is one, to the allocator. */
static void drop_cached_block(struct accd__mem *mem, unsigned i)
{
    if (!mem->cache[i].block)
        return;
    mem->fn(mem->ud, mem->cache[i].block, mem->cache[i].bytes, 0);
    mem->cached_bytes -= mem->cache[i].bytes;
    mem->cache[i].block = NULL;
}

/* Returns all cached blocks to the allocator. */
void accd__mem_drop_cache(struct accd__mem *mem)
{
    for (unsigned i = 0; i < ACCD_CACHED_BLOCKS; i++)
        drop_cached_block(mem, i);
}

/* Puts a block that the caller frees into the cache, and returns the oldest cached blocks to the allocator to make
 * space. Returns true; or false, and the caller still owns the block, if the block is smaller than min_cached_bytes or
 * larger than max_cached_bytes. */
static bool cache_block(struct accd__mem *mem, void *block, size_t bytes)
{
    if (bytes < min_cached_bytes || bytes > max_cached_bytes)
        return false;
    for (unsigned tries = 0; tries < ACCD_CACHED_BLOCKS; tries++) {
        unsigned i = mem->oldest_cached;
        mem->oldest_cached = (i + 1) % ACCD_CACHED_BLOCKS;
        drop_cached_block(mem, i);
        if (mem->cached_bytes + bytes > max_cached_bytes)
            continue;
        mem->cache[i].block = block;
        mem->cache[i].bytes = bytes;
        mem->cached_bytes += bytes;
        return true;
    }
    return false;
}

/* Removes a block of exactly `bytes` bytes from the cache and returns it; NULL: none. */
static void *take_cached_block(struct accd__mem *mem, size_t bytes)
{
    for (unsigned i = 0; bytes >= min_cached_bytes && i < ACCD_CACHED_BLOCKS; i++)
        if (mem->cache[i].block && mem->cache[i].bytes == bytes) {
            void *block = mem->cache[i].block;
            mem->cache[i].block = NULL;
            mem->cached_bytes -= bytes;
            return block;
        }
    return NULL;
}

/* Asks the system to use huge pages in a block, if it has at least the size of two of them; a refusal is ignored. The
 * large arrays of large constructs are written once from end to end, so that the page faults of small pages would cost
 * more time than the writes. */
static void prefer_huge_pages(void *block, size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    if (bytes < 2u * HUGE_PAGE)
        return;
    uintptr_t from = ((uintptr_t)block + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    uintptr_t to = ((uintptr_t)block + bytes) & ~(uintptr_t)(HUGE_PAGE - 1);
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/* Called after the allocator failed: calls mem->reclaim, and frees all cached blocks. Returns true if this freed some
 * memory, so that a second try is useful. */
static bool release_caches(struct accd__mem *mem)
{
    if (!(mem->reclaim && mem->reclaim(mem->owner)) && !mem->cached_bytes)
        return false;
    accd__mem_drop_cache(mem);
    return true;
}

/* Allocates a block of `bytes` bytes (`old` is NULL), or resizes the block `old` of old_bytes bytes. If the allocator
 * fails, frees the caches and tries again. Returns the block; NULL: no memory. */
static void *allocate(struct accd__mem *mem, void *old, size_t old_bytes, size_t bytes)
{
    void *block = mem->fn(mem->ud, old, old_bytes, bytes);
    return !block && release_caches(mem) ? mem->fn(mem->ud, old, old_bytes, bytes) : block;
}

/* Returns a block with undefined contents: a cached block of exactly this size, or else a new one; NULL: no memory. */
void *accd__mem_alloc(struct accd__mem *mem, size_t bytes)
{
    void *block = take_cached_block(mem, bytes);
    if (block)
        return block;
    block = allocate(mem, NULL, 0, bytes ? bytes : 1);
    if (block)
        prefer_huge_pages(block, bytes);
    return block;
}

/* Returns a block of zeros; NULL: no memory. */
void *accd__mem_alloc_zeroed(struct accd__mem *mem, size_t bytes)
{
    void *block = accd__mem_alloc(mem, bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

/* Returns a block for `count` elements of `size` bytes; NULL: no memory, or the product overflows. */
void *accd__mem_alloc_array(struct accd__mem *mem, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return accd__mem_alloc(mem, bytes);
}

/* Frees a block of `bytes` bytes, or caches it if it is large; NULL does nothing. */
void accd__mem_free(struct accd__mem *mem, void *block, size_t bytes)
{
    if (block && !cache_block(mem, block, bytes))
        mem->fn(mem->ud, block, bytes ? bytes : 1, 0);
}

/* Returns a copy of `text`; NULL: no memory. */
char *accd__mem_copy_string(struct accd__mem *mem, const char *text)
{
    assert(text);
    size_t bytes = strlen(text) + 1;
    char *copy = accd__mem_alloc(mem, bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

/* Grows *array, of *capacity elements of `size` bytes, to at least `need` elements: by half, or more if needed. Returns
 * 1, also if the array was large enough; without memory returns 0, with nothing changed. */
int accd__mem_grow(struct accd__mem *mem, void **array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return 1;
    size_t new_capacity = *capacity < 8 ? 8 : *capacity + *capacity / 2, bytes;
    if (new_capacity < need)
        new_capacity = need;
    if (__builtin_mul_overflow(new_capacity, size, &bytes))
        return 0;
    void *grown = allocate(mem, *array, *capacity * size, bytes);
    if (!grown)
        return 0;
    *array = grown;
    *capacity = new_capacity;
    return 1;
}

/* ------------------------------------------------------------------------------------ pools -- */

/* Makes an empty pool of blocks of `size` bytes. A slab has `per_slab` blocks, but at most ACCD_MAX_SLAB_BLOCKS, and
 * with mem->small_slabs only about FRUGAL_BYTES. */
void accd__pool_init(struct accd__pool *pool, struct accd__mem *mem, size_t size, size_t per_slab)
{
    assert(size >= sizeof(void *) && per_slab > 0);
    enum { FRUGAL_BYTES = 1024 };
    const size_t max_blocks = mem->small_slabs ? FRUGAL_BYTES / size + 1 : ACCD_MAX_SLAB_BLOCKS;
    const size_t most = max_blocks < ACCD_MAX_SLAB_BLOCKS ? max_blocks : ACCD_MAX_SLAB_BLOCKS;
    *pool = (struct accd__pool){.mem = mem, .size = size, .per_slab = per_slab < most ? per_slab : most};
}

/* Slab: one allocation with several blocks of a pool. */
struct slab {
    struct slab *next;
    size_t bytes;
    _Alignas(16) char blocks[]; /* aligned to 16 bytes, as allocators align blocks */
};

/* Allocates a slab of at least `blocks` blocks, and adds the blocks to the pool's free list. Returns 1, or 0 without
 * memory. */
__attribute__((noinline)) int accd__pool_grow(struct accd__pool *pool, size_t blocks)
{
    if (blocks < pool->per_slab)
        blocks = pool->per_slab;
    size_t bytes;
    if (__builtin_mul_overflow(blocks, pool->size, &bytes))
        return 0;
    bytes += sizeof(struct slab);
    struct slab *slab = accd__mem_alloc(pool->mem, bytes);
    if (!slab)
        return 0;
    slab->next = pool->slabs;
    slab->bytes = bytes;
    pool->slabs = slab;
    for (size_t i = blocks; i-- > 0;)
        accd__pool_free(pool, slab->blocks + i * pool->size);
    return 1;
}

/* Frees all slabs of a pool, and so all its blocks; the pool stays usable. */
void accd__pool_free_all(struct accd__pool *pool)
{
    while (pool->slabs) {
        struct slab *slab = pool->slabs;
        pool->slabs = slab->next;
        accd__mem_free(pool->mem, slab, slab->bytes);
    }
    pool->free = NULL;
    pool->spare = 0;
}

/* ---------------------------------------------------------------------------------- scratch -- */

/* Adds a chunk of twice the size of the newest one (at first 4096 bytes), or larger if `bytes` is. Allocates the
 * chunk's first `bytes` bytes, and returns their address; NULL: no memory. */
void *accd__scratch_add_chunk(struct accd__scratch *scratch, size_t bytes)
{
    struct accd__scratch_chunk *chunk = scratch->chunk;
    size_t capacity = chunk ? 2 * chunk->capacity : 4096;
    if (capacity < bytes)
        capacity = bytes;
    struct accd__scratch_chunk *fresh = accd__mem_alloc(scratch->mem, sizeof *fresh + capacity);
    if (!fresh)
        return NULL;
    fresh->older = chunk;
    fresh->capacity = capacity;
    fresh->used = bytes;
    scratch->chunk = fresh;
    return fresh->space;
}

/* Makes space for element n of *array, an array in scratch space of *capacity elements of `size` bytes: doubles the
 * array if it is full. Returns true, or false without memory. */
bool accd__scratch_grow_array(struct accd__scratch *scratch, void **array, size_t n, size_t *capacity, size_t size)
{
    assert(n <= *capacity);
    if (n < *capacity)
        return true;
    const size_t more = *capacity ? 2 * *capacity : 8;
    void *grown = accd__scratch_alloc(scratch, more * size);
    if (!grown)
        return false;
    memcpy(grown, *array ? *array : grown, n * size);
    *array = grown;
    *capacity = more;
    return true;
}

/* Frees `chunk` and all older chunks; NULL does nothing. */
static void drop_chunks(struct accd__scratch *scratch, struct accd__scratch_chunk *chunk)
{
    while (chunk) {
        struct accd__scratch_chunk *older = chunk->older;
        accd__mem_free(scratch->mem, chunk, sizeof *chunk + chunk->capacity);
        chunk = older;
    }
}

/* Frees everything allocated from the scratch space. Keeps the newest chunk, which is the largest, unless it is larger
 * than KEPT_CHUNK_BYTES. */
void accd__scratch_reset(struct accd__scratch *scratch)
{
    enum { KEPT_CHUNK_BYTES = 1 << 20 };
    struct accd__scratch_chunk *chunk = scratch->chunk;
    if (!chunk || chunk->capacity > KEPT_CHUNK_BYTES) {
        accd__scratch_free(scratch);
        return;
    }
    drop_chunks(scratch, chunk->older);
    chunk->older = NULL;
    chunk->used = 0;
}

/* Frees everything allocated from the scratch space, and all its chunks. */
void accd__scratch_free(struct accd__scratch *scratch)
{
    drop_chunks(scratch, scratch->chunk);
    scratch->chunk = NULL;
}
