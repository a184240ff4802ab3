/* plan.h - a construct on its way, from claims to what is written. A part of core.h, which includes it where what
 * it needs is known. */
#ifndef ACCD_PLAN_H
#define ACCD_PLAN_H

enum accd_claim_state {
    ACCD_CLAIM_OPEN,
    ACCD_CLAIM_PRESENT, /* object: the present one it lies in */
    ACCD_CLAIM_NEW,     /* makes an object of its own */
    ACCD_CLAIM_WITHIN,  /* lies in the new object of claim owner */
    ACCD_CLAIM_SKIP     /* asks for nothing */
};

/* What one clause asks of one object: an item, or a section reached by walking one. */
struct accd_claim {
    uint64_t host, bytes;
    uint64_t slot;              /* pointer that leads here, 0: none */
    struct accd_object *object; /* of states PRESENT, NEW and WITHIN */
    uint32_t source;            /* item, or section of the walk with ACCD_CLAIM_WALKED */
    uint32_t owner;             /* entry: claim that makes the object; exit: references taken off */
    uint32_t detached;          /* exit: taken off the attachment counter */
    uint16_t flags;
    uint8_t action;
    uint8_t state : 7, attached : 1; /* this construct attached the slot, or detaches it */
};
#define ACCD_CLAIM_WALKED 0x80000000u
#define ACCD_CLAIM_REPEATS 0x4000u /* flag: where constructs count, another claim counts the object, or
                                      it has references without end */
#define ACCD_ITEM_FLAGS (2 * ACCD_ITEM_FINAL - 1)
#define ACCD_CLAIM_STILL 0x8000u /* flag: its data are there by another clause, it moves nothing */

/* Present data are welcome to the clause, and then it asks for nothing. */
static inline bool accd_present_or(unsigned flags)
{
    return flags & (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_KEEP);
}
/* update_and_copy, always: present bytes come from the host all the same. */
static inline bool accd_claim_refreshes(const struct accd_claim *claim)
{
    return claim->state == ACCD_CLAIM_PRESENT &&
           claim->flags & (ACCD_ITEM_REFRESH | ACCD_ITEM_ALWAYS_IN);
}

/* A level of the stack of data environments. */
struct accd_region {
    accd_context *context;
    struct accd_directory *dir;
    struct accd_region *below;
    accd_kind kind;
    const char *name, *file;
    int line;
    uint64_t thread;
    unsigned queue;
    uint64_t opened;            /* what its queue was asked for before */
    struct accd_walk *walk;     /* sources of walked claims */
    struct accd_group *group;   /* all sections of the walk, if they are one group */
    uint64_t serial;
    size_t nitems, nclaims, noriginals;
    struct accd_source *items;
    struct accd_claim *claims;
    struct accd_original **originals; /* its clauses as tuples, where data are fused */
    struct accd_gaps *gaps;     /* of its items */
    size_t ngaps;
    size_t bytes;               /* of this block of memory */
};

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

/* A descriptor to be written, before any word is: an address, and what lies behind it. */
struct accd_rest {
    uint64_t dev, value;
    const void *from;
    uint32_t bytes;
};

/* A construct on its way. Everything in it lies in scratch space or is undone on failure. */
struct accd_plan {
    accd_context *context;
    struct accd_directory *dir;
    const accd_construct *construct;
    const struct accd_region *leaving; /* the region that ends with it, or NULL */
    struct accd_walk *walk;
    struct accd_group *group; /* the sections of the walk are, or become, this group */
    struct accd_bulk *bulk;   /* the transfers of the group, NULL: none */
    bool new_group;
    struct accd_source *sources; /* of the items */
    unsigned item_flags;         /* of any of them */
    struct accd_gaps *gaps;      /* of those that have gaps, by item */
    size_t ngaps;
    struct accd_claim *claims;
    size_t nclaims, claims_room;
    struct accd_fusion *fusion; /* NULL: it has nothing to do with tuples */
    uint32_t *fresh;          /* claims that make objects, by host address */
    size_t nfresh;
    struct accd_move *moves;
    size_t nmoves, moves_room;
    struct accd_word *words;
    size_t nwords, words_room;
    struct accd_rest *rests;
    size_t nrests, rests_room;
    struct accd_queue *queue; /* what is to be done is left to it; NULL: it is done now */
};

/* claims.c */
/* ACCD_OUT_OF_MEMORY, for what is planned in scratch space. */
accd_status accd_plan_no_memory(accd_context *context);
accd_status accd_plan_begin(struct accd_plan *plan, struct accd_directory *dir,
                            const accd_construct *construct);
/* Claims for the sections of the walk, behind those of the items. */
accd_status accd_plan_sections(struct accd_plan *plan);
void accd_plan_end(struct accd_plan *plan);
/* Whether a new object lies in a range that the construct fuses. */
static inline bool accd_fuse_fits(const struct accd_plan *plan, uint64_t host)
{
    return plan->fusion && accd_fuse_dev(plan, host);
}
/* Whether a claim on its object is counted. */
bool accd_plan_counts_pointer(const struct accd_plan *plan, struct accd_claim *claim);
static inline bool accd_plan_counts(const struct accd_plan *plan, struct accd_claim *claim)
{
    return !(claim->flags & (ACCD_ITEM_UNCOUNTED | ACCD_ITEM_POINTER)) ||
           accd_plan_counts_pointer(plan, claim);
}
accd_status accd_plan_word(struct accd_plan *plan, uint64_t dev, uint64_t value);
/* Bytes of one value, as words. */
accd_status accd_plan_fill(struct accd_plan *plan, uint64_t dev, uint64_t bytes, uint8_t value);
/* A pointer's value or, with what lies behind it, a descriptor's of so many bytes; that stays where it is until
 * then. A pointer in the descriptor at slot that is attached itself stays so. */
accd_status accd_plan_pointer(struct accd_plan *plan, uint64_t slot, uint64_t dev, uint64_t value,
                              const void *rest, uint32_t bytes);
/* The same of one that is attached. */
accd_status accd_plan_attached(struct accd_plan *plan, const struct accd_attach *attach, uint64_t dev);
/* Bytes of the descriptor that a claim's pointer begins, 0: it is a plain pointer. */
uint32_t accd_claim_slot_bytes(const struct accd_plan *plan, const struct accd_claim *claim);
/* Room for one more element of an array in scratch space. */
bool accd_plan_room(struct accd_plan *plan, void **array, size_t n, size_t *room, size_t size);
accd_status accd_plan_move(struct accd_plan *plan, const struct accd_move *move);
/* The moves of a claim's own bytes: all of them, or the pieces its program names. */
accd_status accd_plan_own_bytes(struct accd_plan *plan, uint32_t claim, bool out);
const struct accd_source *accd_claim_source(const struct accd_plan *plan,
                                            const struct accd_claim *claim);
void accd_name_claim(const struct accd_plan *plan, const struct accd_claim *claim, char *to,
                     size_t room);
void accd_name_claim_slot(const struct accd_plan *plan, const struct accd_claim *claim, char *to,
                          size_t room);
/* Records an error about a claim; the object in its way may be NULL. */
accd_status accd_claim_error(const struct accd_plan *plan, const struct accd_claim *claim,
                             const struct accd_object *other, accd_status status,
                             enum accd_rule rule, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* bytes.c */
/* The host's value, of a descriptor all of it, for the device's copy of a pointer: FLANG-detach-1. */
accd_status accd_restore_pointer(struct accd_plan *plan, const struct accd_attach *attach,
                                 uint64_t dev);
/* Cuts attached pointers out of the moves, or has them restored (TR14-4.1-07). Where the rules have
 * them copied, only those that are about to be detached are cut out. */
accd_status accd_plan_keep_pointers(struct accd_plan *plan);
/* Sorts the moves and joins those that overlap or touch (TR14-4.2-07). */
accd_status accd_plan_merge(struct accd_plan *plan);

/* holes.c */
/* accd_walk_new, with an error for a section that cannot be computed. */
accd_status accd_walk_items(accd_context *context, const accd_construct *construct,
                            const struct accd_walk *before, struct accd_walk **walk_p);
/* How the bytes that a clause asks for, those of [from, to) which its own layout does not leave out, lie to
 * what is left of elements by theirs. */
enum accd_relation accd_relate_layouts(const accd_program *layout, uint64_t from, uint64_t to,
                                       const accd_program *own, uint64_t into);
/* How a range of an object lies to what of it is present: all but what its clause left out. */
enum accd_relation accd_relate_within(struct accd_directory *dir, const struct accd_object *object,
                                      uint64_t host, uint64_t bytes);
/* The same for a claim, of which only the bytes that its own program names count. Where a part of them was left
 * out: ACCD_PARTIALLY_PRESENT. */
accd_status accd_claim_left_out(const struct accd_plan *plan, const struct accd_claim *claim,
                                const struct accd_object *object, enum accd_relation *relation_p);
/* Whether a claim of which only a part is present asks for nothing, as of absent data. */
bool accd_part_is_nothing(const struct accd_plan *plan, const struct accd_claim *claim);
/* How a claim lies to present data. One of which only parts are meant, those that its program names, is cut down to
 * the range of these where that is what is present, or absent (OMP60-map-15). */
accd_status accd_relate_claim(struct accd_plan *plan, struct accd_claim *claim,
                              enum accd_relation *relation_p, struct accd_object **object_p);
/* Whether all present objects that meet a claim lie in what its own program leaves out. */
bool accd_claim_spares(struct accd_plan *plan, const struct accd_claim *claim);
/* Whether a claim that makes an object brings a range in it; claim: who asks for it, or NULL. */
bool accd_claim_keeps(const struct accd_plan *plan, const struct accd_claim *owner, uint64_t host,
                      uint64_t bytes, const struct accd_claim *claim);
/* Where the extended range of the list item of a claim that makes an object begins, if it begins in front of the
 * object: at its base address (OMP60-map-10). 0: with the object. */
uint64_t accd_claim_base(const struct accd_plan *plan, const struct accd_claim *claim);
/* The present object whose extended range has the address, in front of its bytes: of several the nearest one.
 * NULL: there is none. */
accd_status accd_find_extended(struct accd_directory *dir, uint64_t host,
                               struct accd_object **object_p);
/* Claims from the first one on that must be present, are. */
accd_status accd_plan_required(struct accd_plan *plan, size_t first);
/* Whether items or sections ask for more than their actions say. */
bool accd_plan_marked(const struct accd_plan *plan);

/* descriptor.c: bytes of a type record: those it tells of, or 1 where the host's memory is not to be read. */
uint64_t accd_record_bytes(accd_context *context, uint64_t record);

/* resolve.c: claims get their states, plan->fresh those that make objects. */
accd_status accd_resolve_entry(struct accd_plan *plan);
/* Two claims of a construct overlap, and neither contains the other. */
accd_status accd_overlap_error(const struct accd_plan *plan, const struct accd_claim *claim,
                               const struct accd_claim *owner);
/* enter.c, leave.c, update.c */
accd_status accd_enter(struct accd_plan *plan, struct accd_region **region_p);
accd_status accd_exit_data(struct accd_plan *plan);
accd_status accd_leave_region(struct accd_region *region, bool abandon);
accd_status accd_update(struct accd_plan *plan);
void accd_region_free(struct accd_region *region);
/* The object goes while regions are open: their clauses ask nothing of it any more. */
void accd_regions_forget(struct accd_directory *dir, const struct accd_object *object);
/* Attachments that hold references, and end although no exit ends them: for an entry that attaches their
 * descriptors anew, or because the memory these lie in goes. Planned with, and sent by, the construct on the way;
 * commit comes before its own. */
struct accd_release;
accd_status accd_release_plan(struct accd_plan *plan, struct accd_attach *const *ends, size_t n,
                              struct accd_release **release_p);
void accd_release_undo(struct accd_release *release);
void accd_release_commit(struct accd_release *release);
/* ACCD_POINTER_CHANGED if the claim's pointer leads elsewhere than when it was attached. */
accd_status accd_check_pointer(const struct accd_plan *plan, const struct accd_claim *claim,
                               const struct accd_attach *attach);

/* The claim of a construct that makes an object with a byte in [host, host + bytes), or NULL. */
struct accd_claim *accd_fresh_in(const struct accd_plan *plan, uint64_t host, uint64_t bytes);

/* links.c: a pointer that an entry construct attaches. */
struct accd_link {
    uint32_t claim;
    uint32_t holder_claim, target_claim; /* that make holder and target, if they are not present */
    struct accd_object *holder, *target;
    uint64_t pointer; /* the host's value */
    uint64_t base;    /* host address in the target, 0: what it points to */
    struct accd_attach *attach; /* its present attachment, or NULL */
    struct accd_dope *dope;     /* of a descriptor, if it is to be written */
    bool counts;                /* attached like that already */
    bool repeats;               /* another one of the construct writes the pointer */
};
struct accd_links {
    struct accd_plan *plan;
    struct accd_link *at;
    size_t n;
    size_t anew; /* of them: attached to something else before */
};
accd_status accd_links_plan(struct accd_links *links);
/* What descriptors brought that are attached anew goes, if they lead elsewhere. *release_p: NULL, if nothing. */
accd_status accd_links_release(const struct accd_links *links, struct accd_release **release_p);
accd_status accd_links_words(const struct accd_links *links);
void accd_links_commit(struct accd_links *links);
void accd_links_free(struct accd_links *links);

/* inspect.c: what a device answered to an access of a kernel; a failure is told with what its driver said. */
accd_status accd_kernel_access(struct accd_directory *dir, accd_status status);

/* journal.c: while one is open, what is overwritten on the device is remembered, and what an entry is about to
 * change of what is present. */
accd_status accd_journal_bytes(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
accd_status accd_journal_entry(const struct accd_plan *plan, const struct accd_links *links);

/* Whether an item of the plan leads into a group: then the group cannot be treated as a whole. */
bool accd_plan_touches(const struct accd_plan *plan, const struct accd_group *group);
/* The root item whose walk reached a section. */
size_t accd_section_root(const struct accd_walk *walk, const struct accd_segment *segment);

/* bulk.c: own bytes, sections and pointers of a whole group, without a record for each. */
struct accd_bulk {
    struct accd_plan *plan;
    struct accd_walk *walk;   /* of this construct: its actions count */
    struct accd_group *group; /* where the sections are on the device */
    const struct accd_segment **places; /* the group's segment for each of the walk's */
    struct accd_object **roots; /* present objects that hold the walk's roots */
    bool *own;                /* whether the own bytes of a root take part */
    bool entry;               /* sends as an entry does, and writes pointers */
    bool out;                 /* otherwise: fetches, or sends */
    bool restore;             /* writes host pointers into roots that stay */
    bool announcing;          /* what will be staged and fetched is only named */
    bool windows;             /* large columns are sent in windows of rows ... */
    uint64_t room;            /* ... and the present one has so many bytes left */
    struct accd_own_range { uint64_t offset, bytes; } *ranges; /* room for accd_bulk_run */
    char **images;
    uint64_t *starts;
    const struct accd_segment **columns;
};
/* The transfers of a plan as one batch, with those of a group if there is one: all or none. */
accd_status accd_plan_commit(struct accd_plan *plan);
void accd_bulk_count(const struct accd_bulk *bulk, struct accd_traffic *traffic);
void accd_bulk_announce(struct accd_bulk *bulk, const struct accd_traffic *traffic);
void accd_bulk_run(struct accd_bulk *bulk);
/* Makes plan->bulk; its places are those of a group with the same segments. */
accd_status accd_bulk_begin(struct accd_plan *plan, struct accd_group *group);
/* Whether all pointers of a group still lead where they led; otherwise the first that does not. */
bool accd_bulk_pointers_kept(const struct accd_walk *walk, size_t *section_p);

/* event.c: tells about a construct that succeeded, in the order of the document's steps. */
struct accd_exit_story {
    struct accd_object *const *dying;
    size_t ndying;
    struct accd_attach *const *forced; /* attachments that ended with their holder or target */
    size_t nforced;
    struct accd_object *const *records; /* that lost a reference with an attachment */
    size_t nrecords;
    bool group_leaves, group_dies;
};
void accd_tell_entry(const struct accd_plan *plan);
void accd_tell_exit(const struct accd_plan *plan, const struct accd_exit_story *story);
void accd_tell_update(const struct accd_plan *plan);
/* Whether own bytes of a rowset's elements, whether the sections of a segment move with a group. */
size_t accd_bulk_own(const struct accd_bulk *bulk, const struct accd_rowset *set);
bool accd_bulk_dense(const struct accd_bulk *bulk, const struct accd_segment *segment);
/* The elements of a claim that is walked, or NULL. */
const struct accd_rowset *accd_elements_of(const struct accd_plan *plan,
                                           const struct accd_claim *claim, size_t *from,
                                           size_t *to);

#endif
