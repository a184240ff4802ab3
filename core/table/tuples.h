/* tuples.h - records of fusion: which data lie in one device block, and since when. placements.c looks them up;
 * core/plan decides on fusion and splitting, core/ops executes it. */
#ifndef ACCD_TUPLES_H
#define ACCD_TUPLES_H

#include "table/table.h"

/* A present object is a range of bytes on the device. An original tuple is a clause: an interval and its base address.
 * Fusion moves objects into one block at their true distances, which is a fused tuple. Each object remembers its
 * vacated slots, to which it returns when the tuple ends (DIR-4.2-16):
 *
 *     object A  --- placement A --- originals: clauses, latest first
 *                      |   `--- vacated: slot 2 -> slot 1     (former addresses of A, latest first)
 *                      v
 *                   fused tuple  [  A  | gap |  B  ]  in one block
 *                      ^
 *     object B  --- placement B
 *
 * A tuple exists as long as originals of its age or older connect its parts. The arrangement is therefore always the
 * one that Figure 2 computes from the remaining originals, in whatever order the others ended. */

/* Original: a clause as a tuple (DIR-4.1-03), or a piece of one that was split (DIR-4.2-04). */
struct accd__original {
    struct accd__placement *placement;   /* placement of the object that contains its first byte */
    struct accd__original *next, *prev;  /* list of the same placement, the latest first */
    struct accd__original *right, *left; /* ring of the originals with the same base */
    struct accd__original *piece, *head; /* next piece of the same clause, and its first piece */
    struct accd__original **region_slot; /* entry in its region, set to NULL when it ends; or NULL */
    uint64_t base, host, bytes;
    uint64_t slot;          /* host address of the pointer to it; 0: none */
    uint64_t whole, length; /* host address and bytes of the clause */
    uint64_t serial;        /* serial of the construct that opened it */
    uint32_t order;         /* position among the clauses of that construct */
    struct accd__item_source source;
    uint8_t action;      /* action of its item */
    uint16_t flags;      /* flags of its item */
    bool dynamic;        /* true if enter data opened it */
    bool dropped;        /* true if it only keeps data present, and its base (DIR-4.2-02) */
    bool names_no_bytes; /* true if it names no bytes of its object: storage only, or the present part of a storage
                            object */
    bool whole_ends;     /* true if it ends because its whole clause ends; for the exit `ends` */
    uint64_t ends;       /* number of the last exit in which it ends */
};

/* Fused tuple: a block in which several objects lie at their true distances. */
struct accd__fused_tuple {
    uint64_t host, end; /* hull of its objects */
    uint64_t serial;    /* serial of the construct that made it */
    struct accd__block *block;
    size_t places;    /* number of placements and vacated slots that refer to it */
    bool current;     /* true if objects lie here now; it is then in env->tuples.fused, by host */
    uint64_t support; /* serial of the youngest originals that connect it: those it was made with, or younger ones after
                         an older one ended */
    uint64_t loses;   /* number of the last exit that removes something from it ... */
    size_t regroup;   /* ... and its index in what that exit regroups */
};

/* Vacated slot: a former device address of an object, which waits for it. */
struct accd__vacated_slot {
    struct accd__vacated_slot *below; /* previous vacated slot */
    struct accd__vacated_slot *jump;  /* slot far below, or NULL; finds old slots in a few steps */
    uint32_t depth;                   /* number of slots below */
    struct accd__fused_tuple *fused;  /* fused tuple that contained it, or NULL */
    uint64_t dev, serial;
    bool shared;        /* true if it is in a block; false: the user's memory (acc_map_data) */
    uint64_t evaluated; /* number of the last exit that computed `use` */
    enum accd__slot_use {
        ACCD_SLOT_USE_NONE,    /* slot to which no object returns */
        ACCD_SLOT_USE_ALONE,   /* slot to which only this object returns */
        ACCD_SLOT_USE_TOGETHER /* this and other objects return there, connected by originals */
    } use;
};

/* Placement: fusion's record of a present object. It is in env->tuples.placements, by the object's host address. */
struct accd__placement {
    struct accd__object *object;
    struct accd__original *originals;
    struct accd__fused_tuple *fused;    /* current fused tuple, or NULL */
    struct accd__vacated_slot *vacated; /* vacated slots, the latest first */
    uint64_t serial;                    /* serial of the construct that moved it here */
};

/* Returns true if an original ends with the exit under way. */
static inline bool accd__original_ends(const struct accd__tuples *tuples, const struct accd__original *original)
{
    return original->ends == tuples->exit;
}

/* Coverage of a range by present objects; at least one byte is present. */
struct accd__coverage {
    bool whole; /* true if every byte is present */
    bool one;   /* true if all bytes are in one tuple */
    size_t objects;
};

/* Returns the placement of an object, or NULL. */
struct accd__placement *accd__find_placement(struct accd__device_env *env, const struct accd__object *object);
/* Returns true if a clause names a byte of a held object, other than for storage alone (DIR-4.2-17). Lowers *end_p to
 * the end of the bytes with the same answer. Clauses that end are ignored. */
bool accd__is_byte_named(struct accd__device_env *env, const struct accd__object *object, uint64_t host,
                         uint64_t *end_p);
/* Returns which part of a range of a held object clauses name. */
enum accd__containment accd__get_named_part(struct accd__device_env *env, const struct accd__object *object,
                                            uint64_t host, uint64_t bytes);
/* Returns the fused tuple that contains a host address, or NULL. */
struct accd__fused_tuple *accd__find_fused_tuple(struct accd__device_env *env, uint64_t host);
/* Returns the current fused tuple that contains a device address, or NULL. */
struct accd__fused_tuple *accd__find_fused_tuple_by_dev(struct accd__device_env *env, uint64_t dev);
/* Returns the device address of the first byte of a tuple. */
uint64_t accd__fused_tuple_dev(const struct accd__fused_tuple *fused);
/* Drops one reference to a tuple, and frees it after the last one. */
void accd__release_fused_tuple(struct accd__device_env *env, struct accd__fused_tuple *fused);
struct accd__coverage accd__get_coverage(struct accd__device_env *env, uint64_t host, uint64_t bytes);
/* Returns the latest open enter data of exactly this interval, or NULL. */
struct accd__original *accd__find_enter_data(struct accd__device_env *env, uint64_t host, uint64_t bytes);

#endif
