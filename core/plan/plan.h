/* plan.h - the plan of a construct: what it requests, what it finds present, and what it will change.
 *
 * A construct passes through three phases. Planning writes only the plan itself and memory that it can give back, so
 * a construct that must fail fails before it changes the device, a counter or the host.
 *
 * Words. An item is one entry of a directive's list. A mapping program tells which pointers in an item's elements are
 * followed; a walk runs it and finds sections, the data to which these pointers point (walk/walk.h). A slot is the host
 * address of a pointer. The holder of a pointer is the object that contains it; its target is the object into which it
 * points. A descriptor is a pointer with bounds after it (CFI_cdesc_t of Fortran). A storage object is memory that a
 * `hold` clause allocates for members; its holes are the bytes that no clause names. A grid gives the positions of the
 * elements of a section with gaps between them. Knobs are the settings of a rule profile (accdeep_rules.def); the
 * policy is their compiled form (base/rules.h). Scratch space is memory of the context that is freed as a whole when
 * the construct is complete.
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

/* True if an entry copies the bytes of `request` from the host although an object contains them already. Reasons are
 * the flags ACCD_ITEM_UPDATE_PRESENT and ACCD_ITEM_ALWAYS_IN, or that the bytes fill a hole of a storage object. */
static inline bool accd__request_updates_present(const struct accd__request *request)
{
    return request->state == ACCD_REQUEST_FILLS_HOLE ||
           (request->state == ACCD_REQUEST_PRESENT &&
            request->flags & (ACCD_ITEM_UPDATE_PRESENT | ACCD_ITEM_ALWAYS_IN));
}

/* A transfer of consecutive bytes of one object. */
struct accd__move {
    uint64_t host, dev, bytes;
    /* `request`: index of the request whose name events show. `piece`: index of the moved byte range (accd_piece) in
     * the mapping program of that request, or ACCD_WHOLE_REQUEST or ACCD_GRID_ELEMENT */
    uint32_t request, piece;
    uint32_t row; /* number of the element in its rowset (walk/walk.h); meaningless unless `piece` is an index */
    bool out;     /* true: device to host; false: host to device */
};

#define ACCD_WHOLE_REQUEST UINT32_MAX
/* value of `piece`: one element of a section with gaps between its elements */
#define ACCD_GRID_ELEMENT (UINT32_MAX - 1)

/* Up to 8 bytes to be written to a device address: a pointer value, or bytes that fill a pointer that is not
 * followed. */
struct accd__word {
    uint64_t dev, value;
    uint32_t bytes; /* number of bytes to write, at most 8 */
};

/* Range of new device memory that is set to zero, because of the `zero` modifier (ACCD_ITEM_ZERO). */
struct accd__clear_range {
    uint64_t host, dev, bytes;
};

/* A descriptor (pointer with bounds) to be written to device address `dev`. All descriptors are written before any
 * word. The written bytes are `value`, the address part, followed by the `bytes` bytes at `from`. */
struct accd__descriptor_write {
    uint64_t dev, value;
    const void *from;
    uint32_t bytes;
};

/* The input of a plan: the construct with its items, a source (name and host range) of each item, and the walk of their
 * mapping programs. Nothing has been looked up in the present table yet. */
struct accd__plan_input {
    const accd_construct *construct;
    const struct accd_region *leaving; /* region that this construct ends; NULL: the construct ends no region */
    struct accd__queue *queue;         /* queue that executes the work later; NULL: the work is executed now */
    struct accd__item_source *sources; /* sources[i]: label and host range of item i, one for each item */
    /* grids (positions of elements) of the items with gaps between their elements, sorted by item */
    struct accd__item_grid *gaps;
    size_t ngaps;
    /* sections found by walking the items with mapping programs; NULL: no item has a program */
    struct accd_walk *walk;
    unsigned item_flags; /* union of the flags of all items */
};

/* The requests of a plan, resolved against the present table. */
struct accd__plan_resolution {
    /* true: this construct makes `group`. false: `group` was present before, or is NULL */
    bool new_group;
    /* record that stands for all sections of the walk as one unit (table/group.h); NULL: each section has its own
     * request */
    struct accd__group *group;
    struct accd__request *requests;
    size_t nrequests, requests_capacity;
    const uint32_t *fresh; /* indices of requests that make objects, sorted by host address */
    size_t nfresh;
    /* changes of tuples (objects in one device block, fusion.h); NULL: the construct fuses and splits nothing */
    struct accd__fusion *fusion;
};

/* The changes of records that the commit will make, and the transfers. */
struct accd__plan_changes {
    /* pending changes of present objects and attachments (change_set.h); NULL: no such change was noted */
    struct accd__change_set *change_set;
    /* transfer of a whole group (core/ops/bulk.c); NULL: no group is transferred */
    struct accd__bulk *bulk;
    ACCD_SCRATCH_LIST(struct accd__clear_range) clears; /* new device memory to clear; no move writes it */
    ACCD_SCRATCH_LIST(struct accd__move) moves;
    ACCD_SCRATCH_LIST(struct accd__word) words;
    ACCD_SCRATCH_LIST(struct accd__descriptor_write) descriptor_writes;
};

/* A construct that is being planned. Its arrays lie in scratch space, which accd__plan_end frees. If the construct
 * fails, its function in core/ops frees the device memory that it allocated. */
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

/* Runs the mapping programs of the items of a construct, and sets *walk_p to the walk with the sections found; the
 * caller releases it. `before`: earlier walk that is probably equal, so that the new one can share its columns; NULL:
 * none. If a section cannot be computed, or without memory, records and returns the error; *walk_p is then unchanged or
 * NULL. */
accd_status accd__walk_items(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                             struct accd_walk **walk_p);

/* -------------------------------------------------------------------------------- requests.c -- */

/* True if `request`, whose item has ACCD_ITEM_BASE_POINTER (pointer to another item's section), adds or removes a
 * reference of its object. That is so if the knob `member` is `counted`, or if the request covers the whole object.
 * Requires request->object. */
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
/* Returns the source (label and host range of the item) of `request`; NULL: the request is for a section of the
 * walk. */
const struct accd__item_source *accd__request_source(const struct accd__plan_input *input,
                                                     const struct accd__request *request);
/* Returns the segment (column with the sections of one pointer field, walk/walk.h) of the section that `request` is
 * for. Sets *row_p to the number of the section in that column. Requires a request of a walked section. */
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
/* Makes each list item count once, for the knob `counting` = `items`. Among the requests for members and base pointers
 * in one object, all except the first get ACCD_ITEM_UNCOUNTED, which means that they add and remove no reference. If
 * such a member counts, items without a pointer that name the object directly get the flag, too. Requires that
 * request->object is set. */
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
 * instead: named pieces become PRESENT, unnamed ones FILLS_HOLE. The first piece keeps the index and the pointer; the
 * others are appended without a pointer. Fails only without memory. */
accd_status accd__split_request(struct accd__plan *plan, uint32_t index, struct accd__object *storage);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* True if an item or a walked section has a flag that a group does not support: always, present, finalize, zero, or one
 * of ACCD_ATTACH_FLAGS. */
bool accd__plan_has_modifiers(const struct accd__plan *plan);
/* True if one group (table/group.h) may stand for all sections of the walk. False for queued constructs whose walk has
 * descriptors, because the contents of these when the queue runs are not known. */
bool accd__plan_can_group(const struct accd__plan *plan);
/* True if an item of `plan` overlaps data or pointers of `group`, so that the construct must handle the sections of the
 * group one by one. Also true if there are too many items to compare. */
bool accd__plan_overlaps_group(const struct accd__plan *plan, const struct accd__group *group);
/* Sets plan->resolved.group of an entry to a present group with equal sections or, if rules and sections allow one, to
 * a new group. Otherwise it stays NULL. The caller frees a new group if the construct fails. Fails only without memory.
 */
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

/* Looks up `request` in the present table, and stores the result and the decision of the policy table in *found. The
 * state of the request becomes PRESENT (decision USE) or SKIPPED; for SPLIT and FILL it is unchanged, and the caller
 * splits the request. Returns an error if the decision is to reject the request, or without memory. `demand`: how the
 * request treats absent data. If the program of `request` names only parts of its data, which is present in part, the
 * request may be narrowed to the range of these parts. That is done if this range is entirely present or, except in
 * entries, entirely absent (OMP60-map-15). */
accd_status accd__resolve_request(struct accd__plan *plan, struct accd__request *request, enum accd__demand demand,
                                  struct accd__resolution *found);
/* Returns the entry of the policy table (decision and error text) for the look-up result `lookup` of `request`.
 * `demand`: how the request treats absent data. */
const struct accd__policy_entry *accd__request_policy(const struct accd__plan *plan,
                                                      const struct accd__request *request, enum accd__demand demand,
                                                      enum accd__lookup_result lookup);
/* Records the error about `request` that `entry`, an entry of the policy table with a decision to reject, describes.
 * Returns its status. `object`: present object that conflicts with the request, or NULL. */
accd_status accd__reject_request(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__object *object, const struct accd__policy_entry *entry);
/* Records and returns the error if the rules reject `state`, the state of the pointer that `request` attaches or
 * detaches; returns ACCD_OK otherwise. `holder`: object that contains the pointer, or NULL. */
accd_status accd__check_slot_state(const struct accd__plan *plan, const struct accd__request *request,
                                   const struct accd__object *holder, enum accd__slot_state state);
/* True if the construct is an update and the mapping program of `request` moves no bytes of the elements themselves.
 * Each section that the program reaches is looked up by its own request. */
bool accd__requests_members_only(const struct accd__plan *plan, const struct accd__request *request);
/* Returns the address at which the extended range of the list item of `request` starts. That range begins at element 0
 * of the array (or the start of the structure) and ends with the item's data (OMP60-map-10). 0: the range begins with
 * the data themselves, or the knob `extended_range` is off. */
uint64_t accd__request_extended_base(const struct accd__plan *plan, const struct accd__request *request);
/* Sets *object_p to the nearest present object that begins after `host` and whose extended range contains `host`; NULL:
 * there is none. Fails only without memory. */
accd_status accd__find_extended_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* Removes from plan->changes.clears all bytes that a planned move writes. Fails only without memory. */
accd_status accd__plan_trim_clears(struct accd__plan *plan);
/* Plans the moves of the request with index `request`: of all its bytes, or of the pieces that its mapping program
 * names. New bytes that are not copied are set to zero (`zero` modifier) or filled (knob `untranslated`). `out`: device
 * to host. Fails only without memory. */
accd_status accd__plan_request_moves(struct accd__plan *plan, uint32_t request, bool out);
/* Plans to write the host value of an attached pointer, or its whole descriptor, to its device copy at `dev`
 * (FLANG-detach-1). Fails only without memory. */
accd_status accd__plan_restore_pointer(struct accd__plan *plan, const struct accd__attachment *attach, uint64_t dev);
/* Keeps the device values of attached pointers. Cuts these pointers out of the moves or, with the knob `update` =
 * `reverse`, plans to rewrite them after the moves (TR14-4.1-07). With the knob `attached` = `copied`, cuts out only
 * pointers that this construct detaches. Also cuts out pointers that the walk did not follow because their section is
 * empty. Fails only without memory. */
accd_status accd__plan_keep_pointers(struct accd__plan *plan);
/* Joins moves of one object that overlap or touch (TR14-4.2-07). All moves must have one direction. Fails only without
 * memory. */
accd_status accd__plan_merge_moves(struct accd__plan *plan);
/* Returns the rowset (elements over which one mapping program runs, walk/walk.h) with the elements of `request`, and
 * sets [*from, *to) to their numbers in it. NULL: the elements of the request have no program. */
const struct accd__rowset *accd__request_elements(const struct accd__plan *plan, const struct accd__request *request,
                                                  size_t *from, size_t *to);

/* True if `request` adds a reference to its object at an entry, and removes one at an exit. Requires request->object if
 * the request is for a base pointer (ACCD_ITEM_BASE_POINTER). */
static inline bool accd__request_counts(const struct accd__plan *plan, const struct accd__request *request)
{
    return !(request->flags & ACCD_ITEM_UNCOUNTED) &&
           (!(request->flags & ACCD_ITEM_BASE_POINTER) || accd__pointer_request_counts(plan, request));
}

#endif
