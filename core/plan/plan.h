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

/* True if a request copies bytes from the host although they are present: update_and_copy, always, or a filled hole. */
static inline bool accd__request_updates_present(const struct accd__request *request)
{
    return request->state == ACCD_REQUEST_FILLS_HOLE ||
           (request->state == ACCD_REQUEST_PRESENT &&
            request->flags & (ACCD_ITEM_UPDATE_PRESENT | ACCD_ITEM_ALWAYS_IN));
}

/* A transfer of consecutive bytes of one object. */
struct accd__move {
    uint64_t host, dev, bytes;
    uint32_t request, piece; /* source of its name; ACCD_WHOLE_REQUEST: all of the request */
    uint32_t row;            /* index of the element that the piece belongs to */
    bool out;                /* true: device to host; false: host to device */
};

#define ACCD_WHOLE_REQUEST UINT32_MAX
#define ACCD_GRID_ELEMENT (UINT32_MAX - 1) /* value of `piece`: one of the elements of a section with gaps */

/* A pointer value, or its first bytes, to be written to a device address. */
struct accd__word {
    uint64_t dev, value;
    uint32_t bytes; /* number of bytes to write, at most 8 */
};

/* Bytes to clear in memory that the construct allocates. */
struct accd__clear_range {
    uint64_t host, dev, bytes;
};

/* A descriptor to be written before any word: an address, and the bytes that follow it. */
struct accd__descriptor_write {
    uint64_t dev, value;
    const void *from;
    uint32_t bytes;
};

/* The request side of a plan: items and what their walk points to. Nothing has been looked up yet. */
struct accd__plan_input {
    const accd_construct *construct;
    const struct accd_region *leaving; /* region that this construct ends; NULL: none */
    struct accd__queue *queue;         /* queue that executes the work later; NULL: executed now */
    struct accd__item_source *sources; /* array, parallel to the items */
    struct accd__item_grid *gaps;      /* items that have gaps, sorted by item */
    size_t ngaps;
    struct accd_walk *walk;
    unsigned item_flags; /* union of the flags of all items */
};

/* The requests of a plan, resolved against the present table. */
struct accd__plan_resolution {
    bool new_group;
    struct accd__group *group; /* group that the sections of the walk are or become; NULL: none */
    struct accd__request *requests;
    size_t nrequests, requests_capacity;
    const uint32_t *fresh; /* indices of requests that make objects, by host address */
    size_t nfresh;
    struct accd__fusion *fusion; /* NULL: the construct has nothing to do with tuples */
};

/* The pending changes of records, and the transfers. */
struct accd__plan_changes {
    struct accd__change_set *change_set; /* pending changes of present records; NULL: only reference counters grow */
    struct accd__bulk *bulk;             /* transfers of a group; NULL: none */
    ACCD_SCRATCH_LIST(struct accd__clear_range) clears; /* ranges that no move writes */
    ACCD_SCRATCH_LIST(struct accd__move) moves;
    ACCD_SCRATCH_LIST(struct accd__word) words;
    ACCD_SCRATCH_LIST(struct accd__descriptor_write) descriptor_writes;
};

/* A construct that is being planned. It lies in scratch space; device resources are given back on failure. */
struct accd__plan {
    accd_context *context;
    struct accd__device_env *env;
    struct accd__plan_input input;
    struct accd__plan_resolution resolved;
    struct accd__plan_changes changes;
};

/* ----------------------------------------------------------------------------------- begin.c -- */

/* Initializes a plan with a request for each item, and walks their mapping programs. Checks the memory of the items.
 * On failure accd__plan_end must still be called. */
accd_status accd__plan_begin(struct accd__plan *plan, struct accd__device_env *env, const accd_construct *construct);
/* Appends a request for each mapped section of the walk. Requires plan->input.walk. */
accd_status accd__plan_add_sections(struct accd__plan *plan);
/* Releases the walk and the reserved records, and resets the scratch space. */
void accd__plan_end(struct accd__plan *plan);

/* ---------------------------------------------------------------------------------- faults.c -- */

/* Walks the items of a construct, like accd__walk_new; records an error for a section that cannot be computed. */
accd_status accd__walk_items(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                             struct accd_walk **walk_p);

/* -------------------------------------------------------------------------------- requests.c -- */

/* True if a request of a pointer increments the counter of its object. Requires that the object is known. */
bool accd__pointer_request_counts(const struct accd__plan *plan, const struct accd__request *request);
/* Plans the write of a pointer to device address `dev` or, with `rest`, of a descriptor of `bytes` bytes.
 * `rest` must stay valid until the write. An attached pointer inside the descriptor at `slot` keeps its device value.
 */
accd_status accd__plan_add_pointer(struct accd__plan *plan, uint64_t slot, uint64_t dev, uint64_t value,
                                   const void *rest, uint32_t bytes);
/* Returns the size of the descriptor that a request's pointer begins; 0: it is a plain pointer. */
uint32_t accd__request_slot_bytes(const struct accd__plan_input *input, const struct accd__request *request);
/* Appends a move. */
accd_status accd__plan_add_move(struct accd__plan *plan, const struct accd__move *move);
/* Returns the item source of a request; NULL: it comes from a walked section. */
const struct accd__item_source *accd__request_source(const struct accd__plan_input *input,
                                                     const struct accd__request *request);
/* Returns the segment of a walked request's section, and its row in *row_p. */
const struct accd__segment *accd__request_segment(const struct accd__plan_input *input,
                                                  const struct accd__request *request, size_t *row_p);
/* Returns the index of the item that a request comes from. */
size_t accd__request_item(const struct accd__plan_input *input, const struct accd__request *request);
/* Returns the mapping program of a request's elements; NULL: they have none. Not valid at the end of a region. */
const accd_program *accd__request_program(const struct accd__plan_input *input, const struct accd__request *request);
/* Writes the name of a request into `to`. */
void accd__format_request(const struct accd__plan_input *input, const struct accd__request *request, char *to,
                          size_t capacity);
/* Writes the name of a request's pointer into `to`. */
void accd__format_request_slot(const struct accd__plan_input *input, const struct accd__request *request, char *to,
                               size_t capacity);
/* Marks requests of members and of their pointers as uncounted if another request counts the same structure.
 * Used where each list item counts once; requires that the objects are known. */
void accd_plan_together(struct accd__plan *plan);
/* True if an item's request is for a member of a structure, or for the pointer of another item. */
bool accd_claim_is_part(const struct accd__plan *plan, const struct accd__request *request);
/* Records an error about a request and returns `status`. The request's name replaces ACCD_NAME_PLACEHOLDER in the
 * format. `other` is the conflicting object, or NULL. */
accd_status accd__report_request_error(const struct accd__plan *plan, const struct accd__request *request,
                                       const struct accd__object *other, accd_status status, enum accd__rule rule,
                                       const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Splits a request at the bounds of present objects. Pieces in an object become PRESENT, others stay UNRESOLVED. With
 * `storage`, splits at the holes of that object instead: unnamed pieces become FILLS_HOLE. The first piece keeps the
 * index; the others are appended. Fails only without memory. */
accd_status accd__split_request(struct accd__plan *plan, uint32_t index, struct accd__object *storage);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* True if items or sections have modifiers beyond their actions. */
bool accd__plan_has_modifiers(const struct accd__plan *plan);
/* True if the sections of the walk may form or match a group. A queued construct with descriptors may not: their
 * later contents are not known. */
bool accd__plan_can_group(const struct accd__plan *plan);
/* True if an item of the plan overlaps a group, which then cannot be handled as a unit. */
bool accd__plan_overlaps_group(const struct accd__plan *plan, const struct accd__group *group);
/* Entry: sets plan->resolved.group to a matching group or, if possible, to a new one for all sections. */
accd_status accd__plan_group(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- resolve.c -- */

/* Gives each request its state, and collects the requests that make objects in plan->resolved.fresh. */
accd_status accd__resolve_entry(struct accd__plan *plan);

/* -------------------------------------------------------------------------------- presence.c -- */

struct accd__resolution {
    enum accd__lookup_result what; /* ACCD_LOOKUP_COUNT: nothing was looked up */
    enum accd__decision outcome;
    struct accd__object *object; /* object with the first present byte, or NULL */
};

/* Looks a request up and applies the rules: uses the object, skips the request, or fails. The caller handles the
 * outcomes SPLIT and FILL. A request for parts only is narrowed to the range of these parts if that range is
 * entirely present or, except in entries, entirely absent (OMP60-map-15). */
accd_status accd__resolve_request(struct accd__plan *plan, struct accd__request *request, enum accd__demand demand,
                                  struct accd__resolution *found);
/* Returns the rules' decision on a lookup result. */
const struct accd__policy_entry *accd__request_policy(const struct accd__plan *plan,
                                                      const struct accd__request *request, enum accd__demand demand,
                                                      enum accd__lookup_result what);
/* Records the error of a rejecting decision, and returns its status. */
accd_status accd__reject_request(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__object *object, const struct accd__policy_entry *verdict);
/* Returns the error for the pointer that a request attaches or detaches, if the rules reject its state.
 * `holder` is the object with the pointer, or NULL. */
accd_status accd__check_slot_state(const struct accd__plan *plan, const struct accd__request *request,
                                   const struct accd__object *holder, enum accd__slot_state what);
/* True if an update with a mapper moves only single members, each of which is looked up by itself. */
bool accd__requests_members_only(const struct accd__plan *plan, const struct accd__request *request);
/* Returns the start of a new list item's extended range: its base address, if that precedes the object
 * (OMP60-map-10). 0: the range starts with the object. */
uint64_t accd__request_extended_base(const struct accd__plan *plan, const struct accd__request *request);
/* Finds the present object whose extended range contains `host` before its bytes; the nearest one of several.
 * *object_p = NULL: none. */
accd_status accd__find_extended_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* Removes the bytes that moves write from the ranges to clear. */
accd_status accd__plan_trim_clears(struct accd__plan *plan);
/* Plans the moves of a request: all of its bytes, or the pieces that its program names. */
accd_status accd__plan_request_moves(struct accd__plan *plan, uint32_t request, bool out);
/* Plans to restore the host's value, or whole descriptor, in the device copy of a pointer: FLANG-detach-1. */
accd_status accd__plan_restore_pointer(struct accd__plan *plan, const struct accd__attachment *attach, uint64_t dev);
/* Cuts attached pointers out of the moves, or restores them afterwards (TR14-4.1-07). If the rules copy attached
 * pointers, only those that this construct detaches are cut out. */
accd_status accd__plan_keep_pointers(struct accd__plan *plan);
/* Sorts the moves, and joins those that overlap or touch (TR14-4.2-07). */
accd_status accd__plan_merge_moves(struct accd__plan *plan);
/* Returns the elements [*from, *to) of a walked request; NULL: it was not walked. */
const struct accd__rowset *accd__request_elements(const struct accd__plan *plan, const struct accd__request *request,
                                                  size_t *from, size_t *to);

/* True if a request increments or decrements the counter of its object. */
static inline bool accd__request_counts(const struct accd__plan *plan, const struct accd__request *request)
{
    return !(request->flags & ACCD_ITEM_UNCOUNTED) &&
           (!(request->flags & ACCD_ITEM_BASE_POINTER) || accd__pointer_request_counts(plan, request));
}

#endif
