/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_PLAN_INSIDE_H
#define ACCD_PLAN_INSIDE_H

#include "plan/plan.h"
#include "table/tuples.h"

/* Present data are welcome to the clause, and then it asks for nothing. */
static inline bool accd_present_or(unsigned flags)
{
    return flags & (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_KEEP);
}

/* A clause of this construct, before it is an original. */
struct accd_candidate {
    uint32_t claim;             /* its first one */
    bool allocates;             /* some of its bytes are absent */
    uint64_t base, host, bytes;
    uint32_t more, nmore;       /* split: claims of the other pieces */
    uint16_t flags;             /* of its item */
    bool dropped, split;
};

/* Exit: objects of a tuple that lost something. */
struct accd_occupant {
    struct accd_share *share;
    uint32_t up, before;        /* union-find; its root before a tuple joined it */
    uint32_t first, count;      /* of a root: the first before; members */
    uint64_t low, high;
    uint64_t held;              /* of a root: serial of what holds it together since, 0: as it was */
    bool several;               /* of a root: it is made of parts */
    bool older;                 /* that hold together by what is as old as their tuple */
};

/* ---------------------------------------------------------------------------------- claims.c -- */

/* The label of what a claim names, or NULL. */
const accd_label *accd_claim_label(const struct accd_given *given, const struct accd_claim *claim);
accd_status accd_plan_word(struct accd_plan *plan, uint64_t dev, uint64_t value);
/* Bytes of one value, as words. */
accd_status accd_plan_fill(struct accd_plan *plan, uint64_t dev, uint64_t bytes, uint8_t value);
/* The error of two claims of a construct that overlap: neither contains the other, or, where list items count, the
 * claim comes after the owner and contains it. */
accd_status accd_overlap_error(const struct accd_plan *plan, const struct accd_claim *claim,
                               const struct accd_claim *owner);
/* The claim of a construct that makes an object with a byte in [host, host + bytes), or NULL. */
struct accd_claim *accd_fresh_in(const struct accd_plan *plan, uint64_t host, uint64_t bytes);

/* ---------------------------------------------------------------------------------- ledger.c -- */

/* The device address of a byte of a claim's object, of one that is fused the new one. */
uint64_t accd_claim_dev(const struct accd_plan *plan, const struct accd_claim *claim, uint64_t host);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* A walk of the same roots that likely found what the construct will find, or NULL: that of a pending
 * group, or of the one that died last. */
struct accd_walk *accd_group_before(const struct accd_directory *dir, const accd_construct *construct);

/* -------------------------------------------------------------------------------- presence.c -- */

/* Whether a claim that makes an object allocates a range in it; claim: who asks for it, or NULL. */
bool accd_claim_keeps(const struct accd_plan *plan, const struct accd_claim *owner, uint64_t host,
                      uint64_t bytes, const struct accd_claim *claim);
/* Claims from the first one on that must be present, are. */
accd_status accd_plan_required(struct accd_plan *plan, size_t first);

/* ---------------------------------------------------------------------------------- tuples.c -- */

/* Makes a clause take part. Before it is cut, if it is. */
struct accd_candidate *accd_fuse_candidate(struct accd_plan *plan, uint32_t claim);
accd_status accd_compare_clauses(struct accd_plan *plan);

/* ------------------------------------------------------------------------------------ fuse.c -- */

/* Copies of what shifts, but for claims (pairs of host address and number) whose bytes come otherwise. */
accd_status accd_fuse_copies(struct accd_plan *plan, const struct accd_pair *cut, size_t ncut);
/* Attached pointers to objects that move within the device are to point to their new places. */
accd_status accd_fuse_pointers(struct accd_plan *plan);
void accd_fuse_device_order(struct accd_plan *plan);

/* --------------------------------------------------------------------------------- strided.c -- */

/* Items of a construct that have any. */
accd_status accd_plan_gaps(struct accd_plan *plan);
/* Whether a claim has gaps, and its elements; their moves. */
bool accd_claim_grid(const struct accd_plan *plan, const struct accd_claim *claim, struct accd_grid *grid);
accd_status accd_plan_grid(struct accd_plan *plan, uint32_t claim, const struct accd_grid *grid, bool out);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* The device value of an attached pointer, of a descriptor all of it. */
accd_status accd_plan_attached(struct accd_plan *plan, const struct accd_attach *attach, uint64_t dev);

#endif
