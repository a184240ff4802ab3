/* ops.h - constructs that are carried out: entries, exits, updates; their transfers, and what listeners hear of
 * them. Records that are there change when nothing can fail any more. */
#ifndef ACCD_OPS_H
#define ACCD_OPS_H

#include "plan/plan.h"

/* Attachments that hold references, and end although no exit ends them: for an entry that attaches their
 * descriptors anew, or because the memory these lie in goes. Planned with, and sent by, the construct on the way;
 * commit comes before its own. */
struct accd__record_release;

/* ----------------------------------------------------------------------------------- short.c -- */

/* The ways of plain constructs that a context's rules leave them. */
accd__fast_path_fn *const *accd__choose_fast_paths(const accd_context *context);
/* Plain constructs take the short way. False: it is not theirs, and nothing has happened. */
bool accd__run_fast_path(accd_context *context, const accd_construct *construct, accd_region **region_p,
                         accd_status *status_p);
/* The same for items with pointers. */
bool accd__run_fast_path_with_pointers(accd_context *context, const accd_construct *construct, accd_region **region_p,
                                       accd_status *status_p);
bool accd__end_fast_path(struct accd_region *region, accd_status *status_p);

/* ----------------------------------------------------------------------------------- enter.c -- */

accd_status accd__run_entry(struct accd__plan *plan, struct accd_region **region_p);

/* ------------------------------------------------------------------------------------ exit.c -- */

accd_status accd__run_exit_data(struct accd__plan *plan);
accd_status accd__end_region(struct accd_region *region, bool abandon);

/* --------------------------------------------------------------------------------- release.c -- */

accd_status accd__record_release_plan(struct accd__plan *plan, struct accd__attachment *const *ends, size_t n,
                                      struct accd__record_release **release_p);
void accd__record_release_undo(struct accd__record_release *release);
void accd__record_release_commit(struct accd__record_release *release);

/* ---------------------------------------------------------------------------------- update.c -- */

accd_status accd__run_update(struct accd__plan *plan);

/* ---------------------------------------------------------------------------------- commit.c -- */

/* The transfers of a plan as one batch, with those of a group if there is one: all or none. */
accd_status accd__plan_commit(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- journal.c -- */

/* While one is open, what is overwritten on the device is remembered, and what an entry is about to
 * change of what is present. */
accd_status accd__journal_save_bytes(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

#endif
