/* exit_plan.h - the plan of an exit (exit data, or the end of a region): exit.c resolves its requests, exit_plan.c
 * removes references, and detach.c ends attachments. A dying object is one that the exit removes. An attachment is the
 * record of an attached pointer. A type record is an object that describes the type of a descriptor. */
#ifndef ACCD_EXIT_PLAN_H
#define ACCD_EXIT_PLAN_H

#include "ops/inside.h"
#include "plan/change_set.h"

struct accd__exit_plan {
    struct accd__plan *plan;
    /* array by request number: pending change (change_set.h) of the object of the request; NULL: no object, or the
     * request is skipped */
    struct accd__object_change **changes;
    /* dying objects: those that the exit removes */
    ACCD_SCRATCH_LIST(struct accd__object *) dying;
    ACCD_SCRATCH_LIST(struct accd__attachment_change *)
    removed; /* pending changes (change_set.h) of the attachments that end */
    /* numbers of first elements of `removed` that two steps have handled. released: step that removes references on
     * type records. unpinned: step that takes a pin (attached pointer to the object) from the targets */
    size_t released, unpinned;
    uint32_t group_references; /* number of references that the group (table/group.h) loses, if group_exits is set */
    /* dynamic: the exit is exit data, not the end of a region. abandon: nothing is copied to the host. */
    bool dynamic, abandon;
    /* group_exits: the group (table/group.h) loses references as one unit. group_dies: the group is removed, too. */
    bool group_exits, group_dies;
};

/* Executes an exit whose requests are resolved. Returns the first error, and then changes nothing. */
accd_status accd__run_exit(struct accd__exit_plan *exit_plan);

/* Plans to write the host value to the device copy of each pointer whose attachment ends, unless the object with the
 * pointer is removed. Fails only without memory. */
accd_status accd__exit_plan_words(struct accd__exit_plan *exit_plan);
/* Removes the attachments that end, the dying objects with their memory, and originals and tuples that end. Also
 * removes references of the group, or the group itself. Cannot fail. */
void accd__exit_commit(struct accd__exit_plan *exit_plan);
/* Undoes a failed exit: makes its marks on originals and fused tuples void. If it was to remove a group
 * (table/group.h), makes the group pending again: one record without objects for its sections. */
void accd__exit_undo(struct accd__exit_plan *exit_plan);

/* Reports an exit that succeeded as events. Must be called before the records of removed objects and attachments are
 * freed. Does nothing if there is neither an observer nor a queue. */
void accd__report_exit(const struct accd__exit_plan *exit_plan);

/* ---------------------------------------------------------------------------------- detach.c -- */
/* Decrements the planned counter of `attach` by `removed_count`, for clauses that detach its pointer. At 0 the
 * attachment is listed as removed. Fails only without memory. */
accd_status accd__exit_detach(struct accd__exit_plan *exit_plan, struct accd__attachment *attach,
                              uint32_t removed_count);
/* Plans the end of `attach`, whatever its counter is, although no clause detaches it: the object that contains its
 * pointer, or its target, is removed. Fails only without memory. */
accd_status accd__exit_end_attachment(struct accd__exit_plan *exit_plan, struct accd__attachment *attach);
/* Adds the object of `change` to the dying objects if no reference is left, none is added, and the user has not mapped
 * its memory (acc_map_data). Repeated calls have no effect. Fails only without memory. */
accd_status accd__exit_remove_object(struct accd__exit_plan *exit_plan, struct accd__object_change *change);
/* Plans to remove the references that attachments in exit_plan->removed hold on type records. Also plans the end of
 * attachments of pointers inside descriptors whose attachments end. A type record without references becomes dying.
 * Fails only without memory. */
accd_status accd__exit_release_records(struct accd__exit_plan *exit_plan);
/* Plans the end of all attachments whose pointer or target lies in a dying object. Repeats this, because type records
 * may become dying, until no object is added. Pointers to a dying object may also keep their device value (knob
 * `lost_target`). Returns an error if the knob `still_attached` forbids the removal of an object, or without memory. */
accd_status accd__exit_end_attachments(struct accd__exit_plan *exit_plan);

#endif
