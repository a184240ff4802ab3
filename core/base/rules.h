/* rules.h - the rules the core decides by. Ids are those of spec/rules; a test compares them. */
#ifndef ACCD_RULES_H
#define ACCD_RULES_H

#include "accdeep_core.h"

#include <stdbool.h>

/* X(what, id, ...): what is decided, and the rules of documents that say so. A profile says in which order the
 * documents are asked (accd_rules.documents); the first id stands for those that it does not name. Errors that
 * lua/accdeep raises are cited by the same rows (lua/accdeep/definitions/profiles.lua). */
#define ACCD_RULE_MAP(X)                                                                                              \
    X(ALLOCATE, "TR14-4.2-06", "ACC33-2.7.2-1", "DIR-4.2-13",                                                         \
      "OMP60-map-5") /* a contained object gets no memory of its own */                                               \
    X(MOVE, "TR14-4.2-07", "ACC33-2.7.2-1", "DIR-4.2-14", "LLNL-2.1-02",                                              \
      "OMP60-map-5")                                        /* each clause asks for its own bytes, each moved once */ \
    X(COUNT, "TR14-4.2-08", "ACC33-2.6.7-2", "OMP60-map-5") /* references go up for all clauses */                    \
    X(COUNT_DYNAMIC, "ACC33-2.6.7-3", "OMP60-map-5")        /* dynamic counter */                                     \
    X(UNCOUNT_DYNAMIC, "ACC33-2.6.7-3", "OMP60-map-6")                                                                \
    X(PARTIALLY_PRESENT, "TR14-4.2-03", "ACC33-2.7.3-1", "OMP60-map-13")                                              \
    X(PARTIAL_OVERLAP, "TR14-4.2-05", "ACC33-2.7.3-1", "OMP60-map-13")                                                \
    X(NOT_PRESENT, "TR14-4.2-09", "ACC33-2.7.3-1", "DIR-1-02", "OMP60-map-9")                                         \
    X(ALREADY_PRESENT, "ACC20-2.6-1")                                                                                 \
    X(LEAVE, "TR14-4.2-11", "ACC33-2.7.2-2", "DIR-4.3-02",                                                            \
      "OMP60-map-6") /* detach, references off, moves, then free */                                                   \
    X(EXIT_ABSENT, "TR14-4.3-05", "ACC33-2.7-1", "OMP60-map-6")                                                       \
    X(ATTACH, "TR14-4.1-02", "ACC33-att-1", "OMP60-map-7")                                                            \
    X(DETACH, "TR14-4.1-03", "ACC33-det-1", "OMP60-map-7")                                                            \
    X(ATTACH_DESCRIPTOR, "FLANG-composite-1")                                                                         \
    X(DETACH_DESCRIPTOR, "FLANG-detach-1")                                                                            \
    X(POINTER_CHANGED, "TR14-4.1-08", "ACC33-att-8", "OMP60-map-8")                                                   \
    X(STRUCTURE_FIXED, "TR14-4.3-04", "ACC33-att-8", "OMP60-map-8")                                                   \
    X(STILL_ATTACHED, "TR14-4.3-12", "ACC33-att-11", "OMP60-map-7")                                                   \
    X(NOT_ATTACHED, "TR14-4.3-13", "ACC33-det-1", "OMP60-map-7")                                                      \
    X(ATTACH_ABSENT, "ACC33-att-2", "OMP60-map-7")                                                                    \
    X(ATTACH_NULL, "ACC33-att-4", "OMP60-map-7")                                                                      \
    X(DESCRIPTOR, "FLANG-api-1") /* data is the address the descriptor holds */                                       \
    X(RECORD, "FLANG-todo-1")    /* a detach undoes what the attach did beside */                                     \
    X(UPDATE, "TR14-1.2-16", "ACC33-upd-1", "OMP60-upd-1")                                                            \
    X(UPDATE_ABSENT, "ACC33-upd-1", "OMP60-upd-1")                                                                    \
    X(SECTION, "TR14-3.1.1-23", "ACC33-2.7.1-1", "OMP60-sec-1") /* negative length, bounds that overflow */           \
    X(CONTIGUOUS, "ACC33-2.7.1-4", "OMP60-map-13")              /* memory that moves is contiguous */                 \
    X(NULL, "ACC33-2.7-2", "OMP60-sec-1")                                                                             \
    X(HOST_BOUNDS, "ACC33-2.7.1-1", "OMP60-sec-1")               /* a section lies in its array */                    \
    X(CALLBACK, "TR14-3.1.1-21", "ACC33-2.7.1-2", "OMP60-sec-1") /* bounds may call functions */                      \
    X(NESTING, "DIR-4.3-06", "OMP60-tgt-1")                                                                           \
    X(OVERLAP_LEVELS, "DIR-4.2-03") /* a part of it is present */                                                     \
    X(FUSE_BASE, "DIR-4.2-08")      /* one base address, one tuple */                                                 \
    X(FUSE_RANGE, "DIR-4.2-10")     /* ranges that intersect are one tuple */                                         \
    X(FUSE_SPLIT, "DIR-4.2-04")     /* present and absent pieces in one block */                                      \
    X(COPY_IN_DEVICE, "DIR-4.2-15") /* what is there moves device to device */                                        \
    X(COPY_BACK, "DIR-4.3-03")      /* and back when the level ends */                                                \
    X(SEND, "DIR-4.2-14")           /* what clauses bring is copied to its place in the block */                      \
    X(FETCH, "DIR-4.3-02")          /* and back, if the clause says so */                                             \
    X(END_LEVEL, "DIR-4.3-04")      /* its blocks are freed */                                                        \
    X(UNOWNED, "DIR-6-01")          /* only what a begin opened can be closed by an end */                            \
    X(HOLE, "DIR-4.2-17")           /* bytes between fused data hold nothing */                                       \
    X(STALE, "DIR-4.1-05")          /* addresses are renewed when data move */                                        \
    X(DEVICE, "DIR-1-04", "OMP60-api-2")                                                                              \
    X(DEVICE_FAILED, "HOUSE-device") /* a device fails in what it is asked for */                                     \
    X(MEMORY, "DIR-4.2-13", "OMP60-map-5")                                                                            \
    X(MAP_DATA, "ACC33-3.2.21-1", "OMP60-api-10")                                                                     \
    X(UNINITIALIZED, "TR14-1.2-06", "ACC33-2.7.2-1", "OMP60-map-5")                                                   \
    X(EXCLUDED, "TR14-3.1.1-14", "ACC33-2.7.1-4", "OMPEX-struct_map-1")                                               \
    X(BOUNDS, "TR14-1.2-10", "ACC33-2.7.1-4", "OMP60-sec-1")                                                          \
    X(UNTRANSLATED, "TR14-4.3-15", "ACC33-att-6", "OMPEX-struct_map-6")                                               \
    X(KERNEL, "ACC33-2.5-1", "OMP60-tgt-1")         /* the body of a compute construct */                             \
    X(QUEUE, "ACC33-async-2", "OMP60-tgt-1")        /* what a queue is asked for is done in order */                  \
    X(WAIT, "ACC33-async-3", "OMP60-tgt-1")         /* until queues have done what they were asked for before */      \
    X(MISSING_WAIT, "ACC33-async-4", "OMP60-tgt-1") /* memory goes while a queue needs it */                          \
    X(LIMIT, "HOUSE-limit")                                                                                           \
    X(HOST_MEMORY, "HOUSE-memory")                                                                                    \
    X(MISUSE, "HOUSE-misuse")                                                                                         \
    X(NO_ELEMENTS, "TR14-3.1.1-22", "ACC33-2.7.1-1", "OMP60-sec-1") /* raised by lua/accdeep alone, from here on */   \
    X(BEHIND_SECTION, "TR14-3.4-02", "ACC33-upd-1", "OMP60-sec-1")                                                    \
    X(RECURSIVE, "TR14-4.3-18", "OMP60-map-15")                                                                       \
    X(COUNTERS, "ACC33-2.6.7-1", "OMPEX-struct_map-1")                                                                \
    X(DEVICE_ADDRESS, "TR14-1.1-02", "ACC33-2.7-9") /* an address of the wrong memory */

enum accd__rule {
    R_NONE,
#define ACCD_X(name, ...) R_##name,
    ACCD_RULE_MAP(ACCD_X)
#undef ACCD_X
        R_RULES
};

enum { ACCD_RULE_IDS = 5 }; /* a row has no more */

/* ------------------------------------------------------------------------------- verdicts -- */

/* What a clause finds on the device. */
enum accd__lookup_result {
    ACCD_LOOKUP_ABSENT,
    ACCD_LOOKUP_OBJECT,     /* one object has all bytes */
    ACCD_LOOKUP_EXCLUDED,   /* the same, but the object's own clause left out all of these bytes ... */
    ACCD_LOOKUP_HOLES,      /* ... or some of them */
    ACCD_LOOKUP_UNNAMED,    /* one object of storage for members has all bytes; clauses named none of them ... */
    ACCD_LOOKUP_NAMED_PART, /* ... or some */
    ACCD_LOOKUP_TUPLE,      /* several objects have all bytes, in one tuple ... */
    ACCD_LOOKUP_OBJECTS,    /* ... or apart */
    ACCD_LOOKUP_PARTIAL,    /* some bytes are in no object */
    ACCD_LOOKUP_COUNT
};

/* Who asks: a clause of an entry, by what becomes of absent data, or another construct. */
enum accd__demand {
    ACCD_DEMAND_NEW,            /* they are made present, and are expected to be absent */
    ACCD_DEMAND_DATA,           /* they are made present */
    ACCD_DEMAND_ABSENT_PART,    /* the same, of data of which a part is present the absent part */
    ACCD_DEMAND_PRESENT_PART,   /* the same, of data of which a part is present only this part */
    ACCD_DEMAND_PRESENT,        /* they are an error */
    ACCD_DEMAND_NO_CREATE,      /* nothing: no_create */
    ACCD_DEMAND_PRESENT_BEFORE, /* the present modifier, before the construct */
    ACCD_DEMAND_EXIT,
    ACCD_DEMAND_EXIT_IF_PRESENT, /* exit data that skips absent data */
    ACCD_DEMAND_UPDATE,
    ACCD_DEMAND_UPDATE_IF_PRESENT,
    ACCD_DEMAND_REGION_END, /* the end of a region whose clause has lost its object */
    ACCD_DEMAND_ABANDON,    /* the same, of a region that is abandoned */
    ACCD_DEMAND_COUNT
};

/* What becomes of the clause. */
enum accd__decision {
    ACCD_DECISION_NONE,        /* nothing yet */
    ACCD_DECISION_USE,         /* the object */
    ACCD_DECISION_SPLIT,       /* it is cut at the bounds of objects */
    ACCD_DECISION_FILL,        /* it is cut where clauses begin and end to name the object */
    ACCD_DECISION_SKIP,        /* it asks for nothing */
    ACCD_DECISION_REJECT,      /* an error */
    ACCD_DECISION_REJECT_NAMED /* the same, if the clause's own program names some of what is present */
};

/* What a clause finds about the pointer that it attaches or detaches. */
enum accd__slot_state {
    ACCD_SLOT_ABSENT,        /* it is not present */
    ACCD_SLOT_TARGET_ABSENT, /* what it points to is not */
    ACCD_SLOT_NULL,          /* it is a null pointer */
    ACCD_SLOT_UNATTACHED,    /* it is not attached ... */
    ACCD_SLOT_DETACHED,      /* ... any more, by another clause of the construct. This and what follows is an error of
                                clauses that skip absent data, too */
    ACCD_SLOT_REPOINTED,     /* it is attached, but to something else than it points to, where it is attached ... */
    ACCD_SLOT_CHANGED,       /* ... or named again */
    ACCD_SLOT_STATE_COUNT
};

/* Whose pointer that is. */
enum accd__slot_owner { ACCD_SLOT_OWNER_ITEM, ACCD_SLOT_OWNER_SECTION, ACCD_SLOT_OWNER_ATTACH, ACCD_SLOT_OWNER_COUNT };

struct accd__policy_entry {
    enum accd__decision outcome;
    accd_status status; /* of an error ... */
    enum accd__rule rule;
    const char *text_before, *text_after; /* ... whose message has the device's number, the profile's or the pointer's
                                   name between two parts */
};

extern const struct accd__policy_entry accd__policy_entries[];

/* What a profile says, compiled once. */
struct accd__policy {
    /* By who asks, whether the clause asks for a range as such (not for what its program names), and what is there:
     * a number in accd__policy_entries. */
    uint8_t presence[ACCD_DEMAND_COUNT][2][ACCD_LOOKUP_COUNT];
    uint8_t slot[ACCD_SLOT_OWNER_COUNT][ACCD_SLOT_STATE_COUNT]; /* the same of pointers */
    bool region_end_detaches; /* the end of a region detaches what its clauses name, although they did not attach it */
    bool counts_attachments; /* each clause's, and takes them off at its end; otherwise they last as the pointer does */
    bool exit_needs_enter_data;        /* an exit data ends an enter data of just its range */
    bool groups[ACCD_KIND_UPDATE + 1]; /* by kind of an entry: whether the sections of a walk may be one group */
    bool copies_then_restores; /* all bytes move, and attached pointers are then as they were; otherwise they are cut
                                  out */
    enum accd__rule allocated, sent, fetched; /* what events cite */
    bool holes;                               /* bytes that a present object's clause left out are not present */
    bool needs_openmp_checks; /* constructs count, there are holes or extended ranges: what is plain then is less */
};

#endif
