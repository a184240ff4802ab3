/* arena.h - allocator whose memory lies in one range, so that a checkpoint saves and restores all of it at once. */
#ifndef ACCD_ARENA_H
#define ACCD_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { ACCD_ARENA_CLASSES = 32 + 4 * 32 };

/* Arena: the structure at the start of the range of memory from which it allocates. A checkpoint that copies the used
 * part of the range therefore saves the free lists, too. */
struct accd__arena {
    size_t capacity, used; /* bytes of the range; bytes at its start, with this structure, that are in use */
    /* Head of the list of free blocks of each size class: the offset of a block. The block's first word has the offset
     * of the next block; 0: end of the list. */
    uint64_t free[ACCD_ARENA_CLASSES + 1];
};

/* Makes an arena: maps a range of `capacity` bytes. Returns NULL if the system refuses. */
struct accd__arena *accd__arena_new(size_t capacity);
/* Unmaps an arena with all its blocks; NULL does nothing. */
void accd__arena_free(struct accd__arena *arena);
/* Allocates n bytes in the arena (`ptr` is NULL), resizes the block `ptr` of `old` bytes to n bytes, or frees it (n is
 * 0). This is an accd_allocator, whose argument `ud` is `arena`. Returns the block's address; NULL after freeing, or if
 * the range is full, in which case `ptr` stays valid. */
void *accd__arena_alloc(void *arena, void *ptr, size_t old, size_t n);

#endif
