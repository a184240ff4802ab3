/* leave.h - an exit on its way: what exit.c finds, leave.c takes off, and detach.c ends with it. */
#ifndef ACCD_EXIT_PLAN_H
#define ACCD_EXIT_PLAN_H

#include "ops/inside.h"
#include "plan/change_set.h"

struct accd__exit_plan {
    struct accd__plan *plan;
    struct accd__object_change **changes; /* by claim: of its object, NULL: the claim asks for nothing */
    ACCD_SCRATCH_LIST(struct accd__object *) dying;
    ACCD_SCRATCH_LIST(struct accd__attachment_change *) removed; /* attachments that end */
    size_t released, unpinned; /* of them: so many release a type record, or pin their targets no more */
    uint32_t group_references; /* taken off its counter */
    bool dynamic, abandon;     /* last, so that what is set to zero before them is aligned */
    bool group_exits, group_dies;
};

/* leave.c: carries out an exit whose claims are resolved, or changes nothing. */
accd_status accd__run_exit(struct accd__exit_plan *exit_plan);

accd_status accd__exit_plan_words(struct accd__exit_plan *exit_plan);
void accd__exit_commit(struct accd__exit_plan *exit_plan);
void accd__exit_undo(struct accd__exit_plan *exit_plan);

/* event.c: reports an exit that succeeded, before its records go. */
void accd__report_exit(const struct accd__exit_plan *exit_plan);

/* detach.c */
/* Clauses take so many off the counter of an attachment. */
accd_status accd__exit_detach(struct accd__exit_plan *exit_plan, struct accd__attachment *attach,
                              uint32_t removed_count);
/* An attachment ends because others go. */
accd_status accd__exit_end_attachment(struct accd__exit_plan *exit_plan, struct accd__attachment *attach);
/* An object goes, once, if no reference is left. */
accd_status accd__exit_remove_object(struct accd__exit_plan *exit_plan, struct accd__object_change *change);
/* Type records that attachments hold lose a reference when these end. */
accd_status accd__exit_release_records(struct accd__exit_plan *exit_plan);
/* Attachments end whose pointer, or target, goes; until nothing more goes with them. */
accd_status accd__exit_end_attachments(struct accd__exit_plan *exit_plan);

#endif
