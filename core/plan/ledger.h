/* ledger.h - what a construct is about to change of records that are there. */
#ifndef ACCD_LEDGER_H
#define ACCD_LEDGER_H

#include "plan/plan.h"

/* What a construct is about to change of a present object. */
struct accd_object_change {
    struct accd_object *object;
    uint32_t structured, dynamic; /* references that are taken off */
    bool coming;                  /* the construct adds references: the object does not go for want of them */
    uint32_t unpinned;            /* attached pointers that point here no more */
    uint32_t last;                /* the claim that takes off the last reference, from 1; 0: none does */
    uint64_t dev;                 /* the object's device address then */
    bool shared;                  /* ACCD_OBJECT_SHARED then */
    bool fell_short;              /* ACCD_OBJECT_SHORT then */
    bool goes;
    struct accd_object_change *before; /* the one noted before */
};

/* The same of an attachment. */
struct accd_attach_change {
    struct accd_attach *attach;
    struct accd_object *record; /* of its references one is taken off with the attachment, or NULL */
    uint64_t dev;               /* the pointer's value in the device's copy then */
    uint32_t taken;             /* off its counter */
    bool forced;                /* it ends, and no clause detaches it */
    bool dangles;               /* its target goes; the pointer stays as it is, unless the attachment ends, too */
    struct accd_attach_change *before;
};

/* The change of a record, which changes nothing yet. */
accd_status accd_note_object(struct accd_plan *plan, struct accd_object *object,
                             struct accd_object_change **change_p);
accd_status accd_note_attach(struct accd_plan *plan, struct accd_attach *attach, struct accd_attach_change **change_p);
/* What records are like when the construct is done. */
bool accd_object_goes(const struct accd_plan *plan, const struct accd_object *object);
uint64_t accd_object_dev(const struct accd_plan *plan, const struct accd_object *object);
uint32_t accd_pins_left(const struct accd_plan *plan, const struct accd_object *object);
uint32_t accd_attach_left(const struct accd_plan *plan, const struct accd_attach *attach);
uint64_t accd_attach_dev(const struct accd_plan *plan, const struct accd_attach *attach);
/* Whether clauses of the construct detach it, the last of them finally. */
bool accd_is_detached(const struct accd_plan *plan, const struct accd_attach *attach);
/* All changes are made. */
void accd_ledger_apply(const struct accd_plan *plan);

#endif
