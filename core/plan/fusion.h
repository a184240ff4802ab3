/* fusion.h - what a construct does about tuples: an entry puts data together, an exit takes them apart. */
#ifndef ACCD_FUSION_H
#define ACCD_FUSION_H

#include "plan/plan.h"
#include "table/tuples.h"

struct accd_candidate;
struct accd_occupant;

/* Why data are in one tuple: the reason whose rule events cite, the last one where there are several. */
enum accd_reason { ACCD_BY_RANGE, ACCD_BY_BASE, ACCD_BY_PIECES };

/* A range that this construct fuses. */
struct accd_fused_range {
    uint64_t host, end;
    uint64_t dev;               /* of the first byte, once it has memory */
    uint64_t place, bytes;      /* its memory: a little before dev, so that alignment is the host's */
    struct accd_fused *home;    /* not NULL: the tuple that covers it; nothing is fused (ALIAS) */
    struct accd_fused *fused;   /* once it is committed */
    enum accd_reason reason;
};

/* An object that moves within the device. */
struct accd_shift {
    struct accd_object *object;
    struct accd_share *share;   /* NULL: it has none yet */
    uint64_t from, to;          /* device addresses */
    uint64_t size;              /* of the object before, with its flags */
    uint32_t range;             /* entry: the one that takes it */
    uint64_t left;              /* entry: bytes given back with it, of its tuple if it is the first */
    bool kept;                  /* entry: the place it leaves waits for it */
};

/* A copy within the device. */
struct accd_copy {
    uint64_t from, to, host, bytes;
    const struct accd_object *object;
};

/* Exit: a tuple that lost something. */
struct accd_regroup {
    struct accd_fused *fused;
    uint64_t least;             /* serial of the oldest original that goes */
    struct accd_occupant *members; /* that stay present, by host address */
    uint32_t n;
};

/* What a construct does about tuples. In scratch space, but for the memory of ranges. */
struct accd_fusion {
    struct accd_candidate *candidates;
    size_t ncandidates, noriginals, blocks;
    struct accd_fused_range *ranges;
    size_t nranges, nplaced;    /* so many have memory */
    ACCD_LIST(struct accd_shift) shifts;
    ACCD_LIST(struct accd_copy) copies;
    ACCD_LIST(struct accd_original *) ending; /* exit: originals that go */
    ACCD_LIST(struct accd_regroup) regroups;
};

/* ---------------------------------------------------------------------------------- tuples.c -- */

/* Whether a construct can fuse anything; if not, fusion of its plan stays NULL. */
bool accd_fuse_wanted(const struct accd_plan *plan);
accd_status accd_fuse_begin(struct accd_plan *plan);

/* ------------------------------------------------------------------------------------ fuse.c -- */

accd_status accd_fuse_plan(struct accd_plan *plan);
accd_status accd_fuse_reserve(struct accd_plan *plan);
accd_status accd_fuse_place(struct accd_plan *plan);
/* ACCD_MISSING_WAIT if a queue that the construct does not come behind still uses what moves. */
accd_status accd_fuse_pending(const struct accd_plan *plan);
/* Device address for a new object, if it lies in a fused range; 0: it gets memory of its own. */
uint64_t accd_fuse_dev(const struct accd_plan *plan, uint64_t host);
accd_status accd_fuse_moves(struct accd_plan *plan);
void accd_fuse_commit(struct accd_plan *plan, struct accd_region *region, uint64_t serial);
void accd_fuse_undo(struct accd_plan *plan);

/* ---------------------------------------------------------------------------------- unfuse.c -- */

/* Where anything has a share; otherwise fusion of the plan stays NULL. */
accd_status accd_unfuse_begin(struct accd_plan *plan);
/* The clause goes with this construct. */
accd_status accd_unfuse_original(struct accd_plan *plan, struct accd_original *original);
/* The same for every enter data that begins in an object. */
accd_status accd_unfuse_opened(struct accd_plan *plan, const struct accd_object *object);
accd_status accd_unfuse_plan(struct accd_plan *plan, struct accd_object *const *dying, size_t ndying);
void accd_unfuse_commit(struct accd_plan *plan);
/* The exit is not carried out: its marks mean nothing any more. */
void accd_unfuse_undo(struct accd_plan *plan);
/* Before an object is removed: its share, originals and former places go. */
void accd_share_free(struct accd_directory *dir, const struct accd_object *object);

/* Whether a new object lies in a range that the construct fuses. */
static inline bool accd_fuse_covers(const struct accd_plan *plan, uint64_t host)
{
    return plan->found.fusion && accd_fuse_dev(plan, host);
}

#endif
