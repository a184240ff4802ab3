/* inside.h - declarations that only the files of core/api share. */
#ifndef ACCD_API_INSIDE_H
#define ACCD_API_INSIDE_H

#include "table/table.h"

/* --------------------------------------------------------------------------- kernel_access.c -- */

/* Sets the last error for a device range that is not in one allocation; returns ACCD_ERROR_OUT_OF_BOUNDS. */
accd_status accd__report_not_allocated(const struct accd__device_env *env);
/* Returns ACCD_ERROR_OUT_OF_BOUNDS, and sets the last error, if data lay at device address `dev`, have moved, and the
 * rules reject such an access. Fails without memory for the index by device address. Otherwise returns ACCD_OK. */
accd_status accd__check_stale_address(struct accd__device_env *env, uint64_t dev);

/* ------------------------------------------------------------------------------ persistent.c -- */

/* Header at the start of the memory of a checkpoint: its size, and the allocator that frees it. */
struct accd__checkpoint_memory {
    struct accd__checkpoint_memory *next; /* next memory in the list of freed checkpoints */
    accd_allocator alloc;                 /* allocator of the caller */
    void *alloc_ud;
    size_t bytes;
};

/* Makes the two arenas (ranges of memory) of a context with checkpoints: one for the saved state, and a side arena that
 * a restore does not change. Sets *mem to an allocator in the first arena. Returns a record in the side arena; NULL: no
 * memory, and *mem is unchanged. */
struct accd__persistent *accd__persistent_new(struct accd__mem *mem);
/* Frees both arenas, and the memory of all freed checkpoints; NULL does nothing. */
void accd__persistent_free(struct accd__persistent *persistent);
/* Returns memory of at least `bytes` bytes for a checkpoint, if possible that of a freed checkpoint. NULL: no memory.
 */
struct accd__checkpoint_memory *accd__checkpoint_memory_alloc(accd_context *context, size_t bytes);
/* Keeps the memory of a freed checkpoint for the next checkpoint. */
void accd__checkpoint_memory_recycle(accd_context *context, struct accd__checkpoint_memory *saved);

/* ------------------------------------------------------------------------------ checkpoint.c -- */

/* Returns ACCD_OK if no construct is under way and no queue runs its work; otherwise sets the last error and returns
 * ACCD_ERROR_MISUSE. */
accd_status accd__check_quiescent(accd_context *context);

#endif
