/* arena.h - memory of the runtime itself that stays open while a watched kernel runs. */
#ifndef RT_ARENA_H
#define RT_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { RT_PAGE_SIZE = 4096 };

struct rt_range {
    uint64_t start, bytes;
};

/* An accd_allocator: n = 0 frees ptr, otherwise ptr (old bytes long, or NULL) becomes n bytes long.
 * Blocks are aligned to 16. NULL: no memory, ptr is as it was; never when a block shrinks. ud is
 * not used: a process has one such memory. One thread at a time. */
void *rt_arena_realloc(void *ud, void *ptr, size_t old, size_t n);

/* Writes at most `most` of the whole pages that hold all blocks and returns how many there are. */
size_t rt_arena_list_pages(struct rt_range *pages, size_t most);

#endif
