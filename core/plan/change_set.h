/* change_set.h - the pending changes of present records: what a construct will change at its commit. */
#ifndef ACCD_CHANGE_SET_H
#define ACCD_CHANGE_SET_H

#include "plan/plan.h"

/* The pending change of a present object. */
struct accd__object_change {
    struct accd__object *object;
    uint32_t structured, dynamic; /* references that will be removed */
    bool gains_references;        /* the construct adds references, so that a counter of 0 does not remove the object */
    uint32_t unpinned;            /* attached pointers that will no longer point to it */
    uint32_t last;                /* 1 + index of the request that removes the last reference; 0: none */
    uint64_t dev;                 /* device address after the commit */
    bool shared;                  /* ACCD_OBJECT_SHARED after the commit */
    bool becomes_undercounted;    /* ACCD_OBJECT_UNDERCOUNTED after the commit */
    bool is_removed;
    struct accd__object_change *before; /* change noted before this one, or NULL */
};

/* The pending change of an attachment. */
struct accd__attachment_change {
    struct accd__attachment *attach;
    struct accd__object *record; /* type record that loses one reference with the attachment, or NULL */
    uint64_t dev;                /* value of the device's pointer after the commit */
    uint32_t removed_count;      /* amount by which its counter decreases */
    bool forced;                 /* ends although no clause detaches it */
    bool dangles;                /* the target is removed; the device's pointer keeps its value unless the attachment
                                  * ends */
    struct accd__attachment_change *before;
};

/* Finds or adds the pending change of a record. The record itself does not change yet. */
accd_status accd__note_object_change(struct accd__plan *plan, struct accd__object *object,
                                     struct accd__object_change **change_p);
accd_status accd__note_attachment_change(struct accd__plan *plan, struct accd__attachment *attach,
                                         struct accd__attachment_change **change_p);
/* True if the construct removes an object. The functions below return the device address, pins, counter or device
 * value that a record will have after the commit. */
bool accd__object_is_removed(const struct accd__plan *plan, const struct accd__object *object);
uint64_t accd__planned_object_dev(const struct accd__plan *plan, const struct accd__object *object);
uint32_t accd__planned_pins(const struct accd__plan *plan, const struct accd__object *object);
uint32_t accd__planned_attach_count(const struct accd__plan *plan, const struct accd__attachment *attach);
uint64_t accd__planned_attachment_dev(const struct accd__plan *plan, const struct accd__attachment *attach);
/* True if clauses of the construct detach the attachment, so that its counter becomes 0. */
bool accd__is_planned_detached(const struct accd__plan *plan, const struct accd__attachment *attach);
/* Applies all pending changes. Cannot fail. */
void accd__apply_changes(const struct accd__plan *plan);

#endif
