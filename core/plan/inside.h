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
    uint32_t request; /* index of the first request of the clause */
    bool allocates;   /* some bytes of the clause are absent, so that memory is allocated for them */
    /* host address of element 0 of the array of the clause, or `host` if the clause gives no base; then the host range
     * of the clause */
    uint64_t base, host, bytes;
    /* index of the first request, and number of requests, of the further pieces of a split clause */
    uint32_t more, nmore;
    uint16_t flags; /* flags of the clause's item or field */
    /* dropped: another clause moves the data; split: the clause was split into pieces */
    bool dropped, split;
};

/* Exit: an object that stays in a tuple of a regroup (fusion.h), as an element of a union-find forest. A root stands
 * for a part: all objects of its tree. */
struct accd__tuple_occupant {
    struct accd__placement *placement;
    /* index of the parent, or of the element itself for a root; index of the root before the last merge */
    uint32_t up, before;
    uint32_t first, count; /* root: `before` of its first member; number of its members */
    /* root: host range of its members */
    uint64_t low, high;
    /* root: serial of a younger original that still connects it; 0: the tuple keeps its serial */
    uint64_t younger_serial;
    bool is_merged; /* root: the last merge united several parts */
    bool older;     /* originals that are as old as the tuple connect the object to others */
};

/* -------------------------------------------------------------------------------- requests.c -- */

/* Returns the label of the item or field of `request`; NULL: the item or field has no label. */
const accd_label *accd__request_label(const struct accd__plan_input *input, const struct accd__request *request);
/* Plans to write the pointer value `value` to device address `dev`. Fails only without memory. */
accd_status accd__plan_add_word(struct accd__plan *plan, uint64_t dev, uint64_t value);
/* Plans to fill `bytes` bytes at device address `dev` with `value`. Fails only without memory. */
accd_status accd__plan_add_fill(struct accd__plan *plan, uint64_t dev, uint64_t bytes, uint8_t value);
/* Records the error that `request` and `owner` overlap, and returns its status. The error says that neither contains
 * the other or, where list items count, that the later `request` contains `owner`. */
accd_status accd__report_overlap(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__request *owner);
/* Returns the first request, by host address, that makes an object with a byte in [host, host + bytes); NULL: no new
 * object has a byte there. */
struct accd__request *accd__find_new_request(const struct accd__plan *plan, uint64_t host, uint64_t bytes);

/* ------------------------------------------------------------------------------ change_set.c -- */

/* Returns the device address of the byte `host` in the object of `request`; the new address if the construct moves the
 * object. Requires request->object. */
uint64_t accd__request_dev(const struct accd__plan *plan, const struct accd__request *request, uint64_t host);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* Returns a walk with the same roots as `construct`, which probably found the same sections: the walk of a group
 * (table/group.h), or of the group that ended last. NULL: there is no such walk. Requires an item with elements. */
struct accd_walk *accd__find_similar_walk(const struct accd__device_env *env, const accd_construct *construct);

/* -------------------------------------------------------------------------------- presence.c -- */

/* True if the object that `owner` makes will contain all bytes of [host, host + bytes), without holes. The range must
 * lie in that of `owner`. `request`: request that needs the range, or NULL. */
bool accd__request_allocates(const struct accd__plan *plan, const struct accd__request *owner, uint64_t host,
                             uint64_t bytes, const struct accd__request *request);
/* Returns an error if a request from index `first` on must be present (`present` modifier) and is not, or without
 * memory. */
accd_status accd__plan_check_required(struct accd__plan *plan, size_t first);

/* ---------------------------------------------------------------------------------- tuples.c -- */

/* Adds and returns a fusion candidate for the request with index `request`. Must be called before that request is
 * split. Requires plan->resolved.fusion, which has capacity for it. */
struct accd__fusion_candidate *accd__fuse_add_candidate(struct accd__plan *plan, uint32_t request);
/* Returns an error if two candidates with absent bytes overlap in part, or without memory. Drops the candidates that
 * other candidates make redundant. */
accd_status accd__compare_clauses(struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ fuse.c -- */

/* Plans the copies of shifted objects within the device, without the bytes that requests send from the host. `cut`:
 * `ncut` pairs {host address, index of the request} of these requests, sorted by host address. Fails only without
 * memory. */
accd_status accd__fuse_plan_copies(struct accd__plan *plan, const struct accd__pair *cut, size_t ncut);
/* Plans new device values of attached pointers to objects that move within the device. Fails only without memory. */
accd_status accd__fuse_plan_pointers(struct accd__plan *plan);
/* Updates the device addresses of shifted objects in the index by device address, if that index exists. Cannot fail. */
void accd__fuse_update_device_order(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- strided.c -- */

/* Collects the grids (elements with gaps) of items with dimensions in plan->input.gaps. Returns ACCD_ERROR_MISUSE if a
 * grid exceeds its item, or fails without memory. */
accd_status accd__plan_item_grids(struct accd__plan *plan);
/* Returns true and sets *grid to the elements of `request` if there are gaps between them; otherwise returns false, and
 * *grid must not be used. */
bool accd__request_grid(const struct accd__plan *plan, const struct accd__request *request, struct accd__grid *grid);
/* Plans a move for each element of `grid`, limited to the range of the request with index `request`. `out`: device to
 * host. Fails only without memory. */
accd_status accd__plan_grid_moves(struct accd__plan *plan, uint32_t request, const struct accd__grid *grid, bool out);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* Plans to write the device value of an attached pointer, with its descriptor if it has one, to device address `dev`.
 * Fails only without memory. */
accd_status accd__plan_add_attached_pointer(struct accd__plan *plan, const struct accd__attachment *attach,
                                            uint64_t dev);

#endif
