/* change_set.h - the pending changes of present records: what a construct will change at its commit. */
#ifndef ACCD_CHANGE_SET_H
#define ACCD_CHANGE_SET_H

#include "plan/plan.h"

/* The pending change of a present object. */
struct accd__object_change {
    struct accd__object *object;
    uint32_t structured, dynamic; /* references that will be removed */
    bool gains_references;        /* the construct also adds references, so that the object stays at a counter of 0 */
    uint32_t unpinned;            /* number of attachments to the object that end */
    uint32_t last;                /* 1 + index of the request that removes the last reference; 0: no request does */
    uint64_t dev;                 /* device address of the object after the commit */
    bool shared;                  /* value of the flag ACCD_OBJECT_SHARED after the commit */
    bool becomes_undercounted;    /* the commit sets the flag ACCD_OBJECT_UNDERCOUNTED */
    bool is_removed;
    /* next change in the list of all changes of objects, noted before this one; NULL: end of the list */
    struct accd__object_change *before;
};

/* The pending change of an attachment. */
struct accd__attachment_change {
    struct accd__attachment *attach;
    struct accd__object *record; /* type record that loses one reference with the attachment, or NULL */
    uint64_t dev;                /* value of the device's pointer after the commit */
    uint32_t removed_count;      /* amount by which the counter of `attach` decreases */
    bool forced;                 /* the attachment ends although no clause detaches it */
    /* the target is removed; the device's pointer keeps its value unless the attachment ends */
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
/* True if clauses of the construct detach the attachment, so that its counter becomes 0. */
bool accd__is_planned_detached(const struct accd__plan *plan, const struct accd__attachment *attach);
/* Applies all pending changes to the records: counters, device addresses and flags. Cannot fail. Removed records are
 * freed by the caller. */
void accd__apply_changes(const struct accd__plan *plan);

#endif
