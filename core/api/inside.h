/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_API_INSIDE_H
#define ACCD_API_INSIDE_H

#include "table/table.h"

/* ---------------------------------------------------------------------------------- access.c -- */

/* ACCD_ERROR_OUT_OF_BOUNDS: a device range does not lie in one allocation. */
accd_status accd__report_not_allocated(const struct accd__device_env *env);
/* ACCD_ERROR_OUT_OF_BOUNDS if data lay at a device address that are elsewhere now. */
accd_status accd__check_stale_address(struct accd__device_env *env, uint64_t dev);

/* --------------------------------------------------------------------------------- lasting.c -- */

/* Memory of a checkpoint, at its beginning. */
struct accd__checkpoint_memory {
    struct accd__checkpoint_memory *next; /* of those that are not used */
    accd_allocator alloc;                 /* the caller's */
    void *alloc_ud;
    size_t bytes;
};

/* What a context with checkpoints lies in, and what lasts beside it. mem is of the caller's allocator, and becomes the
 * memory of the context. NULL: no memory. */
struct accd__persistent *accd__persistent_new(struct accd__mem *mem);
/* Gives up all of that. NULL: nothing. */
void accd__persistent_free(struct accd__persistent *persistent);
/* That of a checkpoint that was freed, or new memory. NULL: there is none. */
struct accd__checkpoint_memory *accd__checkpoint_memory_alloc(accd_context *context, size_t bytes);
void accd__checkpoint_memory_recycle(accd_context *context, struct accd__checkpoint_memory *saved);

/* ------------------------------------------------------------------------------ checkpoint.c -- */

/* ACCD_ERROR_MISUSE while a construct, a kernel or the work of a queue is under way. */
accd_status accd__check_quiescent(accd_context *context);

#endif
