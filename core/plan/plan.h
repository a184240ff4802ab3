/* plan.h - the plan of a construct: what it requests, what it finds present, and what it will change.
 *
 * A construct passes through three phases. Planning writes only the plan itself and memory that it can give back, so
 * a construct that must fail fails before it changes the device, a counter or the host.
 *
 *     accd_construct: items
 *         | begin.c: one request for each item; mapping programs are walked
 *         v
 *     plan.input        construct, sources, walk
 *         | entry: resolve.c, presence.c          exit and update: core/ops
 *         v
 *     plan.resolved     requests with states; fresh = requests that make objects, by host address
 *         | bytes.c, requests.c, attach_plan.c, fuse.c, split.c
 *         v
 *     plan.changes      moves, words, descriptor_writes, clears, change_set
 *         | core/ops: reserves records, allocates device memory, sends one batch of transfers
 *         v
 *     commit            records change; nothing can fail any more
 *
 * Life of a request: it begins UNRESOLVED and becomes one of
 *     PRESENT      lies in a present object
 *     NEW          makes an object
 *     WITHIN_NEW   lies in an object that request `owner` makes
 *     FILLS_HOLE   unnamed bytes of a storage object
 *     SKIPPED      does nothing
 * A request that is present in part is split: its first piece keeps its index, the other pieces are appended.
 *
 * Invariants:
 * - Requests of items come first, in item order; then those of sections of the walk; then pieces of split requests.
 * - resolved.fresh is sorted by host address, and its ranges are disjoint.
 * - Everything lies in the context's scratch space, which accd__plan_end resets. */
#ifndef ACCD_PLAN_H
#define ACCD_PLAN_H

#include "queue/queue.h"

struct accd__bulk;
struct accd__fusion;
struct accd__change_set;

/* True if `request` copies bytes from the host although an object contains them: because of update_and_copy or
 * `always`, or because they fill a hole of a storage object. (Storage objects are allocated by hold; their unnamed
 * bytes are holes.) */
static inline bool accd__request_updates_present(const struct accd__request *request)
{
    return request->state == ACCD_REQUEST_FILLS_HOLE ||
           (request->state == ACCD_REQUEST_PRESENT &&
            request->flags & (ACCD_ITEM_UPDATE_PRESENT | ACCD_ITEM_ALWAYS_IN));
}

/* A transfer of consecutive bytes of one object. */
struct accd__move {
    uint64_t host, dev, bytes;
    /* index of the request whose name events give to the move; index of the piece of that request's mapping program,
     * ACCD_WHOLE_REQUEST or ACCD_GRID_ELEMENT */
    uint32_t request, piece;
    uint32_t row; /* index, in its rowset, of the element to which the piece belongs */
    bool out;     /* true: device to host; false: host to device */
};

#define ACCD_WHOLE_REQUEST UINT32_MAX
#define ACCD_GRID_ELEMENT (UINT32_MAX - 1) /* value of `piece`: an element of a section with gaps */

/* A pointer value, or its first bytes, to be written to a device address. */
struct accd__word {
    uint64_t dev, value;
    uint32_t bytes; /* number of bytes to write, at most 8 */
};

/* Range of bytes to clear, in device memory that the construct allocates. */
struct accd__clear_range {
    uint64_t host, dev, bytes;
};

/* A descriptor to be written to device address `dev`, before any word: `value`, its address part, followed by the
 * `bytes` bytes at `from`. */
struct accd__descriptor_write {
    uint64_t dev, value;
    const void *from;
    uint32_t bytes;
};

/* The input of a plan: the items of a construct, their sources, and the walk of their mapping programs. Nothing has
 * been looked up in the present table yet. */
struct accd__plan_input {
    const accd_construct *construct;
    const struct accd_region *leaving; /* region that this construct ends; NULL: the construct ends no region */
    struct accd__queue *queue;         /* queue that executes the work later; NULL: the work is executed now */
    struct accd__item_source *sources; /* sources[i]: label and host range of item i, one for each item */
    struct accd__item_grid *gaps;      /* grids of the items that have gaps between their elements, sorted by item */
    size_t ngaps;
    /* walk of the items with mapping programs; NULL: no item has one */
    struct accd_walk *walk;
    unsigned item_flags; /* union of the flags of all items */
};

/* The requests of a plan, resolved against the present table. */
struct accd__plan_resolution {
    /* true if this construct has made `group`; false: a present group matches */
    bool new_group;
    /* group (table/group.h: sections handled as a unit) that contains the sections of the walk; NULL: no group */
    struct accd__group *group;
    struct accd__request *requests;
    size_t nrequests, requests_capacity;
    const uint32_t *fresh; /* indices of requests that make objects, sorted by host address */
    size_t nfresh;
    struct accd__fusion *fusion; /* NULL: the construct has nothing to do with tuples */
};

/* The changes of records that the commit will make, and the transfers. */
struct accd__plan_changes {
    struct accd__change_set *change_set; /* changes of present records (change_set.h); NULL: only counters grow */
    struct accd__bulk *bulk;             /* transfers of a group (core/ops/bulk.c); NULL: no group is transferred */
    ACCD_SCRATCH_LIST(struct accd__clear_range) clears; /* new device memory to clear; no move writes it */
    ACCD_SCRATCH_LIST(struct accd__move) moves;
    ACCD_SCRATCH_LIST(struct accd__word) words;
    ACCD_SCRATCH_LIST(struct accd__descriptor_write) descriptor_writes;
};

/* A construct that is being planned. Its arrays lie in scratch space; the caller gives device memory back on failure.
 */
struct accd__plan {
    accd_context *context;
    struct accd__device_env *env;
    struct accd__plan_input input;
    struct accd__plan_resolution resolved;
    struct accd__plan_changes changes;
};

/* ----------------------------------------------------------------------------------- begin.c -- */

/* Initializes `plan` with a request for each item, and walks the mapping programs of the items. Returns an error if the
 * rules reject an item, for example because its host memory may not be read, or without memory. accd__plan_end must be
 * called after a failure, too. */
accd_status accd__plan_begin(struct accd__plan *plan, struct accd__device_env *env, const accd_construct *construct);
/* Appends a request for each mapped section of the walk. Returns an error if a section with the `present` modifier is
 * absent, or without memory. Requires plan->input.walk. */
accd_status accd__plan_add_sections(struct accd__plan *plan);
/* Releases the walk and the reserved records of `plan`, and resets the scratch space. */
void accd__plan_end(struct accd__plan *plan);

/* ---------------------------------------------------------------------------------- faults.c -- */

/* Walks the items of a construct like accd__walk_new, and sets *walk_p to the walk, which the caller releases. If a
 * section cannot be computed, or without memory, records and returns the error, and leaves *walk_p unchanged or NULL.
 */
accd_status accd__walk_items(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                             struct accd_walk **walk_p);

/* -------------------------------------------------------------------------------- requests.c -- */

/* True if `request`, which is for a base pointer, increments the counter of its object. Requires request->object. */
bool accd__pointer_request_counts(const struct accd__plan *plan, const struct accd__request *request);
/* Plans to write `value`, the device value of the pointer at host address `slot`, to device address `dev`. If `rest` is
 * not NULL, writes a descriptor of `bytes` bytes, whose bytes after the pointer are at `rest`; these must stay valid
 * until the write. An attached pointer inside the descriptor keeps its device value. Fails only without memory. */
accd_status accd__plan_add_pointer(struct accd__plan *plan, uint64_t slot, uint64_t dev, uint64_t value,
                                   const void *rest, uint32_t bytes);
/* Returns the size in bytes of the descriptor that begins with the pointer of `request`; 0: the pointer is a plain one.
 */
uint32_t accd__request_slot_bytes(const struct accd__plan_input *input, const struct accd__request *request);
/* Appends a copy of `move` to plan->changes.moves. Fails only without memory. */
accd_status accd__plan_add_move(struct accd__plan *plan, const struct accd__move *move);
/* Returns the item source of `request`; NULL: the request comes from a walked section. */
const struct accd__item_source *accd__request_source(const struct accd__plan_input *input,
                                                     const struct accd__request *request);
/* Returns the segment (column of sections, walk/walk.h) that contains the section of `request`, and sets *row_p to the
 * section's row in it. Requires a request of a walked section. */
const struct accd__segment *accd__request_segment(const struct accd__plan_input *input,
                                                  const struct accd__request *request, size_t *row_p);
/* Returns the index of the item of the construct that `request` comes from. */
size_t accd__request_item(const struct accd__plan_input *input, const struct accd__request *request);
/* Returns the mapping program of the elements of `request`; NULL: the elements have none. Must not be called at the end
 * of a region, whose items are not available any more. */
const accd_program *accd__request_program(const struct accd__plan_input *input, const struct accd__request *request);
/* Writes the name of the data of `request` to `to`, which has `capacity` bytes. */
void accd__format_request(const struct accd__plan_input *input, const struct accd__request *request, char *to,
                          size_t capacity);
/* Writes the name of the pointer of `request` to `to`, which has `capacity` bytes. */
void accd__format_request_slot(const struct accd__plan_input *input, const struct accd__request *request, char *to,
                               size_t capacity);
/* Marks as ACCD_ITEM_UNCOUNTED all requests of members of one object except the first, and requests of a whole object
 * if a member counts. Used where each list item counts once; requires that the objects are known. */
void accd__plan_requests_together(struct accd__plan *plan);
/* True if an item's request is for a member of a structure, or for the pointer of another item. */
bool accd__request_is_part(const struct accd__plan *plan, const struct accd__request *request);
/* Records an error about `request` (NULL: about no request) and returns `status`. The name of `request` replaces
 * ACCD_NAME_PLACEHOLDER in the format. `other`: conflicting object, or NULL. */
accd_status accd__report_request_error(const struct accd__plan *plan, const struct accd__request *request,
                                       const struct accd__object *other, accd_status status, enum accd__rule rule,
                                       const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Splits the request with index `index` at the bounds of present objects. Pieces in an object become PRESENT, others
 * stay UNRESOLVED. With `storage`, a storage object that contains the request, splits at the holes of that object
 * instead: unnamed pieces become FILLS_HOLE. The first piece keeps the index; the others are appended. Fails only
 * without memory. */
accd_status accd__split_request(struct accd__plan *plan, uint32_t index, struct accd__object *storage);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* True if an item or a walked section has a modifier beyond its action, such as `always` or `present`. */
bool accd__plan_has_modifiers(const struct accd__plan *plan);
/* True if the sections of the walk may form or match a group. False for queued constructs whose walk has descriptors,
 * because the later contents of these are not known. */
bool accd__plan_can_group(const struct accd__plan *plan);
/* True if an item of `plan` overlaps data or pointers of `group`, so that the group cannot be handled as a unit. Also
 * true if there are too many items to compare. */
bool accd__plan_overlaps_group(const struct accd__plan *plan, const struct accd__group *group);
/* Sets plan->resolved.group of an entry to a matching group or, if possible, to a new group for all sections; otherwise
 * it stays NULL. The caller frees a new group if the construct fails. Fails only without memory. */
accd_status accd__plan_group(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- resolve.c -- */

/* Gives each request of an entry its state, and collects the requests that make objects in plan->resolved.fresh.
 * Returns an error if the rules reject a request, two requests overlap in part, or without memory. */
accd_status accd__resolve_entry(struct accd__plan *plan);

/* -------------------------------------------------------------------------------- presence.c -- */

/* Result of a look-up of a request in the present table. */
struct accd__resolution {
    enum accd__lookup_result lookup; /* kind of present data in the range; ACCD_LOOKUP_COUNT: nothing was looked up */
    /* decision of the rules on the look-up result */
    enum accd__decision decision;
    struct accd__object *object; /* object with the first present byte, or NULL */
};

/* Looks up `request` in the present table, applies the rules, and sets its state: PRESENT, SKIPPED, or unchanged.
 * Returns an error if the rules reject the request, or without memory. The caller handles the decisions SPLIT and FILL.
 * `demand`: how the request treats absent data. A request for parts only is narrowed to the range of these parts if
 * that range is entirely present or, except in entries, entirely absent (OMP60-map-15). */
accd_status accd__resolve_request(struct accd__plan *plan, struct accd__request *request, enum accd__demand demand,
                                  struct accd__resolution *found);
/* Returns the decision of the rules on the look-up result `lookup` of `request`. `demand`: how it treats absent data.
 */
const struct accd__policy_entry *accd__request_policy(const struct accd__plan *plan,
                                                      const struct accd__request *request, enum accd__demand demand,
                                                      enum accd__lookup_result lookup);
/* Records the error of a rejecting `entry` on `request`, and returns its status. `object`: conflicting
 * object, or NULL. */
accd_status accd__reject_request(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__object *object, const struct accd__policy_entry *entry);
/* Records and returns the error if the rules reject `state`, the state of the pointer that `request` attaches or
 * detaches; returns ACCD_OK otherwise. `holder`: object that contains the pointer, or NULL. */
accd_status accd__check_slot_state(const struct accd__plan *plan, const struct accd__request *request,
                                   const struct accd__object *holder, enum accd__slot_state state);
/* True if `request` is for an update whose mapper moves only single members, each of which is looked up by its own
 * request. */
bool accd__requests_members_only(const struct accd__plan *plan, const struct accd__request *request);
/* Returns the base address at which the extended range of a list item starts, if the base address precedes the data of
 * `request` (OMP60-map-10). 0: the range starts with the data, or the rules have no extended ranges. */
uint64_t accd__request_extended_base(const struct accd__plan *plan, const struct accd__request *request);
/* Sets *object_p to the nearest present object that begins after `host` and whose extended range contains `host`; NULL:
 * there is none. Fails only without memory. */
accd_status accd__find_extended_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* Removes the bytes that moves write from the ranges to clear. Fails only without memory. */
accd_status accd__plan_trim_clears(struct accd__plan *plan);
/* Plans the moves of the request with index `request`: of all its bytes, or of the pieces that its mapping program
 * names. New bytes that are not copied are cleared or filled if the rules or the `zero` modifier say so. `out`: device
 * to host. Fails only without memory. */
accd_status accd__plan_request_moves(struct accd__plan *plan, uint32_t request, bool out);
/* Plans to write the host value of an attached pointer, or its whole descriptor, to its device copy at `dev`
 * (FLANG-detach-1). Fails only without memory. */
accd_status accd__plan_restore_pointer(struct accd__plan *plan, const struct accd__attachment *attach, uint64_t dev);
/* Keeps device values of attached pointers: cuts these pointers out of the moves, or plans to rewrite them after the
 * moves (TR14-4.1-07). If the rules copy attached pointers, cuts out only pointers that this construct detaches. Also
 * cuts out pointers whose sections are empty. Fails only without memory. */
accd_status accd__plan_keep_pointers(struct accd__plan *plan);
/* Joins moves of one object that overlap or touch (TR14-4.2-07). All moves must have one direction. Fails only without
 * memory. */
accd_status accd__plan_merge_moves(struct accd__plan *plan);
/* Returns the rowset (walk/walk.h) of the elements of `request`, and sets [*from, *to) to their rows in it. NULL: the
 * request has no walked elements. */
const struct accd__rowset *accd__request_elements(const struct accd__plan *plan, const struct accd__request *request,
                                                  size_t *from, size_t *to);

/* True if `request` increments or decrements the counter of its object. Requires request->object if the request is for
 * a base pointer. */
static inline bool accd__request_counts(const struct accd__plan *plan, const struct accd__request *request)
{
    return !(request->flags & ACCD_ITEM_UNCOUNTED) &&
           (!(request->flags & ACCD_ITEM_BASE_POINTER) || accd__pointer_request_counts(plan, request));
}

#endif
