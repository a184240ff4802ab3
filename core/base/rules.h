/* rules.h - the rules that the core cites, and the policy tables compiled from a profile. Ids are those of spec/rules;
 * a test compares them. */
#ifndef ACCD_RULES_H
#define ACCD_RULES_H

#include "accdeep_context.h"

#include <stdbool.h>

/* X(what, id, ...): a decision, and the rules of documents that demand it. The profile determines the order of
 * documents (accd_rules.documents); the first id is used if none of them has one. lua/accdeep cites the same rows for
 * its errors (lua/accdeep/definitions/profiles.lua). */
#define ACCD_RULE_MAP(X)                                                                                               \
    X(ALLOCATE, "TR14-4.2-06", "ACC33-2.7.2-1", "DIR-4.2-13",                                                          \
      "OMP60-map-5") /* a contained object gets no memory of its own */                                                \
    X(MOVE, "TR14-4.2-07", "ACC33-2.7.2-1", "DIR-4.2-14", "LLNL-2.1-02",                                               \
      "OMP60-map-5")                                        /* each clause requests its own bytes, each copied once */ \
    X(COUNT, "TR14-4.2-08", "ACC33-2.6.7-2", "OMP60-map-5") /* references are incremented for all clauses */           \
    X(COUNT_DYNAMIC, "ACC33-2.6.7-3", "OMP60-map-5")        /* dynamic counter */                                      \
    X(UNCOUNT_DYNAMIC, "ACC33-2.6.7-3", "OMP60-map-6")                                                                 \
    X(PARTIALLY_PRESENT, "TR14-4.2-03", "ACC33-2.7.3-1", "OMP60-map-13")                                               \
    X(PARTIAL_OVERLAP, "TR14-4.2-05", "ACC33-2.7.3-1", "OMP60-map-13")                                                 \
    X(NOT_PRESENT, "TR14-4.2-09", "ACC33-2.7.3-1", "DIR-1-02", "OMP60-map-9")                                          \
    X(ALREADY_PRESENT, "ACC20-2.6-1")                                                                                  \
    X(LEAVE, "TR14-4.2-11", "ACC33-2.7.2-2", "DIR-4.3-02",                                                             \
      "OMP60-map-6") /* detach, decrement references, copy, then free */                                               \
    X(EXIT_ABSENT, "TR14-4.3-05", "ACC33-2.7-1", "OMP60-map-6")                                                        \
    X(ATTACH, "TR14-4.1-02", "ACC33-att-1", "OMP60-map-7")                                                             \
    X(DETACH, "TR14-4.1-03", "ACC33-det-1", "OMP60-map-7")                                                             \
    X(ATTACH_DESCRIPTOR, "FLANG-composite-1")                                                                          \
    X(DETACH_DESCRIPTOR, "FLANG-detach-1")                                                                             \
    X(POINTER_CHANGED, "TR14-4.1-08", "ACC33-att-8", "OMP60-map-8")                                                    \
    X(STRUCTURE_FIXED, "TR14-4.3-04", "ACC33-att-8", "OMP60-map-8")                                                    \
    X(STILL_ATTACHED, "TR14-4.3-12", "ACC33-att-11", "OMP60-map-7")                                                    \
    X(NOT_ATTACHED, "TR14-4.3-13", "ACC33-det-1", "OMP60-map-7")                                                       \
    X(ATTACH_ABSENT, "ACC33-att-2", "OMP60-map-7")                                                                     \
    X(ATTACH_NULL, "ACC33-att-4", "OMP60-map-7")                                                                       \
    X(DESCRIPTOR, "FLANG-api-1") /* data is the address in the descriptor */                                           \
    X(RECORD, "FLANG-todo-1")    /* a detach undoes all effects of the attach */                                       \
    X(UPDATE, "TR14-1.2-16", "ACC33-upd-1", "OMP60-upd-1")                                                             \
    X(UPDATE_ABSENT, "ACC33-upd-1", "OMP60-upd-1")                                                                     \
    X(SECTION, "TR14-3.1.1-23", "ACC33-2.7.1-1", "OMP60-sec-1") /* negative length, bounds that overflow */            \
    X(CONTIGUOUS, "ACC33-2.7.1-4", "OMP60-map-13")              /* copied memory is contiguous */                      \
    X(NULL, "ACC33-2.7-2", "OMP60-sec-1")                                                                              \
    X(HOST_BOUNDS, "ACC33-2.7.1-1", "OMP60-sec-1")               /* a section lies in its array */                     \
    X(CALLBACK, "TR14-3.1.1-21", "ACC33-2.7.1-2", "OMP60-sec-1") /* bounds may call functions */                       \
    X(NESTING, "DIR-4.3-06", "OMP60-tgt-1")                                                                            \
    X(OVERLAP_LEVELS, "DIR-4.2-03") /* a part of the requested data is present */                                      \
    X(FUSE_BASE, "DIR-4.2-08")      /* originals of one base address are one tuple */                                  \
    X(FUSE_RANGE, "DIR-4.2-10")     /* ranges that intersect are one tuple */                                          \
    X(FUSE_SPLIT, "DIR-4.2-04")     /* present and absent pieces in one block */                                       \
    X(COPY_IN_DEVICE, "DIR-4.2-15") /* present data move within the device */                                          \
    X(COPY_BACK, "DIR-4.3-03")      /* moved data are copied back when the level ends */                               \
    X(SEND, "DIR-4.2-14")           /* data of clauses are copied to their place in the block */                       \
    X(FETCH, "DIR-4.3-02")          /* data are copied back, if the clause says so */                                  \
    X(END_LEVEL, "DIR-4.3-04")      /* blocks of the level are freed */                                                \
    X(UNOWNED, "DIR-6-01")          /* an end closes only what its begin opened */                                     \
    X(HOLE, "DIR-4.2-17")           /* bytes between fused data hold nothing */                                        \
    X(STALE, "DIR-4.1-05")          /* addresses are updated when data move */                                         \
    X(DEVICE, "DIR-1-04", "OMP60-api-2")                                                                               \
    X(DEVICE_FAILED, "HOUSE-device") /* a device fails in a request */                                                 \
    X(MEMORY, "DIR-4.2-13", "OMP60-map-5")                                                                             \
    X(MAP_DATA, "ACC33-3.2.21-1", "OMP60-api-10")                                                                      \
    X(UNINITIALIZED, "TR14-1.2-06", "ACC33-2.7.2-1", "OMP60-map-5")                                                    \
    X(EXCLUDED, "TR14-3.1.1-14", "ACC33-2.7.1-4", "OMPEX-struct_map-1")                                                \
    X(BOUNDS, "TR14-1.2-10", "ACC33-2.7.1-4", "OMP60-sec-1")                                                           \
    X(UNTRANSLATED, "TR14-4.3-15", "ACC33-att-6", "OMPEX-struct_map-6")                                                \
    X(KERNEL, "ACC33-2.5-1", "OMP60-tgt-1")         /* body of a compute construct */                                  \
    X(QUEUE, "ACC33-async-2", "OMP60-tgt-1")        /* requests of a queue are done in order */                        \
    X(WAIT, "ACC33-async-3", "OMP60-tgt-1")         /* wait until queues have done earlier requests */                 \
    X(MISSING_WAIT, "ACC33-async-4", "OMP60-tgt-1") /* memory is freed while a queue needs it */                       \
    X(LIMIT, "HOUSE-limit")                                                                                            \
    X(HOST_MEMORY, "HOUSE-memory")                                                                                     \
    X(MISUSE, "HOUSE-misuse")                                                                                          \
    X(NO_ELEMENTS, "TR14-3.1.1-22", "ACC33-2.7.1-1",                                                                   \
      "OMP60-sec-1") /* rows from here on are cited by lua/accdeep only */                                             \
    X(BEHIND_SECTION, "TR14-3.4-02", "ACC33-upd-1", "OMP60-sec-1")                                                     \
    X(RECURSIVE, "TR14-4.3-18", "OMP60-map-15")                                                                        \
    X(COUNTERS, "ACC33-2.6.7-1", "OMPEX-struct_map-1")                                                                 \
    X(DEVICE_ADDRESS, "TR14-1.1-02", "ACC33-2.7-9") /* address of the wrong memory */

enum accd__rule {
    R_NONE,
#define ACCD_X(name, ...) R_##name,
    ACCD_RULE_MAP(ACCD_X)
#undef ACCD_X
        R_RULES
};

enum { ACCD_RULE_IDS = 5 }; /* greatest number of ids in a row */

/* --------------------------------------------------------------------------------- policy -- */

/* Result of the look-up of a clause's range on the device. */
enum accd__lookup_result {
    ACCD_LOOKUP_ABSENT,
    ACCD_LOOKUP_OBJECT,     /* an object contains all bytes */
    ACCD_LOOKUP_EXCLUDED,   /* an object contains all bytes, but its own clause excluded all of them */
    ACCD_LOOKUP_HOLES,      /* an object contains all bytes, but its own clause excluded some of them */
    ACCD_LOOKUP_UNNAMED,    /* a storage object for members contains all bytes, but clauses name none of them */
    ACCD_LOOKUP_NAMED_PART, /* a storage object contains all bytes, and clauses name some of them */
    ACCD_LOOKUP_TUPLE,      /* several objects of one fused tuple contain all bytes */
    ACCD_LOOKUP_OBJECTS,    /* several objects that are not in one fused tuple contain all bytes */
    ACCD_LOOKUP_PARTIAL,    /* some bytes are in no object */
    ACCD_LOOKUP_COUNT
};

/* Demand: the kind of request that looks a range up, and what happens to absent data. */
enum accd__demand {
    ACCD_DEMAND_NEW,            /* absent data are made present, and are expected to be absent */
    ACCD_DEMAND_DATA,           /* absent data are made present */
    ACCD_DEMAND_ABSENT_PART,    /* the absent part is made present, too, if another part is present */
    ACCD_DEMAND_PRESENT_PART,   /* the present part alone is used, if a part is present */
    ACCD_DEMAND_PRESENT,        /* absent data are an error */
    ACCD_DEMAND_NO_CREATE,      /* absent data are ignored: no_create */
    ACCD_DEMAND_PRESENT_BEFORE, /* check of the present modifier, before the construct */
    ACCD_DEMAND_EXIT,
    ACCD_DEMAND_EXIT_IF_PRESENT, /* exit data that skips absent data */
    ACCD_DEMAND_UPDATE,
    ACCD_DEMAND_UPDATE_IF_PRESENT,
    ACCD_DEMAND_REGION_END, /* end of a region, for a clause whose object was removed in the meantime */
    ACCD_DEMAND_ABANDON,    /* end of a region that is abandoned (accd_region_abandon) */
    ACCD_DEMAND_COUNT
};

/* Decision about a request. */
enum accd__decision {
    ACCD_DECISION_NONE,        /* undecided */
    ACCD_DECISION_USE,         /* use the object */
    ACCD_DECISION_SPLIT,       /* split the request at the bounds of objects */
    ACCD_DECISION_FILL,        /* split the request where the parts of the object that clauses name begin and end */
    ACCD_DECISION_SKIP,        /* ignore the request */
    ACCD_DECISION_REJECT,      /* report an error */
    ACCD_DECISION_REJECT_NAMED /* report an error, if the clause's own program names some of the present data */
};

/* State of the pointer that a clause attaches or detaches. */
enum accd__slot_state {
    ACCD_SLOT_ABSENT,        /* the pointer is not present */
    ACCD_SLOT_TARGET_ABSENT, /* the target of the pointer is not present */
    ACCD_SLOT_NULL,          /* the pointer is null */
    ACCD_SLOT_UNATTACHED,    /* the pointer is not attached */
    ACCD_SLOT_DETACHED,  /* the pointer was detached by another clause of the construct. This and the following states
                            are errors also for clauses that skip absent data */
    ACCD_SLOT_REPOINTED, /* the pointer is attached, but an attach finds that it points to another target */
    ACCD_SLOT_CHANGED,   /* the pointer is attached, but a repeated clause finds that it was changed */
    ACCD_SLOT_STATE_COUNT
};

/* Kind of clause whose pointer is attached or detached: an item's own pointer, the pointer of a section of a walk, or
 * an attach or detach clause. */
enum accd__slot_owner { ACCD_SLOT_OWNER_ITEM, ACCD_SLOT_OWNER_SECTION, ACCD_SLOT_OWNER_ATTACH, ACCD_SLOT_OWNER_COUNT };

/* Entry of the table of decisions: what to do, and the error if the decision rejects. */
struct accd__policy_entry {
    enum accd__decision decision;
    accd_status status; /* status of the error, if `decision` rejects */
    enum accd__rule rule;
    const char *text_before, *text_after; /* the two parts of the message; between them the caller writes the device's
                                             number, or the name of the profile or pointer */
};

extern const struct accd__policy_entry accd__policy_entries[];

/* Policy: the decisions of a profile, compiled once. */
struct accd__policy {
    /* Decisions, as indices into accd__policy_entries. First index: demand. Second: 1 if the clause requests the range
     * itself, 0 if it requests the parts that its program names. Third: look-up result. */
    uint8_t presence[ACCD_DEMAND_COUNT][2][ACCD_LOOKUP_COUNT];
    uint8_t slot[ACCD_SLOT_OWNER_COUNT][ACCD_SLOT_STATE_COUNT]; /* decisions about pointers, as indices into
                                                                   accd__policy_entries, by owner and state */
    bool region_end_detaches; /* true if the end of a region detaches the pointers that its clauses name, even if these
                                 clauses did not attach them */
    bool counts_attachments; /* true if each clause counts an attachment, which its end removes; false: attachments last
                                as long as their pointers are present */
    bool exit_needs_enter_data; /* true if an exit data ends an enter data of exactly its range */
    bool groups[ACCD_KIND_UPDATE +
                1]; /* true, by kind of entry construct, if the sections of a walk may be one group (table/group.c) */
    bool copies_then_restores; /* true if updates copy all bytes and then restore attached pointers; false: they leave
                                  pointers out */
    enum accd__rule allocated, sent, fetched; /* rules that events cite */
    bool holes;               /* true if bytes that a present object's clause excluded are not present */
    bool needs_openmp_checks; /* true if constructs count, or there are holes or extended ranges: the fast path then
                                 takes fewer constructs */
};

#endif
