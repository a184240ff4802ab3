/* fusion.h - how a construct changes tuples: an entry fuses data into one block, an exit splits tuples.
 *
 * A tuple is a block of device memory in which several objects lie at the distances that they have on the host. An
 * original is the record of a clause that keeps objects of a tuple together. A placement is the record that tells the
 * tuple of an object; a vacated slot is a former place of an object, to which it may return. A shift is the move of an
 * object within the device. A serial is the number of a construct; serials grow. table/tuples.h describes these
 * records; fuse.c and split.c describe the algorithms. The functions are called in this order:
 *     entry: fuse_begin, fuse_plan, fuse_reserve, fuse_place, fuse_plan_moves, then fuse_commit or fuse_undo
 *     exit:  split_begin, split_end_original..., split_plan, then split_commit or split_undo
 *
 * Each of the lists below lies in scratch space, so that it is freed with the construct. */
#ifndef ACCD_FUSION_H
#define ACCD_FUSION_H

#include "plan/plan.h"
#include "table/tuples.h"

struct accd__fusion_candidate;
struct accd__tuple_occupant;

/* Reason for a fusion range: its clauses intersect (RANGE), have one base address (BASE), or one of them is present in
 * part (PIECES). Events cite the rule of the reason. If several reasons hold, the greatest value counts. */
enum accd__fusion_reason { ACCD_FUSED_BY_RANGE, ACCD_FUSED_BY_BASE, ACCD_FUSED_BY_PIECES };

/* A host range that this construct fuses. */
struct accd__fusion_range {
    uint64_t host, end;
    uint64_t dev; /* device address of the first byte of the range, set by accd__fuse_place */
    /* device address and size of the allocated block. Up to 15 bytes of padding precede `dev`, so that the block has
     * the alignment of the host data */
    uint64_t place, bytes;
    /* present tuple that contains the whole range, so that no block is allocated (ALIAS in Figure 2 of document DIR);
     * NULL: a block is allocated (ALLOC) */
    struct accd__fused_tuple *cover;
    /* new tuple of the range, set by accd__fuse_commit; NULL before that, or if `cover` is set */
    struct accd__fused_tuple *fused;
    enum accd__fusion_reason reason;
};

/* A shift: an object that moves within the device. Comments that begin with "entry" or "exit" are about fields that
 * only that kind of construct uses. */
struct accd__object_shift {
    struct accd__object *object;
    /* record of the object in the tuples (table/tuples.h); NULL: the object has no placement yet */
    struct accd__placement *placement;
    uint64_t from, to; /* device addresses of the object before and after the move */
    uint64_t size;     /* field `size` of the object before the move: bytes and flags */
    uint32_t range;    /* entry: index of the fusion range that contains the object */
    /* entry: number of bytes that the event of freed memory reports; 0 if the old place is kept. The first object of a
     * tuple reports all bytes of the tuple, its other objects report none */
    uint64_t freed_bytes;
    bool keeps_slot; /* entry: the old place becomes a vacated slot, to which the object may return */
    bool shared;     /* exit: the new place is in a shared block */
};

/* A copy within the device, from address `from` to address `to`. `host`: host address of the first copied byte. */
struct accd__device_copy {
    uint64_t from, to, host, bytes;
    /* object that contains the copied bytes */
    const struct accd__object *object;
};

/* Exit: a tuple that loses an object or an original (a clause that keeps data together, see table/tuples.h). */
struct accd__regroup {
    struct accd__fused_tuple *fused;
    /* smallest serial of an original that ends: number of the oldest construct of which a clause ends */
    uint64_t least;
    struct accd__tuple_occupant *members; /* objects that stay present, by host address */
    /* number of elements of `members` */
    uint32_t n;
};

/* The changes of tuples by one construct. All lists are in scratch space; the blocks of ranges are device memory. */
struct accd__fusion {
    struct accd__fusion_candidate *candidates;
    /* number of `candidates`; number of originals that the commit inserts; number of device blocks that the commit
     * records */
    size_t ncandidates, noriginals, blocks;
    struct accd__fusion_range *ranges;
    size_t nranges, nplaced; /* number of ranges; number of ranges, from the first on, that have device memory */
    ACCD_SCRATCH_LIST(struct accd__object_shift) shifts;
    ACCD_SCRATCH_LIST(struct accd__device_copy) copies;
    ACCD_SCRATCH_LIST(struct accd__original *) ending; /* exit: originals that end */
    ACCD_SCRATCH_LIST(struct accd__regroup) regroups;
};

/* ---------------------------------------------------------------------------------- tuples.c -- */

/* True if the construct of `plan` may fuse data, because of the rules, a modifier or a present tuple. If false, the
 * caller leaves plan->resolved.fusion NULL. */
bool accd__can_fuse(const struct accd__plan *plan);
/* Sets plan->resolved.fusion, with capacity for a candidate for each request. Fails only without memory. */
accd_status accd__fuse_begin(struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ fuse.c -- */

/* Computes plan->resolved.fusion->ranges, the host ranges to fuse, from the candidates (fusion 1 and 2 of Figure 2).
 * Returns ACCD_ERROR_PARTIAL_OVERLAP if two clauses overlap in part, or fails without memory. */
accd_status accd__fuse_plan(struct accd__plan *plan);
/* Lists the shifts (objects that move within the device), and reserves all records that the commit inserts. Returns
 * ACCD_ERROR_MISSING_WAIT if a queue still uses an object that moves, or fails without memory. */
accd_status accd__fuse_reserve(struct accd__plan *plan);
/* Allocates the blocks of the ranges and notes the new addresses of shifted objects. Returns an error if the device has
 * no memory or a queue fails; the caller then calls accd__fuse_undo. */
accd_status accd__fuse_place(struct accd__plan *plan);
/* Returns ACCD_ERROR_MISSING_WAIT if a queue that does not precede this construct still uses an object that moves. */
accd_status accd__fuse_check_pending(const struct accd__plan *plan);
/* Returns the device address of `host` in the fusion range that contains it; 0: no range contains `host`. Requires
 * plan->resolved.fusion. */
uint64_t accd__fuse_dev(const struct accd__plan *plan, uint64_t host);
/* Plans the copies of shifted objects within the device, and new values of attached pointers in and to these objects.
 * Fails only without memory. */
accd_status accd__fuse_plan_moves(struct accd__plan *plan);
/* Inserts the new tuples and the originals, which get the number `serial` of the construct, and changes the placements
 * of shifted and new objects. `region`: region that the entry begins, which lists its originals; NULL: it begins no
 * region. Cannot fail. */
void accd__fuse_commit(struct accd__plan *plan, struct accd_region *region, uint64_t serial);
/* Frees the blocks that accd__fuse_place allocated. */
void accd__fuse_undo(struct accd__plan *plan);

/* ----------------------------------------------------------------------------------- split.c -- */

/* Begins an exit: sets plan->resolved.fusion to an empty record if the device has any placement (record of an object in
 * tuples). Otherwise plan->resolved.fusion stays NULL. Also makes marks of earlier exits void. Fails only without
 * memory. */
accd_status accd__split_begin(struct accd__plan *plan);
/* Marks `original` and all other pieces of its clause as ending with this construct. Fails only without memory. */
accd_status accd__split_end_original(struct accd__plan *plan, struct accd__original *original);
/* Marks all originals of enter data that begin in `object` as ending. Fails only without memory. */
accd_status accd__split_end_enter_data(struct accd__plan *plan, const struct accd__object *object);
/* Plans how tuples split when the `ndying` objects `dying` are removed: lists shifts and copies, plans new values of
 * attached pointers, and reserves records. Fails only without memory. */
accd_status accd__split_plan(struct accd__plan *plan, struct accd__object *const *dying, size_t ndying);
/* Frees the marked originals, and makes new tuples of the parts of each tuple that lost an object or an original.
 * Cannot fail. */
void accd__split_commit(struct accd__plan *plan);
/* Makes the marks on originals and tuples void, for an exit that failed. */
void accd__split_undo(struct accd__plan *plan);
/* Frees the placement of `object` with its originals and vacated slots, before the object is removed. Does nothing if
 * the object has no placement. */
void accd__free_placement(struct accd__device_env *env, const struct accd__object *object);

/* True if the construct fuses a range that contains the host address `host`, so that a new object there gets its place
 * in the block of the range. False without fusion. */
static inline bool accd__fuse_covers(const struct accd__plan *plan, uint64_t host)
{
    return plan->resolved.fusion && accd__fuse_dev(plan, host);
}

#endif
