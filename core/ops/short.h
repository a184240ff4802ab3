/* short.h - what the short way and the pointers that it attaches and detaches know of each other. */
#ifndef ACCD_SHORT_H
#define ACCD_SHORT_H

#include "ops/inside.h"

/* A pointer that an entry attaches to the data of an item. */
struct accd_short_link {
    uint64_t slot, pointer;     /* where it is on the host, and its value */
    struct accd_attach *attach; /* its record, or NULL */
    struct accd_object *holder; /* NULL: the new object of item in */
    uint8_t item, in;
    bool counts; /* it is attached so already */
};
/* Where a search met no object, and the objects around: neighbours that are absent are looked for once. */
struct accd_short_gap {
    uint64_t low, high;
    void *object, *next;
};
static inline struct accd_object *accd_short_around(struct accd_directory *dir, uint64_t host,
                                                    struct accd_short_gap *gap, void **next_p)
{
    if (host - gap->low < gap->high - gap->low) {
        *next_p = gap->next;
        return gap->object;
    }
    struct accd_object *object = accd_range_around(&dir->present.objects, host, next_p);
    const struct accd_object *next = *next_p;
    const uint64_t low = object ? accd_object_end(object) : 0;
    if (host >= low)
        *gap = (struct accd_short_gap){low, next ? next->host : UINT64_MAX, object, *next_p};
    return object;
}
struct accd_short_links {
    struct accd_short_gap gap;
    struct accd_short_link at[ACCD_SHORT_ITEMS];
    struct accd_object *holders[ACCD_SHORT_ITEMS]; /* of each item's pointer, present ones */
    size_t n;
};

/* An attachment that ends, or loses its target, with an exit. */
struct accd_short_end {
    struct accd_attach *attach;
    struct accd_object *target;
    struct accd_object *holder; /* in which the pointer is to point to the host again, or NULL */
    bool detached; /* a clause takes one off its counter */
};
struct accd_short_ends {
    struct accd_short_end at[ACCD_SHORT_ITEMS];
    struct accd_attach *named[ACCD_SHORT_ITEMS]; /* of the claims' pointers, or NULL */
    bool last;       /* some are detached for the last time */
    unsigned inside; /* claims, as bits: attached pointers lie in what goes */
    size_t n;
};

static inline bool accd_object_holds(const struct accd_object *object, uint64_t host, uint64_t bytes)
{
    uint64_t into = host - object->host, size = accd_object_bytes(object);
    return into < size && bytes - 1 < size - into;
}

/* Whether attached pointers lie in a range: what moves leaves them out, and what goes ends them. */
static inline bool accd_has_pointers(struct accd_directory *dir, uint64_t host, uint64_t bytes)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    if (!dir->attached.slots.count || host >= dir->attached.high || host + bytes <= dir->attached.low)
        return false;
    if (dir->attached.nwhole) /* they may begin far before the range */
        return accd_first_attach(dir, host, host + bytes, &cursor, &attach) != ACCD_OK || attach;
    attach = accd_range_floor_near(&dir->attached.slots, host + bytes - 1);
    return attach && attach->slot + sizeof(void *) > host;
}

static inline bool accd_has_gone(const struct accd_object *object) { return !(object->structured | object->dynamic); }

/* The object that held the last pointer, or NULL: it may have gone. */
static inline struct accd_object *accd_short_holder(const struct accd_directory *dir)
{
    return dir->attached.holder_gone == dir->present.objects.gone ? dir->attached.holder : NULL;
}

/* -------------------------------------------------------------------------- short_pointers.c -- */

/* Whether a clause left out bytes of an object, or an item means no more than some of its own. Either may be NULL. */
bool accd_has_layout(struct accd_directory *dir, const accd_item *item, const struct accd_object *object);

/* The present objects that hold the pointers of items, or NULL. It comes before the items' own objects are looked for:
 * these are then the last that were, and new ones beside them. False: they are the general way's. */
bool accd_short_holders(struct accd_directory *dir, const accd_construct *construct, struct accd_short_links *links);
/* The pointers that a construct attaches; fresh: items whose data are to be created. False: they are the general
 * way's. */
bool accd_short_links(struct accd_directory *dir, const accd_construct *construct, unsigned fresh,
                      struct accd_object *const *objects, struct accd_short_links *links);
/* How many words they send, how many records are new, and items whose attachments count, as bits. */
size_t accd_short_words(const struct accd_short_links *links);
size_t accd_short_records(const struct accd_short_links *links);
unsigned accd_short_attached(const struct accd_directory *dir, const struct accd_short_links *links);
void accd_short_send(struct accd_directory *dir, const struct accd_short_links *links,
                     struct accd_object *const *objects);
void accd_short_attach(struct accd_directory *dir, const accd_construct *construct, struct accd_short_links *links,
                       struct accd_object *const *objects);
/* The attachments that clauses detach, where these count. False: they are the general way's. */
bool accd_short_ends(struct accd_directory *dir, const struct accd_claim *claims, size_t n, bool dynamic,
                     struct accd_short_ends *ends);
/* Whether no pointer is left that points to an object which goes, but for those that end with it: of a pointer that is
 * left as it is, the record loses its target. */
bool accd_short_lets_go(struct accd_directory *dir, const struct accd_claim *claims, size_t claim,
                        struct accd_short_ends *ends);
/* Pointers that stay are to point to the host again; returns how many. They are sent later. */
size_t accd_short_restore(struct accd_directory *dir, const struct accd_claim *claims, size_t nclaims,
                          struct accd_short_ends *ends);
void accd_short_send_ends(struct accd_directory *dir, const struct accd_short_ends *ends);
void accd_short_detach(struct accd_directory *dir, const struct accd_short_ends *ends);
/* Those in objects that go end with these. */
void accd_short_end_inside(struct accd_directory *dir, const struct accd_claim *claims,
                           const struct accd_short_ends *ends);

#endif
