/* change_set.h - the pending changes of present objects and attachments: what the commit of a construct will do to
 * these records. To note a change is to store it in the change set of the plan. The functions accd__planned_* tell what
 * a record will be like after the commit. */
#ifndef ACCD_CHANGE_SET_H
#define ACCD_CHANGE_SET_H

#include "plan/plan.h"

/* The pending change of a present object. */
struct accd__object_change {
    struct accd__object *object;
    uint32_t structured, dynamic; /* references that will be removed */
    /* the construct also adds references, so that the object is not removed even if its counters become 0 first */
    bool gains_references;
    uint32_t unpinned; /* number by which object->pins (attachments that point into the object) decreases */
    /* 1 + index of the request that removes the last reference; 0: references stay, or the knob `counting` is
     * `clauses` */
    uint32_t last;
    uint64_t dev; /* device address of the object after the commit */
    bool shared;  /* the object will have the flag ACCD_OBJECT_SHARED: its memory belongs to a block */
    /* the commit sets ACCD_OBJECT_UNDERCOUNTED: references that open regions have added are removed */
    bool becomes_undercounted;
    bool is_removed;
    /* next change in the list of all changes of objects, noted before this one; NULL: end of the list */
    struct accd__object_change *before;
};

/* The pending change of an attachment. */
struct accd__attachment_change {
    struct accd__attachment *attach;
    /* type record (object that describes the type of a descriptor) that loses one reference with the attachment, or
     * NULL */
    struct accd__object *record;
    uint64_t dev;           /* value of the device's pointer after the commit */
    uint32_t removed_count; /* amount by which the counter of `attach` decreases */
    bool forced;            /* the attachment ends although no clause detaches it */
    /* the target is removed, but the attachment may stay; the device's pointer then keeps its old value (knob
     * `lost_target` = `dangles`) */
    bool dangles;
    /* next change in the list of all changes of attachments; NULL: end of the list */
    struct accd__attachment_change *before;
};

/* Sets *change_p to the pending change of `object`, which is added if none was noted yet. `object` itself does not
 * change. Fails only without memory. */
accd_status accd__note_object_change(struct accd__plan *plan, struct accd__object *object,
                                     struct accd__object_change **change_p);
/* Sets *change_p to the pending change of `attach`, which is added if none was noted yet. `attach` itself does not
 * change. Fails only without memory. */
accd_status accd__note_attachment_change(struct accd__plan *plan, struct accd__attachment *attach,
                                         struct accd__attachment_change **change_p);
/* True if the construct removes `object`. */
bool accd__object_is_removed(const struct accd__plan *plan, const struct accd__object *object);
/* Returns the device address that `object` will have after the commit. */
uint64_t accd__planned_object_dev(const struct accd__plan *plan, const struct accd__object *object);
/* Returns the number of attachments to `object` after the commit. */
uint32_t accd__planned_pins(const struct accd__plan *plan, const struct accd__object *object);
/* Returns the counter that `attach` will have after the commit; 0: the attachment ends. */
uint32_t accd__planned_attach_count(const struct accd__plan *plan, const struct accd__attachment *attach);
/* Returns the value that the device pointer of `attach` will have after the commit. */
uint64_t accd__planned_attachment_dev(const struct accd__plan *plan, const struct accd__attachment *attach);
/* True if the counter of `attach` becomes 0 because clauses of the construct detach it. False if its counter stays
 * positive, or it ends without a clause because its holder or target is removed. */
bool accd__is_planned_detached(const struct accd__plan *plan, const struct accd__attachment *attach);
/* Applies all pending changes to the records: counters, device addresses and flags. Cannot fail. Records that end are
 * still in their tables afterwards; the caller removes them. */
void accd__apply_changes(const struct accd__plan *plan);

#endif
