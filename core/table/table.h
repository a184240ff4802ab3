/* table.h - records of the data on a device: present objects, attached pointers, device blocks, levels, queues.
 *
 * core/table looks records up, inserts and removes them. core/ops allocates and frees the device memory that they
 * describe. group.h (groups of sections), tuples.h (fusion) and name.h (names) extend this header. */
#ifndef ACCD_TABLE_H
#define ACCD_TABLE_H

#include "device/device.h"
#include "walk/walk.h"

struct accd__group;
struct accd__journal;
struct accd__original;
struct accd__queue;
struct accd__task;

#define ACCD_OBJECT_SHARED ((uint64_t)1 << 63)  /* flag: device memory belongs to a block */
#define ACCD_OBJECT_MAPPED ((uint64_t)1 << 62)  /* flag: device memory belongs to the user (acc_map_data) */
#define ACCD_OBJECT_ORIGIN ((uint64_t)1 << 61)  /* flag: where is the number of a name origin, not of a label */
#define ACCD_OBJECT_MEMBER ((uint64_t)1 << 60)  /* flag: where is the number of a group */
#define ACCD_OBJECT_VISITED ((uint64_t)1 << 58) /* flag: the construct or kernel under way reached it before */
#define ACCD_OBJECT_STORAGE ((uint64_t)1 << 52) /* flag: storage for members; bytes that no clause names are a hole */
#define ACCD_OBJECT_NAMED ((uint64_t)1 << 53)   /* flag: a region's clause named it without a reference */
#define ACCD_OBJECT_UNDERCOUNTED ((uint64_t)1 << 54) /* flag: exit data removed references that open regions added */
#define ACCD_OBJECT_PIECE ((uint64_t)1 << 55)        /* flag: one of several pieces of a clause that was split */
#define ACCD_OBJECT_POINTER ((uint64_t)1 << 56)      /* flag: made only by items with ACCD_ITEM_BASE_POINTER */
#define ACCD_OBJECT_HAD_POINTER ((uint64_t)1 << 57)  /* flag: a pointer in it was attached */

/* Present object: one tuple of the present table. 40 bytes, because there may be millions. */
struct accd__object {
    uint64_t host;
    uint64_t size; /* bytes in the low ACCD_SIZE_BITS bits, ACCD_OBJECT_* above them */
    uint64_t dev;
    uint32_t structured, dynamic;
    uint32_t pins;  /* number of attached pointers that point into the object */
    uint32_t where; /* label id, or number of a name origin or a group: see ACCD_OBJECT_* */
};

static inline uint64_t accd__object_bytes(const struct accd__object *object)
{
    return object->size & (((uint64_t)1 << ACCD_SIZE_BITS) - 1);
}

static inline uint64_t accd__object_end(const struct accd__object *object)
{
    return object->host + accd__object_bytes(object);
}

/* Position of a pointer, relative to the item of the clause whose walk found its target. Names of objects use it. */
enum accd__root_kind {
    ACCD_ROOT_NONE,    /* object without a walk */
    ACCD_ROOT_WHOLE,   /* the pointer lies in the data that the clause names ... */
    ACCD_ROOT_ELEMENT, /* ... or in the element of these data that the last index names */
    ACCD_ROOT_FAR      /* the pointer lies in the target of another pointer */
};

/* Source of the name of an object that a walk made. */
struct accd__name_origin {
    uint64_t slot;
    uint64_t base; /* start of the extended range of its list item, before host; 0: none */
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    uint32_t label; /* label id of the section */
    uint32_t item;  /* label id of the clause that mapped it */
    uint32_t next;  /* next free record */
    enum accd__root_kind root;
};

/* Contents of a descriptor, besides its address of data, at the time of the attach: bounds, strides, element size. */
struct accd__saved_descriptor {
    uint32_t bytes; /* bytes of the whole descriptor */
    char rest[];    /* the bytes after the address */
};

/* Attached pointer. Its key is the pointer's own host address. */
struct accd__attachment {
    uint64_t slot;
    uint64_t target; /* host address that the pointer held when it was attached */
    uint64_t base;   /* host address in the object it points to; target may lie outside it. 0: that object is unmapped,
                        and the pointer was left unchanged (ACCD_LOST_TARGET_DANGLES) */
    uint64_t dev;    /* device address in the pointer's device copy */
    struct accd__saved_descriptor *descriptor;          /* attached descriptor; NULL: a plain pointer */
    struct accd__attachment *next_target, *prev_target; /* ring of attachments with this base, if target_order is set */
    uint32_t count;
    uint32_t label : 31;
    uint32_t holds_record : 1; /* true if it holds a dynamic reference on its target, the type record of the enclosing
                                  descriptor, and ends with the attachment of that descriptor */
};

static inline uint64_t accd__attachment_end(const struct accd__attachment *attach)
{
    return attach->slot + (attach->descriptor ? attach->descriptor->bytes : sizeof(void *));
}

/* Device block: one allocation for several objects, freed with the last of them. */
struct accd__block {
    uint64_t dev, bytes;
    size_t live;     /* number of slots in it: present objects, and vacated slots */
    size_t vacated;  /* number of vacated slots, which wait for their object to return */
    uint64_t host;   /* host address of its first byte, if data lie in it as on the host; 0: they do not */
    uint8_t padding; /* bytes before its data that give them the host's alignment */
    bool user_owned; /* true if the user owns the memory (acc_map_data) */
    uint64_t frame;  /* host address of the aggregate whose members it holds at their offsets; 0: none */
};

/* Data of an item that a region retains. */
struct accd__item_source {
    const accd_label *label;
    uint64_t host, bytes; /* host range of the whole item */
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    uint64_t base;       /* address of the list item, if extended ranges count (OMP60-map-10); else 0 */
    int32_t root;        /* number of the item's root in the walk; -1: not walked */
    uint32_t slot_bytes; /* bytes of its descriptor; 0: a plain pointer */
};

enum accd__request_state {
    ACCD_REQUEST_UNRESOLVED,
    ACCD_REQUEST_PRESENT,    /* object: the present one that contains it */
    ACCD_REQUEST_NEW,        /* makes a new object */
    ACCD_REQUEST_WITHIN_NEW, /* lies in the new object of request owner */
    ACCD_REQUEST_FILLS_HOLE, /* object: the present one with the hole that it fills */
    ACCD_REQUEST_SKIPPED     /* nothing to do */
};

/* Request of a clause for one object: an item, or a section reached by walking one. */
struct accd__request {
    uint64_t host, bytes;
    uint64_t slot;               /* host address of the pointer to it; 0: none */
    struct accd__object *object; /* object, in states PRESENT, NEW and WITHIN_NEW */
    uint32_t source;             /* number of the item, or of the walk's section with ACCD_SOURCE_WALKED */
    union {
        uint32_t owner;         /* number, in state WITHIN_NEW, of the request that makes the object */
        uint32_t removed_count; /* number of references that an exit removed */
    };
    uint32_t detached; /* number that an exit subtracted from the attach counter */
    uint16_t flags;    /* ACCD_ITEM_* */
    uint8_t action;
    uint8_t state : 4;
    uint8_t attached : 1;      /* true if this construct attached the slot, or detaches it */
    uint8_t counted : 1;       /* true if an entry has counted a reference for it */
    uint8_t moves_nothing : 1; /* true if another clause maps its data, so that the request copies nothing */
};

/* End of a region on the fast path. Returns false if it does not apply; nothing has changed then. */
typedef bool accd__fast_end_fn(struct accd_region *region, accd_status *status_p);

/* Region: a level of the stack of data environments. */
struct accd_region {
    accd_context *context;
    struct accd__device_env *env;
    struct accd_region *below;
    accd_construct_kind kind;
    const char *name, *file;
    int line;
    uint64_t thread;
    unsigned queue;
    uint64_t queue_start;      /* position of its queue before the construct */
    struct accd_walk *walk;    /* walk that found the sections of its requests, or NULL */
    struct accd__group *group; /* group of all sections of the walk, or NULL */
    uint64_t serial;
    size_t nitems, nrequests, noriginals;
    struct accd__item_source *items;
    struct accd__request *requests;
    struct accd__original **originals; /* clauses of the region as tuples, if data are fused */
    struct accd__item_grid *gaps;      /* grids of its items with gaps */
    size_t ngaps;
    struct accd__pair *order;       /* numbers of its requests by host address, then by slot; NULL until needed */
    size_t bytes;                   /* bytes of this allocation, unless the region is of the fast path */
    accd__fast_end_fn *fast_end;    /* end of a region that the fast path opened; NULL: opened by the general path */
    unsigned repeated;              /* ... bit i is set if request i is for an object that an earlier request counts */
    struct accd_region **free_list; /* list to which the record of a fast-path region returns ... */
    uint64_t removals;              /* ... removals from the table at the entry; while equal, its objects are present */
    bool abandoned;                 /* true if memory was missing for its end; it ends with the enclosing region */
};

/* Present table: the objects on a device. */
struct accd__present_table {
    struct accd__btree objects;   /* objects by host address */
    struct accd__btree by_device; /* objects by device address, maintained if device_order is set */
    bool device_order;
    struct accd__btree blocks; /* blocks by device address */
    struct accd__btree frames; /* blocks of aggregates, by host address of the aggregate */
    struct accd__pool object_pool, block_pool;
    struct accd__name_origin *origins;
    size_t norigins, origins_capacity;
    uint32_t free_origin; /* first free record, linked through next; 0: none, because number 0 is never used */
    size_t live;          /* number of objects, including those of pending groups */
};

/* Attach table: pointers whose device copies hold device addresses. */
struct accd__attach_table {
    struct accd__btree slots;   /* attachments by the pointer's host address */
    uint64_t low, high;         /* hull of all attached pointers and descriptors, if there are any */
    struct accd__btree targets; /* attachments by base, one of each ring, maintained if target_order is set */
    bool target_order;
    struct accd__pool pool;
    size_t live;                 /* number of attachments, including those of pending groups */
    struct accd__object *holder; /* object that contains the last pointer of a fast-path construct, or NULL */
    uint64_t holder_removals;    /* removal count of present.objects when holder was set; if it is unchanged, holder is
                                    present */
    size_t ndescriptors;         /* number of attachments of descriptors */
    size_t ntype_records;        /* number of attachments that hold type records */
};

/* Tuples: the state of fusion (document DIR). */
struct accd__tuples {
    struct accd__btree placements; /* placements by their objects' host addresses */
    struct accd__btree fused;      /* current fused tuples by host address */
    struct accd__btree bases;      /* originals by base address, one of each ring */
    struct accd__pool placement_pool, original_pool, vacated_pool, fused_pool;
    uint64_t exit; /* number of the exit under way; marks with other numbers are stale */
    bool unowned;  /* true if references were removed whose originals remain: data may be unmapped before these */
};

/* Groups: deep structures that are one record each. */
struct accd__groups {
    struct accd__group **at; /* groups by number; NULL: free */
    size_t n, capacity, npending, npending_attach;
    size_t least_free; /* groups with smaller numbers exist */
    struct accd__interval *roots, *hulls, *places, *slots;
    struct accd__interval *pointers_pending; /* groups whose pointers are pending and whose sections are not */
    struct accd__group *retired;             /* group that ended last, reduced to its walk and bitmap; or NULL */
};

enum { ACCD_REGION_FREE_LISTS = 16 };

/* Stack of open regions. */
struct accd__levels {
    struct accd_region *top;
    size_t depth;
    uint64_t serial;                                       /* number of the last construct that opened anything */
    struct accd__pool pool;                                /* records of fast-path regions ... */
    struct accd_region *spare[ACCD_REGION_FREE_LISTS + 1]; /* ... free ones by hash of their first item, linked through
                                                              below; the last list has those with pointer requests */
};

/* Activity queues of a device. */
struct accd__queues {
    struct accd__btree by_async;
    struct accd__queue **at; /* queues by number, from 1 */
    size_t n, capacity;
    struct accd__interval *busy;      /* queues that have tasks, by number */
    struct accd__interval *uses;      /* device memory that the tasks of queues use, or will free */
    size_t ntasks;                    /* number of tasks that queues have not done */
    struct accd__queue *releasing;    /* queue of the construct that releases memory, or NULL */
    const struct accd__task *running; /* kernel task that runs now, or NULL */
};

/* Device environment: one device and all records about it. */
struct accd__device_env {
    accd_context *context;
    struct accd__device device;
    struct accd__present_table present;
    struct accd__attach_table attached;
    struct accd__reservation { /* records reserved for the construct under way, perhaps still unused */
        size_t objects;        /* entries in both orders of objects */
        size_t attachments;
    } reserved;
    struct accd__levels levels;
    struct accd__groups groups;
    struct accd__tuples tuples;
    struct accd__queues queues;
    struct accd__journal *journal;
    bool journal_attaches;    /* true if the journal has attachments to restore one by one */
    size_t slow_path_reasons; /* number of reasons against the fast path: pending groups, their pending pointers, tasks,
                                 placements, the journal, the observer */
};

/* Relation of a range to the present objects. */
enum accd__containment { ACCD_RANGE_DISJOINT, ACCD_RANGE_CONTAINED, ACCD_RANGE_PARTIAL };

/* Ends the reservation of the construct under way; unused records become available to all. */
static inline void accd__unreserve_records(struct accd__device_env *env)
{
    env->reserved = (struct accd__reservation){0, 0};
}

/* Greatest number of items of a fast-path construct. */
enum { ACCD_FAST_PATH_ITEMS = 8 };

/* Returns true if the name of the label contains indices. */
static inline bool accd__label_has_indices(const accd_label *label)
{
    return label && label->flags & ACCD_LABEL_INDEXED;
}

/* Sets the label that names the attached pointer. */
static inline void accd__attachment_set_label(struct accd__attachment *attach, const accd_label *label)
{
    attach->label = label ? label->id & (UINT32_MAX >> 1) : 0;
}

/* ------------------------------------------------------------------------------------ find.c -- */

/* Finds the present object that contains an address, or NULL. May expand a pending group: ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__find_object(struct accd__device_env *env, uint64_t host, struct accd__object **object_p);
/* Compares a range of at least one byte with the present objects; *object_p: one that overlaps it, or NULL. */
accd_status accd__find_containment(struct accd__device_env *env, uint64_t host, uint64_t bytes,
                                   enum accd__containment *relation_p, struct accd__object **object_p);
/* Finds the object that contains a device address, or NULL. The first call builds the device order. */
accd_status accd__find_object_by_dev(struct accd__device_env *env, uint64_t dev, struct accd__object **object_p);
/* Returns the object at a host address, or at a device address. NULL: there is none, no memory to expand a group, or no
 * environment. */
static inline struct accd__object *accd__object_at(struct accd__device_env *env, uint64_t address, bool in_device)
{
    struct accd__object *object = NULL;
    return env && (in_device ? accd__find_object_by_dev : accd__find_object)(env, address, &object) == ACCD_OK ? object
                                                                                                               : NULL;
}
accd_status accd__find_attachment(struct accd__device_env *env, uint64_t slot, struct accd__attachment **attach_p);
/* Iterates over attachments that overlap [low, high), in order; the index must not change meanwhile. */
accd_status accd__first_attachment(struct accd__device_env *env, uint64_t low, uint64_t high,
                                   struct accd__btree_cursor *cursor, struct accd__attachment **attach_p);
struct accd__attachment *accd__next_attachment(struct accd__btree_cursor *cursor, uint64_t high);
/* Returns the attached pointer inside a descriptor, after its address of data: that of its addendum. Or NULL. */
struct accd__attachment *accd__find_attachment_within(struct accd__device_env *env, uint64_t slot, uint64_t bytes);
/* Returns the attachment of the type record that the attachment of a descriptor holds, or NULL. */
struct accd__attachment *accd__type_record_attachment(struct accd__device_env *env,
                                                      const struct accd__attachment *attach);
/* Returns the attachment of the descriptor that holds a type record, or NULL. */
struct accd__attachment *accd__descriptor_attachment(struct accd__device_env *env,
                                                     const struct accd__attachment *record);
/* Returns true if the host pointer, or descriptor of slot_bytes bytes, is as it was when it was attached. */
bool accd__is_attachment_current(const struct accd__attachment *attach, uint32_t slot_bytes);
accd_status accd__expand_groups(struct accd__device_env *env);
accd_status accd__expand_group_pointers(struct accd__device_env *env, uint64_t low, uint64_t high);

/* --------------------------------------------------------------------------------- objects.c -- */

/* Records ACCD_ERROR_NO_DEVICE if there is a context. Returns NULL. */
struct accd__device_env *accd__report_no_device(accd_context *context, int device);
/* Returns the environment of a device, or NULL after accd__report_no_device. */
static inline struct accd__device_env *accd__find_device_env(accd_context *context, int device)
{
    return context && device >= 0 && device < context->nenvs ? &context->envs[device]
                                                             : accd__report_no_device(context, device);
}
/* Declares env as the environment of a device; returns an error status from the calling function if there is none. */
#define ACCD_ON_DEVICE(env, context, device)                                         \
    struct accd__device_env *const env = accd__find_device_env((context), (device)); \
    if (!(env))                                                                      \
    return (context) ? ACCD_ERROR_NO_DEVICE : ACCD_ERROR_MISUSE
/* Reserves records for so many more objects, origins, attachments, blocks. The insertions below then succeed, until
 * accd__unreserve_records. Groups that are expanded meanwhile reserve their own. */
accd_status accd__reserve_records(struct accd__device_env *env, size_t objects, size_t origins, size_t attachments,
                                  size_t blocks);
void accd__insert_object(struct accd__device_env *env, struct accd__object *object);
/* Inserts objects of ascending addresses: pairs of address and object, at most ACCD_FAST_PATH_ITEMS. */
void accd__insert_objects(struct accd__device_env *env, const struct accd__pair *objects, size_t n);
/* Removes an object from the table; the caller frees its device memory (accd__free_object_memory). */
void accd__remove_object(struct accd__device_env *env, struct accd__object *object);
/* Removes several objects, at most ACCD_FAST_PATH_ITEMS. */
void accd__remove_objects(struct accd__device_env *env, struct accd__object *const *objects, size_t n);
/* Returns the first object that ends after an address; accd__btree_next(cursor) gives the following ones. */
struct accd__object *accd__first_object_after(struct accd__device_env *env, uint64_t host,
                                              struct accd__btree_cursor *cursor);
/* Returns the block of an object with ACCD_OBJECT_SHARED; for other objects an unrelated block, or NULL. */
struct accd__block *accd__object_block(struct accd__device_env *env, const struct accd__object *object);
/* Inserts a copy of a shared device block and returns it; a record was reserved. */
struct accd__block *accd__insert_block(struct accd__device_env *env, const struct accd__block *block);
uint32_t accd__new_name_origin(struct accd__device_env *env, const struct accd__name_origin *origin);

/* ---------------------------------------------------------------------------------- attach.c -- */

/* Extends the hull of the attach table to slots first .. last, which are about to be inserted. */
static inline void accd__extend_slot_hull(struct accd__device_env *env, uint64_t first, uint64_t last)
{
    struct accd__attach_table *table = &env->attached;
    if (!table->slots.count || first < table->low)
        table->low = first;
    if (!table->slots.count || last + ACCD_MAX_SLOT_BYTES > table->high)
        table->high = last + ACCD_MAX_SLOT_BYTES;
}
struct accd__attachment *accd__insert_attachment(struct accd__device_env *env, uint64_t slot);
/* Allocates an attachment without inserting it; then inserts several of ascending addresses, as pairs of address and
 * record. */
struct accd__attachment *accd__new_attachment(struct accd__device_env *env, uint64_t slot);
void accd__insert_attachments(struct accd__device_env *env, const struct accd__pair *attaches, size_t n);
void accd__remove_attachment(struct accd__device_env *env, struct accd__attachment *attach);
/* Removes several attachments, at most ACCD_FAST_PATH_ITEMS. */
void accd__remove_attachments(struct accd__device_env *env, struct accd__attachment *const *attaches, size_t n);
/* Sets the target of an attachment after it has moved; 0: no target. */
void accd__attachment_set_base(struct accd__device_env *env, struct accd__attachment *attach, uint64_t base);
/* Copies the bytes of a descriptor after its address of data. The descriptor is readable. NULL: no memory. */
struct accd__saved_descriptor *accd__save_descriptor(struct accd__device_env *env, const void *descriptor,
                                                     uint32_t bytes);
void accd__free_saved_descriptor(struct accd__device_env *env, struct accd__saved_descriptor *kept);

/* --------------------------------------------------------------------------------- targets.c -- */

/* Builds the order of attachments by their targets, unless it exists. Fails without memory. */
accd_status accd__build_target_order(struct accd__device_env *env);
/* Returns an attachment that points into an object, or NULL. The order by targets exists. */
struct accd__attachment *accd__first_attachment_to(struct accd__device_env *env, const struct accd__object *object);
/* Lists attached pointers that point into some objects, sorted by the pointers' addresses: pairs of address and
 * attachment, in scratch space. */
accd_status accd__list_attachments_to(struct accd__device_env *env, const struct accd__object *const *objects,
                                      size_t nobjects, const struct accd__pair **pairs_p, size_t *n_p);

/* --------------------------------------------------------------------------------- regions.c -- */

/* Makes a record for a fast-path region, initialised except for the data of its construct; NULL: no memory. */
struct accd_region *accd__region_new(struct accd__device_env *env, struct accd_region **free_list);
/* Returns the list of free records for constructs with this first item. */
static inline struct accd_region **accd__region_free_list(struct accd__device_env *env, const accd_item *item)
{
    const uint64_t key = (accd__address(item->host) + accd__address(item->label)) * 0x9E3779B97F4A7C15u;
    return &env->levels.spare[key / (UINT64_MAX / ACCD_REGION_FREE_LISTS + 1)];
}
/* Returns a new record, or the last one returned to the list; its requests still hold the results of that construct. */
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
/* Clears the object in the requests of all open regions, before it is removed. */
void accd__regions_forget_object(struct accd__device_env *env, const struct accd__object *object);

/* ---------------------------------------------------------------------------------- source.c -- */

/* Compares the bytes [from, to) that a clause requests, except those that its own layout excludes, with the bytes that
 * the object's layout includes. into: offset of the object in the clause's elements. */
enum accd__containment accd__compare_layouts(const accd_program *layout, uint64_t from, uint64_t to,
                                             const accd_program *own, uint64_t into);
/* Compares a range of an object with its present part, all bytes except those that its clause excluded. */
enum accd__containment accd__compare_with_object(struct accd__device_env *env, const struct accd__object *object,
                                                 uint64_t host, uint64_t bytes);

/* ------------------------------------------------------------------------------------ view.c -- */

/* Gives the device range of an object, or of its fused tuple, in which indices may cross objects. Returns 0 if object
 * is NULL. */
int accd__object_device_range(struct accd__device_env *env, const struct accd__object *object, uint64_t *low_p,
                              uint64_t *high_p);

/* ----------------------------------------------------------------------------------- label.c -- */

/* Frees all labels of the context, when it is closed. */
void accd__labels_free(accd_context *context);
/* Returns a copy of a name that lives as long as the context, because constructs may end before their work. NULL: no
 * name, or no memory. */
const char *accd__intern_name(accd_context *context, const char *name);

#endif
