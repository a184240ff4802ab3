/* fuse.h - tuples of data environments: which data lie in one device block, and since when.
 *
 * A present object is where bytes are on the device. An original tuple is a clause: an interval and its
 * base address. Fusion puts objects into one block at their true distances: that is a fused tuple, and the
 * objects keep the places they leave for when it ends (DIR-4.2-16). A tuple holds as long as the originals
 * that are older than it, or as old, connect its parts: so the present arrangement is the one Figure 2
 * computes from the originals that are left, in whatever order they go.
 *
 * tuples.c compares, fuse.c puts together, unfuse.c takes apart, levels.c lists the tuples of a level. */
#ifndef ACCD_FUSE_H
#define ACCD_FUSE_H

#include "accdeep_core.h"

#include <stdbool.h>

struct accd_plan;
struct accd_claim;
struct accd_object;
struct accd_block;
struct accd_region;
struct accd_directory;
struct accd_attach;
struct accd_pair;
struct accd_range_cursor;

/* What a region keeps of its items. */
struct accd_source {
    const accd_label *label;
    uint64_t host, bytes;            /* of the whole item */
    int64_t start, index[ACCD_INDICES];
    uint64_t base; /* of the list item, where extended ranges count (OMP60-map-10); else 0 */
    int32_t root; /* of the walk, -1: not walked */
    uint32_t slot_bytes; /* of its descriptor, 0: a plain pointer */
};

/* A clause as a tuple (DIR-4.1-03), or a piece of one that was split (DIR-4.2-04). */
struct accd_original {
    struct accd_seat *seat;              /* of the object its first byte lies in */
    struct accd_original *next, *prev;   /* of the same seat, the latest first */
    struct accd_original *right, *left;  /* ring of those with the same base */
    struct accd_original *piece, *head;  /* the next one of the same clause, the first one */
    uint64_t base, host, bytes;
    uint64_t slot;                       /* pointer that leads there, 0: none */
    uint64_t whole, length;              /* host address and bytes of the clause */
    uint64_t serial;                     /* of the construct that opened it */
    uint32_t order;                      /* among its clauses */
    struct accd_source source;
    uint8_t action;                      /* of its item */
    uint16_t flags;                      /* the same */
    bool dynamic;                        /* opened by enter data */
    bool dropped;                        /* it only keeps data present, and its base (DIR-4.2-02) */
    bool ending;                         /* while an exit is under way; with its whole clause: */
    bool whole_ends;
};

/* A block in which several objects lie at their true distances. */
struct accd_fused {
    uint64_t host, end;      /* hull of its objects */
    uint64_t serial;         /* of the construct that made it */
    struct accd_block *block;
    size_t places;           /* seats and former places that are in it */
    bool current;            /* objects lie here now: it is in directory.fused, by host */
    uint64_t support;        /* originals up to this serial hold it together: its own, or younger ones
                                once an older one went */
    size_t regroup;          /* while an exit is under way: number of it and one, 0: none */
};

/* A place an object left, which waits for it. */
struct accd_former {
    struct accd_former *below; /* the one before */
    struct accd_former *jump;  /* one far below, NULL: none; so that old places are found in a few steps */
    uint32_t depth;            /* places below */
    struct accd_fused *fused;  /* the tuple it was in, or NULL */
    uint64_t dev, serial;
    bool shared;               /* in a block; otherwise it is the user's memory (acc_map_data) */
    bool gone, alone;          /* while an exit is under way: nobody goes back there, or it alone */
};

/* What fusion knows of a present object. In directory.seats, by the object's host address. */
struct accd_seat {
    struct accd_object *object;
    struct accd_original *originals;
    struct accd_fused *fused;   /* the tuple it is in now, or NULL */
    struct accd_former *former; /* the last first */
    uint64_t serial;            /* since when it is where it is */
};

/* A clause of this construct, before it is an original. */
struct accd_candidate {
    uint32_t claim;             /* its first one */
    bool brings;                /* some of its bytes are not there */
    uint64_t base, host, bytes;
    uint32_t more, nmore;       /* split: claims of the other pieces */
    uint16_t flags;             /* of its item */
    bool dropped, split;
};

/* Why data are in one tuple; of several reasons the last one is told. */
enum accd_reason { ACCD_BY_RANGE, ACCD_BY_BASE, ACCD_BY_PIECES };

/* A range that this construct fuses. */
struct accd_fit {
    uint64_t host, end;
    uint64_t dev;               /* of the first byte, once it has memory */
    uint64_t place, bytes;      /* its memory: a little before dev, so that alignment is the host's */
    struct accd_fused *home;    /* not NULL: the tuple that covers it; nothing is fused (ALIAS) */
    struct accd_fused *fused;   /* once it is committed */
    enum accd_reason reason;
};

/* An object that moves within the device. */
struct accd_shift {
    struct accd_object *object;
    struct accd_seat *seat;     /* NULL: it has none yet */
    uint64_t from, to;          /* device addresses */
    uint64_t size;              /* of the object before, with its flags */
    uint32_t fit;               /* entry: where it goes */
    uint64_t left;              /* entry: bytes given back with it, of its tuple if it is the first */
    bool kept;                  /* entry: the place it leaves waits for it */
};

/* A copy within the device. */
struct accd_copy {
    uint64_t from, to, host, bytes;
    const struct accd_object *object;
};

/* An attached pointer that leads to data that move. */
struct accd_redirect {
    struct accd_attach *attach;
    uint64_t before;            /* device address in it */
};

/* Exit: objects of a tuple that lost something. */
struct accd_occupant {
    struct accd_seat *seat;
    uint32_t up, before;        /* union-find; its root before a tuple joined it */
    uint32_t first, count;      /* of a root: the first before; members */
    uint64_t low, high;
    uint64_t held;              /* of a root: serial of what holds it together since, 0: as it was */
    bool several;               /* of a root: it is made of parts */
    bool older;                 /* that hold together by what is as old as their tuple */
};
struct accd_regroup {
    struct accd_fused *fused;
    uint64_t least;             /* serial of the oldest original that goes */
    struct accd_occupant *members; /* that stay present, by host address */
    uint32_t n;
};

/* What a construct does about tuples. In scratch space, but for the memory of fits. */
struct accd_fusion {
    struct accd_candidate *candidates;
    size_t ncandidates, noriginals, blocks;
    struct accd_fit *fits;
    size_t nfits, nplaced;      /* so many have memory */
    struct accd_shift *shifts;
    size_t nshifts, shifts_room;
    bool shifted;               /* the objects have their new addresses */
    struct accd_copy *copies;
    size_t ncopies, copies_room;
    struct accd_redirect *redirects;
    size_t nredirects, redirects_room;
    struct accd_original **ending; /* exit: originals that go */
    size_t nending, ending_room;
    struct accd_regroup *regroups;
    size_t nregroups, regroups_room;
};

struct accd_seat *accd_seat_of(struct accd_directory *dir, const struct accd_object *object);
/* The fused tuple around a host address, or NULL. */
struct accd_fused *accd_fused_at(struct accd_directory *dir, uint64_t host);
/* The same by device address: of the tuple that lies there now. */
struct accd_fused *accd_fused_in_device(struct accd_directory *dir, uint64_t dev);
/* Device address of the first byte of a tuple. */
uint64_t accd_fused_dev(const struct accd_fused *fused);
/* One place less in a tuple; it goes with the last one. */
void accd_fused_release(struct accd_directory *dir, struct accd_fused *fused);

/* The first object that reaches behind an address; then the following ones. */
struct accd_object *accd_first_behind(struct accd_directory *dir, uint64_t host,
                                      struct accd_range_cursor *cursor);

/* How present objects cover a range, of which some byte is present. */
struct accd_cover {
    bool whole; /* every byte is */
    bool one;   /* all in one tuple */
    size_t objects;
};
struct accd_cover accd_cover_of(struct accd_directory *dir, uint64_t host, uint64_t bytes);
/* Cuts a claim at the bounds of present objects: pieces that are present get state PRESENT and the object,
 * others stay open. The first piece keeps the claim's number, the others come last. */
accd_status accd_claim_cut(struct accd_plan *plan, uint32_t index, size_t objects);

/* Entry. Whether a construct can fuse anything; if not, fusion of its plan stays NULL. */
bool accd_fuse_wanted(const struct accd_plan *plan);
accd_status accd_fuse_begin(struct accd_plan *plan);
/* Makes a clause take part. Before it is cut, if it is. */
struct accd_candidate *accd_fuse_candidate(struct accd_plan *plan, uint32_t claim);
accd_status accd_compare_clauses(struct accd_plan *plan);
accd_status accd_fuse_plan(struct accd_plan *plan);
accd_status accd_fuse_reserve(struct accd_plan *plan);
accd_status accd_fuse_place(struct accd_plan *plan);
/* ACCD_MISSING_WAIT if a queue that the construct does not come behind still uses what moves. */
accd_status accd_fuse_pending(const struct accd_plan *plan);
/* Device address for a new object, if it lies in a fused range; 0: it gets memory of its own. */
uint64_t accd_fuse_dev(const struct accd_plan *plan, uint64_t host);
accd_status accd_fuse_moves(struct accd_plan *plan);
void accd_fuse_commit(struct accd_plan *plan, struct accd_region *region, uint64_t serial);
void accd_fuse_undo(struct accd_plan *plan);
/* Copies of what shifts, but for claims (pairs of host address and number) whose bytes come otherwise. */
accd_status accd_fuse_copies(struct accd_plan *plan, const struct accd_pair *cut, size_t ncut);
/* Attached pointers to what shifts lead to its new places. Objects have those already. */
accd_status accd_fuse_pointers(struct accd_plan *plan);
/* Puts the objects, and the pointers to them, back. */
void accd_fuse_shift_back(struct accd_plan *plan);
void accd_fuse_device_order(struct accd_plan *plan);

/* Exit. */
/* The open enter data of exactly this interval, the latest one, or NULL. */
struct accd_original *accd_opened(struct accd_directory *dir, uint64_t host, uint64_t bytes);
/* Where anything has a seat; otherwise fusion of the plan stays NULL. */
accd_status accd_unfuse_begin(struct accd_plan *plan);
/* The clause goes with this construct. */
accd_status accd_unfuse_original(struct accd_plan *plan, struct accd_original *original);
/* The same for every enter data that begins in an object. */
accd_status accd_unfuse_opened(struct accd_plan *plan, const struct accd_object *object);
accd_status accd_unfuse_plan(struct accd_plan *plan, struct accd_object *const *dying,
                             size_t ndying);
void accd_unfuse_commit(struct accd_plan *plan);
void accd_unfuse_undo(struct accd_plan *plan);
/* Before an object is removed: its seat, originals and former places go. */
void accd_seat_free(struct accd_directory *dir, const struct accd_object *object);

#endif
