/* arena.c - allocator of the runtime's own memory. Small blocks have size classes and are cut from chunks; large blocks
 * have a mapping each. While a kernel runs in a strict run, the page guard protects all other host pages, the C
 * library's heap included. Therefore no block may come from that heap. The core's context, the stack of open regions
 * and the records of strict runs use the arena.
 *
 *      mapping:  | struct mapping | block | block | block | (not yet cut)        |
 *                0                HEAD                    arena.at       arena.end
 *
 * Freed small blocks are linked in arena.free, a list for each class. Chunks are never unmapped. */
#include "arena.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

enum {
    UNIT = 16, /* granularity and alignment of small blocks, in bytes */
    FINE = 32, /* block sizes of the first FINE classes differ by one unit; then each doubling has eight classes */
    CLASSES = FINE + 8 * 6,
    SMALL = 32 << 10, /* block size of the last class, in bytes */
    HEAD = 64,        /* size of the header of a mapping, in bytes */
    CHUNK_LEAST = 64 << 10,
    CHUNK_MOST = 4 << 20
};

/* Header at the start of each mapping of the system. A mapping is a chunk, from which small blocks are cut, or one
 * large block. */
struct mapping {
    struct mapping *prev, *next;
    size_t bytes;
};

/* Free small block. */
struct block {
    struct block *next;
};

/* The arena. mappings: list of all chunks and large blocks, count: their number. */
static struct {
    struct mapping *mappings;
    size_t count;
    char *at, *end; /* unused rest of the current chunk */
    size_t chunk;   /* size of the next chunk, in bytes; 0: no chunk was made yet */
    struct block *free[CLASSES];
} arena;

/* Returns the size class of a small block of n bytes, 1 to SMALL: the first class whose blocks are long enough. */
static unsigned size_class_of(size_t n)
{
    assert(n > 0 && n <= SMALL);
    size_t units = (n + UNIT - 1) / UNIT;
    if (units <= FINE)
        return (unsigned)units - 1;
    unsigned shift = 60 - (unsigned)__builtin_clzll(units - 1);
    return FINE + (shift - 2) * 8 + (unsigned)((units - 1) >> shift) - 8;
}

/* Returns the bytes of a block of this class. */
static size_t size_class_bytes(unsigned class)
{
    assert(class < CLASSES);
    if (class < FINE)
        return (class + 1) * (size_t)UNIT;
    unsigned shift = (class - FINE) / 8 + 2;
    return (size_t)((class - FINE) % 8 + 9) * UNIT << (shift & 63);
}

/* ---------------------------------------------------------------------------------- mappings -- */

/* Returns the header of the mapping of a large block. */
static struct mapping *mapping_of_block(void *block)
{
    return (struct mapping *)((char *)block - HEAD);
}

/* Sets the header of a mapping of `bytes` bytes and adds it to the list. */
static void link_mapping(struct mapping *m, size_t bytes)
{
    m->bytes = bytes;
    m->prev = NULL;
    m->next = arena.mappings;
    if (m->next)
        m->next->prev = m;
    arena.mappings = m;
    arena.count++;
}

/* Removes a mapping from the list; it stays mapped. */
static void unlink_mapping(struct mapping *m)
{
    assert(m && arena.count > 0);
    *(m->prev ? &m->prev->next : &arena.mappings) = m->next;
    if (m->next)
        m->next->prev = m->prev;
    arena.count--;
}

/* Returns a block of n bytes in a mapping of its own; NULL without memory. */
static void *map_block(size_t n)
{
    size_t bytes = rt_page_up(n + HEAD);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    link_mapping(p, bytes);
    return (char *)p + HEAD;
}

/* Resizes a large block to n bytes, which must be more than SMALL, and returns its new address. Returns NULL without
 * memory, which leaves the block unchanged. A shrinking block keeps its size then, and its address is returned. */
static void *remap_block(void *block, size_t n)
{
    assert(n > SMALL);
    struct mapping *m = mapping_of_block(block);
    size_t bytes = rt_page_up(n + HEAD), before = m->bytes;
    if (bytes == before)
        return block;
    unlink_mapping(m);
    void *p = mremap(m, before, bytes, MREMAP_MAYMOVE);
    if (p == MAP_FAILED) {
        link_mapping(m, before);
        return bytes < before ? block : NULL;
    }
    link_mapping(p, bytes);
    return (char *)p + HEAD;
}

/* ------------------------------------------------------------------------------------ blocks -- */

/* Adds a block to the free list of its class. */
static void push_free_block(void *ptr, unsigned class)
{
    assert(ptr && class < CLASSES);
    struct block *block = ptr;
    block->next = arena.free[class];
    arena.free[class] = block;
}

/* Turns the rest of the chunk into free blocks and maps a new chunk. Returns 1; 0 without memory for the new chunk. */
static int renew_chunk(void)
{
    while (arena.end - arena.at >= UNIT) {
        size_t rest = (size_t)(arena.end - arena.at);
        unsigned class = size_class_of(rest < SMALL ? rest : SMALL);
        if (size_class_bytes(class) > rest)
            class --;
        push_free_block(arena.at, class);
        arena.at += size_class_bytes(class);
    }
    size_t bytes = arena.chunk ? arena.chunk : CHUNK_LEAST;
    char *p = map_block(bytes - HEAD);
    if (!p)
        return 0;
    arena.at = p;
    arena.end = p + bytes - HEAD;
    arena.chunk = bytes < CHUNK_MOST ? bytes * 2 : bytes;
    return 1;
}

/* Returns a new block of n bytes, which must not be 0; NULL without memory. */
static void *take_block(size_t n)
{
    assert(n > 0);
    if (n > SMALL)
        return n > PTRDIFF_MAX ? NULL : map_block(n);
    unsigned class = size_class_of(n);
    struct block *block = arena.free[class];
    if (block) {
        arena.free[class] = block->next;
        return block;
    }
    size_t bytes = size_class_bytes(class);
    if ((size_t)(arena.end - arena.at) < bytes && !renew_chunk())
        return NULL;
    void *p = arena.at;
    arena.at += bytes;
    return p;
}

/* Frees a block of `old` bytes: a small one goes to its free list, a large one is unmapped. */
static void release_block(void *ptr, size_t old)
{
    assert(ptr && old > 0);
    if (old <= SMALL) {
        push_free_block(ptr, size_class_of(old));
        return;
    }
    struct mapping *m = mapping_of_block(ptr);
    unlink_mapping(m);
    munmap(m, m->bytes);
}

/* Allocates a block (`ptr` NULL), frees it (`n` 0), or resizes it from `old` to n bytes. Returns NULL without memory.
 */
void *rt_arena_realloc(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud;
    if (!ptr)
        return n ? take_block(n) : NULL;
    if (n == 0) {
        release_block(ptr, old);
        return NULL;
    }
    if (old > SMALL && n > SMALL)
        return n > PTRDIFF_MAX ? NULL : remap_block(ptr, n);
    if (old <= SMALL && n <= SMALL && size_class_of(old) == size_class_of(n))
        return ptr;
    void *p = take_block(n);
    /* A shrinking block keeps its place without memory. A large block that stays in this way is later freed as a small
     * one, so that its mapping is never unmapped. */
    if (!p)
        return n < old ? ptr : NULL;
    memcpy(p, ptr, old < n ? old : n);
    release_block(ptr, old);
    return p;
}

/* Stores at most `capacity` mappings in `pages`, and returns the number of all mappings. */
size_t rt_arena_list_pages(struct rt_range *pages, size_t capacity)
{
    assert(pages || !capacity);
    size_t i = 0;
    for (const struct mapping *m = arena.mappings; m && i < capacity; m = m->next)
        pages[i++] = (struct rt_range){(uintptr_t)m, m->bytes};
    return arena.count;
}
