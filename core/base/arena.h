/* arena.h - memory that lies in one range, so that all of it can be saved, and put back, at once. */
#ifndef ACCD_ARENA_H
#define ACCD_ARENA_H

#include <stddef.h>
#include <stdint.h>

enum { ACCD_ARENA_CLASSES = 32 + 4 * 32 };

/* It lies at the start of its range: what is known of free blocks is saved with the others. */
struct accd__arena {
    size_t capacity, used;                 /* bytes of the range; those that were ever handed out, and these words */
    uint64_t free[ACCD_ARENA_CLASSES + 1]; /* offsets of free blocks by size class, linked through their first word */
};

/* NULL: there is no such range of addresses. */
struct accd__arena *accd__arena_new(size_t capacity);
void accd__arena_free(struct accd__arena *arena);
/* An accd_allocator, of an arena. */
void *accd__arena_alloc(void *arena, void *ptr, size_t old, size_t n);

#endif
