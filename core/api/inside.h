/* inside.h - declarations that only the files of core/api share. */
#ifndef ACCD_API_INSIDE_H
#define ACCD_API_INSIDE_H

#include "table/table.h"

/* --------------------------------------------------------------------------- kernel_access.c -- */

/* Records and returns ACCD_ERROR_OUT_OF_BOUNDS, the error for a device range that is not in one allocation. */
accd_status accd__report_not_allocated(const struct accd__device_env *env);
/* Records and returns ACCD_ERROR_OUT_OF_BOUNDS if data lay at device address `dev`, have moved, and the rules reject
 * such an access. Fails without memory to index objects; returns ACCD_OK in all other cases. */
accd_status accd__check_stale_address(struct accd__device_env *env, uint64_t dev);

/* ------------------------------------------------------------------------------ persistent.c -- */

/* Header at the start of a checkpoint's memory, with the allocator that frees the memory. */
struct accd__checkpoint_memory {
    struct accd__checkpoint_memory *next; /* next memory in the list of unused memory */
    accd_allocator alloc;                 /* allocator of the caller */
    void *alloc_ud;
    size_t bytes;
};

/* Makes the two arenas of a context with checkpoints: one for saved state, and a side arena that a restore does not
 * change. Makes *mem an allocator in the first arena. Returns a record in the side arena; NULL: no memory, and *mem is
 * unchanged. */
struct accd__persistent *accd__persistent_new(struct accd__mem *mem);
/* Frees both arenas and all unused checkpoint memory. Does nothing for NULL. */
void accd__persistent_free(struct accd__persistent *persistent);
/* Returns memory of at least `bytes` bytes for a checkpoint, if possible that of a freed checkpoint. NULL: no memory.
 */
struct accd__checkpoint_memory *accd__checkpoint_memory_alloc(accd_context *context, size_t bytes);
/* Adds the memory of a freed checkpoint to the list of unused memory, for the next checkpoint. */
void accd__checkpoint_memory_recycle(accd_context *context, struct accd__checkpoint_memory *saved);

/* ------------------------------------------------------------------------------ checkpoint.c -- */

/* Returns ACCD_OK if no construct, kernel or work of a queue is running; otherwise records and returns
 * ACCD_ERROR_MISUSE. */
accd_status accd__check_quiescent(accd_context *context);

#endif
