/* core.h - the structures the rooms of the core share.
 *
 *   status, mem, range, spans leaves
 *   device, device_sim,       backends: memory of a device, transfers, faults; cuda/ has another
 *   written
 *   rules                     profiles, rule ids
 *   label, name               how objects and pointers are called
 *   walk                      mapping programs over columns of elements
 *   directory, targets        present objects, groups, shared device blocks, attachments, their targets
 *   clauses, fuse, unfuse,    which data lie in one device block
 *   tuples
 *   plan, moves, present,     a construct, from items to events (plan.h)
 *   resolve, link, gaps,
 *   enter, exit, leave, ends,
 *   update, journal, construct
 *   bulk, windows             the transfers of a whole group (copy_rows.h)
 *   queue, pending,           what asynchronous constructs left to be done; transfers, at once or on
 *   transfers, concurrent     their way; order among what goes on by itself
 *   host, event, check        known host memory, telling, invariants
 */
#ifndef ACCD_CORE_H
#define ACCD_CORE_H

#include "accdeep_core.h"
#include "device/device.h"
#include "plan/fuse.h"
#include "plan/strided.h"
#include "base/mem.h"
#include "base/index.h"
#include "base/rules.h"
#include "base/sort.h"
#include "base/spans.h"

#include <stdbool.h>
#include <string.h>

#define ACCD_TRY(expression)               \
    do {                                   \
        accd_status try_ = (expression);   \
        if (try_ != ACCD_OK)               \
            return try_;                   \
    } while (0)

#define ACCD_PREFETCH_AHEAD 48 /* rows of a column */
#define ACCD_ROWS 256          /* rows an instruction of a mapping program runs over */

static inline uint64_t accd_address(const void *p) { return (uint64_t)(uintptr_t)p; }
static inline void *accd_pointer(uint64_t address) { return (void *)(uintptr_t)address; }
/* Device blocks keep objects apart at this step. */
static inline uint64_t accd_padded(uint64_t bytes) { return (bytes + 15) & ~(uint64_t)15; }

static inline uint64_t accd_load_pointer(uint64_t slot)
{
    uint64_t value;
    memcpy(&value, accd_pointer(slot), sizeof value);
    return value;
}

/* --------------------------------------------------------------------------------- programs -- */

struct accd_program {
    accd_context *context;
    unsigned users;
    accd_program_spec spec; /* arrays are copies that belong to the program */
    bool covers;            /* the pieces are all own bytes, without gap, of the object's action */
    bool init;              /* some of them are init_needed */
    bool calls;             /* calls functions of the host program: one thread only */
    bool again;             /* programs inside lead back to it */
    unsigned open;          /* levels beyond this one that fields inside lead up to */
    uint64_t inherited;     /* registers of the enclosing element it reads, one bit each */
};



/* The action of a member, given that of the element around it. */
uint8_t accd_effective(uint8_t own, bool init, uint8_t around);

/* Whether all its choices are among those there are. */
bool accd_rules_sound(const accd_rules *rules);
/* The id that a profile tells a rule by. */
const char *accd_rule_id(const accd_rules *rules, enum accd_rule rule);

/* What an action asks for. */
struct accd_demand {
    bool entry;    /* takes part in entry constructs, otherwise only in exits */
    bool creates;  /* makes absent objects present */
    bool must;     /* absent ones are an error */
    bool in, out;  /* sends on creation, fetches on removal */
};
extern const struct accd_demand accd_demands[ACCD_ACTION_COUNT];

/* Whether own bytes of elements move as one piece under an action. */
bool accd_moves_whole(const accd_program *program, uint8_t action, bool out);

/* ------------------------------------------------------------------------------------- walk -- */

/* Flags that sections have of their own, or from the element that leads there. */
#define ACCD_FIELD_FLAGS                                                                           \
    (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_KEEP | ACCD_ITEM_REFRESH | ACCD_ITEM_ALWAYS_IN |              \
     ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_MUST | ACCD_ITEM_FINAL)

/* Elements a program is run over, in order. */
struct accd_rowset {
    const accd_program *program;
    int parent;          /* segment the elements lie in, or -1 - root */
    size_t root;         /* that they were reached from */
    uint8_t action;      /* of the object around */
    uint16_t flags;      /* ACCD_FIELD_FLAGS of it */
    size_t rows;
    uint64_t base;       /* contiguous elements, stride apart ... */
    uint64_t *address;   /* ... or, if not NULL, the address of each */
    uint64_t per;        /* elements in each section of the parent ... */
    uint32_t *owner;     /* ... or, if 0, the section each element lies in */
    size_t segments, nsegments;
    int64_t **kept;      /* while the walk is made: registers that inner levels read */
};

/* Sections reached through one field of all elements of a rowset: a column of objects. */
struct accd_segment {
    const accd_field *field;
    int rowset;
    int elements;         /* rowset of what the sections hold, -1: plain data */
    uint8_t action;
    uint16_t flags;
    size_t rows, first;   /* number of the first section in the walk */
    uint64_t *host;       /* first byte of each section; walks that found the same share it */
    uint64_t bytes;       /* of every section, if bytes_of is NULL */
    uint64_t *bytes_of;
    int64_t start;        /* index of the first element, if start_of is NULL */
    int64_t *start_of;
    uint64_t low, high;   /* hull of all sections; high = 0: none */
    size_t applied;       /* sections of more than no bytes */
    uint64_t dev;         /* in a group: place of the first section in the device block */
    uint64_t *dev_of;     /* place of every ACCD_ROWS-th section, if they differ in length */
    uint64_t total;       /* padded bytes of all sections */
    uint64_t dopes;       /* what its descriptors hold, as a number */
    bool apart;           /* the elements of some section may have gaps between them */
    bool gaps;            /* it leads to elements, and there are gaps between those of some section */
};

struct accd_walk_root {
    uint64_t host, bytes;
    const accd_label *label;
    int64_t start, index[ACCD_INDICES];
    size_t item, rowset;
};

/* Elements of recursive programs that were reached. */
struct accd_seen {
    size_t used, room; /* room is 0 or a power of two */
    struct accd_seen_element {
        uint64_t address;
        const accd_program *program;
    } * at;
};

/* Adds an element; *first_p: whether it is new. False: no memory. */
bool accd_seen_add(struct accd_seen *seen, struct accd_mem *mem, uint64_t address,
                   const accd_program *program, bool *first_p);
void accd_seen_close(struct accd_seen *seen, struct accd_mem *mem);

/* Why a section could not be computed. */
enum accd_fault {
    ACCD_NO_FAULT,
    ACCD_NEGATIVE,
    ACCD_TOO_LARGE,
    ACCD_NULL_BASE,
    ACCD_OUTSIDE,
    ACCD_LEAVES_ELEMENT, /* an embedded array ends with its element */
    ACCD_BAD_LOAD,
    ACCD_CALL_FAILED,
    ACCD_DIVIDES_BY_ZERO,
    ACCD_OVERFLOWS,
    ACCD_SHIFTS_OUT,
    ACCD_NOT_CONTIGUOUS,
    ACCD_OUTSIDE_ROW
};
/* What an expression that C leaves undefined does, for a message; NULL for other faults. */
const char *accd_fault_text(enum accd_fault fault);
/* The first section of a walk that could not be computed. */
struct accd_walk_fault {
    enum accd_fault kind; /* ACCD_NO_FAULT: all could */
    size_t section;
    int64_t value; /* the length it would have had */
};

struct accd_walk {
    accd_context *context;
    unsigned users;
    size_t nroots, nrowsets, nsegments;
    size_t roots_room, rowsets_room, segments_room;
    struct accd_walk_root *roots;
    struct accd_rowset *rowsets;
    struct accd_segment *segments;
    accd_program **programs; /* retained, one for each root */
    size_t sections;         /* of all segments */
    uint64_t losses;         /* of known host memory, when the walk was made */
    bool gaps;               /* elements that lie in some were left out */
    const struct accd_walk *before; /* while the walk is made */
    struct accd_seen seen;          /* while the walk is made */
    struct accd_walk_fault fault;
};

/* Whether there are elements to walk: a null pointer leads to none. */
static inline bool accd_item_walks(const accd_item *item)
{
    return item->program && item->bytes && item->host;
}
/* The number that stands for what is behind the addresses of descriptors, those of some rows of a column, while
 * they can be read; sums of rows are sums of these. apart: set, if some of them may lead to sections with gaps. */
uint64_t accd_sum_dopes(const struct accd_rowset *set, const accd_field *field, size_t first, size_t n,
                        bool *apart);
/* before: NULL, or a walk that likely found the same; then equal columns are shared, not written. Where a
 * section cannot be computed there is a walk in spite of the status: with its fault, of which no error is made. */
accd_status accd_walk_new(accd_context *context, const accd_construct *construct,
                          const struct accd_walk *before, struct accd_walk **walk_p);
struct accd_walk *accd_walk_retain(struct accd_walk *walk);
void accd_walk_release(struct accd_walk *walk);

static inline uint64_t accd_row_address(const struct accd_rowset *set, size_t row)
{
    return set->address ? set->address[row] : set->base + row * set->program->spec.stride;
}
static inline uint64_t accd_section_bytes(const struct accd_segment *segment, size_t row)
{
    return segment->bytes_of ? segment->bytes_of[row] : segment->bytes;
}
static inline int64_t accd_section_start(const struct accd_segment *segment, size_t row)
{
    return segment->start_of ? segment->start_of[row] : segment->start;
}
/* Whether the elements lie in the object itself. */
static inline bool accd_field_lies_inside(const accd_field *field) { return field->embedded || field->in_place; }
static inline bool accd_segment_maps(const struct accd_segment *segment)
{
    return !segment->field->embedded;
}
/* Address of the pointer a section was reached through; 0 for sections of embedded arrays. */
static inline uint64_t accd_section_slot(const struct accd_walk *walk,
                                         const struct accd_segment *segment, size_t row)
{
    if (segment->field->in_place)
        return 0;
    return accd_row_address(&walk->rowsets[segment->rowset], row) + segment->field->offset;
}
/* What a field of a row leads to: the pointer's value, or the embedded elements' address. */
uint64_t accd_field_base(const struct accd_rowset *set, const accd_field *field, size_t row);
uint64_t accd_section_place(const struct accd_segment *segment, size_t row);
void accd_walk_locate(const struct accd_walk *walk, size_t section, size_t *segment, size_t *row);

/* -------------------------------------------------------------------------------- directory -- */

#define ACCD_SIZE_BITS 48
#define ACCD_OBJECT_SHARED ((uint64_t)1 << 63) /* device memory belongs to a block */
#define ACCD_OBJECT_MAPPED ((uint64_t)1 << 62) /* device memory belongs to the user (acc_map_data) */
#define ACCD_OBJECT_ORIGIN ((uint64_t)1 << 61) /* where: an origin; otherwise a label */
#define ACCD_OBJECT_MEMBER ((uint64_t)1 << 60) /* where: a group */
#define ACCD_OBJECT_DYING ((uint64_t)1 << 59)  /* while an exit is under way */
#define ACCD_OBJECT_TOUCHED ((uint64_t)1 << 58) /* the same: a clause of it took a reference off; a kernel reaches it */
#define ACCD_OBJECT_NAMED ((uint64_t)1 << 53)   /* a region's clause named it without a reference */
#define ACCD_OBJECT_SHORT ((uint64_t)1 << 54)   /* exit data took references that open regions brought */
#define ACCD_OBJECT_PIECE ((uint64_t)1 << 55)   /* of what a clause names: it was split */
#define ACCD_OBJECT_POINTER ((uint64_t)1 << 56) /* made only by items with ACCD_ITEM_POINTER */
#define ACCD_OBJECT_HOLDS ((uint64_t)1 << 57)   /* a pointer in it was attached */

/* A present object: one tuple of the present table. 40 bytes, because there may be millions. */
struct accd_object {
    uint64_t host;
    uint64_t size; /* bytes, and ACCD_OBJECT_* above ACCD_SIZE_BITS */
    uint64_t dev;
    uint32_t structured, dynamic;
    uint32_t pins;  /* attached pointers that point here */
    uint32_t where; /* what it is called by */
};

static inline uint64_t accd_object_bytes(const struct accd_object *object)
{
    return object->size & (((uint64_t)1 << ACCD_SIZE_BITS) - 1);
}
static inline uint64_t accd_object_end(const struct accd_object *object)
{
    return object->host + accd_object_bytes(object);
}

/* What a walk began with, as far as an object that the walk made needs it for its name. */
enum accd_root_kind {
    ACCD_ROOT_NONE,    /* no walk */
    ACCD_ROOT_WHOLE,   /* the pointer lies in what the clause names ... */
    ACCD_ROOT_ELEMENT, /* ... in the element of it that the last index names */
    ACCD_ROOT_FAR      /* the pointer lies in the target of another one */
};

/* Where the name of an object that a walk made comes from. */
struct accd_origin {
    uint64_t slot;
    uint64_t base; /* in front of it, where the extended range of its list item begins, 0: nothing is */
    int64_t start, index[ACCD_INDICES];
    uint32_t label; /* of the section */
    uint32_t item;  /* of the clause that mapped it */
    uint32_t next;  /* free ones are linked */
    enum accd_root_kind root;
};

#define ACCD_SLOT_MOST (24 + 24 * 15 + 64) /* bytes of the largest descriptor */

/* What a descriptor held besides its address when it was attached: bounds, strides, element size. */
struct accd_dope {
    uint32_t bytes; /* of the whole descriptor */
    char rest[];    /* behind the address */
};

/* An attached pointer. Keyed by the pointer's own host address. */
struct accd_attach {
    uint64_t slot;
    uint64_t target; /* host address it holds: value then */
    uint64_t base;   /* host address in the object it leads to; target may lie outside it. 0: that
                        object is gone, and the pointer was left as it was (ACCD_LOST_DANGLES) */
    uint64_t dev;    /* device address in its device copy */
    struct accd_dope *dope; /* of a descriptor: the attachment is all of it; NULL: a plain pointer */
    struct accd_attach *next_target, *prev_target; /* ring of those with its base, where there is such an order */
    uint32_t count;
    uint32_t label : 31;
    uint32_t brings : 1; /* it holds a dynamic reference on its target, the type record of the descriptor it
                            lies in, and ends with that one's attachment */
};

static inline uint64_t accd_attach_end(const struct accd_attach *attach)
{
    return attach->slot + (attach->dope ? attach->dope->bytes : sizeof(void *));
}
static inline uint64_t accd_field_slot_bytes(const accd_field *field)
{
    return field->slot_bytes ? field->slot_bytes : sizeof(void *);
}

/* One device allocation for several objects; given back with the last of them. */
struct accd_block {
    uint64_t dev, bytes;
    size_t live;    /* places in it: of objects that are there, and of those that will come back */
    size_t former;  /* the latter */
    uint64_t host;  /* of its first byte, if data lie in it as on the host, or 0 */
    uint8_t ahead;  /* bytes before its data, so that alignment is the host's */
    bool borrowed;  /* the user's (acc_map_data) */
    uint64_t frame; /* host address of the aggregate whose members it holds in their places, or 0 */
};

/* All sections of one large walk, made present together. While pending it is one record: the columns
 * of the walk, one pair of counters, one attachment counter, a bit map of the memory it covers. The
 * first look-up that meets the map turns the sections into objects (accd_group_index), the first
 * one among its pointers turns those into attachments (accd_group_attachments). */
struct accd_group {
    uint32_t id;
    bool pending, pending_attach;
    struct accd_walk *walk;
    struct accd_block *block;      /* of its sections; the roots are objects of their own */
    uint32_t structured, dynamic, attached;
    uint64_t low, high;            /* hull of the sections */
    unsigned granule;              /* one bit stands for 1 << granule bytes */
    uint64_t *map;
    size_t map_words;
    uint64_t slot_low, slot_high;  /* hull of the pointers */
    struct accd_object *objects;   /* once indexed: one for each section */
    size_t live;                   /* objects that are present */
    struct accd_span root;         /* address of the first element, while the directory knows the group */
    struct accd_span hull, place;  /* of the sections, on the host and the device, while they are pending */
    struct accd_span slots;        /* of the pointers, while these are */
    uint64_t dopes;                /* what its descriptors held when they were attached, as a number */
};

struct accd_directory {
    accd_context *context;
    int number;
    const accd_backend *ops;
    void *device;
    struct accd_range objects;   /* by host address */
    struct accd_range by_device; /* the same by device address, kept once it was asked for */
    bool device_order;
    struct accd_range blocks;    /* by device address */
    struct accd_range frames;    /* those of aggregates, by host address */
    struct accd_range slots;     /* attachments by the pointer's host address */
    struct accd_range targets;   /* attachments by base, one of each ring, kept once it was asked for */
    bool target_order;
    struct accd_range seats;     /* what fusion knows of objects, by their host address */
    struct accd_range fused;     /* tuples that objects are in, by host address */
    struct accd_range bases;     /* originals by base address: one of each ring */
    struct accd_promise {        /* what the construct under way has reserved, and may not have used yet */
        size_t objects;          /* places in both orders of objects */
        size_t attachments;
    } promised;
    uint64_t serial;             /* of the last construct that opened anything */
    struct accd_pool object_pool, attach_pool, block_pool;
    struct accd_pool seat_pool, original_pool, former_pool, fused_pool;
    struct accd_origin *origins;
    size_t norigins, origins_room;
    uint32_t free_origin; /* linked through next, 0: none; number 0 is never used */
    struct accd_group **groups;
    size_t ngroups, groups_room, npending, npending_attach;
    size_t least_free;           /* numbers of groups below it are taken */
    struct accd_span *group_roots, *group_hulls, *group_places, *group_slots;
    struct accd_group *retired; /* the group that died last: only its walk and map, or NULL */
    struct accd_region *top;
    size_t depth;
    size_t live_objects, live_attachments; /* pending ones included */
    size_t ndopes;
    size_t nwhole;   /* attachments of descriptors */
    size_t nbrought; /* attachments that hold references */
    accd_stats stats;                      /* what the device was asked for */
    struct accd_journal *journal;
    struct accd_range by_async;  /* queues */
    struct accd_queue **queues; /* by number, from 1 */
    size_t nqueues, queues_room;
    struct accd_span *uses;     /* device memory that their tasks use, or are to forget */
    size_t ntasks;              /* that they have to do */
    struct accd_queue *giving;  /* the queue of the construct that gives memory up, or NULL */
    const struct accd_task *running; /* a kernel of a queue, or NULL */
};

/* How a range lies to the present objects. */
enum accd_relation { ACCD_NONE, ACCD_INSIDE, ACCD_ACROSS };

accd_status accd_directory_init(struct accd_directory *dir, accd_context *context, int number);
void accd_directory_close(struct accd_directory *dir);

/* The present object that covers an address, or NULL. May index a group: ACCD_OUT_OF_MEMORY. */
accd_status accd_find(struct accd_directory *dir, uint64_t host, struct accd_object **object_p);
accd_status accd_relate(struct accd_directory *dir, uint64_t host, uint64_t bytes,
                        enum accd_relation *relation_p, struct accd_object **object_p);
/* The object by device address; builds the device order when asked for the first time. */
accd_status accd_find_device(struct accd_directory *dir, uint64_t dev,
                             struct accd_object **object_p);
accd_status accd_find_attach(struct accd_directory *dir, uint64_t slot,
                             struct accd_attach **attach_p);
/* Attachments in [low, high) in order; the index may not change in between. */
accd_status accd_first_attach(struct accd_directory *dir, uint64_t low, uint64_t high,
                              struct accd_range_cursor *cursor, struct accd_attach **attach_p);
struct accd_attach *accd_next_attach(struct accd_range_cursor *cursor, uint64_t high);

/* Room for so many more objects, origins, attachments, blocks: the calls below then succeed, until
 * accd_directory_settle. It belongs to the construct: groups that are looked into meanwhile bring their own. */
accd_status accd_directory_reserve(struct accd_directory *dir, size_t objects, size_t origins,
                                   size_t attachments, size_t blocks);
/* The same of what is inserted at once, beside what a construct has reserved: places of objects, attachments. */
bool accd_directory_reserve_beside(struct accd_directory *dir, size_t objects, size_t attachments);
static inline void accd_directory_settle(struct accd_directory *dir) { dir->promised = (struct accd_promise){0, 0}; }
void accd_insert_object(struct accd_directory *dir, struct accd_object *object);
/* Takes the object out; its device memory is freed by the caller (accd_free_memory_of). */
void accd_remove_object(struct accd_directory *dir, struct accd_object *object);
struct accd_block *accd_block_of(struct accd_directory *dir, const struct accd_object *object);
void accd_free_memory_of(struct accd_directory *dir, struct accd_object *object);
accd_status accd_alloc_memory(struct accd_directory *dir, uint64_t bytes, uint64_t *dev_p);
void accd_free_memory(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
/* Data are gone from a block that lives on. */
void accd_forget_bytes(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
/* A shared device block; inserted when its objects are. */
struct accd_block *accd_insert_block(struct accd_directory *dir, const struct accd_block *block);
void accd_release_block(struct accd_directory *dir, struct accd_block *block, size_t objects);
uint32_t accd_new_origin(struct accd_directory *dir, const struct accd_origin *origin);
struct accd_attach *accd_insert_attach(struct accd_directory *dir, uint64_t slot);
void accd_remove_attach(struct accd_directory *dir, struct accd_attach *attach);
/* The target of an attachment has moved; 0: there is none. */
void accd_attach_lead(struct accd_directory *dir, struct accd_attach *attach, uint64_t base);
/* Puts an attachment into the order by targets; where memory is missing, the order is given up. */
void accd_attach_put_in(struct accd_directory *dir, struct accd_attach *attach);
/* Makes the order of attachments by their targets. */
accd_status accd_order_targets(struct accd_directory *dir);
/* Of the ordered ones one that leads into an object, or NULL. */
struct accd_attach *accd_first_target(struct accd_directory *dir, const struct accd_object *object);
/* Attachments that lead into some objects, by their pointers' addresses. In scratch space. */
struct accd_targets {
    const struct accd_object **objects; /* added by the caller between the two calls below */
    size_t nobjects;
    struct accd_pair *at; /* address of the pointer, and of the attachment */
    size_t n;
};
accd_status accd_list_targets(struct accd_directory *dir, struct accd_targets *targets, size_t room);
accd_status accd_sort_targets(struct accd_directory *dir, struct accd_targets *targets);
/* A copy of what a descriptor in readable memory holds behind its address. NULL: no memory. */
struct accd_dope *accd_dope_new(struct accd_directory *dir, const void *descriptor,
                                uint32_t bytes);
void accd_dope_free(struct accd_directory *dir, struct accd_dope *dope);
/* The attached pointer within a descriptor, behind its address: that of its addendum. Or NULL. */
struct accd_attach *accd_attach_inside(struct accd_directory *dir, uint64_t slot, uint64_t bytes);
/* The one that came with the attachment of a descriptor, or NULL. */
struct accd_attach *accd_attach_brought(struct accd_directory *dir, const struct accd_attach *attach);
/* How an attached pointer is called. */
static inline void accd_attach_label(struct accd_attach *attach, const accd_label *label)
{
    attach->label = label ? label->id & (UINT32_MAX >> 1) : 0;
}
/* Whether the pointer on the host is the one that was attached, with all that belongs to it. */
bool accd_attached_as_now(const struct accd_attach *attach, uint32_t slot_bytes);

/* group.c */
/* Nothing looks for sections, or pointers, of a group one by one from now on; or again. */
void accd_group_wait(struct accd_directory *dir, struct accd_group *group);
void accd_group_wake(struct accd_directory *dir, struct accd_group *group);
accd_status accd_group_index(struct accd_directory *dir, struct accd_group *group);
accd_status accd_group_attachments(struct accd_directory *dir, struct accd_group *group);
accd_status accd_index_all(struct accd_directory *dir);
accd_status accd_index_pointers(struct accd_directory *dir, uint64_t low, uint64_t high);
/* Turns pending groups that a range meets into objects. */
accd_status accd_index_met(struct accd_directory *dir, uint64_t low, uint64_t high);
bool accd_group_meets(const struct accd_group *group, uint64_t low, uint64_t high);
/* Whether all sections lie apart from each other; if so the group's bit map and hulls are filled. */
accd_status accd_group_map(struct accd_directory *dir, struct accd_group *group, bool *apart_p);
accd_status accd_group_new(struct accd_directory *dir, struct accd_walk *walk,
                           struct accd_group **group_p);
void accd_group_free(struct accd_directory *dir, struct accd_group *group);
/* Other attachments, of objects or groups, lie among the pointers of the group. */
bool accd_group_slots_shared(struct accd_directory *dir, const struct accd_group *group);
bool accd_same_columns(const struct accd_walk *a, const struct accd_segment *x,
                       const struct accd_walk *b, const struct accd_segment *y);
/* A walk of the same roots that likely found what the construct will find, or NULL: that of a pending
 * group, or of the one that died last. */
struct accd_walk *accd_group_before(const struct accd_directory *dir,
                                    const accd_construct *construct);
/* The group died: it is freed, but for what the same construct would compute again. */
void accd_group_retire(struct accd_directory *dir, struct accd_group *group);
void accd_forget_retired(struct accd_directory *dir);
/* The pending group, pointers included, that a walk names section for section, or NULL. */
struct accd_group *accd_group_matching(struct accd_directory *dir, const struct accd_walk *walk);
/* What the descriptors of a walk held, as a number; 0: it has none. */
uint64_t accd_walk_dopes(const struct accd_walk *walk);
/* Whether some of them lead to sections with gaps: these are no group. */
bool accd_walk_gaps(const struct accd_walk *walk);
/* Whether those of a group are on the host as they were attached, as far as it may be read. */
bool accd_group_dopes_kept(const struct accd_directory *dir, const struct accd_group *group);
/* Device address of the element in a row: of a root's, or of one in the group's own block. */
uint64_t accd_section_dev(const struct accd_group *group, const struct accd_segment *segment,
                          size_t row);

#include "queue/queue.h"

#include "plan/plan.h"

/* ------------------------------------------------------------------------------------- host -- */

struct accd_host {
    struct accd_range ranges;
    struct accd_pool pool;
    uint64_t losses; /* how often a range ceased to be live */
};
struct accd_host_block {
    uint64_t start, bytes;
    const accd_label *label;
    int live;
};
void accd_host_init(struct accd_host *host, struct accd_mem *mem);
void accd_host_close(struct accd_host *host);

/* label.c */
void accd_labels_close(accd_context *context);
/* The known range that begins at an address, or below; NULL: there is none. */
struct accd_host_block *accd_host_block_at(accd_context *context, uint64_t address);
/* Whether [start, start + bytes) lies in one live known range. */
bool accd_host_covers(accd_context *context, uint64_t start, uint64_t bytes);
/* Whether the host's memory may be touched: always, unless it has to be known. */
bool accd_host_usable(accd_context *context, uint64_t start, uint64_t bytes);

/* ---------------------------------------------------------------------------------- context -- */

struct accd_workers;

struct accd_context {
    struct accd_mem mem;
    accd_context_config config;
    accd_rules rules;
    accd_error error;
    char checked[400]; /* what accd_check found */
    struct accd_scratch scratch;
    bool busy;         /* a construct is under way: what it calls may look, but not change */
    bool working;      /* a queue is: what it calls may touch device memory, but ask for no construct */
    struct accd_name { /* that outlives its construct */
        struct accd_name *next;
        char *text;
    } * names;
    accd_label **labels;
    size_t nlabels, labels_room;
    struct accd_host host;
    struct accd_workers *workers;
    struct accd_directory *dirs;
    int ndirs;
};

accd_status accd_fail(accd_context *context, accd_status status, enum accd_rule rule,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Adds to the last error what the device's driver said, if it said anything; returns the status. */
accd_status accd_say_why(struct accd_directory *dir, accd_status status);
/* The error of a construct's transfers. */
accd_status accd_copy_failed(struct accd_directory *dir, accd_status status);
/* ACCD_MISUSE while a construct is under way. */
accd_status accd_idle(accd_context *context);
/* The same, and while a queue is at work; or if the device has no queue of this number. */
accd_status accd_may_ask(const struct accd_directory *dir, unsigned number);
/* The directory of a device, or NULL with ACCD_NO_DEVICE recorded; NULL, too, if there is no context. */
struct accd_directory *accd_directory_of(accd_context *context, int device);
/* The status of a call that got no directory. */
static inline accd_status accd_no_device(const accd_context *context)
{
    return context ? ACCD_NO_DEVICE : ACCD_MISUSE;
}
/* ACCD_MISUSE: an argument of a call is a null pointer. */
accd_status accd_not_given(accd_context *context, const char *call, const char *argument);
#define ACCD_GIVEN(context, argument)                                     \
    do {                                                                  \
        if (!(argument))                                                  \
            return accd_not_given((context), __func__, #argument);        \
    } while (0)

/* Device range of an object, or of the tuple it is in: there, indices reach from one to another. 0: object is NULL. */
int accd_bounds_of(struct accd_directory *dir, const struct accd_object *object, uint64_t *low_p, uint64_t *high_p);
/* inspect.c: ACCD_OUT_OF_BOUNDS if data lay at a device address that are elsewhere now. */
accd_status accd_check_stale(struct accd_directory *dir, uint64_t dev);

/* name.c: all write at most room bytes and end with a zero. */
void accd_name_object(struct accd_directory *dir, const struct accd_object *object, char *to,
                      size_t room);
void accd_name_original(struct accd_directory *dir, const struct accd_original *original, char *to,
                        size_t room);
/* A range that begins in an object, called as the object is. */
void accd_name_range(struct accd_directory *dir, const struct accd_object *object, uint64_t into,
                     uint64_t bytes, char *to, size_t room);
/* The place in a present object, as a member or element of it. */
void accd_name_inside(struct accd_directory *dir, const struct accd_object *object,
                      uint64_t offset, char *to, size_t room);
/* Bytes of a present object: the member that they are, or the element. */
void accd_name_element(struct accd_directory *dir, const struct accd_object *object,
                       uint64_t offset, uint64_t bytes, char *to, size_t room);
/* A pointer, by its own address. */
void accd_name_slot(struct accd_directory *dir, uint64_t slot, uint32_t label, char *to,
                    size_t room);
void accd_name_label(const accd_label *label, const int64_t *index, int64_t start, uint64_t bytes,
                     char *to, size_t room);
/* The same of an item, or of a part of it; the index of its first element. */
void accd_name_source(const struct accd_source *source, uint64_t host, uint64_t bytes, char *to,
                      size_t room);
int64_t accd_source_start(const struct accd_source *source, uint64_t host);
/* The name alone, without section. */
void accd_name_pointer(const accd_label *label, const int64_t *index, char *to, size_t room);
/* A section of a walk, the pointer it was reached through, an element's own bytes. */
void accd_name_section(const struct accd_walk *walk, size_t section, char *to, size_t room);
void accd_name_row_slot(const struct accd_walk *walk, size_t section, char *to, size_t room);
/* What the walk began with for a section of a row, and its indices: as many as an item has. */
enum accd_root_kind accd_name_root(const struct accd_walk *walk, const struct accd_segment *segment,
                                   size_t row, int64_t *index);
void accd_name_piece(const struct accd_walk *walk, const struct accd_rowset *set, size_t row,
                     const accd_piece *piece, char *to, size_t room);
void accd_describe_object(struct accd_directory *dir, const struct accd_object *object,
                          accd_object_info *info);
/* The label of the clause that mapped the object, or NULL. */
const accd_label *accd_mapped_by(struct accd_directory *dir, const struct accd_object *object);
/* The program that says what the elements of the object are made of, or NULL; with the number of
 * the first element and the bytes of each. */
const accd_program *accd_layout_of(struct accd_directory *dir, const struct accd_object *object);

/* What a construct is called. */
const char *accd_construct_name(const accd_construct *construct);
/* A copy of a name that lives as long as the context: constructs may be gone when their work is done. NULL: there is none,
 * or no memory. */
const char *accd_keep_name(accd_context *context, const char *name);

/* workers.c: runs work(arg, part) for part 0 .. parts-1, on several threads if there are any. */
struct accd_workers *accd_workers_new(struct accd_mem *mem, unsigned threads);
void accd_workers_close(struct accd_workers *workers);
unsigned accd_worker_count(const struct accd_workers *workers);
void accd_workers_run(struct accd_workers *workers, void (*work)(void *arg, unsigned part),
                      void *arg, unsigned parts);
/* How many parts a job over so many rows should have. */
unsigned accd_parts_for(accd_context *context, size_t rows);

#endif
