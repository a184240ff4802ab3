/* leave.h - an exit on its way: what exit.c finds, leave.c takes off, and detach.c ends with it. */
#ifndef ACCD_LEAVE_H
#define ACCD_LEAVE_H

#include "ops/inside.h"

struct leave {
    struct accd_plan *plan;
    size_t counted;                  /* claims whose counters are changed */
    struct accd_object **dying;
    size_t ndying, dying_room;
    struct removed {
        struct accd_attach *attach;
        struct accd_object *record;  /* it held a reference on, which was taken off, or NULL */
        uint32_t count;              /* what its counter was before it was forced to zero */
        bool dangles;                /* does not end: its target goes, and it stays as it is */
    } * removed;                     /* attachments that end, or lose their target */
    size_t nremoved, removed_room, unpinned;
    struct accd_attach **forced;     /* room for what is told of them, NULL: nobody hears it */
    struct accd_object **records;
    size_t released;                   /* of them: so many took along what they brought */
    struct taken {
        uint32_t structured, dynamic;
    } * taken;                       /* by each claim, where both counters are one; otherwise NULL */
    uint32_t group_references;       /* taken off its counter */
    bool dynamic, abandon;           /* last, so that what is set to zero before them is aligned */
    bool group_leaves, group_dies;
};

/* leave.c: carries out an exit whose claims are resolved, or changes nothing. */
accd_status accd_leave_now(struct leave *leave);

accd_status accd_leave_words(struct leave *leave);
accd_status accd_leave_report(struct leave *leave);
void accd_leave_tell(struct leave *leave);
void accd_leave_finish(struct leave *leave);
void accd_leave_undo(struct leave *leave);

/* detach.c */
/* An attachment ends; count: what is put back if the exit fails. */
accd_status accd_end_attachment(struct leave *leave, struct accd_attach *attach, uint32_t count,
                                bool dangles);
/* An object goes, once. */
accd_status accd_end_object(struct leave *leave, struct accd_object *object);
/* What attachments that end brought: the type records of descriptors lose a reference. */
accd_status accd_release_records(struct leave *leave);
/* Attachments end whose pointer, or target, goes; until nothing more goes with them. */
accd_status accd_end_attachments(struct leave *leave);

#endif
