/* leave.h - an exit on its way: what exit.c finds, leave.c takes off, and detach.c ends with it. */
#ifndef ACCD_LEAVE_H
#define ACCD_LEAVE_H

#include "ops/inside.h"
#include "plan/ledger.h"

struct leave {
    struct accd_plan *plan;
    struct accd_object_change **changes; /* by claim: of its object, NULL: the claim asks for nothing */
    ACCD_LIST(struct accd_object *) dying;
    ACCD_LIST(struct accd_attach_change *) removed; /* attachments that end */
    size_t released, unpinned;       /* of them: so many release a type record, or pin their targets no more */
    uint32_t group_references;       /* taken off its counter */
    bool dynamic, abandon;           /* last, so that what is set to zero before them is aligned */
    bool group_leaves, group_dies;
};

/* leave.c: carries out an exit whose claims are resolved, or changes nothing. */
accd_status accd_leave_now(struct leave *leave);

accd_status accd_leave_words(struct leave *leave);
void accd_leave_finish(struct leave *leave);
void accd_leave_undo(struct leave *leave);

/* event.c: reports an exit that succeeded, before its records go. */
void accd_tell_exit(const struct leave *leave);

/* detach.c */
/* Clauses take so many off the counter of an attachment. */
accd_status accd_detach(struct leave *leave, struct accd_attach *attach, uint32_t taken);
/* An attachment ends because others go. */
accd_status accd_end_attachment(struct leave *leave, struct accd_attach *attach);
/* An object goes, once, if no reference is left. */
accd_status accd_end_object(struct leave *leave, struct accd_object_change *change);
/* Type records that attachments hold lose a reference when these end. */
accd_status accd_release_records(struct leave *leave);
/* Attachments end whose pointer, or target, goes; until nothing more goes with them. */
accd_status accd_end_attachments(struct leave *leave);

#endif
