/* plan.h - a construct on its way, from items to claims, and from claims to what is to be moved, written and
 * recorded. It writes its own plan, and asks for no transfer: a construct that must fail fails here. */
#ifndef ACCD_PLAN_H
#define ACCD_PLAN_H

#include "queue/queue.h"

struct accd_bulk;
struct accd_fusion;
struct accd_ledger;

/* Bytes of present objects come from the host all the same: update_and_copy, always, what fills a hole. */
static inline bool accd_claim_refreshes(const struct accd_claim *claim)
{
    return claim->state == ACCD_CLAIM_FILLS ||
           (claim->state == ACCD_CLAIM_PRESENT && claim->flags & (ACCD_ITEM_REFRESH | ACCD_ITEM_ALWAYS_IN));
}

/* A move of bytes of one object. */
struct accd_move {
    uint64_t host, dev, bytes;
    uint32_t claim, piece; /* for its name; ACCD_WHOLE: all of the claim */
    uint32_t row;          /* element the piece belongs to */
    bool out;              /* device to host */
};

#define ACCD_WHOLE UINT32_MAX
#define ACCD_ONE_OF_RUN (UINT32_MAX - 1) /* one of many: elements of a section with gaps */

/* A word to write to the device's copy of a pointer, or its first bytes. */
struct accd_word {
    uint64_t dev, value;
    uint32_t bytes; /* at most 8 */
};

/* Bytes to clear in memory that a construct allocates. */
struct accd_clear {
    uint64_t host, dev, bytes;
};

/* A descriptor to be written, before any word is: an address, and what lies behind it. */
struct accd_rest {
    uint64_t dev, value;
    const void *from;
    uint32_t bytes;
};

/* What a construct asks for. Of items, and of what walking them points to, nothing is looked up yet. */
struct accd_given {
    const accd_construct *construct;
    const struct accd_region *leaving; /* the region that ends with it, or NULL */
    struct accd_queue *queue;    /* what is to be done is left to it; NULL: it is done now */
    struct accd_source *sources; /* of the items */
    struct accd_gaps *gaps;      /* of those that have gaps, by item */
    size_t ngaps;
    struct accd_walk *walk;
    unsigned item_flags;         /* of any item */
};

/* What each claim comes to, given what is present. */
struct accd_found {
    bool new_group;
    struct accd_group *group;    /* the sections of the walk are, or become, this group */
    struct accd_claim *claims;
    size_t nclaims, claims_room;
    const uint32_t *fresh;       /* claims that make objects, by host address */
    size_t nfresh;
    struct accd_fusion *fusion;  /* NULL: it has nothing to do with tuples */
};

/* What is to be changed of records, and transferred. */
struct accd_result {
    struct accd_ledger *ledger;  /* NULL: no record that is there changes, but for references that are added */
    struct accd_bulk *bulk;      /* the transfers of the group, NULL: none */
    ACCD_LIST(struct accd_clear) clears; /* no moves go there */
    ACCD_LIST(struct accd_move) moves;
    ACCD_LIST(struct accd_word) words;
    ACCD_LIST(struct accd_rest) rests;
};

/* A construct on its way. All lies in scratch space; what is asked of the device is given back on failure. */
struct accd_plan {
    accd_context *context;
    struct accd_directory *dir;
    struct accd_given given;
    struct accd_found found;
    struct accd_result result;
};

/* ----------------------------------------------------------------------------------- begin.c -- */

accd_status accd_plan_begin(struct accd_plan *plan, struct accd_directory *dir,
                            const accd_construct *construct);
/* Claims for the sections of the walk, behind those of the items. */
accd_status accd_plan_sections(struct accd_plan *plan);
void accd_plan_end(struct accd_plan *plan);

/* ---------------------------------------------------------------------------------- faults.c -- */

/* accd_walk_new, with an error for a section that cannot be computed. */
accd_status accd_walk_items(accd_context *context, const accd_construct *construct,
                            const struct accd_walk *before, struct accd_walk **walk_p);

/* ---------------------------------------------------------------------------------- claims.c -- */

/* Whether a pointer's claim on its object counts. */
bool accd_pointer_counts(const struct accd_plan *plan, const struct accd_claim *claim);
/* A pointer's value or, with what lies behind it, a descriptor's of so many bytes; that stays where it is until
 * then. A pointer in the descriptor at slot that is attached itself stays so. */
accd_status accd_plan_pointer(struct accd_plan *plan, uint64_t slot, uint64_t dev, uint64_t value,
                              const void *rest, uint32_t bytes);
/* Bytes of the descriptor that a claim's pointer begins, 0: it is a plain pointer. */
uint32_t accd_claim_slot_bytes(const struct accd_given *given, const struct accd_claim *claim);
accd_status accd_plan_move(struct accd_plan *plan, const struct accd_move *move);
const struct accd_source *accd_claim_source(const struct accd_given *given,
                                            const struct accd_claim *claim);
/* The column of a walked claim's section, and in *row_p its row. */
const struct accd_segment *accd_claim_segment(const struct accd_given *given, const struct accd_claim *claim,
                                              size_t *row_p);
/* The number of the item that a claim comes from. */
size_t accd_claim_item(const struct accd_given *given, const struct accd_claim *claim);
/* The mapping program of a claim's elements, NULL: they have none. Not where a region ends. */
const accd_program *accd_claim_program(const struct accd_given *given, const struct accd_claim *claim);
void accd_name_claim(const struct accd_given *given, const struct accd_claim *claim, char *to, size_t room);
void accd_name_claim_slot(const struct accd_given *given, const struct accd_claim *claim, char *to,
                          size_t room);
/* Where list items count: marks claims on members and their pointers as uncounted whose structure another claim of the
 * construct counts. Objects are known. */
void accd_plan_together(struct accd_plan *plan);
/* Whether a claim of an item is on a member of a structure, or on the pointer of another item. */
bool accd_claim_is_part(const struct accd_plan *plan, const struct accd_claim *claim);
/* Records an error about a claim, whose name stands where the format has ACCD_ASKED; the object in its way may be
 * NULL. */
accd_status accd_claim_error(const struct accd_plan *plan, const struct accd_claim *claim,
                             const struct accd_object *other, accd_status status,
                             enum accd_rule rule, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Cuts a claim at the bounds of present objects: pieces that are present get state PRESENT and the object,
 * others stay open. Or, in a held object, where its holes begin and end: those pieces fill them. The first piece keeps
 * the claim's number, the others come last. held: NULL, or that object. */
accd_status accd_claim_cut(struct accd_plan *plan, uint32_t index, struct accd_object *held);

/* ---------------------------------------------------------------------------------- groups.c -- */

/* Whether items or sections ask for more than their actions say. */
bool accd_plan_marked(const struct accd_plan *plan);
/* Whether the sections of the walk may be, or be looked for as, a group: what a descriptor holds when a queue gets
 * there is not known. */
bool accd_plan_may_group(const struct accd_plan *plan);
/* Whether an item of the plan reaches into a group: then the group cannot be treated as a whole. */
bool accd_plan_touches(const struct accd_plan *plan, const struct accd_group *group);
/* Of an entry: all sections of the walk are one group that is there, or a new one, if they can be. */
accd_status accd_plan_group(struct accd_plan *plan);

/* --------------------------------------------------------------------------------- resolve.c -- */

/* Claims get their states, plan->found.fresh those that make objects. */
accd_status accd_resolve_entry(struct accd_plan *plan);

/* -------------------------------------------------------------------------------- presence.c -- */

struct accd_answer {
    enum accd_finding what; /* ACCD_FINDINGS: nothing could be looked for */
    enum accd_outcome outcome;
    struct accd_object *object; /* that has the first byte which is present, or NULL */
};

/* Looks for what a claim asks for, and does what the rules say: takes the object, skips the claim, or fails. Claims
 * that are to be cut are left to the caller. One of which only parts are meant, those that its program names, gets
 * the range of these where that is what is present, or absent (OMP60-map-15). */
accd_status accd_claim_find(struct accd_plan *plan, struct accd_claim *claim, enum accd_asks ask,
                            struct accd_answer *found);
/* What the rules say about a finding; the error it is. */
const struct accd_verdict *accd_claim_verdict(const struct accd_plan *plan, const struct accd_claim *claim,
                                              enum accd_asks ask, enum accd_finding what);
accd_status accd_claim_reject(const struct accd_plan *plan, const struct accd_claim *claim,
                              const struct accd_object *object, const struct accd_verdict *verdict);
/* An error about the pointer that a claim attaches or detaches, if the rules say that it is one; the object that
 * holds the pointer may be NULL. */
accd_status accd_claim_slot_finds(const struct accd_plan *plan, const struct accd_claim *claim,
                                  const struct accd_object *holder, enum accd_slot_finding what);
/* Whether an update by a mapper asks for members alone: for those that move, each for itself. */
bool accd_asks_for_members(const struct accd_plan *plan, const struct accd_claim *claim);
/* Where the extended range of the list item of a claim that makes an object begins, if it begins in front of the
 * object: at its base address (OMP60-map-10). 0: with the object. */
uint64_t accd_claim_base(const struct accd_plan *plan, const struct accd_claim *claim);
/* The present object whose extended range has the address, in front of its bytes: of several the nearest one.
 * NULL: there is none. */
accd_status accd_find_extended(struct accd_directory *dir, uint64_t host, struct accd_object **object_p);

/* ----------------------------------------------------------------------------------- bytes.c -- */

/* Bytes that moves write are not cleared. */
accd_status accd_plan_clears(struct accd_plan *plan);
/* The moves of a claim's own bytes: all of them, or the pieces its program names. */
accd_status accd_plan_own_bytes(struct accd_plan *plan, uint32_t claim, bool out);
/* The host's value, of a descriptor all of it, for the device's copy of a pointer: FLANG-detach-1. */
accd_status accd_restore_pointer(struct accd_plan *plan, const struct accd_attach *attach,
                                 uint64_t dev);
/* Cuts attached pointers out of the moves, or has them restored (TR14-4.1-07). Where the rules have
 * them copied, only those that are about to be detached are cut out. */
accd_status accd_plan_keep_pointers(struct accd_plan *plan);
/* Sorts the moves and joins those that overlap or touch (TR14-4.2-07). */
accd_status accd_plan_merge(struct accd_plan *plan);
/* The elements of a claim that is walked, or NULL. */
const struct accd_rowset *accd_elements_of(const struct accd_plan *plan,
                                           const struct accd_claim *claim, size_t *from,
                                           size_t *to);

/* Whether a claim on its object counts. */
static inline bool accd_claim_counts(const struct accd_plan *plan, const struct accd_claim *claim)
{
    return !(claim->flags & ACCD_ITEM_UNCOUNTED) &&
           (!(claim->flags & ACCD_ITEM_POINTER) || accd_pointer_counts(plan, claim));
}

#endif
