/* ops.h - executes planned constructs: entries, exits and updates, with their transfers and events. Present records
 * change only when nothing can fail any more. */
#ifndef ACCD_OPS_H
#define ACCD_OPS_H

#include "plan/plan.h"

/* The planned end of attachments that hold references, although no exit ends them: their descriptors are attached
 * again, or the memory of these is unmapped. It is planned and sent with another construct, and commits before it. */
struct accd__record_release;

/* ------------------------------------------------------------------------------- fast_path.c -- */

/* Returns the fast paths that a context's rules allow, indexed by kind of construct. */
accd__fast_path_fn *const *accd__choose_fast_paths(const accd_context *context);
/* Runs a plain construct on the fast path. Returns false if it cannot; then nothing has happened. */
bool accd__run_fast_path(accd_context *context, const accd_construct *construct, accd_region **region_p,
                         accd_status *status_p);
/* Like accd__run_fast_path, but expects items with pointers. */
bool accd__run_fast_path_with_pointers(accd_context *context, const accd_construct *construct, accd_region **region_p,
                                       accd_status *status_p);
/* Ends a region on the fast path. Returns false if it cannot; then nothing has happened. */
bool accd__end_fast_path(struct accd_region *region, accd_status *status_p);

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Executes an entry. *region_p gets its region, if it has one. Changes nothing on failure. */
accd_status accd__run_entry(struct accd__plan *plan, struct accd_region **region_p);

/* ------------------------------------------------------------------------------------ exit.c -- */

/* Executes exit data. Changes nothing on failure. */
accd_status accd__run_exit_data(struct accd__plan *plan);
/* Ends a region and frees it. `abandon`: copies nothing to the host, and ignores failed transfers. */
accd_status accd__end_region(struct accd_region *region, bool abandon);

/* --------------------------------------------------------------------------------- release.c -- */

/* Plans the end of `n` attachments and of the type records that they hold, as part of another plan. */
accd_status accd__record_release_plan(struct accd__plan *plan, struct accd__attachment *const *ends, size_t n,
                                      struct accd__record_release **release_p);
/* Discards a planned release. */
void accd__record_release_undo(struct accd__record_release *release);
/* Applies a planned release, together with the changes of the other plan. Cannot fail. */
void accd__record_release_commit(struct accd__record_release *release);

/* ---------------------------------------------------------------------------------- update.c -- */

/* Executes an update. Changes nothing on failure. */
accd_status accd__run_update(struct accd__plan *plan);

/* ---------------------------------------------------------------------------------- commit.c -- */

/* Runs the transfers of a plan, and of its group, as one batch, or hands them to a queue. All succeed or none has
 * any effect. */
accd_status accd__plan_commit(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- journal.c -- */

/* Saves bytes that will be overwritten on the device. Requires an open journal. */
accd_status accd__journal_save_bytes(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

#endif
