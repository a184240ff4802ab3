/* table.h - what is present on a device: objects, attached pointers, blocks that several objects share, levels. It looks
 * up, enters and removes records. Device memory is asked for and given back by the floors above. Groups of sections,
 * tuples and names have headers of their own beside this one. */
#ifndef ACCD_TABLE_H
#define ACCD_TABLE_H

#include "device/device.h"
#include "walk/walk.h"

struct accd_group;
struct accd_journal;
struct accd_original;
struct accd_queue;
struct accd_task;

#define ACCD_OBJECT_SHARED ((uint64_t)1 << 63) /* device memory belongs to a block */
#define ACCD_OBJECT_MAPPED ((uint64_t)1 << 62) /* device memory belongs to the user (acc_map_data) */
#define ACCD_OBJECT_ORIGIN ((uint64_t)1 << 61) /* where: an origin; otherwise a label */
#define ACCD_OBJECT_MEMBER ((uint64_t)1 << 60) /* where: a group */
#define ACCD_OBJECT_TOUCHED ((uint64_t)1 << 58) /* the construct or kernel under way reached it before */
#define ACCD_OBJECT_HELD ((uint64_t)1 << 52)    /* storage for members: what no clause names of it is a hole */
#define ACCD_OBJECT_NAMED ((uint64_t)1 << 53)   /* a region's clause named it without a reference */
#define ACCD_OBJECT_SHORT ((uint64_t)1 << 54)   /* exit data removed references that open regions added */
#define ACCD_OBJECT_PIECE ((uint64_t)1 << 55)   /* a clause that was split names it and other pieces */
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

/* What a descriptor held besides its address when it was attached: bounds, strides, element size. */
struct accd_kept_descriptor {
    uint32_t bytes; /* of the whole descriptor */
    char rest[];    /* behind the address */
};

/* An attached pointer. Keyed by the pointer's own host address. */
struct accd_attach {
    uint64_t slot;
    uint64_t target; /* host address it holds: value then */
    uint64_t base;   /* host address in the object it points to; target may lie outside it. 0: that
                        object is gone, and the pointer was left as it was (ACCD_LOST_DANGLES) */
    uint64_t dev;    /* device address in its device copy */
    struct accd_kept_descriptor *descriptor; /* all of which is attached; NULL: a plain pointer */
    struct accd_attach *next_target, *prev_target; /* ring of those with its base, where there is such an order */
    uint32_t count;
    uint32_t label : 31;
    uint32_t holds_record : 1; /* it holds a dynamic reference on its target, the type record of the descriptor that
                                  contains it, and ends with the attachment of that descriptor */
};

static inline uint64_t accd_attach_end(const struct accd_attach *attach)
{
    return attach->slot + (attach->descriptor ? attach->descriptor->bytes : sizeof(void *));
}

/* One device allocation for several objects; given back with the last of them. */
struct accd_block {
    uint64_t dev, bytes;
    size_t live;    /* places in it: of objects that are there, and places that wait for an object */
    size_t former;  /* places that wait for an object to come back */
    uint64_t host;  /* of its first byte, if data lie in it as on the host, or 0 */
    uint8_t ahead;  /* bytes before its data, so that alignment is the host's */
    bool borrowed;  /* the user's (acc_map_data) */
    uint64_t frame; /* host address of the aggregate whose members it holds in their places, or 0 */
};

/* What a region keeps of its items. */
struct accd_source {
    const accd_label *label;
    uint64_t host, bytes;            /* of the whole item */
    int64_t start, index[ACCD_INDICES];
    uint64_t base; /* of the list item, where extended ranges count (OMP60-map-10); else 0 */
    int32_t root; /* of the walk, -1: not walked */
    uint32_t slot_bytes; /* of its descriptor, 0: a plain pointer */
};

enum accd_claim_state {
    ACCD_CLAIM_OPEN,
    ACCD_CLAIM_PRESENT, /* object: the present one it lies in */
    ACCD_CLAIM_NEW,     /* makes an object of its own */
    ACCD_CLAIM_WITHIN,  /* lies in the new object of claim owner */
    ACCD_CLAIM_FILLS,   /* object: the present one with the hole that it fills */
    ACCD_CLAIM_SKIP     /* asks for nothing */
};

/* What one clause asks of one object: an item, or a section reached by walking one. */
struct accd_claim {
    uint64_t host, bytes;
    uint64_t slot;              /* pointer to it, 0: none */
    struct accd_object *object; /* of states PRESENT, NEW and WITHIN */
    uint32_t source;            /* item, or section of the walk with ACCD_CLAIM_WALKED */
    union {
        uint32_t owner;         /* of state WITHIN: the claim that makes the object */
        uint32_t taken;         /* of an exit: references taken off */
    };
    uint32_t detached;          /* of an exit: taken off the attachment counter */
    uint16_t flags;             /* ACCD_ITEM_* */
    uint8_t action;
    uint8_t state : 4;
    uint8_t attached : 1;       /* this construct attached the slot, or detaches it */
    uint8_t counted : 1;        /* an entry has counted a reference for it */
    uint8_t still : 1;          /* another clause maps its data: the claim copies nothing */
};

/* The short way of a region's end. False: nothing has happened. */
typedef bool accd_leave_way(struct accd_region *region, accd_status *status_p);

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
    struct accd_pair *order;    /* numbers of its claims by what they ask for, then by pointers; NULL: not asked for */
    size_t bytes;               /* of this block of memory, unless the region is plain */
    accd_leave_way *leave;      /* of a plain one, which the short way opened: that of its end; NULL: it is not plain */
    unsigned again;             /* ... claims on an object that one before them counts, as bits */
    struct accd_region **home;  /* of a plain one: where its record waits to be used again ... */
    uint64_t gone;              /* ... with claims whose objects are there if no object of the table went since */
    bool given_up;              /* memory was missing for its end: it goes with the one around it */
};

/* Present table: what is on the device, and where. */
struct accd_present_table {
    struct accd_range objects;   /* by host address */
    struct accd_range by_device; /* the same by device address, kept once it was asked for */
    bool device_order;
    struct accd_range blocks;    /* by device address */
    struct accd_range frames;    /* those of aggregates, by host address */
    struct accd_pool object_pool, block_pool;
    struct accd_origin *origins;
    size_t norigins, origins_room;
    uint32_t free_origin; /* linked through next, 0: none; number 0 is never used */
    size_t live;          /* objects, pending ones included */
};

/* Attach table: pointers whose device copies hold device addresses. */
struct accd_attach_table {
    struct accd_range slots;   /* attachments by the pointer's host address */
    uint64_t low, high;        /* all of them, with their descriptors, lie between these, if there are any */
    struct accd_range targets; /* attachments by base, one of each ring, kept once it was asked for */
    bool target_order;
    struct accd_pool pool;
    size_t live; /* attachments, pending ones included */
    struct accd_object *holder; /* the object with the last pointer of a plain construct, or NULL */
    uint64_t holder_gone;       /* present.objects.gone when holder was set: an equal number means that it is there */
    size_t nwhole;   /* attachments of descriptors */
    size_t nrecords; /* attachments that hold type records */
};

/* What fusion knows (document DIR). */
struct accd_tuples {
    struct accd_range shares; /* of objects, by their host address */
    struct accd_range fused;  /* tuples that objects are in, by host address */
    struct accd_range bases;  /* originals by base address: one of each ring */
    struct accd_pool share_pool, original_pool, former_pool, fused_pool;
    uint64_t exit; /* number of the exit under way: marks of others, that failed, mean nothing any more */
    bool unowned;  /* references were taken off whose originals stayed: data may go before these do */
};

/* Deep structures that are one record each. */
struct accd_groups {
    struct accd_group **at; /* by number; NULL: free */
    size_t n, room, npending, npending_attach;
    size_t least_free; /* numbers of groups below it are taken */
    struct accd_span *roots, *hulls, *places, *slots;
    struct accd_span *woken;    /* whose pointers are pending, and whose sections are not */
    struct accd_group *retired; /* the group that died last: only its walk and map, or NULL */
};

enum { ACCD_HOMES = 16 };

/* Regions that are open. */
struct accd_levels {
    struct accd_region *top;
    size_t depth;
    uint64_t serial;       /* of the last construct that opened anything */
    struct accd_pool pool; /* records of plain levels ... */
    struct accd_region *spare[ACCD_HOMES + 1]; /* ... that are not open, linked through below; the last ones have
                                                  claims of pointers */
};

/* Activity queues. */
struct accd_queues {
    struct accd_range by_async;
    struct accd_queue **at; /* by number, from 1 */
    size_t n, room;
    struct accd_span *busy; /* queues that have tasks, by number */
    struct accd_span *uses; /* device memory that the tasks of queues use, or are to forget */
    size_t ntasks;          /* tasks that the queues have to do */
    struct accd_queue *giving;       /* the queue of the construct that gives memory up, or NULL */
    const struct accd_task *running; /* a kernel of a queue, or NULL */
};

/* What is known of one device and of what is on it. */
struct accd_directory {
    accd_context *context;
    struct accd_device device;
    struct accd_present_table present;
    struct accd_attach_table attached;
    struct accd_promise { /* what the construct under way has reserved, and may not have used yet */
        size_t objects;   /* places in both orders of objects */
        size_t attachments;
    } promised;
    struct accd_levels levels;
    struct accd_groups groups;
    struct accd_tuples tuples;
    struct accd_queues queues;
    struct accd_journal *journal;
    bool journal_attaches; /* it has attachments to put back one by one */
    size_t eventful; /* what plain constructs have to look out for: pending groups, their pending pointers,
                        tasks, shares, the journal, the listener. 0: they take the short way */
};

/* How a range lies to the present objects. */
enum accd_relation { ACCD_NONE, ACCD_INSIDE, ACCD_ACROSS };

/* What the construct under way has reserved, and not used, is anybody's again. */
static inline void accd_directory_unreserve(struct accd_directory *dir)
{
    dir->promised = (struct accd_promise){0, 0};
}

/* Items that plain constructs have at most. */
enum { ACCD_SHORT_ITEMS = 8 };

/* Whether indices are a part of what a label says. */
static inline bool accd_label_counts(const accd_label *label) { return label && label->flags & ACCD_LABEL_INDEXED; }

/* How an attached pointer is called. */
static inline void accd_attach_label(struct accd_attach *attach, const accd_label *label)
{
    attach->label = label ? label->id & (UINT32_MAX >> 1) : 0;
}

/* ------------------------------------------------------------------------------------ find.c -- */

/* The present object that covers an address, or NULL. May index a group: ACCD_OUT_OF_MEMORY. */
accd_status accd_find(struct accd_directory *dir, uint64_t host, struct accd_object **object_p);
accd_status accd_relate(struct accd_directory *dir, uint64_t host, uint64_t bytes,
                        enum accd_relation *relation_p, struct accd_object **object_p);
/* The object by device address; builds the device order when asked for the first time. */
accd_status accd_find_device(struct accd_directory *dir, uint64_t dev,
                             struct accd_object **object_p);
/* The object at a host address, or at a device address. NULL: there is none, no memory for a look-up in a group, or
 * no directory. */
static inline struct accd_object *accd_object_at(struct accd_directory *dir, uint64_t address, bool in_device)
{
    struct accd_object *object = NULL;
    return dir && (in_device ? accd_find_device : accd_find)(dir, address, &object) == ACCD_OK ? object : NULL;
}
accd_status accd_find_attach(struct accd_directory *dir, uint64_t slot,
                             struct accd_attach **attach_p);
/* Attachments in [low, high) in order; the index may not change in between. */
accd_status accd_first_attach(struct accd_directory *dir, uint64_t low, uint64_t high,
                              struct accd_range_cursor *cursor, struct accd_attach **attach_p);
struct accd_attach *accd_next_attach(struct accd_range_cursor *cursor, uint64_t high);
/* The attached pointer within a descriptor, behind its address: that of its addendum. Or NULL. */
struct accd_attach *accd_attach_inside(struct accd_directory *dir, uint64_t slot, uint64_t bytes);
/* The attachment of the type record that the attachment of a descriptor holds, or NULL. */
struct accd_attach *accd_attach_record(struct accd_directory *dir, const struct accd_attach *attach);
/* The attachment of the descriptor that holds a type record, or NULL. */
struct accd_attach *accd_attach_around(struct accd_directory *dir, const struct accd_attach *record);
/* Whether the pointer on the host is the one that was attached, with all that belongs to it. */
bool accd_attached_as_now(const struct accd_attach *attach, uint32_t slot_bytes);
accd_status accd_index_all(struct accd_directory *dir);
accd_status accd_index_pointers(struct accd_directory *dir, uint64_t low, uint64_t high);

/* --------------------------------------------------------------------------------- objects.c -- */

/* NULL, with ACCD_NO_DEVICE recorded if there is a context. */
struct accd_directory *accd_no_directory(accd_context *context, int device);
/* The directory of a device, or accd_no_directory. */
static inline struct accd_directory *accd_directory_of(accd_context *context, int device)
{
    return context && device >= 0 && device < context->ndirs ? &context->dirs[device]
                                                             : accd_no_directory(context, device);
}
/* A call continues with the directory of its device alone. */
#define ACCD_ON_DEVICE(dir, context, device)                                       \
    struct accd_directory *const dir = accd_directory_of((context), (device)); \
    if (!(dir))                                                                    \
    return (context) ? ACCD_NO_DEVICE : ACCD_MISUSE
/* Room for so many more objects, origins, attachments, blocks: the calls below then succeed, until
 * accd_directory_unreserve. The room is the construct's: groups that are looked into meanwhile bring theirs. */
accd_status accd_directory_reserve(struct accd_directory *dir, size_t objects, size_t origins,
                                   size_t attachments, size_t blocks);
void accd_insert_object(struct accd_directory *dir, struct accd_object *object);
/* The same for several, by ascending addresses: pairs of these and the objects, at most ACCD_SHORT_ITEMS. */
void accd_insert_objects(struct accd_directory *dir, const struct accd_pair *objects, size_t n);
/* Takes the object out; its device memory is freed by the caller (accd_free_memory_of). */
void accd_remove_object(struct accd_directory *dir, struct accd_object *object);
/* The same for several, at most ACCD_SHORT_ITEMS. */
void accd_remove_objects(struct accd_directory *dir, struct accd_object *const *objects, size_t n);
/* The first object that reaches behind an address; then the following ones. */
struct accd_object *accd_first_behind(struct accd_directory *dir, uint64_t host,
                                      struct accd_range_cursor *cursor);
struct accd_block *accd_block_of(struct accd_directory *dir, const struct accd_object *object);
/* A shared device block; inserted when its objects are. */
struct accd_block *accd_insert_block(struct accd_directory *dir, const struct accd_block *block);
uint32_t accd_new_origin(struct accd_directory *dir, const struct accd_origin *origin);

/* ---------------------------------------------------------------------------------- attach.c -- */

/* Attachments from the first slot to the last one are about to be inserted. */
static inline void accd_attach_reaches(struct accd_directory *dir, uint64_t first, uint64_t last)
{
    struct accd_attach_table *table = &dir->attached;
    if (!table->slots.count || first < table->low)
        table->low = first;
    if (!table->slots.count || last + ACCD_SLOT_MOST > table->high)
        table->high = last + ACCD_SLOT_MOST;
}
struct accd_attach *accd_insert_attach(struct accd_directory *dir, uint64_t slot);
/* The same in two steps, the second one for several, by ascending addresses: pairs of these and the records. */
struct accd_attach *accd_new_attach(struct accd_directory *dir, uint64_t slot);
void accd_insert_attaches(struct accd_directory *dir, const struct accd_pair *attaches, size_t n);
void accd_remove_attach(struct accd_directory *dir, struct accd_attach *attach);
/* The same for several, at most ACCD_SHORT_ITEMS. */
void accd_remove_attaches(struct accd_directory *dir, struct accd_attach *const *attaches, size_t n);
/* The target of an attachment has moved; 0: there is none. */
void accd_attach_lead(struct accd_directory *dir, struct accd_attach *attach, uint64_t base);
/* A copy of what a descriptor in readable memory holds behind its address. NULL: no memory. */
struct accd_kept_descriptor *accd_descriptor_keep(struct accd_directory *dir, const void *descriptor,
                                uint32_t bytes);
void accd_descriptor_forget(struct accd_directory *dir, struct accd_kept_descriptor *kept);

/* --------------------------------------------------------------------------------- targets.c -- */

/* Makes the order of attachments by their targets. */
accd_status accd_order_targets(struct accd_directory *dir);
/* Of the ordered attachments one that points into an object, or NULL. */
struct accd_attach *accd_first_target(struct accd_directory *dir, const struct accd_object *object);
/* Attached pointers that point into some objects, by their pointers' addresses: pairs of these and of the attachments'
 * addresses, in scratch space. */
accd_status accd_targets_of(struct accd_directory *dir, const struct accd_object *const *objects, size_t nobjects,
                            const struct accd_pair **pairs_p, size_t *n_p);

/* --------------------------------------------------------------------------------- regions.c -- */

/* A new record for a plain level, written but for what its construct says; NULL: no memory. */
struct accd_region *accd_region_make(struct accd_directory *dir, struct accd_region **home);
/* The place of records of constructs with this first item. */
static inline struct accd_region **accd_region_home(struct accd_directory *dir, const accd_item *item)
{
    const uint64_t key = (accd_address(item->host) + accd_address(item->label)) * 0x9E3779B97F4A7C15u;
    return &dir->levels.spare[key / (UINT64_MAX / ACCD_HOMES + 1)];
}
/* A new record, or the last one that was given back there: its claims say what that construct found. */
static inline struct accd_region *accd_region_take(struct accd_directory *dir, struct accd_region **home)
{
    struct accd_region *region = *home;
    if (!region)
        return accd_region_make(dir, home);
    *home = region->below;
    return region;
}
static inline void accd_region_give(struct accd_region *region)
{
    region->given_up = false;
    region->below = *region->home;
    *region->home = region;
}
void accd_region_free(struct accd_region *region);
/* The object goes while regions are open: their clauses ask nothing of it any more. */
void accd_regions_forget(struct accd_directory *dir, const struct accd_object *object);

/* ---------------------------------------------------------------------------------- source.c -- */

/* How the bytes that a clause asks for, those of [from, to) which its own layout does not leave out, lie to
 * what is left of elements by theirs. */
enum accd_relation accd_relate_layouts(const accd_program *layout, uint64_t from, uint64_t to,
                                       const accd_program *own, uint64_t into);
/* How a range of an object lies to what of it is present: all but what its clause left out. */
enum accd_relation accd_relate_within(struct accd_directory *dir, const struct accd_object *object,
                                      uint64_t host, uint64_t bytes);

/* ------------------------------------------------------------------------------------ view.c -- */

/* Device range of an object, or of the tuple it is in: there, indices reach from one to another. 0: object is NULL. */
int accd_bounds_of(struct accd_directory *dir, const struct accd_object *object, uint64_t *low_p, uint64_t *high_p);

/* ----------------------------------------------------------------------------------- label.c -- */

void accd_labels_close(accd_context *context);
/* A copy of a name that lives as long as the context: constructs may be gone when their work is done. NULL: there
 * is none, or no memory. */
const char *accd_keep_name(accd_context *context, const char *name);

#endif
