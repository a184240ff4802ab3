/* ops.h - executes planned constructs: entries, exits and updates, with their transfers and events. Present records
 * change only when nothing can fail any more. */
#ifndef ACCD_OPS_H
#define ACCD_OPS_H

#include "plan/plan.h"

/* A release: the planned end of attachments that hold references on type records (structures that describe a type)
 * and that no exit ends. Their descriptors are attached again, or the memory of the descriptors is unmapped. A release
 * is planned and sent with another construct, and commits before that construct. */
struct accd__record_release;

/* ------------------------------------------------------------------------------- fast_path.c -- */

/* Returns the fast paths that a context's rules allow, indexed by kind of construct. */
accd__fast_path_fn *const *accd__choose_fast_paths(const accd_context *context);
/* Runs `construct` on the fast path (specialised code for plain data). Returns true if it is complete or has failed,
 * with the status in *status_p, and for a region the new region in *region_p. Returns false if the fast path cannot run
 * it; then nothing has changed. */
bool accd__run_fast_path(accd_context *context, const accd_construct *construct, accd_region **region_p,
                         accd_status *status_p);
/* Like accd__run_fast_path, for constructs whose items probably have pointers: tries only the variant for these. */
bool accd__run_fast_path_with_pointers(accd_context *context, const accd_construct *construct, accd_region **region_p,
                                       accd_status *status_p);
/* Ends `region` on the fast path and frees it. Returns true if the region has ended or the attempt has failed, with the
 * status in *status_p; after a failure the region stays open. Returns false if the fast path cannot end it; then
 * nothing has changed. */
bool accd__end_fast_path(struct accd_region *region, accd_status *status_p);

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Executes an entry and, unless region_p is NULL, sets *region_p to the region that it begins; to NULL for enter data.
 * Changes nothing on failure. */
accd_status accd__run_entry(struct accd__plan *plan, struct accd_region **region_p);

/* ------------------------------------------------------------------------------------ exit.c -- */

/* Executes exit data. Changes nothing on failure. */
accd_status accd__run_exit_data(struct accd__plan *plan);
/* Ends `region` and frees it. If `abandon` is true, copies nothing to the host and ignores failed transfers. Changes
 * nothing on failure, except that work which an abandoned compute region has queued is cancelled. */
accd_status accd__end_region(struct accd_region *region, bool abandon);

/* --------------------------------------------------------------------------------- release.c -- */

/* Sets *release_p to the planned end of the `n` attachments `ends` and of the type records that they hold, as part of
 * `plan`. Returns an error, and leaves *release_p unchanged, if the rules forbid it, a type record lies among fused
 * data, or without memory. */
accd_status accd__record_release_plan(struct accd__plan *plan, struct accd__attachment *const *ends, size_t n,
                                      struct accd__record_release **release_p);
/* Discards a planned release. */
void accd__record_release_undo(struct accd__record_release *release);
/* Applies a planned release, together with the changes of the plan with which it was sent. Cannot fail. */
void accd__record_release_commit(struct accd__record_release *release);

/* ---------------------------------------------------------------------------------- update.c -- */

/* Executes an update. Changes nothing on failure. */
accd_status accd__run_update(struct accd__plan *plan);

/* ---------------------------------------------------------------------------------- commit.c -- */

/* Runs the transfers of a plan, including those of its group (table/group.h), as one batch, or hands them to a queue.
 * Returns an error if one fails; then none has any effect. */
accd_status accd__plan_commit(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- journal.c -- */

/* Saves the device bytes [dev, dev + bytes), which will be overwritten, so that an abandoned construct can restore
 * them. Requires an open journal. Fails without memory, or if the device cannot be read. */
accd_status accd__journal_save_bytes(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

#endif
