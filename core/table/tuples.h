/* tuples.h - tuples of data environments: which data lie in one device block, and since when. */
#ifndef ACCD_TUPLES_H
#define ACCD_TUPLES_H

#include "table/table.h"

/* A present object is where bytes are on the device. An original tuple is a clause: an interval and its
 * base address. Fusion puts objects into one block at their true distances: that is a fused tuple, and the
 * objects keep the places they leave for when it ends (DIR-4.2-16). A tuple holds as long as the originals
 * that are older than it, or as old, connect its parts: so the present arrangement is the one Figure 2
 * computes from the originals that are left, in whatever order they go. */

/* A clause as a tuple (DIR-4.1-03), or a piece of one that was split (DIR-4.2-04). */
struct accd__original {
    struct accd__placement *placement;   /* of the object its first byte lies in */
    struct accd__original *next, *prev;  /* of the same share, the latest first */
    struct accd__original *right, *left; /* ring of those with the same base */
    struct accd__original *piece, *head; /* the next one of the same clause, the first one */
    struct accd__original **region_slot; /* the place in its region that becomes NULL with it, or NULL */
    uint64_t base, host, bytes;
    uint64_t slot;          /* pointer to it, 0: none */
    uint64_t whole, length; /* host address and bytes of the clause */
    uint64_t serial;        /* of the construct that opened it */
    uint32_t order;         /* among its clauses */
    struct accd__item_source source;
    uint8_t action;      /* of its item */
    uint16_t flags;      /* the same */
    bool dynamic;        /* opened by enter data */
    bool dropped;        /* it only keeps data present, and its base (DIR-4.2-02) */
    bool names_no_bytes; /* it names no bytes of a held object */
    bool whole_ends;     /* with its whole clause: */
    uint64_t ends;       /* number of the exit that it ends with */
};

/* A block in which several objects lie at their true distances. */
struct accd__fused_tuple {
    uint64_t host, end; /* hull of its objects */
    uint64_t serial;    /* of the construct that made it */
    struct accd__block *block;
    size_t places;    /* shares and former places that are in it */
    bool current;     /* objects lie here now: it is in directory.tuples.fused, by host */
    uint64_t support; /* serial of the youngest originals that hold it together: those it was made with, or
                         younger ones once an older one went */
    uint64_t loses;   /* number of the last exit that takes something from it ... */
    size_t regroup;   /* ... and its place in what that exit regroups */
};

/* A place an object left, which waits for it. */
struct accd__vacated_slot {
    struct accd__vacated_slot *below; /* the one before */
    struct accd__vacated_slot *jump;  /* one far below, NULL: none; so that old places are found in a few steps */
    uint32_t depth;                   /* places below */
    struct accd__fused_tuple *fused;  /* the tuple it was in, or NULL */
    uint64_t dev, serial;
    bool shared;        /* in a block; otherwise it is the user's memory (acc_map_data) */
    uint64_t evaluated; /* number of the last exit that asked what the place is still worth: */
    enum accd__slot_use {
        ACCD_SLOT_USE_NONE,    /* no object goes back there */
        ACCD_SLOT_USE_ALONE,   /* this object alone does */
        ACCD_SLOT_USE_TOGETHER /* so do others, and originals hold them together there */
    } use;
};

/* What fusion knows of a present object. In directory.tuples.shares, by the object's host address. */
struct accd__placement {
    struct accd__object *object;
    struct accd__original *originals;
    struct accd__fused_tuple *fused;    /* the tuple it is in now, or NULL */
    struct accd__vacated_slot *vacated; /* the last first */
    uint64_t serial;                    /* since when it is where it is */
};

/* Whether an original ends with the exit under way. */
static inline bool accd__original_ends(const struct accd__tuples *tuples, const struct accd__original *original)
{
    return original->ends == tuples->exit;
}

/* How present objects cover a range, of which some byte is present. */
struct accd__coverage {
    bool whole; /* every byte is */
    bool one;   /* all in one tuple */
    size_t objects;
};

struct accd__placement *accd__find_placement(struct accd__device_env *env, const struct accd__object *object);
/* Whether a clause names a byte of a held object, other than for storage alone (DIR-4.2-17); up to *end_p, which is
 * lowered, it is the same for the others. Clauses that end are left out. */
bool accd__is_byte_named(struct accd__device_env *env, const struct accd__object *object, uint64_t host,
                         uint64_t *end_p);
/* How clauses name a range of a held object. */
enum accd__containment accd__get_named_part(struct accd__device_env *env, const struct accd__object *object,
                                            uint64_t host, uint64_t bytes);
/* The fused tuple around a host address, or NULL. */
struct accd__fused_tuple *accd__find_fused_tuple(struct accd__device_env *env, uint64_t host);
/* The same by device address: of the tuple that lies there now. */
struct accd__fused_tuple *accd__find_fused_tuple_by_dev(struct accd__device_env *env, uint64_t dev);
/* Device address of the first byte of a tuple. */
uint64_t accd__fused_tuple_dev(const struct accd__fused_tuple *fused);
/* One place less in a tuple; it goes with the last one. */
void accd__release_fused_tuple(struct accd__device_env *env, struct accd__fused_tuple *fused);
struct accd__coverage accd__get_coverage(struct accd__device_env *env, uint64_t host, uint64_t bytes);
/* The open enter data of exactly this interval, the latest one, or NULL. */
struct accd__original *accd__find_enter_data(struct accd__device_env *env, uint64_t host, uint64_t bytes);

#endif
