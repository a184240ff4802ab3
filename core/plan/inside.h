/* inside.h - declarations that only the files of core/plan share: candidates for fusion, parts of tuples, and helpers
 * of planning. plan.h explains requests, holes and groups; fusion.h explains tuples. */
#ifndef ACCD_PLAN_INSIDE_H
#define ACCD_PLAN_INSIDE_H

#include "plan/plan.h"
#include "table/tuples.h"

/* True if a clause with the item flags `flags` accepts present data: present_or_copy and similar clauses, and
 * present_and_copyin. Present bytes are then not copied. */
static inline bool accd__accepts_present(unsigned flags)
{
    return flags & (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_COPY_ABSENT);
}

/* A clause of this construct that takes part in fusion. The commit makes an original of it, the clause's record in
 * table/tuples.h. */
struct accd__fusion_candidate {
    uint32_t request; /* index of the first request of the clause */
    bool allocates;   /* some bytes of the clause are absent, so that memory is allocated for them */
    /* `base`: host address of element 0 of the clause's array, or equal to `host` if the clause gives no base. `host`,
     * `bytes`: host range of the clause */
    uint64_t base, host, bytes;
    /* if `split`: index of the request for the second piece of the clause, and number of pieces from that one on */
    uint32_t more, nmore;
    uint16_t flags; /* flags of the clause's item or field */
    /* `dropped`: the clause copies nothing, because its data are present or a larger clause copies them. `split`: the
     * clause was split into pieces, one request each */
    bool dropped, split;
};

/* Exit: an object that stays present in a tuple that may split (regroup in fusion.h), as an element of a union-find
 * forest. A tree of the forest is a part: objects that remaining clauses connect. The root of the tree stands for the
 * part. */
struct accd__tuple_occupant {
    struct accd__placement *placement;
    /* `up`: index of the parent; a root has its own index. `before`: index of the root before the latest call of
     * connect_occupants (split.c) */
    uint32_t up, before;
    uint32_t first, count; /* root: `before` of the first object of its part; number of objects of the part */
    /* root: host range of the objects of its part */
    uint64_t low, high;
    /* root: serial that the tuple of the part gets, if only clauses younger than its level connect it; 0: it keeps its
     * serial */
    uint64_t younger_serial;
    bool is_merged; /* root: the latest call of connect_occupants united several earlier parts in this one */
    bool older;     /* clauses (originals) of the tuple's level or an older one connect the object to others */
};

/* -------------------------------------------------------------------------------- requests.c -- */

/* Returns the label (source of names in messages) of the item of `request` or, for a walked section, of its field;
 * NULL: there is no label. */
const accd_label *accd__request_label(const struct accd__plan_input *input, const struct accd__request *request);
/* Plans to write the pointer value `value` to device address `dev`. Fails only without memory. */
accd_status accd__plan_add_word(struct accd__plan *plan, uint64_t dev, uint64_t value);
/* Plans to fill `bytes` bytes at device address `dev` with `value`. Fails only without memory. */
accd_status accd__plan_add_fill(struct accd__plan *plan, uint64_t dev, uint64_t bytes, uint8_t value);
/* Records ACCD_ERROR_PARTIAL_OVERLAP about the requests `request` and `owner` of one construct, and returns it. The
 * message says that neither contains the other. With the knob `counting` = `items` it may also say that the later
 * `request` contains `owner`. */
accd_status accd__report_overlap(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__request *owner);
/* Returns the first request, by host address, that makes an object with a byte in [host, host + bytes); NULL: no new
 * object has a byte there. */
struct accd__request *accd__find_new_request(const struct accd__plan *plan, uint64_t host, uint64_t bytes);

/* ------------------------------------------------------------------------------ change_set.c -- */

/* Returns the device address of the byte at host address `host` in the object of `request`. If fusion moves the object,
 * this is its address after the commit. Requires request->object. */
uint64_t accd__request_dev(const struct accd__plan *plan, const struct accd__request *request, uint64_t host);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* Returns an earlier walk whose roots (items with mapping programs) have the addresses and sizes of those of
 * `construct`, so that it probably found the same sections. It is the walk of a group (table/group.h), or of the group
 * that ended last. NULL: there is none. Requires an item with elements. */
struct accd_walk *accd__find_similar_walk(const struct accd__device_env *env, const accd_construct *construct);

/* -------------------------------------------------------------------------------- presence.c -- */

/* True if the object that request `owner` makes will contain the bytes of [host, host + bytes) without holes. The range
 * must lie in that of `owner`. `request`: request that needs the range, so that only bytes that its program does not
 * exclude count; NULL: all bytes count. */
bool accd__request_allocates(const struct accd__plan *plan, const struct accd__request *owner, uint64_t host,
                             uint64_t bytes, const struct accd__request *request);
/* Returns an error if a request with index `first` or greater has the `present` modifier but its data are absent, or
 * without memory. */
accd_status accd__plan_check_required(struct accd__plan *plan, size_t first);

/* ---------------------------------------------------------------------------------- tuples.c -- */

/* Adds and returns a fusion candidate for the request with index `request`. Must be called before that request is
 * split. Requires plan->resolved.fusion, which has capacity for it. */
struct accd__fusion_candidate *accd__fuse_add_candidate(struct accd__plan *plan, uint32_t request);
/* Returns ACCD_ERROR_PARTIAL_OVERLAP if two candidates with absent bytes overlap in part, or fails without memory. With
 * the knob `fusion`, drops candidates that accept present data and lie in another candidate, which then copies their
 * data. */
accd_status accd__compare_clauses(struct accd__plan *plan);

/* ------------------------------------------------------------------------------------ fuse.c -- */

/* Plans the copies of shifted objects (objects that move within the device, fusion.h). `cut`: `ncut` pairs {host
 * address, index of the request}, sorted by host address, of requests that the host sends; their bytes are left out.
 * Fails only without memory. */
accd_status accd__fuse_plan_copies(struct accd__plan *plan, const struct accd__pair *cut, size_t ncut);
/* Plans new device values of attached pointers that point to shifted objects (those that move within the device). Fails
 * only without memory. */
accd_status accd__fuse_plan_pointers(struct accd__plan *plan);
/* Replaces the keys of shifted objects in present.by_device, if that index is in use (present.device_order). Cannot
 * fail. */
void accd__fuse_update_device_order(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- strided.c -- */

/* Sets plan->input.gaps to the grids (positions of elements) of all items that have gaps. Returns ACCD_ERROR_MISUSE if
 * elements of a grid overlap or lie outside of its item, or fails without memory. */
accd_status accd__plan_item_grids(struct accd__plan *plan);
/* Returns true and sets *grid to the elements of `request` if there are gaps between them; otherwise returns false, and
 * *grid must not be used. */
bool accd__request_grid(const struct accd__plan *plan, const struct accd__request *request, struct accd__grid *grid);
/* Plans a move for each element of `grid`, limited to the range of the request with index `request`. `out`: device to
 * host. Fails only without memory. */
accd_status accd__plan_grid_moves(struct accd__plan *plan, uint32_t request, const struct accd__grid *grid, bool out);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* Plans to write the device value that an attached pointer will have after the commit, with its saved descriptor if it
 * has one, to device address `dev`. Fails only without memory. */
accd_status accd__plan_add_attached_pointer(struct accd__plan *plan, const struct accd__attachment *attach,
                                            uint64_t dev);

#endif
