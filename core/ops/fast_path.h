/* fast_path.h - declarations that fast_path.c and fast_pointers.c share: the attaches and detaches of the fast path,
 * which is specialised code for constructs with at most ACCD_FAST_PATH_ITEMS plain items. The holder of a pointer is
 * the object that contains it; its target is the object into which it points. The general path is the code of core/plan
 * and the other files of core/ops. An open batch is one between the device's begin_batch and end_batch. */
#ifndef ACCD_FAST_PATH_H
#define ACCD_FAST_PATH_H

#include "ops/inside.h"
#include "table/find.h"

/* A pointer that an entry attaches to the data of an item: a planned pointer. */
struct accd__fast_attach {
    uint64_t slot, pointer;          /* host address and value of the pointer */
    struct accd__attachment *attach; /* present attachment of the pointer; NULL: the pointer is not attached */
    struct accd__object *holder;     /* object that contains the pointer; NULL: the new object of item `in` */
    /* `item`: number of the item whose clause attaches the pointer. `in`: number of the item whose new object contains
     * the pointer, if `holder` is NULL */
    uint8_t item, in;
    /* true if the pointer is attached to this target already: the device pointer is then not written, and the commit
     * increments the counter of `attach` */
    bool counts;
};
/* A cached host range [low, high) without objects. `object` is the object before the range, `next` the one after it;
 * either may be NULL. The cache is valid during one construct, so that items absent from the same gap need one search
 * only. */
struct accd__lookup_gap {
    uint64_t low, high;
    void *object, *next;
};
/* Returns the last object that begins at or before `host`, or NULL. Sets *next_p to the object after it, or NULL. Uses
 * the cache `gap` if `host` lies in that gap; otherwise searches, and caches the gap around `host`. */
static inline struct accd__object *accd__find_neighbors(struct accd__device_env *env, uint64_t host,
                                                        struct accd__lookup_gap *gap, void **next_p)
{
    if (host - gap->low < gap->high - gap->low) {
        *next_p = gap->next;
        return gap->object;
    }
    struct accd__object *object = accd__btree_floor_and_next(&env->present.objects, host, next_p);
    const struct accd__object *next = *next_p;
    const uint64_t low = object ? accd__object_end(object) : 0;
    if (host >= low)
        *gap = (struct accd__lookup_gap){low, next ? next->host : UINT64_MAX, object, *next_p};
    return object;
}
/* The pointers that an entry attaches on the fast path: `at` has `n` of them. */
struct accd__fast_attaches {
    struct accd__lookup_gap gap;
    struct accd__fast_attach at[ACCD_FAST_PATH_ITEMS];
    /* array by item number: present object that contains the pointer of the item; NULL: no present object does */
    struct accd__object *holders[ACCD_FAST_PATH_ITEMS];
    size_t n;
};

/* An attachment that an exit detaches, or that stays although its target is removed. */
struct accd__fast_detach {
    struct accd__attachment *attach;
    struct accd__object *target;
    /* object in whose device copy the pointer gets its host value back; NULL: the pointer is not written */
    struct accd__object *holder;
    /* true: a clause decrements the counter of the attachment. false: its target is removed, and the pointer keeps its
     * device value */
    bool detached;
};
/* The attachments that an exit on the fast path changes: `at` has `n` of them. */
struct accd__fast_detaches {
    struct accd__fast_detach at[ACCD_FAST_PATH_ITEMS];
    /* array by request number: attachment of the pointer of the request; NULL: the request has no attached pointer */
    struct accd__attachment *named[ACCD_FAST_PATH_ITEMS];
    bool last; /* true if the counter of at least one attachment becomes 0 */
    /* bit set of requests whose removed objects contain attached pointers */
    unsigned inside;
    size_t n;
};

/* True if an object contains all of the `bytes` bytes from `host`. Requires bytes > 0. */
static inline bool accd__object_contains(const struct accd__object *object, uint64_t host, uint64_t bytes)
{
    uint64_t offset = host - object->host, size = accd__object_bytes(object);
    return offset < size && bytes - 1 < size - offset;
}

/* True if attached pointers overlap the host range of `bytes` bytes from `host`. Also true without memory for the
 * look-up. */
static inline bool accd__range_has_pointers(struct accd__device_env *env, uint64_t host, uint64_t bytes)
{
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    if (!env->attached.slots.count || host >= env->attached.high || host + bytes <= env->attached.low)
        return false;
    if (env->attached
            .ndescriptors) /* searches, because a descriptor may begin far before the range and reach into it */
        return accd__first_attachment(env, host, host + bytes, &cursor, &attach) != ACCD_OK || attach;
    attach = accd__btree_floor_hinted(&env->attached.slots, host + bytes - 1);
    return attach && attach->slot + sizeof(void *) > host;
}

/* True if an object has no reference. */
static inline bool accd__is_unreferenced(const struct accd__object *object)
{
    return !(object->structured | object->dynamic);
}

/* Returns the cached object that contains the pointer looked up last (the next pointer often lies there, too); NULL:
 * the cache is empty, or an object was removed since. */
static inline struct accd__object *accd__cached_holder(const struct accd__device_env *env)
{
    return env->attached.holder_removals == env->present.objects.removals ? env->attached.holder : NULL;
}

/* --------------------------------------------------------------------------- fast_pointers.c -- */

/* True if the label of `item`, or that of `object`, has a layout: a mapping program that lists excluded bytes. Such
 * data may have holes, which the general path handles. `item` or `object` may be NULL. */
bool accd__has_layout(struct accd__device_env *env, const accd_item *item, const struct accd__object *object);

/* Sets attaches->holders[i] to the present object that contains the pointer of item i, or to NULL. Must run before the
 * objects of the items are looked up, so that the look-up hints of the index are left at these objects. Returns false
 * if a pointer lies only in part in an object, or the object has a layout (accd__has_layout); the general path must
 * then run the construct. */
bool accd__find_fast_holders(struct accd__device_env *env, const accd_construct *construct,
                             struct accd__fast_attaches *attaches);
/* Fills attaches->at with the pointers that a construct attaches. `fresh`: bit set of items whose objects will be
 * created. `objects`: objects of the other items. Returns false if the general path must run the construct, for example
 * because a pointer is null or has changed; no record has changed then. */
bool accd__find_fast_attaches(struct accd__device_env *env, const accd_construct *construct, unsigned fresh,
                              struct accd__object *const *objects, struct accd__fast_attaches *attaches);
/* Returns the number of pointer values that accd__send_fast_pointers will send to the device. */
size_t accd__count_fast_words(const struct accd__fast_attaches *attaches);
/* Returns the number of planned pointers that are not attached yet, for which the commit makes attachments. */
size_t accd__count_new_attachments(const struct accd__fast_attaches *attaches);
/* Returns the bit set of items whose pointers are attached, and which the end of a region must detach; 0 if
 * policy.counts_attachments is not set. */
unsigned accd__get_counted_items(const struct accd__device_env *env, const struct accd__fast_attaches *attaches);
/* Stages, in the open batch of transfers, the device values of planned pointers that are not attached to their targets
 * already. `objects`: objects of the items, including new ones. */
void accd__send_fast_pointers(struct accd__device_env *env, const struct accd__fast_attaches *attaches,
                              struct accd__object *const *objects);
/* Makes, moves or counts the attachment of each planned pointer. `objects`: objects of the items, including new ones.
 * Requires reserved records. Cannot fail. */
void accd__commit_fast_attaches(struct accd__device_env *env, const accd_construct *construct,
                                struct accd__fast_attaches *attaches, struct accd__object *const *objects);
/* Fills `ends` with the attachments that clauses detach; with none if policy.counts_attachments is not set. `dynamic`:
 * exit data, not the end of a region. Returns false if the general path must run the exit. */
bool accd__find_fast_detaches(struct accd__device_env *env, const struct accd__request *requests, size_t n,
                              bool dynamic, struct accd__fast_detaches *ends);
/* Returns true if the object of requests[request] can be removed: no pointer stays attached to the object, except one
 * that the rules let dangle, which is added to `ends`. Returns false if the general path must run the exit. */
bool accd__can_remove_target(struct accd__device_env *env, const struct accd__request *requests, size_t request,
                             struct accd__fast_detaches *ends);
/* Sets `holder` of those pointers in `ends` that get their host values on the device, because their attachments end but
 * their objects stay. Returns the number of these pointers. */
size_t accd__find_restored_pointers(struct accd__device_env *env, const struct accd__request *requests,
                                    size_t nrequests, struct accd__fast_detaches *ends);
/* Stages, in the open batch, the host value of each pointer in `ends` whose `holder` is set. */
void accd__send_restored_pointers(struct accd__device_env *env, const struct accd__fast_detaches *ends);
/* Decrements the counters of the attachments in `ends`, ends those with counter 0, and lets pointers without target
 * dangle. Cannot fail. */
void accd__commit_fast_detaches(struct accd__device_env *env, const struct accd__fast_detaches *ends);
/* Ends the attachments of pointers that lie in objects to be removed: those of the requests in ends->inside. Cannot
 * fail. */
void accd__end_contained_attachments(struct accd__device_env *env, const struct accd__request *requests,
                                     const struct accd__fast_detaches *ends);

#endif
