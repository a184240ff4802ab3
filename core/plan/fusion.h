/* fusion.h - what a construct does about tuples: an entry puts data together, an exit takes them apart. */
#ifndef ACCD_FUSION_H
#define ACCD_FUSION_H

#include "plan/plan.h"
#include "table/tuples.h"

struct accd__fusion_candidate;
struct accd__tuple_occupant;

/* Why data are in one tuple: the reason whose rule events cite, the last one where there are several. */
enum accd__fusion_reason { ACCD_FUSED_BY_RANGE, ACCD_FUSED_BY_BASE, ACCD_FUSED_BY_PIECES };

/* A range that this construct fuses. */
struct accd__fusion_range {
    uint64_t host, end;
    uint64_t dev;                    /* of the first byte, once it has memory */
    uint64_t place, bytes;           /* its memory: a little before dev, so that alignment is the host's */
    struct accd__fused_tuple *cover; /* not NULL: the tuple that covers it; nothing is fused (ALIAS) */
    struct accd__fused_tuple *fused; /* once it is committed */
    enum accd__fusion_reason reason;
};

/* An object that moves within the device. */
struct accd__object_shift {
    struct accd__object *object;
    struct accd__placement *placement; /* NULL: it has none yet */
    uint64_t from, to;                 /* device addresses */
    uint64_t size;                     /* of the object before, with its flags */
    uint32_t range;                    /* entry: the one that takes it */
    uint64_t freed_bytes;              /* entry: bytes given back with it, of its tuple if it is the first */
    bool kept;                         /* entry: the place it leaves waits for it */
};

/* A copy within the device. */
struct accd__device_copy {
    uint64_t from, to, host, bytes;
    const struct accd__object *object;
};

/* Exit: a tuple that lost something. */
struct accd__regroup {
    struct accd__fused_tuple *fused;
    uint64_t least;                       /* serial of the oldest original that goes */
    struct accd__tuple_occupant *members; /* that stay present, by host address */
    uint32_t n;
};

/* What a construct does about tuples. In scratch space, but for the memory of ranges. */
struct accd__fusion {
    struct accd__fusion_candidate *candidates;
    size_t ncandidates, noriginals, blocks;
    struct accd__fusion_range *ranges;
    size_t nranges, nplaced; /* so many have memory */
    ACCD_SCRATCH_LIST(struct accd__object_shift) shifts;
    ACCD_SCRATCH_LIST(struct accd__device_copy) copies;
    ACCD_SCRATCH_LIST(struct accd__original *) ending; /* exit: originals that go */
    ACCD_SCRATCH_LIST(struct accd__regroup) regroups;
};

/* ---------------------------------------------------------------------------------- tuples.c -- */

/* Whether a construct can fuse anything; if not, fusion of its plan stays NULL. */
bool accd__can_fuse(const struct accd__plan *plan);
accd_status accd__fuse_begin(struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ fuse.c -- */

accd_status accd__fuse_plan(struct accd__plan *plan);
accd_status accd__fuse_reserve(struct accd__plan *plan);
accd_status accd__fuse_place(struct accd__plan *plan);
/* ACCD_ERROR_MISSING_WAIT if a queue that the construct does not come behind still uses what moves. */
accd_status accd__fuse_check_pending(const struct accd__plan *plan);
/* Device address for a new object, if it lies in a fused range; 0: it gets memory of its own. */
uint64_t accd__fuse_dev(const struct accd__plan *plan, uint64_t host);
accd_status accd__fuse_plan_moves(struct accd__plan *plan);
void accd__fuse_commit(struct accd__plan *plan, struct accd_region *region, uint64_t serial);
void accd__fuse_undo(struct accd__plan *plan);

/* ---------------------------------------------------------------------------------- unfuse.c -- */

/* Where anything has a share; otherwise fusion of the plan stays NULL. */
accd_status accd__split_begin(struct accd__plan *plan);
/* The clause goes with this construct. */
accd_status accd__split_end_original(struct accd__plan *plan, struct accd__original *original);
/* The same for every enter data that begins in an object. */
accd_status accd__split_end_enter_data(struct accd__plan *plan, const struct accd__object *object);
accd_status accd__split_plan(struct accd__plan *plan, struct accd__object *const *dying, size_t ndying);
void accd__split_commit(struct accd__plan *plan);
/* The exit is not carried out: its marks mean nothing any more. */
void accd__split_undo(struct accd__plan *plan);
/* Before an object is removed: its share, originals and former places go. */
void accd__free_placement(struct accd__device_env *env, const struct accd__object *object);

/* Whether a new object lies in a range that the construct fuses. */
static inline bool accd__fuse_covers(const struct accd__plan *plan, uint64_t host)
{
    return plan->resolved.fusion && accd__fuse_dev(plan, host);
}

#endif
