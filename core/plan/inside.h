/* inside.h - declarations that only the files of core/plan share. */
#ifndef ACCD_PLAN_INSIDE_H
#define ACCD_PLAN_INSIDE_H

#include "plan/plan.h"
#include "table/tuples.h"

/* True if a clause accepts present data and then copies nothing. */
static inline bool accd__accepts_present(unsigned flags)
{
    return flags & (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_COPY_ABSENT);
}

/* A clause of this construct that takes part in fusion, before it becomes an original. */
struct accd__fusion_candidate {
    uint32_t request; /* index of its first request */
    bool allocates;   /* some of its bytes are absent */
    uint64_t base, host, bytes;
    uint32_t more, nmore; /* index and number of its other pieces' requests, if split */
    uint16_t flags;       /* flags of its item */
    bool dropped, split;
};

/* Exit: an object of a tuple that loses something, as an element of a union-find forest. */
struct accd__tuple_occupant {
    struct accd__placement *placement;
    uint32_t up, before;   /* parent; root before the last merge */
    uint32_t first, count; /* `before` of a root's first member; number of its members */
    uint64_t low, high;
    uint64_t held; /* serial of a younger original that still connects a root; 0: it keeps its serial */
    bool several;  /* the root unites several parts */
    bool older;    /* originals as old as the tuple connect it to others */
};

/* -------------------------------------------------------------------------------- requests.c -- */

/* Returns the label of a request's item or field, or NULL. */
const accd_label *accd__request_label(const struct accd__plan_input *input, const struct accd__request *request);
/* Plans to write one pointer value. */
accd_status accd__plan_add_word(struct accd__plan *plan, uint64_t dev, uint64_t value);
/* Plans to fill a device range with one byte value. */
accd_status accd__plan_add_fill(struct accd__plan *plan, uint64_t dev, uint64_t bytes, uint8_t value);
/* Records the error of two overlapping requests and returns its status. Either neither contains the other or, where
 * list items count, the later request contains the owner. */
accd_status accd__report_overlap(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__request *owner);
/* Returns the first request in resolved.fresh with a byte in [host, host + bytes), or NULL. */
struct accd__request *accd__find_new_request(const struct accd__plan *plan, uint64_t host, uint64_t bytes);

/* ------------------------------------------------------------------------------ change_set.c -- */

/* Returns the device address of a byte of a request's object; of a moved object, the new address. */
uint64_t accd__request_dev(const struct accd__plan *plan, const struct accd__request *request, uint64_t host);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* Returns a walk of the same roots that probably found the same sections: that of a pending group, or of the group
 * retired last. NULL: none. Requires an item with elements. */
struct accd_walk *accd__find_similar_walk(const struct accd__device_env *env, const accd_construct *construct);

/* -------------------------------------------------------------------------------- presence.c -- */

/* True if `owner`, which makes an object, allocates all of a range in it. `request`: who needs the range, or NULL. */
bool accd__request_allocates(const struct accd__plan *plan, const struct accd__request *owner, uint64_t host,
                             uint64_t bytes, const struct accd__request *request);
/* Fails if a request from index `first` on that must be present is not. */
accd_status accd__plan_check_required(struct accd__plan *plan, size_t first);

/* ---------------------------------------------------------------------------------- tuples.c -- */

/* Adds a fusion candidate for a request, before that request is split. Requires plan->resolved.fusion. */
struct accd__fusion_candidate *accd__fuse_add_candidate(struct accd__plan *plan, uint32_t request);
/* Fails if two candidates with absent bytes overlap in part, and drops those that others make redundant. */
accd_status accd__compare_clauses(struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ fuse.c -- */

/* Plans the copies of shifted objects, except for the bytes of `ncut` requests, sorted by host address, that are
 * transferred from the host. */
accd_status accd__fuse_plan_copies(struct accd__plan *plan, const struct accd__pair *cut, size_t ncut);
/* Plans new device values of attached pointers to objects that move within the device. */
accd_status accd__fuse_plan_pointers(struct accd__plan *plan);
/* Re-indexes the shifted objects by device address, if that index exists. */
void accd__fuse_update_device_order(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- strided.c -- */

/* Collects the grids of items with dimensions in plan->input.gaps. Fails if a grid exceeds its item. */
accd_status accd__plan_item_grids(struct accd__plan *plan);
/* True if a request has gaps between its elements; *grid gets the elements. */
bool accd__request_grid(const struct accd__plan *plan, const struct accd__request *request, struct accd__grid *grid);
/* Plans a move for each element of a grid, limited to the range of the request. */
accd_status accd__plan_grid_moves(struct accd__plan *plan, uint32_t request, const struct accd__grid *grid, bool out);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* Plans to write the device value `dev` of an attached pointer, with its descriptor if it has one. */
accd_status accd__plan_add_attached_pointer(struct accd__plan *plan, const struct accd__attachment *attach,
                                            uint64_t dev);

#endif
