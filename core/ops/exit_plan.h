/* exit_plan.h - the plan of an exit: exit.c resolves its requests, exit_plan.c removes references, and detach.c ends
 * attachments. */
#ifndef ACCD_EXIT_PLAN_H
#define ACCD_EXIT_PLAN_H

#include "ops/inside.h"
#include "plan/change_set.h"

struct accd__exit_plan {
    struct accd__plan *plan;
    struct accd__object_change **changes; /* array over requests: the change of its object; NULL: it does nothing */
    ACCD_SCRATCH_LIST(struct accd__object *) dying;
    ACCD_SCRATCH_LIST(struct accd__attachment_change *) removed; /* attachments that end */
    size_t released, unpinned; /* numbers of removed attachments whose type records, and whose pins, are already
                                * handled */
    uint32_t group_references; /* references removed from the group's counter */
    bool dynamic, abandon;     /* last, so that the zeroed fields before it are aligned */
    bool group_exits, group_dies;
};

/* Executes an exit whose requests are resolved. Changes nothing on failure. */
accd_status accd__run_exit(struct accd__exit_plan *exit_plan);

/* Plans the host values of pointers that end in objects that stay. */
accd_status accd__exit_plan_words(struct accd__exit_plan *exit_plan);
/* Removes the records of an exit. Cannot fail. */
void accd__exit_commit(struct accd__exit_plan *exit_plan);
/* Discards the plan of an exit that failed. */
void accd__exit_undo(struct accd__exit_plan *exit_plan);

/* Reports an exit that succeeded, before its records are removed. */
void accd__report_exit(const struct accd__exit_plan *exit_plan);

/* ---------------------------------------------------------------------------------- detach.c -- */
/* Decrements the counter of an attachment by `removed_count`, for clauses that detach it. */
accd_status accd__exit_detach(struct accd__exit_plan *exit_plan, struct accd__attachment *attach,
                              uint32_t removed_count);
/* Ends an attachment because its pointer or target is removed. */
accd_status accd__exit_end_attachment(struct accd__exit_plan *exit_plan, struct accd__attachment *attach);
/* Notes that an object is removed, if no reference is left. Repeated calls have no effect. */
accd_status accd__exit_remove_object(struct accd__exit_plan *exit_plan, struct accd__object_change *change);
/* Removes the references that ending attachments hold on type records. */
accd_status accd__exit_release_records(struct accd__exit_plan *exit_plan);
/* Ends all attachments whose pointer or target is removed, until no further object is removed by that. */
accd_status accd__exit_end_attachments(struct accd__exit_plan *exit_plan);

#endif
