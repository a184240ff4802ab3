/* ops.h - executes planned constructs: entries, exits and updates, with their transfers and events. Present records
 * change only when nothing can fail any more. */
#ifndef ACCD_OPS_H
#define ACCD_OPS_H

#include "plan/plan.h"

/* The planned end of attachments that hold references although no exit ends them: their descriptors are attached again,
 * or the memory of the descriptors is unmapped. It is planned and sent with another construct, and commits before it.
 */
struct accd__record_release;

/* ------------------------------------------------------------------------------- fast_path.c -- */

/* Returns the fast paths that a context's rules allow, indexed by kind of construct. */
accd__fast_path_fn *const *accd__choose_fast_paths(const accd_context *context);
/* Runs `construct` on the fast path. Returns true if it is complete or has failed, with the status in *status_p.
 * Returns false if the fast path cannot run it; then nothing has happened. */
bool accd__run_fast_path(accd_context *context, const accd_construct *construct, accd_region **region_p,
                         accd_status *status_p);
/* Like accd__run_fast_path, but expects items with pointers. */
bool accd__run_fast_path_with_pointers(accd_context *context, const accd_construct *construct, accd_region **region_p,
                                       accd_status *status_p);
/* Ends `region` on the fast path. Returns true if the region has ended or the attempt has failed, with the status in
 * *status_p. Returns false if the fast path cannot end it; then nothing has happened. */
bool accd__end_fast_path(struct accd_region *region, accd_status *status_p);

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Executes an entry and sets *region_p to the region that it begins; NULL for enter data. Changes nothing on failure.
 */
accd_status accd__run_entry(struct accd__plan *plan, struct accd_region **region_p);

/* ------------------------------------------------------------------------------------ exit.c -- */

/* Executes exit data. Changes nothing on failure. */
accd_status accd__run_exit_data(struct accd__plan *plan);
/* Ends `region` and frees it. If `abandon` is true, copies nothing to the host and ignores failed transfers. Changes
 * nothing on failure. */
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

/* Runs the transfers of a plan, including those of its group, as one batch, or hands them to a queue. If one fails,
 * none has any effect. */
accd_status accd__plan_commit(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- journal.c -- */

/* Saves the device bytes [dev, dev + bytes), which will be overwritten. Requires an open journal. */
accd_status accd__journal_save_bytes(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

#endif
