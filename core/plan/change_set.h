/* ledger.h - what a construct is about to change of records that are there. */
#ifndef ACCD_CHANGE_SET_H
#define ACCD_CHANGE_SET_H

#include "plan/plan.h"

/* What a construct is about to change of a present object. */
struct accd__object_change {
    struct accd__object *object;
    uint32_t structured, dynamic; /* references that are taken off */
    bool gains_references;        /* the construct adds references: the object does not go for want of them */
    uint32_t unpinned;            /* attached pointers that point here no more */
    uint32_t last;                /* the claim that takes off the last reference, from 1; 0: none does */
    uint64_t dev;                 /* the object's device address then */
    bool shared;                  /* ACCD_OBJECT_SHARED then */
    bool becomes_undercounted;    /* ACCD_OBJECT_UNDERCOUNTED then */
    bool is_removed;
    struct accd__object_change *before; /* the one noted before */
};

/* The same of an attachment. */
struct accd__attachment_change {
    struct accd__attachment *attach;
    struct accd__object *record; /* of its references one is taken off with the attachment, or NULL */
    uint64_t dev;                /* the pointer's value in the device's copy then */
    uint32_t removed_count;      /* off its counter */
    bool forced;                 /* it ends, and no clause detaches it */
    bool dangles;                /* its target goes; the pointer stays as it is, unless the attachment ends, too */
    struct accd__attachment_change *before;
};

/* The change of a record, which changes nothing yet. */
accd_status accd__note_object_change(struct accd__plan *plan, struct accd__object *object,
                                     struct accd__object_change **change_p);
accd_status accd__note_attachment_change(struct accd__plan *plan, struct accd__attachment *attach,
                                         struct accd__attachment_change **change_p);
/* What records are like when the construct is done. */
bool accd__object_is_removed(const struct accd__plan *plan, const struct accd__object *object);
uint64_t accd__planned_object_dev(const struct accd__plan *plan, const struct accd__object *object);
uint32_t accd__planned_pins(const struct accd__plan *plan, const struct accd__object *object);
uint32_t accd__planned_attach_count(const struct accd__plan *plan, const struct accd__attachment *attach);
uint64_t accd__planned_attachment_dev(const struct accd__plan *plan, const struct accd__attachment *attach);
/* Whether clauses of the construct detach it, the last of them finally. */
bool accd__is_planned_detached(const struct accd__plan *plan, const struct accd__attachment *attach);
/* All changes are made. */
void accd__apply_changes(const struct accd__plan *plan);

#endif
