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

#define ACCD_OBJECT_SHARED ((uint64_t)1 << 63) /* flag: device memory lies in a block (accd__block) */
#define ACCD_OBJECT_MAPPED ((uint64_t)1 << 62) /* flag: device memory belongs to the user (acc_map_data) */
#define ACCD_OBJECT_ORIGIN \
    ((uint64_t)1 << 61) /* flag: `where` is the number of a name origin (accd__name_origin), not of a label */
#define ACCD_OBJECT_MEMBER \
    ((uint64_t)1 << 60) /* flag: `where` is the number of the group (group.h) to which the object belongs */
#define ACCD_OBJECT_VISITED \
    ((uint64_t)1 << 58) /* flag: the construct or kernel under way has reached the object already */
/* Flag: storage for members of an aggregate (allocated by `hold`). Bytes that no clause names are a hole: they do not
 * count as present. */
#define ACCD_OBJECT_STORAGE ((uint64_t)1 << 52)
#define ACCD_OBJECT_NAMED \
    ((uint64_t)1 << 53) /* flag: a region's clause named the object without counting a reference */
/* Flag: exit data, or the end of another region, removed references that open regions have added. */
#define ACCD_OBJECT_UNDERCOUNTED ((uint64_t)1 << 54)
/* Flag: the object holds one of several pieces of a clause that was split. */
#define ACCD_OBJECT_PIECE ((uint64_t)1 << 55)
/* Flag: all items that have named the object so far have ACCD_ITEM_BASE_POINTER. */
#define ACCD_OBJECT_POINTER ((uint64_t)1 << 56)
/* Flag: some pointer in the object is attached, or was attached before. */
#define ACCD_OBJECT_HAD_POINTER ((uint64_t)1 << 57)

/* Present object: host data that have a copy on the device; one entry of the present table. Kept at 40 bytes, because
 * there may be millions. */
struct accd__object {
    uint64_t host;
    uint64_t size; /* bytes in the low ACCD_SIZE_BITS bits, flags ACCD_OBJECT_* in the bits above */
    uint64_t dev;
    uint32_t structured, dynamic;
    uint32_t pins;  /* number of attached pointers that point into the object */
    uint32_t where; /* source of the name: a label id, or the number of a name origin or a group (ACCD_OBJECT_ORIGIN,
                       ACCD_OBJECT_MEMBER) */
};

/* Returns the bytes of an object. */
static inline uint64_t accd__object_bytes(const struct accd__object *object)
{
    return object->size & (((uint64_t)1 << ACCD_SIZE_BITS) - 1);
}

/* Returns the host address of the first byte after an object. */
static inline uint64_t accd__object_end(const struct accd__object *object)
{
    return object->host + accd__object_bytes(object);
}

/* Position of a pointer relative to the item of the clause. A walk (core/walk), which followed the pointers in the
 * item's data, found the pointer's target. Names of objects show the position. */
enum accd__root_kind {
    ACCD_ROOT_NONE,    /* object that no walk made */
    ACCD_ROOT_WHOLE,   /* the pointer lies in the data that the clause names */
    ACCD_ROOT_ELEMENT, /* the pointer lies in the element of the clause's data whose index is the last one in
                          accd__name_origin.index */
    ACCD_ROOT_FAR      /* the pointer lies in the target of another pointer */
};

/* Source of the name of an object that a walk made. */
struct accd__name_origin {
    /* Host address of the pointer to the object. */
    uint64_t slot;
    uint64_t base; /* start of the extended range of the object's list item, which reaches from its base address to its
                      data (OMP60-map-10); 0: no extended range */
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    uint32_t label; /* label id of the section */
    uint32_t item;  /* label id of the clause's item whose walk found the object */
    uint32_t next;  /* number of the next free record, while this one is free */
    enum accd__root_kind root;
};

/* Contents that a descriptor had at the time of the attach, except its address of data: bounds, strides, element size.
 */
struct accd__saved_descriptor {
    uint32_t bytes; /* bytes of the whole descriptor */
    char rest[];    /* bytes of the descriptor after its address of data */
};

/* Attached pointer. The attach table finds it by `slot`, the pointer's own host address. */
struct accd__attachment {
    uint64_t slot;
    uint64_t target; /* host address that the pointer held when it was attached */
    uint64_t base; /* host address in the object into which the pointer points; `target` may lie outside of the object.
                      0: that object is unmapped, and the pointer was left unchanged (ACCD_LOST_TARGET_DANGLES) */
    uint64_t dev;  /* device address that the pointer's device copy holds */
    struct accd__saved_descriptor *descriptor; /* attached descriptor; NULL: a plain pointer */
    struct accd__attachment *next_target,
        *prev_target; /* ring of attachments with the same `base`, valid while attached.target_order is set */
    uint32_t count;
    uint32_t label : 31;
    /* True if the pointer lies in an attached descriptor and points to the descriptor's type record. This attachment
     * holds a dynamic reference on the record, and ends with the attachment of the descriptor. */
    uint32_t holds_record : 1;
};

/* Returns the host address of the first byte after an attached pointer or descriptor. */
static inline uint64_t accd__attachment_end(const struct accd__attachment *attach)
{
    return attach->slot + (attach->descriptor ? attach->descriptor->bytes : sizeof(void *));
}

/* Device block: one allocation for several objects, freed with the last object in it. */
struct accd__block {
    uint64_t dev, bytes;
    size_t live;    /* number of present objects and vacated slots (tuples.h) in the block */
    size_t vacated; /* number of vacated slots: former places of objects that may return to them (tuples.h) */
    /* Host address that corresponds to the block's first byte, if data in the block keep their host distances; 0: they
     * do not. */
    uint64_t host;
    uint8_t padding; /* bytes before the data, which give the data the alignment that they have on the host */
    bool user_owned; /* true if the user owns the memory (acc_map_data) */
    uint64_t frame;  /* host address of the aggregate (accd_item.frame) whose members lie in the block at their offsets
                        in the aggregate; 0: none */
};

/* Copy of an item of a clause, which the region keeps until its end. */
struct accd__item_source {
    const accd_label *label;
    uint64_t host, bytes; /* host range of the whole item */
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    uint64_t base; /* address of element 0 of the list item, if extended ranges count (OMP60-map-10); else 0 */
    int32_t root;  /* number of the item's root in the walk that followed its pointers; -1: the item is not walked */
    uint32_t slot_bytes; /* bytes of the descriptor through which the item is reached; 0: no descriptor, but a plain
                            pointer or none */
};

enum accd__request_state {
    ACCD_REQUEST_UNRESOLVED,
    ACCD_REQUEST_PRESENT,    /* `object` is the present object that contains the range */
    ACCD_REQUEST_NEW,        /* the request makes the new object `object` */
    ACCD_REQUEST_WITHIN_NEW, /* the range lies in the new object of request number `owner` */
    ACCD_REQUEST_FILLS_HOLE, /* `object` is the present object with the hole (excluded bytes) that the range fills */
    ACCD_REQUEST_SKIPPED     /* the request changes neither objects nor counters */
};

/* Request of a clause for one object: for an item, or for a section that a walk of the item reached. */
struct accd__request {
    uint64_t host, bytes;
    uint64_t slot;               /* host address of the pointer to the object; 0: none */
    struct accd__object *object; /* object of the request; `state` tells which one; or NULL */
    uint32_t source; /* number of the item, or number of the walk's section with the flag ACCD_SOURCE_WALKED */
    union {
        uint32_t owner;         /* number of the request that makes the object, in state WITHIN_NEW */
        uint32_t removed_count; /* number of references that an exit removed for the request */
    };
    uint32_t detached; /* number that an exit subtracted from the attach counter of `slot` */
    uint16_t flags;    /* ACCD_ITEM_* */
    uint8_t action;
    uint8_t state : 4;
    uint8_t attached : 1; /* true if this construct has attached the pointer at `slot`, or detaches it */
    uint8_t counted : 1;  /* true if an entry has counted a reference for the request */
    uint8_t
        moves_nothing : 1; /* true if another clause maps the data of the request, so that the request copies nothing */
};

/* Type of functions that end a region on the fast path (core/ops/fast_path.c). Such a function sets *status_p and
 * returns true; or returns false, with nothing changed, if the fast path does not apply. */
typedef bool accd__fast_end_fn(struct accd_region *region, accd_status *status_p);

/* Region: an open structured construct, as one level of the device's stack of regions. */
struct accd_region {
    accd_context *context;
    struct accd__device_env *env;
    struct accd_region *below;
    accd_construct_kind kind;
    const char *name, *file;
    int line;
    uint64_t thread;
    unsigned queue;
    uint64_t queue_start;      /* number of the last task submitted to the queue before the construct */
    struct accd_walk *walk;    /* walk that found the sections of the requests; NULL: no item is walked */
    struct accd__group *group; /* group (group.c) of all sections of the walk, or NULL */
    uint64_t serial;
    size_t nitems, nrequests, noriginals;
    struct accd__item_source *items;
    struct accd__request *requests;
    struct accd__original *
        *originals;               /* clauses of the region as original tuples (tuples.h), if the rules have fusion */
    struct accd__item_grid *gaps; /* grids of the items with gaps between runs */
    size_t ngaps;
    struct accd__pair
        *order;   /* numbers of the requests twice: sorted by host address, then sorted by slot; NULL until needed */
    size_t bytes; /* bytes of this record; not set for regions of the fast path */
    accd__fast_end_fn *fast_end; /* function that ends a region of the fast path (core/ops/fast_path.c); NULL: the
                                    general path opened the region */
    /* fast path: bit i is set if an earlier request of the region has counted the object of request i */
    unsigned repeated;
    struct accd_region **free_list; /* fast path: list to which the record returns at the end */
    uint64_t removals; /* fast path: number of removals from present.objects at the entry; while it is unchanged, the
                          objects of the requests are still present */
    /* True if the region could not be abandoned for lack of memory; it ends with the enclosing region. */
    bool abandoned;
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
    uint32_t free_origin; /* number of the first free record, linked through `next`; 0: none, because number 0 is never
                             used */
    size_t live;          /* number of objects, including sections of pending groups, which have no record yet */
};

/* Attach table: pointers whose device copies hold device addresses. */
struct accd__attach_table {
    struct accd__btree slots; /* attachments by the pointer's host address */
    uint64_t low, high; /* hull [low, high) of all attached pointers and descriptors; undefined if `slots` is empty */
    struct accd__btree targets; /* attachments by `base`, one of each ring; maintained if target_order is set */
    bool target_order;
    struct accd__pool pool;
    size_t live; /* number of attachments, including pointers of pending groups, which have no record yet */
    struct accd__object *holder; /* object that contains the pointer that a fast-path construct handled last; a cache
                                    for the next one, or NULL */
    uint64_t holder_removals; /* number of removals from present.objects when `holder` was set; while it is unchanged,
                                 `holder` is still present */
    size_t ndescriptors;      /* number of attachments of descriptors */
    size_t ntype_records;     /* number of attachments that hold type records */
};

/* State of fusion (document DIR); tuples.h explains the records. */
struct accd__tuples {
    struct accd__btree placements; /* placements by their objects' host addresses */
    struct accd__btree fused;      /* current fused tuples by host address */
    struct accd__btree bases;      /* originals by base address; the index has one original of each ring */
    struct accd__pool placement_pool, original_pool, vacated_pool, fused_pool;
    uint64_t exit; /* number of the exit under way; marks (of originals and slots) that have another number are stale */
    bool unowned;  /* true if references were removed whose originals remain, so that data may be unmapped before their
                      originals end */
};

/* Groups: deep structures that are one record each. A group is pending while no objects exist for its sections, or no
 * attachments for its pointers (group.c). */
struct accd__groups {
    struct accd__group **at; /* groups by number; NULL: free */
    /* Elements of `at`; its capacity; numbers of groups with pending sections, and with pending pointers. */
    size_t n, capacity, npending, npending_attach;
    size_t least_free; /* least number that may be free: all lower ones are in use */
    /* Trees of groups. roots: by address of the first element. While sections are pending, hulls and places: by host
     * hull and by device range. While pointers are pending, slots: by hull of the pointers. */
    struct accd__interval *roots, *hulls, *places, *slots;
    /* Tree of the groups whose pointers are pending, but whose sections are objects. */
    struct accd__interval *pointers_pending;
    /* Group that ended last, reduced to its walk and bitmap, for the next equal entry; or NULL. */
    struct accd__group *retired;
};

enum { ACCD_REGION_FREE_LISTS = 16 };

/* Stack of open regions. */
struct accd__levels {
    struct accd_region *top;
    size_t depth;
    uint64_t serial;        /* number of the last construct that opened a region or originals */
    struct accd__pool pool; /* records of fast-path regions */
    /* lists of free records of fast-path regions, linked through `below`: one for each hash of the first item, the last
     * one for regions with pointer requests */
    struct accd_region *spare[ACCD_REGION_FREE_LISTS + 1];
};

/* Activity queues of a device. */
struct accd__queues {
    struct accd__btree by_async;
    struct accd__queue **at; /* queues by number, from 1 */
    size_t n, capacity;
    struct accd__interval *busy; /* tree of the queues that have tasks, by number */
    struct accd__interval
        *accesses; /* tree of the ranges of device memory that queued tasks use or will mark as unwritten */
    size_t ntasks; /* number of tasks in all queues */
    struct accd__queue *releasing;    /* queue of the construct under way that frees device memory, or NULL */
    const struct accd__task *running; /* kernel task that runs now, or NULL */
};

/* Device environment: one device and all records about it. */
struct accd__device_env {
    accd_context *context;
    struct accd__device device;
    struct accd__present_table present;
    struct accd__attach_table attached;
    struct accd__reservation { /* numbers of records reserved for the construct under way, perhaps still unused */
        size_t objects;        /* records of objects, with index entries by host and by device address */
        size_t attachments;
    } reserved;
    struct accd__levels levels;
    struct accd__groups groups;
    struct accd__tuples tuples;
    struct accd__queues queues;
    struct accd__journal *journal;
    bool journal_attaches;    /* true if the journal records single attachments, so that groups cannot collapse */
    size_t slow_path_reasons; /* number of reasons that rule out the fast path: groups with pending sections, groups
                                 with pending pointers, queued tasks, placements (records of fusion), the journal, the
                                 observer, a device without bytes */
};

/* Relation of a range to the present objects. */
enum accd__containment { ACCD_RANGE_DISJOINT, ACCD_RANGE_CONTAINED, ACCD_RANGE_PARTIAL };

/* Ends the reservation of the construct under way, so that any construct may use the unused records. */
static inline void accd__unreserve_records(struct accd__device_env *env)
{
    env->reserved = (struct accd__reservation){0, 0};
}

/* Greatest number of items of a construct that the fast path executes. */
enum { ACCD_FAST_PATH_ITEMS = 8 };

/* Returns true if the name of the label contains indices. */
static inline bool accd__label_has_indices(const accd_label *label)
{
    return label && label->flags & ACCD_LABEL_INDEXED;
}

/* Sets the label that names the attached pointer; NULL: label id 0. */
static inline void accd__attachment_set_label(struct accd__attachment *attach, const accd_label *label)
{
    attach->label = label ? label->id & (UINT32_MAX >> 1) : 0;
}

#endif
