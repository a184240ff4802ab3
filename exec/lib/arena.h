/* arena.h - allocator of the runtime's own memory, which stays accessible in kernels. In strict runs, the page guard
 * makes all other host pages inaccessible while a kernel runs. */
#ifndef RT_ARENA_H
#define RT_ARENA_H

#include "pages.h"

#include <stddef.h>
#include <stdint.h>

/* Range of addresses of host or device. */
struct rt_range {
    uint64_t start, bytes;
};

/* Allocates, resizes or frees a block, as an accd_allocator does. n = 0 frees `ptr`; any other n makes `ptr` (`old`
 * bytes long, or NULL) n bytes long, and may move it. Blocks are aligned to 16 bytes. Returns NULL without memory,
 * which leaves `ptr` unchanged; shrinking never fails. `ud` is unused, as a process has one arena. Only one thread may
 * call it at a time; the runtime's lock ensures that. */
void *rt_arena_realloc(void *ud, void *ptr, size_t old, size_t n);

/* Stores the page ranges of at most `capacity` mappings of the arena in `pages`, and returns how many mappings it has.
 * Together they contain all blocks. */
size_t rt_arena_list_pages(struct rt_range *pages, size_t capacity);

#endif
