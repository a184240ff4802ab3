/* tuples.h - records of fusion (data of several clauses moved into one device block): which data lie in one block, and
 * since which construct. A serial is the number of a construct that opened a region or originals; later constructs have
 * greater serials. placements.c looks the records up; core/plan decides on fusion and splitting, core/ops executes it.
 */
#ifndef ACCD_TUPLES_H
#define ACCD_TUPLES_H

#include "table/table.h"

/* A present object is a range of bytes on the device. An original tuple is a clause: an interval and its base address.
 * Fusion moves objects into one block, at the distances that they have on the host; the result is a fused tuple. Each
 * object remembers its vacated slots, to which it returns when the tuple ends (DIR-4.2-16):
 *
 *     object A  --- placement A --- originals: clauses, latest first
 *                      |   `--- vacated: slot 2 -> slot 1     (former addresses of A, latest first)
 *                      v
 *                   fused tuple  [  A  | gap |  B  ]  in one block
 *                      ^
 *     object B  --- placement B
 *
 * A fused tuple exists as long as originals of its age or older connect its parts. The arrangement is therefore always
 * the one that Figure 2 computes from the remaining originals, in whatever order the others ended. */

/* Original: a clause as a tuple (DIR-4.1-03), or one piece of a clause that was split (DIR-4.2-04). */
struct accd__original {
    struct accd__placement *placement;   /* placement of the object that contains the original's first byte */
    struct accd__original *next, *prev;  /* neighbours in the placement's list, the latest first */
    struct accd__original *right, *left; /* ring of all originals with the same base address */
    struct accd__original *piece, *head; /* next piece of the same clause, or NULL; first piece of that clause */
    /* address of the entry for this original in its region's `originals`; the entry becomes NULL when the original
     * ends. NULL: enter data opened the original */
    struct accd__original **region_slot;
    uint64_t base, host, bytes; /* base address; host range of the original (the piece, if the clause was split) */
    uint64_t slot;              /* host address of the pointer to the data; 0: no pointer */
    uint64_t whole, length;     /* host address and bytes of the clause */
    uint64_t serial;            /* serial of the construct that opened the original */
    uint32_t order;             /* position among the clauses of that construct */
    struct accd__item_source source;
    uint8_t action;      /* action of the clause's item */
    uint16_t flags;      /* flags of the clause's item */
    bool dynamic;        /* true if enter data opened the original */
    bool dropped;        /* true if the original no longer requests bytes: it only keeps data and base address present
                            (DIR-4.2-02) */
    bool names_no_bytes; /* true if the original names no bytes of its object, because it asks for storage only, or for
                            the present part of a storage object */
    bool whole_ends;     /* true if the original ends because its whole clause ends; valid for exit number `ends` */
    uint64_t ends;       /* number of the last exit that marked the original as ending; see accd__original_ends */
};

/* Fused tuple: a block in which several objects lie at the distances that they have on the host. */
struct accd__fused_tuple {
    uint64_t host, end; /* host hull of the tuple's objects */
    uint64_t serial;    /* serial of the construct that made the tuple */
    struct accd__block *block;
    size_t places;    /* number of placements and vacated slots that refer to the tuple */
    bool current;     /* true if objects lie in the tuple now; env->tuples.fused then lists the tuple by `host` */
    uint64_t support; /* serial of the youngest originals that the tuple needs to connect its objects: at first those of
                         its own construct; younger ones, if older ones have ended. An original with a greater serial
                         may end without effect on the tuple */
    uint64_t loses;   /* number of the last exit that removes an object or a needed original from the tuple */
    size_t regroup;   /* index of the tuple in the list of tuples that exit number `loses` regroups */
};

/* Vacated slot: a former device address of an object, to which the object may return. */
struct accd__vacated_slot {
    struct accd__vacated_slot *below; /* older vacated slot of the same object, or NULL */
    struct accd__vacated_slot
        *jump;      /* vacated slot several steps below, or NULL; a shortcut for the search of old slots */
    uint32_t depth; /* number of older slots below this one */
    struct accd__fused_tuple *fused; /* fused tuple that contains the slot, or NULL */
    uint64_t dev, serial;            /* device address; serial of the construct that placed the object there */
    bool shared;                     /* true if the slot is in a block; false: in the user's memory (acc_map_data) */
    uint64_t
        evaluated; /* number of the last exit that computed `use`; unless that is the exit under way, `use` is stale */
    enum accd__slot_use {
        ACCD_SLOT_USE_NONE,    /* slot to which no object returns */
        ACCD_SLOT_USE_ALONE,   /* slot to which only this object returns */
        ACCD_SLOT_USE_TOGETHER /* slot to which this object returns together with others that originals connect to it */
    } use;
};

/* Placement: fusion's record of a present object. env->tuples.placements lists it by the object's host address. */
struct accd__placement {
    struct accd__object *object;
    struct accd__original *originals;
    struct accd__fused_tuple *fused;    /* current fused tuple, or NULL */
    struct accd__vacated_slot *vacated; /* vacated slots, the latest first */
    uint64_t serial; /* serial of the construct that placed the object at its present device address */
};

/* Returns true if an original ends with the exit (exit data, or end of a region) under way. */
static inline bool accd__original_ends(const struct accd__tuples *tuples, const struct accd__original *original)
{
    return original->ends == tuples->exit;
}

/* Coverage of a range by present objects. */
struct accd__coverage {
    bool whole;     /* true if every byte is present */
    bool is_single; /* true if all bytes lie in one object or one fused tuple */
    size_t objects;
};

/* Returns the placement of an object, or NULL. */
struct accd__placement *accd__find_placement(struct accd__device_env *env, const struct accd__object *object);
/* Returns true if an original of an object names the byte at `host`, except an original that asks for storage only
 * (DIR-4.2-17). Lowers *end_p to the end of the bytes from `host` on for which the answer is the same. Originals that
 * end with the exit under way are ignored. */
bool accd__is_byte_named(struct accd__device_env *env, const struct accd__object *object, uint64_t host,
                         uint64_t *end_p);
/* Returns how much of a range of an object its originals name: all (CONTAINED), some (PARTIAL) or no bytes (DISJOINT).
 */
enum accd__containment accd__get_named_part(struct accd__device_env *env, const struct accd__object *object,
                                            uint64_t host, uint64_t bytes);
/* Returns the current fused tuple whose hull contains a host address, or NULL. */
struct accd__fused_tuple *accd__find_fused_tuple(struct accd__device_env *env, uint64_t host);
/* Returns the current fused tuple whose hull contains a device address, or NULL. */
struct accd__fused_tuple *accd__find_fused_tuple_by_dev(struct accd__device_env *env, uint64_t dev);
/* Returns the device address of the first byte of a tuple. */
uint64_t accd__fused_tuple_dev(const struct accd__fused_tuple *fused);
/* Drops one reference to a tuple, and frees the tuple after the last reference; NULL does nothing. */
void accd__release_fused_tuple(struct accd__device_env *env, struct accd__fused_tuple *fused);
/* Returns how present objects cover the range of `bytes` bytes at `host`. */
struct accd__coverage accd__get_coverage(struct accd__device_env *env, uint64_t host, uint64_t bytes);
/* Returns the latest original that enter data opened for exactly the clause [host, host + bytes), and that does not end
 * with the exit under way; or NULL. */
struct accd__original *accd__find_enter_data(struct accd__device_env *env, uint64_t host, uint64_t bytes);

#endif
