#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

void accd_mem_init(struct accd_mem *mem, accd_allocator fn, void *ud)
{
    *mem = (struct accd_mem){.fn = fn ? fn : default_allocator, .ud = ud};
}

static const size_t keep_from = 64 << 10, keep_most = 96 << 20;

static void drop_kept(struct accd_mem *mem, unsigned i)
{
    if (!mem->kept[i].block)
        return;
    mem->fn(mem->ud, mem->kept[i].block, mem->kept[i].bytes, 0);
    mem->kept_bytes -= mem->kept[i].bytes;
    mem->kept[i].block = NULL;
}

void accd_mem_close(struct accd_mem *mem)
{
    for (unsigned i = 0; i < ACCD_KEPT; i++)
        drop_kept(mem, i);
}

static bool keep(struct accd_mem *mem, void *block, size_t bytes)
{
    if (bytes < keep_from || bytes > keep_most)
        return false;
    for (unsigned tries = 0; tries < ACCD_KEPT; tries++) {
        unsigned i = mem->oldest;
        mem->oldest = (i + 1) % ACCD_KEPT;
        drop_kept(mem, i);
        if (mem->kept_bytes + bytes > keep_most)
            continue;
        mem->kept[i].block = block;
        mem->kept[i].bytes = bytes;
        mem->kept_bytes += bytes;
        return true;
    }
    return false;
}

static void *kept_block(struct accd_mem *mem, size_t bytes)
{
    for (unsigned i = 0; bytes >= keep_from && i < ACCD_KEPT; i++)
        if (mem->kept[i].block && mem->kept[i].bytes == bytes) {
            void *block = mem->kept[i].block;
            mem->kept[i].block = NULL;
            mem->kept_bytes -= bytes;
            return block;
        }
    return NULL;
}

/* Columns of large constructs are written once from end to end: on small pages the page faults
 * would cost more than the bytes. A hint only. */
static void prefer_huge_pages(void *block, size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    if (bytes < 2u * HUGE_PAGE)
        return;
    uintptr_t from = ((uintptr_t)block + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    uintptr_t to = ((uintptr_t)block + bytes) & ~(uintptr_t)(HUGE_PAGE - 1);
    (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/* Memory ran out: what is kept for later is given up. Whether there was any. */
static bool give_up(struct accd_mem *mem)
{
    if (!(mem->reclaim && mem->reclaim(mem->owner)) && !mem->kept_bytes)
        return false;
    accd_mem_close(mem);
    return true;
}

/* Of the caller's allocator: a block, or another size for one. */
static void *ask(struct accd_mem *mem, void *old, size_t old_bytes, size_t bytes)
{
    void *block = mem->fn(mem->ud, old, old_bytes, bytes);
    return !block && give_up(mem) ? mem->fn(mem->ud, old, old_bytes, bytes) : block;
}

void *accd_mem_new(struct accd_mem *mem, size_t bytes)
{
    void *block = kept_block(mem, bytes);
    if (block)
        return block;
    block = ask(mem, NULL, 0, bytes ? bytes : 1);
    if (block)
        prefer_huge_pages(block, bytes);
    return block;
}

void *accd_mem_zero(struct accd_mem *mem, size_t bytes)
{
    void *block = accd_mem_new(mem, bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

void *accd_mem_array(struct accd_mem *mem, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return accd_mem_new(mem, bytes);
}

void accd_mem_free(struct accd_mem *mem, void *block, size_t bytes)
{
    if (block && !keep(mem, block, bytes))
        mem->fn(mem->ud, block, bytes ? bytes : 1, 0);
}

char *accd_mem_string(struct accd_mem *mem, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = accd_mem_new(mem, bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

int accd_mem_grow(struct accd_mem *mem, void **array, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return 1;
    size_t wanted = *room < 8 ? 8 : *room + *room / 2, bytes;
    if (wanted < need)
        wanted = need;
    if (__builtin_mul_overflow(wanted, size, &bytes))
        return 0;
    void *grown = ask(mem, *array, *room * size, bytes);
    if (!grown)
        return 0;
    *array = grown;
    *room = wanted;
    return 1;
}

/* ------------------------------------------------------------------------------------ pools -- */

void accd_pool_init(struct accd_pool *pool, struct accd_mem *mem, size_t size, size_t per_slab)
{
    enum { FRUGAL_BYTES = 1024 };
    const size_t few = mem->frugal ? FRUGAL_BYTES / size + 1 : ACCD_SLAB_MOST;
    const size_t most = few < ACCD_SLAB_MOST ? few : ACCD_SLAB_MOST;
    *pool = (struct accd_pool){.mem = mem, .size = size, .per_slab = per_slab < most ? per_slab : most};
}

struct slab {
    struct slab *next;
    size_t bytes;
    _Alignas(16) char blocks[]; /* what every allocator gives */
};

__attribute__((noinline)) int accd_pool_grow(struct accd_pool *pool, size_t blocks)
{
    if (blocks < pool->per_slab)
        blocks = pool->per_slab;
    size_t bytes;
    if (__builtin_mul_overflow(blocks, pool->size, &bytes))
        return 0;
    bytes += sizeof(struct slab);
    struct slab *slab = accd_mem_new(pool->mem, bytes);
    if (!slab)
        return 0;
    slab->next = pool->slabs;
    slab->bytes = bytes;
    pool->slabs = slab;
    for (size_t i = blocks; i-- > 0;)
        accd_pool_give(pool, slab->blocks + i * pool->size);
    return 1;
}

void accd_pool_close(struct accd_pool *pool)
{
    while (pool->slabs) {
        struct slab *slab = pool->slabs;
        pool->slabs = slab->next;
        accd_mem_free(pool->mem, slab, slab->bytes);
    }
    pool->free = NULL;
    pool->spare = 0;
}

/* ---------------------------------------------------------------------------------- scratch -- */

void *accd_scratch_more(struct accd_scratch *scratch, size_t bytes)
{
    struct accd_chunk *chunk = scratch->chunk;
    size_t room = chunk ? 2 * chunk->room : 4096;
    if (room < bytes)
        room = bytes;
    struct accd_chunk *fresh = accd_mem_new(scratch->mem, sizeof *fresh + room);
    if (!fresh)
        return NULL;
    fresh->older = chunk;
    fresh->room = room;
    fresh->used = bytes;
    scratch->chunk = fresh;
    return fresh->space;
}

bool accd_scratch_room(struct accd_scratch *scratch, void **array, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return true;
    const size_t more = *room ? 2 * *room : 8;
    void *grown = accd_scratch_take(scratch, more * size);
    if (!grown)
        return false;
    memcpy(grown, *array ? *array : grown, n * size);
    *array = grown;
    *room = more;
    return true;
}

/* Gives back a chunk and those that are older. */
static void drop_chunks(struct accd_scratch *scratch, struct accd_chunk *chunk)
{
    while (chunk) {
        struct accd_chunk *older = chunk->older;
        accd_mem_free(scratch->mem, chunk, sizeof *chunk + chunk->room);
        chunk = older;
    }
}

/* Keeps the newest chunk, which is the largest, unless it is so large that it was an exception. */
void accd_scratch_reset(struct accd_scratch *scratch)
{
    enum { KEEP = 1 << 20 };
    struct accd_chunk *chunk = scratch->chunk;
    if (!chunk || chunk->room > KEEP) {
        accd_scratch_close(scratch);
        return;
    }
    drop_chunks(scratch, chunk->older);
    chunk->older = NULL;
    chunk->used = 0;
}

void accd_scratch_close(struct accd_scratch *scratch)
{
    drop_chunks(scratch, scratch->chunk);
    scratch->chunk = NULL;
}
