/* arena.h - allocator whose memory lies in one range, so that a checkpoint saves and restores all of it at once. */
#ifndef ACCD_ARENA_H
#define ACCD_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { ACCD_ARENA_CLASSES = 32 + 4 * 32 };

/* Arena; it lies at the start of its range, so that the free lists are saved with the blocks. */
struct accd__arena {
    size_t capacity, used; /* bytes of the range; bytes of its used beginning, including this structure */
    uint64_t free[ACCD_ARENA_CLASSES +
                  1]; /* offsets of free blocks by size class, linked through their first word; 0: none */
};

/* Maps a range of `capacity` bytes. Returns NULL if the system refuses. */
struct accd__arena *accd__arena_new(size_t capacity);
/* Unmaps an arena with all its blocks; NULL does nothing. */
void accd__arena_free(struct accd__arena *arena);
/* Implements accd_allocator; `arena` is its ud. Returns NULL, and leaves `ptr` valid, if the range is full. */
void *accd__arena_alloc(void *arena, void *ptr, size_t old, size_t n);

#endif
