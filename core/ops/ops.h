/* ops.h - executes planned constructs: entries (begin of a region, enter data), exits (end of a region, exit data) and
 * updates, with their transfers and events. Input: a plan that accd__plan_begin has initialized. Present records change
 * only when nothing can fail any more. All functions that return a status record the error in the context. */
#ifndef ACCD_OPS_H
#define ACCD_OPS_H

#include "plan/plan.h"

/* A release: the planned end of attachments that hold references on type records (objects that describe the type of a
 * descriptor), but that no exit construct ends. Reasons are that their descriptors are attached again, or that the
 * memory of the descriptors is unmapped. A release is planned and sent with a second construct, and commits before it.
 */
struct accd__record_release;

/* ------------------------------------------------------------------------------- fast_path.c -- */

/* Returns an array, indexed by kind of construct, of the fast-path functions that the rules of a context allow. For
 * other rules, these functions refuse every construct. */
accd__fast_path_fn *const *accd__choose_fast_paths(const accd_context *context);
/* Runs `construct` on the fast path (specialised code for plain data). Returns true if it is complete or has failed,
 * with the status in *status_p, and for a region the new region in *region_p. Returns false if the fast path cannot run
 * it; then nothing has changed. */
bool accd__run_fast_path(accd_context *context, const accd_construct *construct, accd_region **region_p,
                         accd_status *status_p);
/* Runs `construct`, whose items probably have pointers, on the fast path for items with pointers. Arguments and result
 * are those of accd__run_fast_path. */
bool accd__run_fast_path_with_pointers(accd_context *context, const accd_construct *construct, accd_region **region_p,
                                       accd_status *status_p);
/* Ends `region` on the fast path and frees it. Returns true if the region has ended or the attempt has failed, with the
 * status in *status_p; after a failure the region stays open. Returns false if the fast path cannot end it; then
 * nothing has changed. */
bool accd__end_fast_path(struct accd_region *region, accd_status *status_p);

/* ----------------------------------------------------------------------------------- enter.c -- */

/* Executes an entry and, unless `region_p` is NULL, sets *region_p to the region that it begins; to NULL for enter
 * data. Returns an error if the rules reject an item or pointer, host or device has no memory, or a transfer fails.
 * Changes nothing on failure. */
accd_status accd__run_entry(struct accd__plan *plan, struct accd_region **region_p);

/* ------------------------------------------------------------------------------------ exit.c -- */

/* Executes exit data. Returns an error if the rules reject a request or the removal of an object, without memory, or if
 * a transfer fails. Changes nothing on failure. */
accd_status accd__run_exit_data(struct accd__plan *plan);
/* Ends `region` and frees it. If `abandon` is true, copies nothing to the host and ignores failed transfers. Changes
 * nothing on failure, except that work which an abandoned compute region has queued is cancelled. */
accd_status accd__end_region(struct accd_region *region, bool abandon);

/* --------------------------------------------------------------------------------- release.c -- */

/* Sets *release_p to a plan to end the `n` attachments `ends` and the references that they hold on type records, which
 * is sent with `plan`. Returns an error, and leaves *release_p unchanged, if the rules forbid it, a type record lies
 * among fused data, or without memory. */
accd_status accd__record_release_plan(struct accd__plan *plan, struct accd__attachment *const *ends, size_t n,
                                      struct accd__record_release **release_p);
/* Makes the marks of a planned release void; nothing has changed. Its memory is scratch space of the context. */
void accd__record_release_undo(struct accd__record_release *release);
/* Applies a planned release, together with the changes of the plan with which it was sent. Cannot fail. */
void accd__record_release_commit(struct accd__record_release *release);

/* ---------------------------------------------------------------------------------- update.c -- */

/* Executes an update. Returns an error if the rules reject a request, without memory, or if a transfer fails. Changes
 * nothing on failure. */
accd_status accd__run_update(struct accd__plan *plan);

/* ---------------------------------------------------------------------------------- commit.c -- */

/* Runs the transfers of a plan, including those of its group (table/group.h), as one batch, or hands them to the
 * construct's queue. Returns an error if host memory was freed, a transfer fails, or without memory; then none has any
 * effect. */
accd_status accd__plan_commit(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- journal.c -- */

/* Saves the device bytes [dev, dev + bytes), which will be overwritten, so that an abandoned construct can restore
 * them. Requires an open journal. Fails without memory, or if the device cannot be read. */
accd_status accd__journal_save_bytes(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

#endif
