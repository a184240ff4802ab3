/* plan.h - a construct on its way, from items to claims, and from claims to what is to be moved, written and
 * recorded. It writes its own plan, and asks for no transfer: a construct that must fail fails here. */
#ifndef ACCD_PLAN_H
#define ACCD_PLAN_H

#include "queue/queue.h"

struct accd__bulk;
struct accd__fusion;
struct accd__change_set;

/* Bytes of present objects come from the host all the same: update_and_copy, always, what fills a hole. */
static inline bool accd__request_updates_present(const struct accd__request *request)
{
    return request->state == ACCD_REQUEST_FILLS_HOLE ||
           (request->state == ACCD_REQUEST_PRESENT &&
            request->flags & (ACCD_ITEM_UPDATE_PRESENT | ACCD_ITEM_ALWAYS_IN));
}

/* A move of bytes of one object. */
struct accd__move {
    uint64_t host, dev, bytes;
    uint32_t request, piece; /* for its name; ACCD_WHOLE_REQUEST: all of the claim */
    uint32_t row;            /* element the piece belongs to */
    bool out;                /* device to host */
};

#define ACCD_WHOLE_REQUEST UINT32_MAX
#define ACCD_GRID_ELEMENT (UINT32_MAX - 1) /* one of many: elements of a section with gaps */

/* A word to write to the device's copy of a pointer, or its first bytes. */
struct accd__word {
    uint64_t dev, value;
    uint32_t bytes; /* at most 8 */
};

/* Bytes to clear in memory that a construct allocates. */
struct accd__clear_range {
    uint64_t host, dev, bytes;
};

/* A descriptor to be written, before any word is: an address, and what lies behind it. */
struct accd__descriptor_write {
    uint64_t dev, value;
    const void *from;
    uint32_t bytes;
};

/* What a construct asks for. Of items, and of what walking them points to, nothing is looked up yet. */
struct accd__plan_input {
    const accd_construct *construct;
    const struct accd_region *leaving; /* the region that ends with it, or NULL */
    struct accd__queue *queue;         /* what is to be done is left to it; NULL: it is done now */
    struct accd__item_source *sources; /* of the items */
    struct accd__item_grid *gaps;      /* of those that have gaps, by item */
    size_t ngaps;
    struct accd_walk *walk;
    unsigned item_flags; /* of any item */
};

/* What each claim comes to, given what is present. */
struct accd__plan_resolution {
    bool new_group;
    struct accd__group *group; /* the sections of the walk are, or become, this group */
    struct accd__request *requests;
    size_t nrequests, requests_capacity;
    const uint32_t *fresh; /* claims that make objects, by host address */
    size_t nfresh;
    struct accd__fusion *fusion; /* NULL: it has nothing to do with tuples */
};

/* What is to be changed of records, and transferred. */
struct accd__plan_changes {
    struct accd__change_set *change_set; /* NULL: no record that is there changes, but for references that are added */
    struct accd__bulk *bulk;             /* the transfers of the group, NULL: none */
    ACCD_SCRATCH_LIST(struct accd__clear_range) clears; /* no moves go there */
    ACCD_SCRATCH_LIST(struct accd__move) moves;
    ACCD_SCRATCH_LIST(struct accd__word) words;
    ACCD_SCRATCH_LIST(struct accd__descriptor_write) descriptor_writes;
};

/* A construct on its way. All lies in scratch space; what is asked of the device is given back on failure. */
struct accd__plan {
    accd_context *context;
    struct accd__device_env *env;
    struct accd__plan_input input;
    struct accd__plan_resolution resolved;
    struct accd__plan_changes changes;
};

/* ----------------------------------------------------------------------------------- begin.c -- */

accd_status accd__plan_begin(struct accd__plan *plan, struct accd__device_env *env, const accd_construct *construct);
/* Claims for the sections of the walk, behind those of the items. */
accd_status accd__plan_add_sections(struct accd__plan *plan);
void accd__plan_end(struct accd__plan *plan);

/* ---------------------------------------------------------------------------------- faults.c -- */

/* accd__walk_new, with an error for a section that cannot be computed. */
accd_status accd__walk_items(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                             struct accd_walk **walk_p);

/* ---------------------------------------------------------------------------------- claims.c -- */

/* Whether a pointer's claim on its object counts. */
bool accd__pointer_request_counts(const struct accd__plan *plan, const struct accd__request *request);
/* A pointer's value or, with what lies behind it, a descriptor's of so many bytes; that stays where it is until
 * then. A pointer in the descriptor at slot that is attached itself stays so. */
accd_status accd__plan_add_pointer(struct accd__plan *plan, uint64_t slot, uint64_t dev, uint64_t value,
                                   const void *rest, uint32_t bytes);
/* Bytes of the descriptor that a claim's pointer begins, 0: it is a plain pointer. */
uint32_t accd__request_slot_bytes(const struct accd__plan_input *input, const struct accd__request *request);
accd_status accd__plan_add_move(struct accd__plan *plan, const struct accd__move *move);
const struct accd__item_source *accd__request_source(const struct accd__plan_input *input,
                                                     const struct accd__request *request);
/* The column of a walked claim's section, and in *row_p its row. */
const struct accd__segment *accd__request_segment(const struct accd__plan_input *input,
                                                  const struct accd__request *request, size_t *row_p);
/* The number of the item that a claim comes from. */
size_t accd__request_item(const struct accd__plan_input *input, const struct accd__request *request);
/* The mapping program of a claim's elements, NULL: they have none. Not where a region ends. */
const accd_program *accd__request_program(const struct accd__plan_input *input, const struct accd__request *request);
void accd__format_request(const struct accd__plan_input *input, const struct accd__request *request, char *to,
                          size_t capacity);
void accd__format_request_slot(const struct accd__plan_input *input, const struct accd__request *request, char *to,
                               size_t capacity);
/* Where list items count: marks claims on members and their pointers as uncounted whose structure another claim of the
 * construct counts. Objects are known. */
void accd_plan_together(struct accd__plan *plan);
/* Whether a claim of an item is on a member of a structure, or on the pointer of another item. */
bool accd_claim_is_part(const struct accd__plan *plan, const struct accd__request *request);
/* Records an error about a claim, whose name stands where the format has ACCD_NAME_PLACEHOLDER; the object in its way
 * may be NULL. */
accd_status accd__report_request_error(const struct accd__plan *plan, const struct accd__request *request,
                                       const struct accd__object *other, accd_status status, enum accd__rule rule,
                                       const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Cuts a claim at the bounds of present objects: pieces that are present get state PRESENT and the object,
 * others stay open. Or, in a held object, where its holes begin and end: those pieces fill them. The first piece keeps
 * the claim's number, the others come last. held: NULL, or that object. */
accd_status accd__split_request(struct accd__plan *plan, uint32_t index, struct accd__object *storage);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* Whether items or sections ask for more than their actions say. */
bool accd__plan_has_modifiers(const struct accd__plan *plan);
/* Whether the sections of the walk may be, or be looked for as, a group: what a descriptor holds when a queue gets
 * there is not known. */
bool accd__plan_can_group(const struct accd__plan *plan);
/* Whether an item of the plan reaches into a group: then the group cannot be treated as a whole. */
bool accd__plan_overlaps_group(const struct accd__plan *plan, const struct accd__group *group);
/* Of an entry: all sections of the walk are one group that is there, or a new one, if they can be. */
accd_status accd__plan_group(struct accd__plan *plan);

/* --------------------------------------------------------------------------------- resolve.c -- */

/* Claims get their states, plan->found.fresh those that make objects. */
accd_status accd__resolve_entry(struct accd__plan *plan);

/* -------------------------------------------------------------------------------- presence.c -- */

struct accd__resolution {
    enum accd__lookup_result what; /* ACCD_LOOKUP_COUNT: nothing could be looked for */
    enum accd__decision outcome;
    struct accd__object *object; /* that has the first byte which is present, or NULL */
};

/* Looks for what a claim asks for, and does what the rules say: takes the object, skips the claim, or fails. Claims
 * that are to be cut are left to the caller. One of which only parts are meant, those that its program names, gets
 * the range of these where that is what is present, or absent (OMP60-map-15). */
accd_status accd__resolve_request(struct accd__plan *plan, struct accd__request *request, enum accd__demand demand,
                                  struct accd__resolution *found);
/* What the rules say about a finding; the error it is. */
const struct accd__policy_entry *accd__request_policy(const struct accd__plan *plan,
                                                      const struct accd__request *request, enum accd__demand demand,
                                                      enum accd__lookup_result what);
accd_status accd__reject_request(const struct accd__plan *plan, const struct accd__request *request,
                                 const struct accd__object *object, const struct accd__policy_entry *verdict);
/* An error about the pointer that a claim attaches or detaches, if the rules say that it is one; the object that
 * holds the pointer may be NULL. */
accd_status accd__check_slot_state(const struct accd__plan *plan, const struct accd__request *request,
                                   const struct accd__object *holder, enum accd__slot_state what);
/* Whether an update by a mapper asks for members alone: for those that move, each for itself. */
bool accd__requests_members_only(const struct accd__plan *plan, const struct accd__request *request);
/* Where the extended range of the list item of a claim that makes an object begins, if it begins in front of the
 * object: at its base address (OMP60-map-10). 0: with the object. */
uint64_t accd__request_extended_base(const struct accd__plan *plan, const struct accd__request *request);
/* The present object whose extended range has the address, in front of its bytes: of several the nearest one.
 * NULL: there is none. */
accd_status accd__find_extended_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* Bytes that moves write are not cleared. */
accd_status accd__plan_trim_clears(struct accd__plan *plan);
/* The moves of a claim's own bytes: all of them, or the pieces its program names. */
accd_status accd__plan_request_moves(struct accd__plan *plan, uint32_t request, bool out);
/* The host's value, of a descriptor all of it, for the device's copy of a pointer: FLANG-detach-1. */
accd_status accd__plan_restore_pointer(struct accd__plan *plan, const struct accd__attachment *attach, uint64_t dev);
/* Cuts attached pointers out of the moves, or has them restored (TR14-4.1-07). Where the rules have
 * them copied, only those that are about to be detached are cut out. */
accd_status accd__plan_keep_pointers(struct accd__plan *plan);
/* Sorts the moves and joins those that overlap or touch (TR14-4.2-07). */
accd_status accd__plan_merge_moves(struct accd__plan *plan);
/* The elements of a claim that is walked, or NULL. */
const struct accd__rowset *accd__request_elements(const struct accd__plan *plan, const struct accd__request *request,
                                                  size_t *from, size_t *to);

/* Whether a claim on its object counts. */
static inline bool accd__request_counts(const struct accd__plan *plan, const struct accd__request *request)
{
    return !(request->flags & ACCD_ITEM_UNCOUNTED) &&
           (!(request->flags & ACCD_ITEM_BASE_POINTER) || accd__pointer_request_counts(plan, request));
}

#endif
