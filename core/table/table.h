/* table.h - what is present on a device: objects, attached pointers, blocks that several objects share, levels. It
 * looks up, enters and removes records. Device memory is asked for and given back by the floors above. Groups of
 * sections, tuples and names have headers of their own beside this one. */
#ifndef ACCD_TABLE_H
#define ACCD_TABLE_H

#include "device/device.h"
#include "walk/walk.h"

struct accd__group;
struct accd__journal;
struct accd__original;
struct accd__queue;
struct accd__task;

#define ACCD_OBJECT_SHARED ((uint64_t)1 << 63)       /* device memory belongs to a block */
#define ACCD_OBJECT_MAPPED ((uint64_t)1 << 62)       /* device memory belongs to the user (acc_map_data) */
#define ACCD_OBJECT_ORIGIN ((uint64_t)1 << 61)       /* where: an origin; otherwise a label */
#define ACCD_OBJECT_MEMBER ((uint64_t)1 << 60)       /* where: a group */
#define ACCD_OBJECT_VISITED ((uint64_t)1 << 58)      /* the construct or kernel under way reached it before */
#define ACCD_OBJECT_STORAGE ((uint64_t)1 << 52)      /* storage for members: what no clause names of it is a hole */
#define ACCD_OBJECT_NAMED ((uint64_t)1 << 53)        /* a region's clause named it without a reference */
#define ACCD_OBJECT_UNDERCOUNTED ((uint64_t)1 << 54) /* exit data removed references that open regions added */
#define ACCD_OBJECT_PIECE ((uint64_t)1 << 55)        /* a clause that was split names it and other pieces */
#define ACCD_OBJECT_POINTER ((uint64_t)1 << 56)      /* made only by items with ACCD_ITEM_BASE_POINTER */
#define ACCD_OBJECT_HAD_POINTER ((uint64_t)1 << 57)  /* a pointer in it was attached */

/* A present object: one tuple of the present table. 40 bytes, because there may be millions. */
struct accd__object {
    uint64_t host;
    uint64_t size; /* bytes, and ACCD_OBJECT_* above ACCD_SIZE_BITS */
    uint64_t dev;
    uint32_t structured, dynamic;
    uint32_t pins;  /* attached pointers that point here */
    uint32_t where; /* what it is called by */
};

static inline uint64_t accd__object_bytes(const struct accd__object *object)
{
    return object->size & (((uint64_t)1 << ACCD_SIZE_BITS) - 1);
}

static inline uint64_t accd__object_end(const struct accd__object *object)
{
    return object->host + accd__object_bytes(object);
}

/* What a walk began with, as far as an object that the walk made needs it for its name. */
enum accd__root_kind {
    ACCD_ROOT_NONE,    /* no walk */
    ACCD_ROOT_WHOLE,   /* the pointer lies in what the clause names ... */
    ACCD_ROOT_ELEMENT, /* ... in the element of it that the last index names */
    ACCD_ROOT_FAR      /* the pointer lies in the target of another one */
};

/* Where the name of an object that a walk made comes from. */
struct accd__name_origin {
    uint64_t slot;
    uint64_t base; /* in front of it, where the extended range of its list item begins, 0: nothing is */
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    uint32_t label; /* of the section */
    uint32_t item;  /* of the clause that mapped it */
    uint32_t next;  /* free ones are linked */
    enum accd__root_kind root;
};

/* What a descriptor held besides its address when it was attached: bounds, strides, element size. */
struct accd__saved_descriptor {
    uint32_t bytes; /* of the whole descriptor */
    char rest[];    /* behind the address */
};

/* An attached pointer. Keyed by the pointer's own host address. */
struct accd__attachment {
    uint64_t slot;
    uint64_t target; /* host address it holds: value then */
    uint64_t base;   /* host address in the object it points to; target may lie outside it. 0: that
                        object is gone, and the pointer was left as it was (ACCD_LOST_TARGET_DANGLES) */
    uint64_t dev;    /* device address in its device copy */
    struct accd__saved_descriptor *descriptor;          /* all of which is attached; NULL: a plain pointer */
    struct accd__attachment *next_target, *prev_target; /* ring of those with its base, where there is such an order */
    uint32_t count;
    uint32_t label : 31;
    uint32_t holds_record : 1; /* it holds a dynamic reference on its target, the type record of the descriptor that
                                  contains it, and ends with the attachment of that descriptor */
};

static inline uint64_t accd__attachment_end(const struct accd__attachment *attach)
{
    return attach->slot + (attach->descriptor ? attach->descriptor->bytes : sizeof(void *));
}

/* One device allocation for several objects; given back with the last of them. */
struct accd__block {
    uint64_t dev, bytes;
    size_t live;     /* places in it: of objects that are there, and places that wait for an object */
    size_t vacated;  /* places that wait for an object to come back */
    uint64_t host;   /* of its first byte, if data lie in it as on the host, or 0 */
    uint8_t padding; /* bytes before its data, so that alignment is the host's */
    bool user_owned; /* the user's (acc_map_data) */
    uint64_t frame;  /* host address of the aggregate whose members it holds in their places, or 0 */
};

/* What a region keeps of its items. */
struct accd__item_source {
    const accd_label *label;
    uint64_t host, bytes; /* of the whole item */
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    uint64_t base;       /* of the list item, where extended ranges count (OMP60-map-10); else 0 */
    int32_t root;        /* of the walk, -1: not walked */
    uint32_t slot_bytes; /* of its descriptor, 0: a plain pointer */
};

enum accd__request_state {
    ACCD_REQUEST_UNRESOLVED,
    ACCD_REQUEST_PRESENT,    /* object: the present one it lies in */
    ACCD_REQUEST_NEW,        /* makes an object of its own */
    ACCD_REQUEST_WITHIN_NEW, /* lies in the new object of claim owner */
    ACCD_REQUEST_FILLS_HOLE, /* object: the present one with the hole that it fills */
    ACCD_REQUEST_SKIPPED     /* asks for nothing */
};

/* What one clause asks of one object: an item, or a section reached by walking one. */
struct accd__request {
    uint64_t host, bytes;
    uint64_t slot;               /* pointer to it, 0: none */
    struct accd__object *object; /* of states PRESENT, NEW and WITHIN */
    uint32_t source;             /* item, or section of the walk with ACCD_SOURCE_WALKED */
    union {
        uint32_t owner;         /* of state WITHIN: the claim that makes the object */
        uint32_t removed_count; /* of an exit: references taken off */
    };
    uint32_t detached; /* of an exit: taken off the attachment counter */
    uint16_t flags;    /* ACCD_ITEM_* */
    uint8_t action;
    uint8_t state : 4;
    uint8_t attached : 1;      /* this construct attached the slot, or detaches it */
    uint8_t counted : 1;       /* an entry has counted a reference for it */
    uint8_t moves_nothing : 1; /* another clause maps its data: the claim copies nothing */
};

/* The short way of a region's end. False: nothing has happened. */
typedef bool accd__fast_end_fn(struct accd_region *region, accd_status *status_p);

/* A level of the stack of data environments. */
struct accd_region {
    accd_context *context;
    struct accd__device_env *env;
    struct accd_region *below;
    accd_construct_kind kind;
    const char *name, *file;
    int line;
    uint64_t thread;
    unsigned queue;
    uint64_t queue_start;      /* what its queue was asked for before */
    struct accd_walk *walk;    /* sources of walked claims */
    struct accd__group *group; /* all sections of the walk, if they are one group */
    uint64_t serial;
    size_t nitems, nrequests, noriginals;
    struct accd__item_source *items;
    struct accd__request *requests;
    struct accd__original **originals; /* its clauses as tuples, where data are fused */
    struct accd__item_grid *gaps;      /* of its items */
    size_t ngaps;
    struct accd__pair *order; /* numbers of its claims by what they ask for, then by pointers; NULL: not asked for */
    size_t bytes;             /* of this block of memory, unless the region is plain */
    accd__fast_end_fn
        *fast_end;     /* of a plain one, which the short way opened: that of its end; NULL: it is not plain */
    unsigned repeated; /* ... claims on an object that one before them counts, as bits */
    struct accd_region **free_list; /* of a plain one: where its record waits to be used again ... */
    uint64_t removals;              /* ... with claims whose objects are there if no object of the table went since */
    bool abandoned;                 /* memory was missing for its end: it goes with the one around it */
};

/* Present table: what is on the device, and where. */
struct accd__present_table {
    struct accd__btree objects;   /* by host address */
    struct accd__btree by_device; /* the same by device address, kept once it was asked for */
    bool device_order;
    struct accd__btree blocks; /* by device address */
    struct accd__btree frames; /* those of aggregates, by host address */
    struct accd__pool object_pool, block_pool;
    struct accd__name_origin *origins;
    size_t norigins, origins_capacity;
    uint32_t free_origin; /* linked through next, 0: none; number 0 is never used */
    size_t live;          /* objects, pending ones included */
};

/* Attach table: pointers whose device copies hold device addresses. */
struct accd__attach_table {
    struct accd__btree slots;   /* attachments by the pointer's host address */
    uint64_t low, high;         /* all of them, with their descriptors, lie between these, if there are any */
    struct accd__btree targets; /* attachments by base, one of each ring, kept once it was asked for */
    bool target_order;
    struct accd__pool pool;
    size_t live;                 /* attachments, pending ones included */
    struct accd__object *holder; /* the object with the last pointer of a plain construct, or NULL */
    uint64_t holder_removals;    /* present.objects.gone when holder was set: an equal number means that it is there */
    size_t ndescriptors;         /* attachments of descriptors */
    size_t ntype_records;        /* attachments that hold type records */
};

/* What fusion knows (document DIR). */
struct accd__tuples {
    struct accd__btree placements; /* of objects, by their host address */
    struct accd__btree fused;      /* tuples that objects are in, by host address */
    struct accd__btree bases;      /* originals by base address: one of each ring */
    struct accd__pool placement_pool, original_pool, vacated_pool, fused_pool;
    uint64_t exit; /* number of the exit under way: marks of others, that failed, mean nothing any more */
    bool unowned;  /* references were taken off whose originals stayed: data may go before these do */
};

/* Deep structures that are one record each. */
struct accd__groups {
    struct accd__group **at; /* by number; NULL: free */
    size_t n, capacity, npending, npending_attach;
    size_t least_free; /* numbers of groups below it are taken */
    struct accd__interval *roots, *hulls, *places, *slots;
    struct accd__interval *pointers_pending; /* whose pointers are pending, and whose sections are not */
    struct accd__group *retired;             /* the group that died last: only its walk and map, or NULL */
};

enum { ACCD_REGION_FREE_LISTS = 16 };

/* Regions that are open. */
struct accd__levels {
    struct accd_region *top;
    size_t depth;
    uint64_t serial;                                       /* of the last construct that opened anything */
    struct accd__pool pool;                                /* records of plain levels ... */
    struct accd_region *spare[ACCD_REGION_FREE_LISTS + 1]; /* ... that are not open, linked through below; the last ones
                                                  have claims of pointers */
};

/* Activity queues. */
struct accd__queues {
    struct accd__btree by_async;
    struct accd__queue **at; /* by number, from 1 */
    size_t n, capacity;
    struct accd__interval *busy;      /* queues that have tasks, by number */
    struct accd__interval *uses;      /* device memory that the tasks of queues use, or are to forget */
    size_t ntasks;                    /* tasks that the queues have to do */
    struct accd__queue *releasing;    /* the queue of the construct that gives memory up, or NULL */
    const struct accd__task *running; /* a kernel of a queue, or NULL */
};

/* What is known of one device and of what is on it. */
struct accd__device_env {
    accd_context *context;
    struct accd__device device;
    struct accd__present_table present;
    struct accd__attach_table attached;
    struct accd__reservation { /* what the construct under way has reserved, and may not have used yet */
        size_t objects;        /* places in both orders of objects */
        size_t attachments;
    } reserved;
    struct accd__levels levels;
    struct accd__groups groups;
    struct accd__tuples tuples;
    struct accd__queues queues;
    struct accd__journal *journal;
    bool journal_attaches;    /* it has attachments to put back one by one */
    size_t slow_path_reasons; /* what plain constructs have to look out for: pending groups, their pending pointers,
                        tasks, shares, the journal, the listener. 0: they take the short way */
};

/* How a range lies to the present objects. */
enum accd__containment { ACCD_RANGE_DISJOINT, ACCD_RANGE_CONTAINED, ACCD_RANGE_PARTIAL };

/* What the construct under way has reserved, and not used, is anybody's again. */
static inline void accd__unreserve_records(struct accd__device_env *env)
{
    env->reserved = (struct accd__reservation){0, 0};
}

/* Items that plain constructs have at most. */
enum { ACCD_FAST_PATH_ITEMS = 8 };

/* Whether indices are a part of what a label says. */
static inline bool accd__label_has_indices(const accd_label *label)
{
    return label && label->flags & ACCD_LABEL_INDEXED;
}

/* How an attached pointer is called. */
static inline void accd__attachment_set_label(struct accd__attachment *attach, const accd_label *label)
{
    attach->label = label ? label->id & (UINT32_MAX >> 1) : 0;
}

/* ------------------------------------------------------------------------------------ find.c -- */

/* The present object that covers an address, or NULL. May index a group: ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__find_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p);
accd_status accd__find_containment(struct accd__device_env *env, uint64_t host, uint64_t bytes,
                                   enum accd__containment *relation_p, struct accd__object **object_p);
/* The object by device address; builds the device order when asked for the first time. */
accd_status accd__find_object_by_dev(struct accd__device_env *env, uint64_t dev, struct accd__object **object_p);
/* The object at a host address, or at a device address. NULL: there is none, no memory for a look-up in a group, or
 * no directory. */
static inline struct accd__object *accd__object_at(struct accd__device_env *env, uint64_t address, bool in_device)
{
    struct accd__object *object = NULL;
    return env && (in_device ? accd__find_object_by_dev : accd__find_object)(env, address, &object) == ACCD_OK ? object
                                                                                                               : NULL;
}
accd_status accd__find_attachment(struct accd__device_env *env, uint64_t slot, struct accd__attachment **attach_p);
/* Attachments in [low, high) in order; the index may not change in between. */
accd_status accd__first_attachment(struct accd__device_env *env, uint64_t low, uint64_t high,
                                   struct accd__btree_cursor *cursor, struct accd__attachment **attach_p);
struct accd__attachment *accd__next_attachment(struct accd__btree_cursor *cursor, uint64_t high);
/* The attached pointer within a descriptor, behind its address: that of its addendum. Or NULL. */
struct accd__attachment *accd__find_attachment_within(struct accd__device_env *env, uint64_t slot, uint64_t bytes);
/* The attachment of the type record that the attachment of a descriptor holds, or NULL. */
struct accd__attachment *accd__type_record_attachment(struct accd__device_env *env,
                                                      const struct accd__attachment *attach);
/* The attachment of the descriptor that holds a type record, or NULL. */
struct accd__attachment *accd__descriptor_attachment(struct accd__device_env *env,
                                                     const struct accd__attachment *record);
/* Whether the pointer on the host is the one that was attached, with all that belongs to it. */
bool accd__is_attachment_current(const struct accd__attachment *attach, uint32_t slot_bytes);
accd_status accd__expand_groups(struct accd__device_env *env);
accd_status accd__expand_group_pointers(struct accd__device_env *env, uint64_t low, uint64_t high);

/* --------------------------------------------------------------------------------- objects.c -- */

/* NULL, with ACCD_ERROR_NO_DEVICE recorded if there is a context. */
struct accd__device_env *accd__report_no_device(accd_context *context, int device);
/* The directory of a device, or accd__report_no_device. */
static inline struct accd__device_env *accd__find_device_env(accd_context *context, int device)
{
    return context && device >= 0 && device < context->nenvs ? &context->envs[device]
                                                             : accd__report_no_device(context, device);
}
/* A call continues with the directory of its device alone. */
#define ACCD_ON_DEVICE(env, context, device)                                         \
    struct accd__device_env *const env = accd__find_device_env((context), (device)); \
    if (!(env))                                                                      \
    return (context) ? ACCD_ERROR_NO_DEVICE : ACCD_ERROR_MISUSE
/* Room for so many more objects, origins, attachments, blocks: the calls below then succeed, until
 * accd__unreserve_records. The room is the construct's: groups that are looked into meanwhile bring theirs. */
accd_status accd__reserve_records(struct accd__device_env *env, size_t objects, size_t origins, size_t attachments,
                                  size_t blocks);
void accd__insert_object(struct accd__device_env *env, struct accd__object *object);
/* The same for several, by ascending addresses: pairs of these and the objects, at most ACCD_FAST_PATH_ITEMS. */
void accd__insert_objects(struct accd__device_env *env, const struct accd__pair *objects, size_t n);
/* Takes the object out; its device memory is freed by the caller (accd__free_object_memory). */
void accd__remove_object(struct accd__device_env *env, struct accd__object *object);
/* The same for several, at most ACCD_FAST_PATH_ITEMS. */
void accd__remove_objects(struct accd__device_env *env, struct accd__object *const *objects, size_t n);
/* The first object that reaches behind an address; then the following ones. */
struct accd__object *accd__first_object_after(struct accd__device_env *env, uint64_t host,
                                              struct accd__btree_cursor *cursor);
struct accd__block *accd__object_block(struct accd__device_env *env, const struct accd__object *object);
/* A shared device block; inserted when its objects are. */
struct accd__block *accd__insert_block(struct accd__device_env *env, const struct accd__block *block);
uint32_t accd__new_name_origin(struct accd__device_env *env, const struct accd__name_origin *origin);

/* ---------------------------------------------------------------------------------- attach.c -- */

/* Attachments from the first slot to the last one are about to be inserted. */
static inline void accd__extend_slot_hull(struct accd__device_env *env, uint64_t first, uint64_t last)
{
    struct accd__attach_table *table = &env->attached;
    if (!table->slots.count || first < table->low)
        table->low = first;
    if (!table->slots.count || last + ACCD_MAX_SLOT_BYTES > table->high)
        table->high = last + ACCD_MAX_SLOT_BYTES;
}
struct accd__attachment *accd__insert_attachment(struct accd__device_env *env, uint64_t slot);
/* The same in two steps, the second one for several, by ascending addresses: pairs of these and the records. */
struct accd__attachment *accd__new_attachment(struct accd__device_env *env, uint64_t slot);
void accd__insert_attachments(struct accd__device_env *env, const struct accd__pair *attaches, size_t n);
void accd__remove_attachment(struct accd__device_env *env, struct accd__attachment *attach);
/* The same for several, at most ACCD_FAST_PATH_ITEMS. */
void accd__remove_attachments(struct accd__device_env *env, struct accd__attachment *const *attaches, size_t n);
/* The target of an attachment has moved; 0: there is none. */
void accd__attachment_set_base(struct accd__device_env *env, struct accd__attachment *attach, uint64_t base);
/* A copy of what a descriptor in readable memory holds behind its address. NULL: no memory. */
struct accd__saved_descriptor *accd__save_descriptor(struct accd__device_env *env, const void *descriptor,
                                                     uint32_t bytes);
void accd__free_saved_descriptor(struct accd__device_env *env, struct accd__saved_descriptor *kept);

/* --------------------------------------------------------------------------------- targets.c -- */

/* Makes the order of attachments by their targets. */
accd_status accd__build_target_order(struct accd__device_env *env);
/* Of the ordered attachments one that points into an object, or NULL. */
struct accd__attachment *accd__first_attachment_to(struct accd__device_env *env, const struct accd__object *object);
/* Attached pointers that point into some objects, by their pointers' addresses: pairs of these and of the attachments'
 * addresses, in scratch space. */
accd_status accd__list_attachments_to(struct accd__device_env *env, const struct accd__object *const *objects,
                                      size_t nobjects, const struct accd__pair **pairs_p, size_t *n_p);

/* --------------------------------------------------------------------------------- regions.c -- */

/* A new record for a plain level, written but for what its construct says; NULL: no memory. */
struct accd_region *accd__region_new(struct accd__device_env *env, struct accd_region **free_list);
/* The place of records of constructs with this first item. */
static inline struct accd_region **accd__region_free_list(struct accd__device_env *env, const accd_item *item)
{
    const uint64_t key = (accd__address(item->host) + accd__address(item->label)) * 0x9E3779B97F4A7C15u;
    return &env->levels.spare[key / (UINT64_MAX / ACCD_REGION_FREE_LISTS + 1)];
}
/* A new record, or the last one that was given back there: its claims say what that construct found. */
static inline struct accd_region *accd__region_alloc(struct accd__device_env *env, struct accd_region **free_list)
{
    struct accd_region *region = *free_list;
    if (!region)
        return accd__region_new(env, free_list);
    *free_list = region->below;
    return region;
}
static inline void accd__region_recycle(struct accd_region *region)
{
    region->abandoned = false;
    region->below = *region->free_list;
    *region->free_list = region;
}
void accd__region_free(struct accd_region *region);
/* The object goes while regions are open: their clauses ask nothing of it any more. */
void accd__regions_forget_object(struct accd__device_env *env, const struct accd__object *object);

/* ---------------------------------------------------------------------------------- source.c -- */

/* How the bytes that a clause asks for, those of [from, to) which its own layout does not leave out, lie to
 * what is left of elements by theirs. */
enum accd__containment accd__compare_layouts(const accd_program *layout, uint64_t from, uint64_t to,
                                             const accd_program *own, uint64_t into);
/* How a range of an object lies to what of it is present: all but what its clause left out. */
enum accd__containment accd__compare_with_object(struct accd__device_env *env, const struct accd__object *object,
                                                 uint64_t host, uint64_t bytes);

/* ------------------------------------------------------------------------------------ view.c -- */

/* Device range of an object, or of the tuple it is in: there, indices reach from one to another. 0: object is NULL. */
int accd__object_device_range(struct accd__device_env *env, const struct accd__object *object, uint64_t *low_p,
                              uint64_t *high_p);

/* ----------------------------------------------------------------------------------- label.c -- */

void accd__labels_free(accd_context *context);
/* A copy of a name that lives as long as the context: constructs may be gone when their work is done. NULL: there
 * is none, or no memory. */
const char *accd__intern_name(accd_context *context, const char *name);

#endif
