/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_PLAN_INSIDE_H
#define ACCD_PLAN_INSIDE_H

#include "plan/plan.h"
#include "table/tuples.h"

/* Present data are welcome to the clause, and then it asks for nothing. */
static inline bool accd__accepts_present(unsigned flags)
{
    return flags & (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_COPY_ABSENT);
}

/* A clause of this construct, before it is an original. */
struct accd__fusion_candidate {
    uint32_t request; /* its first one */
    bool allocates;   /* some of its bytes are absent */
    uint64_t base, host, bytes;
    uint32_t more, nmore; /* split: claims of the other pieces */
    uint16_t flags;       /* of its item */
    bool dropped, split;
};

/* Exit: objects of a tuple that lost something. */
struct accd__tuple_occupant {
    struct accd__placement *placement;
    uint32_t up, before;   /* union-find; its root before a tuple joined it */
    uint32_t first, count; /* of a root: the first before; members */
    uint64_t low, high;
    uint64_t held; /* of a root: serial of what holds it together since, 0: as it was */
    bool several;  /* of a root: it is made of parts */
    bool older;    /* that hold together by what is as old as their tuple */
};

/* ---------------------------------------------------------------------------------- claims.c -- */

/* The label of what a claim names, or NULL. */
const accd_label *accd__request_label(const struct accd__plan_input *input, const struct accd__request *request);
accd_status accd__plan_add_word(struct accd__plan *plan, uint64_t dev, uint64_t value);
/* Bytes of one value, as words. */
accd_status accd__plan_add_fill(struct accd__plan *plan, uint64_t dev, uint64_t bytes, uint8_t value);
/* The error of two claims of a construct that overlap: neither contains the other, or, where list items count, the
 * claim comes after the owner and contains it. */
accd_status accd__report_overlap(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__request *owner);
/* The claim of a construct that makes an object with a byte in [host, host + bytes), or NULL. */
struct accd__request *accd__find_new_request(const struct accd__plan *plan, uint64_t host, uint64_t bytes);

/* ---------------------------------------------------------------------------------- ledger.c -- */

/* The device address of a byte of a claim's object, of one that is fused the new one. */
uint64_t accd__request_dev(const struct accd__plan *plan, const struct accd__request *request, uint64_t host);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* A walk of the same roots that likely found what the construct will find, or NULL: that of a pending
 * group, or of the one that died last. */
struct accd_walk *accd__find_similar_walk(const struct accd__device_env *env, const accd_construct *construct);

/* -------------------------------------------------------------------------------- presence.c -- */

/* Whether a claim that makes an object allocates a range in it; claim: who asks for it, or NULL. */
bool accd__request_allocates(const struct accd__plan *plan, const struct accd__request *owner, uint64_t host,
                             uint64_t bytes, const struct accd__request *request);
/* Claims from the first one on that must be present, are. */
accd_status accd__plan_check_required(struct accd__plan *plan, size_t first);

/* ---------------------------------------------------------------------------------- tuples.c -- */

/* Makes a clause take part. Before it is cut, if it is. */
struct accd__fusion_candidate *accd__fuse_add_candidate(struct accd__plan *plan, uint32_t request);
accd_status accd__compare_clauses(struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ fuse.c -- */

/* Copies of what shifts, but for claims (pairs of host address and number) whose bytes come otherwise. */
accd_status accd__fuse_plan_copies(struct accd__plan *plan, const struct accd__pair *cut, size_t ncut);
/* Attached pointers to objects that move within the device are to point to their new places. */
accd_status accd__fuse_plan_pointers(struct accd__plan *plan);
void accd__fuse_update_device_order(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- strided.c -- */

/* Items of a construct that have any. */
accd_status accd__plan_item_grids(struct accd__plan *plan);
/* Whether a claim has gaps, and its elements; their moves. */
bool accd__request_grid(const struct accd__plan *plan, const struct accd__request *request, struct accd__grid *grid);
accd_status accd__plan_grid_moves(struct accd__plan *plan, uint32_t request, const struct accd__grid *grid, bool out);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* The device value of an attached pointer, of a descriptor all of it. */
accd_status accd__plan_add_attached_pointer(struct accd__plan *plan, const struct accd__attachment *attach,
                                            uint64_t dev);

#endif
