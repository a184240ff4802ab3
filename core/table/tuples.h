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
struct accd_original {
    struct accd_share *share;            /* of the object its first byte lies in */
    struct accd_original *next, *prev;   /* of the same share, the latest first */
    struct accd_original *right, *left;  /* ring of those with the same base */
    struct accd_original *piece, *head;  /* the next one of the same clause, the first one */
    struct accd_original **home;         /* the place in its region that becomes NULL with it, or NULL */
    uint64_t base, host, bytes;
    uint64_t slot;                       /* pointer to it, 0: none */
    uint64_t whole, length;              /* host address and bytes of the clause */
    uint64_t serial;                     /* of the construct that opened it */
    uint32_t order;                      /* among its clauses */
    struct accd_source source;
    uint8_t action;                      /* of its item */
    uint16_t flags;                      /* the same */
    bool dynamic;                        /* opened by enter data */
    bool dropped;                        /* it only keeps data present, and its base (DIR-4.2-02) */
    bool idle;                           /* it names no bytes of a held object */
    bool whole_ends;                     /* with its whole clause: */
    uint64_t ends;                       /* number of the exit that it ends with */
};

/* A block in which several objects lie at their true distances. */
struct accd_fused {
    uint64_t host, end;      /* hull of its objects */
    uint64_t serial;         /* of the construct that made it */
    struct accd_block *block;
    size_t places;           /* shares and former places that are in it */
    bool current;            /* objects lie here now: it is in directory.tuples.fused, by host */
    uint64_t support;        /* serial of the youngest originals that hold it together: those it was made with, or
                                younger ones once an older one went */
    uint64_t loses;          /* number of the last exit that takes something from it ... */
    size_t regroup;          /* ... and its place in what that exit regroups */
};

/* A place an object left, which waits for it. */
struct accd_former {
    struct accd_former *below; /* the one before */
    struct accd_former *jump;  /* one far below, NULL: none; so that old places are found in a few steps */
    uint32_t depth;            /* places below */
    struct accd_fused *fused;  /* the tuple it was in, or NULL */
    uint64_t dev, serial;
    bool shared;               /* in a block; otherwise it is the user's memory (acc_map_data) */
    uint64_t weighed;          /* number of the last exit that asked what the place is still worth: */
    enum accd_worth {
        ACCD_GOES, /* no object goes back there */
        ACCD_ALONE, /* this object alone does */
        ACCD_HOLDS  /* so do others, and originals hold them together there */
    } worth;
};

/* What fusion knows of a present object. In directory.tuples.shares, by the object's host address. */
struct accd_share {
    struct accd_object *object;
    struct accd_original *originals;
    struct accd_fused *fused;   /* the tuple it is in now, or NULL */
    struct accd_former *former; /* the last first */
    uint64_t serial;            /* since when it is where it is */
};

/* Whether an original ends with the exit under way. */
static inline bool accd_original_ends(const struct accd_tuples *tuples, const struct accd_original *original)
{
    return original->ends == tuples->exit;
}

/* How present objects cover a range, of which some byte is present. */
struct accd_cover {
    bool whole; /* every byte is */
    bool one;   /* all in one tuple */
    size_t objects;
};

struct accd_share *accd_share_of(struct accd_directory *dir, const struct accd_object *object);
/* Whether a clause names a byte of a held object, other than for storage alone (DIR-4.2-17); up to *end_p, which is
 * lowered, it is the same for the others. Clauses that end are left out. */
bool accd_named_at(struct accd_directory *dir, const struct accd_object *object, uint64_t host, uint64_t *end_p);
/* How clauses name a range of a held object. */
enum accd_relation accd_named(struct accd_directory *dir, const struct accd_object *object, uint64_t host,
                              uint64_t bytes);
/* The fused tuple around a host address, or NULL. */
struct accd_fused *accd_fused_at(struct accd_directory *dir, uint64_t host);
/* The same by device address: of the tuple that lies there now. */
struct accd_fused *accd_fused_in_device(struct accd_directory *dir, uint64_t dev);
/* Device address of the first byte of a tuple. */
uint64_t accd_fused_dev(const struct accd_fused *fused);
/* One place less in a tuple; it goes with the last one. */
void accd_fused_release(struct accd_directory *dir, struct accd_fused *fused);
struct accd_cover accd_cover_of(struct accd_directory *dir, uint64_t host, uint64_t bytes);
/* The open enter data of exactly this interval, the latest one, or NULL. */
struct accd_original *accd_opened(struct accd_directory *dir, uint64_t host, uint64_t bytes);

#endif
