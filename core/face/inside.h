/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_FACE_INSIDE_H
#define ACCD_FACE_INSIDE_H

#include "table/table.h"

/* ---------------------------------------------------------------------------------- access.c -- */

/* ACCD_OUT_OF_BOUNDS: a device range does not lie in one allocation. */
accd_status accd_not_allocated(const struct accd_directory *dir);
/* ACCD_OUT_OF_BOUNDS if data lay at a device address that are elsewhere now. */
accd_status accd_check_stale(struct accd_directory *dir, uint64_t dev);

/* --------------------------------------------------------------------------------- lasting.c -- */

/* Memory of a checkpoint, at its beginning. */
struct accd_saved {
    struct accd_saved *next; /* of those that are not used */
    accd_allocator alloc;    /* the caller's */
    void *alloc_ud;
    size_t bytes;
};

/* What a context with checkpoints lies in, and what lasts beside it. mem is of the caller's allocator, and becomes the
 * memory of the context. NULL: no memory. */
struct accd_lasting *accd_lasting_open(struct accd_mem *mem);
/* Gives up all of that. NULL: nothing. */
void accd_lasting_close(struct accd_lasting *lasting);
/* That of a checkpoint that was freed, or new memory. NULL: there is none. */
struct accd_saved *accd_saved_new(accd_context *context, size_t bytes);
void accd_saved_give(accd_context *context, struct accd_saved *saved);

/* ------------------------------------------------------------------------------ checkpoint.c -- */

/* ACCD_MISUSE while a construct, a kernel or the work of a queue is under way. */
accd_status accd_at_rest(accd_context *context);

#endif
