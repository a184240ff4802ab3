/* arena.c - an allocator in one range of memory: size classes with free lists. A context that can save checkpoints
 * allocates from an arena, because one copy of the range then saves all memory of the context. */
#include "base/arena.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

enum { GRANULE = 16, FINE_CLASSES = 32 };

/* Returns the number of the size class for blocks of n bytes, and sets *bytes_p to the size of the blocks in the class.
 * These sizes are the multiples of 16 up to 512, and then four sizes for each doubling. */
static unsigned size_class_of(size_t n, size_t *bytes_p)
{
    if (n <= (size_t)GRANULE * FINE_CLASSES) {
        const unsigned class = n ? (unsigned)((n - 1) / GRANULE) : 0;
        *bytes_p = ((size_t) class + 1) * GRANULE;
        return class;
    }
    const unsigned shift =
        61 - (unsigned)__builtin_clzll(n - 1); /* `step` below becomes the three highest bits of n - 1 */
    const size_t step = (n - 1) >> shift;
    *bytes_p = (step + 1) << shift;
    return FINE_CLASSES + (shift - 7) * 4 + (unsigned)step - 4;
}

/* Maps a range of `capacity` bytes, and makes an arena at its start. The system provides each page at its first use.
 * Returns NULL if the system refuses. */
struct accd__arena *accd__arena_new(size_t capacity)
{
    void *range = mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct accd__arena *arena = range;
    if (range == MAP_FAILED)
        return NULL;
    arena->capacity = capacity;
    arena->used = (sizeof *arena + GRANULE - 1) / GRANULE * GRANULE;
    return arena;
}

/* Unmaps an arena with all its blocks; NULL does nothing. */
void accd__arena_free(struct accd__arena *arena)
{
    if (arena)
        munmap(arena, arena->capacity);
}

/* Returns the first free block of size class `class`. If there is none, returns a new block of `bytes` bytes, the block
 * size of the class, from the unused end of the range; NULL if the range is full. */
static void *take_block(struct accd__arena *arena, unsigned class, size_t bytes)
{
    assert(class < ACCD_ARENA_CLASSES + 1);
    char *start = (char *)arena, *block = start + arena->free[class];
    if (arena->free[class]) {
        memcpy(&arena->free[class], block, sizeof arena->free[class]);
        return block;
    }
    if (bytes > arena->capacity - arena->used)
        return NULL;
    block = start + arena->used;
    arena->used += bytes;
    return block;
}

/* Frees a block: adds it to the free list of its size class `class`. */
static void give_block(struct accd__arena *arena, void *block, unsigned class)
{
    memcpy(block, &arena->free[class], sizeof arena->free[class]);
    arena->free[class] = (uint64_t)((char *)block - (char *)arena);
}

/* Allocates n bytes (`ptr` is NULL), resizes the block `ptr` of `old` bytes to n bytes, or frees it (n is 0). `ud` is
 * the arena. A block whose size class stays the same is not moved. Returns NULL after freeing, or if the range is full.
 */
void *accd__arena_alloc(void *ud, void *ptr, size_t old, size_t n)
{
    struct accd__arena *arena = ud;
    size_t old_bytes = 0, bytes = 0;
    if (n > arena->capacity)
        return NULL;
    const unsigned before = ptr ? size_class_of(old, &old_bytes) : 0, class = n ? size_class_of(n, &bytes) : 0;
    if (ptr && n && before == class)
        return ptr;
    void *block = n ? take_block(arena, class, bytes) : NULL;
    if (n && !block)
        return NULL;
    if (block && ptr)
        memcpy(block, ptr, old < n ? old : n);
    if (ptr)
        give_block(arena, ptr, before);
    return block;
}
