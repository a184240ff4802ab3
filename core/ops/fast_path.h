/* short.h - what the short way and the pointers that it attaches and detaches know of each other. */
#ifndef ACCD_FAST_PATH_H
#define ACCD_FAST_PATH_H

#include "ops/inside.h"

/* A pointer that an entry attaches to the data of an item. */
struct accd__fast_attach {
    uint64_t slot, pointer;          /* where it is on the host, and its value */
    struct accd__attachment *attach; /* its record, or NULL */
    struct accd__object *holder;     /* NULL: the new object of item in */
    uint8_t item, in;
    bool counts; /* it is attached so already */
};
/* Where a search met no object, and the objects around: neighbours that are absent are looked for once. */
struct accd__lookup_gap {
    uint64_t low, high;
    void *object, *next;
};
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
struct accd__fast_attaches {
    struct accd__lookup_gap gap;
    struct accd__fast_attach at[ACCD_FAST_PATH_ITEMS];
    struct accd__object *holders[ACCD_FAST_PATH_ITEMS]; /* of each item's pointer, present ones */
    size_t n;
};

/* An attachment that ends, or loses its target, with an exit. */
struct accd__fast_detach {
    struct accd__attachment *attach;
    struct accd__object *target;
    struct accd__object *holder; /* in which the pointer is to point to the host again, or NULL */
    bool detached;               /* a clause takes one off its counter */
};
struct accd__fast_detaches {
    struct accd__fast_detach at[ACCD_FAST_PATH_ITEMS];
    struct accd__attachment *named[ACCD_FAST_PATH_ITEMS]; /* of the claims' pointers, or NULL */
    bool last;                                            /* some are detached for the last time */
    unsigned inside;                                      /* claims, as bits: attached pointers lie in what goes */
    size_t n;
};

static inline bool accd__object_contains(const struct accd__object *object, uint64_t host, uint64_t bytes)
{
    uint64_t into = host - object->host, size = accd__object_bytes(object);
    return into < size && bytes - 1 < size - into;
}

/* Whether attached pointers lie in a range: what moves leaves them out, and what goes ends them. */
static inline bool accd__range_has_pointers(struct accd__device_env *env, uint64_t host, uint64_t bytes)
{
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    if (!env->attached.slots.count || host >= env->attached.high || host + bytes <= env->attached.low)
        return false;
    if (env->attached.ndescriptors) /* they may begin far before the range */
        return accd__first_attachment(env, host, host + bytes, &cursor, &attach) != ACCD_OK || attach;
    attach = accd__btree_floor_hinted(&env->attached.slots, host + bytes - 1);
    return attach && attach->slot + sizeof(void *) > host;
}

static inline bool accd__is_unreferenced(const struct accd__object *object)
{
    return !(object->structured | object->dynamic);
}

/* The object that held the last pointer, or NULL: it may have gone. */
static inline struct accd__object *accd__cached_holder(const struct accd__device_env *env)
{
    return env->attached.holder_removals == env->present.objects.removals ? env->attached.holder : NULL;
}

/* -------------------------------------------------------------------------- short_pointers.c -- */

/* Whether a clause left out bytes of an object, or an item means no more than some of its own. Either may be NULL. */
bool accd__has_layout(struct accd__device_env *env, const accd_item *item, const struct accd__object *object);

/* The present objects that hold the pointers of items, or NULL. It comes before the items' own objects are looked for:
 * these are then the last that were, and new ones beside them. False: they are the general way's. */
bool accd__find_fast_holders(struct accd__device_env *env, const accd_construct *construct,
                             struct accd__fast_attaches *attaches);
/* The pointers that a construct attaches; fresh: items whose data are to be created. False: they are the general
 * way's. */
bool accd__find_fast_attaches(struct accd__device_env *env, const accd_construct *construct, unsigned fresh,
                              struct accd__object *const *objects, struct accd__fast_attaches *attaches);
/* How many words they send, how many records are new, and items whose attachments count, as bits. */
size_t accd__count_fast_words(const struct accd__fast_attaches *attaches);
size_t accd__count_new_attachments(const struct accd__fast_attaches *attaches);
unsigned accd__get_counted_items(const struct accd__device_env *env, const struct accd__fast_attaches *attaches);
void accd__send_fast_pointers(struct accd__device_env *env, const struct accd__fast_attaches *attaches,
                              struct accd__object *const *objects);
void accd__commit_fast_attaches(struct accd__device_env *env, const accd_construct *construct,
                                struct accd__fast_attaches *attaches, struct accd__object *const *objects);
/* The attachments that clauses detach, where these count. False: they are the general way's. */
bool accd__find_fast_detaches(struct accd__device_env *env, const struct accd__request *requests, size_t n,
                              bool dynamic, struct accd__fast_detaches *ends);
/* Whether no pointer is left that points to an object which goes, but for those that end with it: of a pointer that is
 * left as it is, the record loses its target. */
bool accd__can_remove_target(struct accd__device_env *env, const struct accd__request *requests, size_t request,
                             struct accd__fast_detaches *ends);
/* Pointers that stay are to point to the host again; returns how many. They are sent later. */
size_t accd__find_restored_pointers(struct accd__device_env *env, const struct accd__request *requests,
                                    size_t nrequests, struct accd__fast_detaches *ends);
void accd__send_restored_pointers(struct accd__device_env *env, const struct accd__fast_detaches *ends);
void accd__commit_fast_detaches(struct accd__device_env *env, const struct accd__fast_detaches *ends);
/* Those in objects that go end with these. */
void accd__end_contained_attachments(struct accd__device_env *env, const struct accd__request *requests,
                                     const struct accd__fast_detaches *ends);

#endif
