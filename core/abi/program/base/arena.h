/* arena.h - memory of the runtime itself that stays open while a watched kernel runs. */
#ifndef GOACC_ARENA_H
#define GOACC_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { GOACC_PAGE = 4096 };

struct goacc_range {
    uint64_t start, bytes;
};

/* An accd_allocator: n = 0 frees ptr, otherwise ptr (old bytes long, or NULL) becomes n bytes long.
 * Blocks are aligned to 16. NULL: no memory, ptr is as it was; never when a block shrinks. ud is
 * not used: a process has one such memory. One thread at a time. */
void *goacc_open_memory(void *ud, void *ptr, size_t old, size_t n);

/* Writes at most `most` of the whole pages that hold all blocks and returns how many there are. */
size_t goacc_open_pages(struct goacc_range *pages, size_t most);

#endif
