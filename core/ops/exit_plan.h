/* exit_plan.h - the plan of an exit: exit.c resolves its requests, exit_plan.c removes references, and detach.c ends
 * attachments. */
#ifndef ACCD_EXIT_PLAN_H
#define ACCD_EXIT_PLAN_H

#include "ops/inside.h"
#include "plan/change_set.h"

struct accd__exit_plan {
    struct accd__plan *plan;
    /* array over requests: pending change of the object of each request; NULL: the request has no object or is skipped
     */
    struct accd__object_change **changes;
    /* objects that the exit removes */
    ACCD_SCRATCH_LIST(struct accd__object *) dying;
    ACCD_SCRATCH_LIST(struct accd__attachment_change *) removed; /* attachments that end */
    /* numbers of elements of `removed`, from the first on, that are handled. released: their type records (structures
     * that describe a type) are released. unpinned: their targets have lost a pin (count of an attached pointer). */
    size_t released, unpinned;
    uint32_t group_references; /* references removed from the group's counter */
    /* dynamic: the exit is exit data, not the end of a region. abandon: nothing is copied to the host. */
    bool dynamic, abandon;
    /* group_exits: the group (table/group.h) loses references as one unit. group_dies: the group is removed, too. */
    bool group_exits, group_dies;
};

/* Executes an exit whose requests are resolved. Changes nothing on failure. */
accd_status accd__run_exit(struct accd__exit_plan *exit_plan);

/* Plans to write the host values of pointers whose attachments end, in objects that stay present. Fails only without
 * memory. */
accd_status accd__exit_plan_words(struct accd__exit_plan *exit_plan);
/* Removes the records of an exit: attachments, objects, tuples, group references. Cannot fail. */
void accd__exit_commit(struct accd__exit_plan *exit_plan);
/* Discards the marks of an exit that failed, and makes its group pending (unexpanded) again. */
void accd__exit_undo(struct accd__exit_plan *exit_plan);

/* Reports an exit that succeeded as events. Must be called before its records are removed. Does nothing if neither an
 * observer nor a queue wants the events. */
void accd__report_exit(const struct accd__exit_plan *exit_plan);

/* ---------------------------------------------------------------------------------- detach.c -- */
/* Decrements the planned counter of `attach` by `removed_count`, for clauses that detach its pointer. At 0 the
 * attachment is listed as removed. Fails only without memory. */
accd_status accd__exit_detach(struct accd__exit_plan *exit_plan, struct accd__attachment *attach,
                              uint32_t removed_count);
/* Plans the end of `attach`, whatever its counter is, because the object with its pointer or its target is removed.
 * Fails only without memory. */
accd_status accd__exit_end_attachment(struct accd__exit_plan *exit_plan, struct accd__attachment *attach);
/* Adds the object of `change` to the dying objects (those that the exit removes) if no reference is left. Repeated
 * calls have no effect. Fails only without memory. */
accd_status accd__exit_remove_object(struct accd__exit_plan *exit_plan, struct accd__object_change *change);
/* Plans to remove the references that ending attachments hold on type records. Fails only without memory. */
accd_status accd__exit_release_records(struct accd__exit_plan *exit_plan);
/* Plans the end of all attachments whose pointer or target is removed, until no further object is removed by that.
 * Returns an error if the rules forbid the removal of an object to which a pointer is attached, or without memory. */
accd_status accd__exit_end_attachments(struct accd__exit_plan *exit_plan);

#endif
