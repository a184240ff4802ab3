/* ops.h - constructs that are carried out: entries, exits, updates; their transfers, and what listeners hear of
 * them. Records that are there change when nothing can fail any more. */
#ifndef ACCD_OPS_H
#define ACCD_OPS_H

#include "plan/plan.h"

/* Attachments that hold references, and end although no exit ends them: for an entry that attaches their
 * descriptors anew, or because the memory these lie in goes. Planned with, and sent by, the construct on the way;
 * commit comes before its own. */
struct accd_release;

/* ----------------------------------------------------------------------------------- short.c -- */

/* The ways of plain constructs that a context's rules leave them. */
accd_short_way *const *accd_short_ways(const accd_context *context);
/* Plain constructs take the short way. False: it is not theirs, and nothing has happened. */
bool accd_run_short(accd_context *context, const accd_construct *construct, accd_region **region_p,
                    accd_status *status_p);
/* The same for items with pointers. */
bool accd_run_short_linked(accd_context *context, const accd_construct *construct, accd_region **region_p,
                           accd_status *status_p);
bool accd_leave_short(struct accd_region *region, accd_status *status_p);

/* ----------------------------------------------------------------------------------- enter.c -- */

accd_status accd_enter(struct accd_plan *plan, struct accd_region **region_p);

/* ------------------------------------------------------------------------------------ exit.c -- */

accd_status accd_exit_data(struct accd_plan *plan);
accd_status accd_leave_region(struct accd_region *region, bool abandon);

/* --------------------------------------------------------------------------------- release.c -- */

accd_status accd_release_plan(struct accd_plan *plan, struct accd_attach *const *ends, size_t n,
                              struct accd_release **release_p);
void accd_release_undo(struct accd_release *release);
void accd_release_commit(struct accd_release *release);

/* ---------------------------------------------------------------------------------- update.c -- */

accd_status accd_update(struct accd_plan *plan);

/* ---------------------------------------------------------------------------------- commit.c -- */

/* The transfers of a plan as one batch, with those of a group if there is one: all or none. */
accd_status accd_plan_commit(struct accd_plan *plan);

/* --------------------------------------------------------------------------------- journal.c -- */

/* While one is open, what is overwritten on the device is remembered, and what an entry is about to
 * change of what is present. */
accd_status accd_journal_bytes(struct accd_directory *dir, uint64_t dev, uint64_t bytes);

#endif
