#include "base/arena.h"

#include <string.h>
#include <sys/mman.h>

enum { UNIT = 16, FINE = 32 };

/* Classes of multiples of 16 bytes up to 512, then four for each doubling. *bytes_p: what blocks of the class have. */
static unsigned class_of(size_t n, size_t *bytes_p)
{
    if (n <= (size_t)UNIT * FINE) {
        const unsigned class = n ? (unsigned)((n - 1) / UNIT) : 0;
        *bytes_p = ((size_t)class + 1) * UNIT;
        return class;
    }
    const unsigned shift = 61 - (unsigned)__builtin_clzll(n - 1); /* n - 1 has three bits above it */
    const size_t step = (n - 1) >> shift;
    *bytes_p = (step + 1) << shift;
    return FINE + (shift - 7) * 4 + (unsigned)step - 4;
}

struct accd_arena *accd_arena_open(size_t room)
{
    void *range = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct accd_arena *arena = range;
    if (range == MAP_FAILED)
        return NULL;
    arena->room = room;
    arena->used = (sizeof *arena + UNIT - 1) / UNIT * UNIT;
    return arena;
}

void accd_arena_close(struct accd_arena *arena)
{
    if (arena)
        munmap(arena, arena->room);
}

static void *take(struct accd_arena *arena, unsigned class, size_t bytes)
{
    char *start = (char *)arena, *block = start + arena->free[class];
    if (arena->free[class]) {
        memcpy(&arena->free[class], block, sizeof arena->free[class]);
        return block;
    }
    if (bytes > arena->room - arena->used)
        return NULL;
    block = start + arena->used;
    arena->used += bytes;
    return block;
}

static void give(struct accd_arena *arena, void *block, unsigned class)
{
    memcpy(block, &arena->free[class], sizeof arena->free[class]);
    arena->free[class] = (uint64_t)((char *)block - (char *)arena);
}

void *accd_arena_alloc(void *ud, void *ptr, size_t old, size_t n)
{
    struct accd_arena *arena = ud;
    size_t had = 0, bytes = 0;
    if (n > arena->room)
        return NULL;
    const unsigned before = ptr ? class_of(old, &had) : 0, class = n ? class_of(n, &bytes) : 0;
    if (ptr && n && before == class)
        return ptr;
    void *block = n ? take(arena, class, bytes) : NULL;
    if (n && !block)
        return NULL;
    if (block && ptr)
        memcpy(block, ptr, old < n ? old : n);
    if (ptr)
        give(arena, ptr, before);
    return block;
}
