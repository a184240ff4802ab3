/* rules.h - the rules of documents that errors and events of the core cite, and the policy: tables of decisions that
 * are compiled from a rule profile. spec/rules defines the ids of the rules; a test compares them. */
#ifndef ACCD_RULES_H
#define ACCD_RULES_H

#include "accdeep_context.h"

#include <stdbool.h>

/* X(name, id, ...): a row with the name of a decision of the core, and the ids of the rules that demand the decision,
 * one for each document. An error or event cites one id of the row: that of the first document in accd_rules.documents
 * that has one, or else the first id. lua/accdeep cites the same rows for its errors
 * (lua/accdeep/definitions/profiles.lua). A comment in a row says what its rules demand. */
#define ACCD_RULE_MAP(X)                                                                                               \
    X(ALLOCATE, "TR14-4.2-06", "ACC33-2.7.2-1", "DIR-4.2-13",                                                          \
      "OMP60-map-5") /* a contained object gets no memory of its own */                                                \
    X(MOVE, "TR14-4.2-07", "ACC33-2.7.2-1", "DIR-4.2-14", "LLNL-2.1-02",                                               \
      "OMP60-map-5") /* each clause copies its own bytes, and no byte is copied twice */                               \
    X(COUNT, "TR14-4.2-08", "ACC33-2.6.7-2", "OMP60-map-5") /* each clause increments a reference counter */           \
    X(COUNT_DYNAMIC, "ACC33-2.6.7-3", "OMP60-map-5")        /* enter data increments the dynamic counter */            \
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
    X(DESCRIPTOR, "FLANG-api-1") /* the `data` of an attach is the address in the descriptor */                        \
    X(RECORD, "FLANG-todo-1")    /* a detach undoes all effects of the attach */                                       \
    X(UPDATE, "TR14-1.2-16", "ACC33-upd-1", "OMP60-upd-1")                                                             \
    X(UPDATE_ABSENT, "ACC33-upd-1", "OMP60-upd-1")                                                                     \
    X(SECTION, "TR14-3.1.1-23", "ACC33-2.7.1-1", "OMP60-sec-1") /* lengths are not negative, bounds do not overflow */ \
    X(CONTIGUOUS, "ACC33-2.7.1-4", "OMP60-map-13")              /* the memory that a clause copies is contiguous */    \
    X(NULL, "ACC33-2.7-2", "OMP60-sec-1")                                                                              \
    X(HOST_BOUNDS, "ACC33-2.7.1-1", "OMP60-sec-1")               /* a section lies in its array */                     \
    X(CALLBACK, "TR14-3.1.1-21", "ACC33-2.7.1-2", "OMP60-sec-1") /* section bounds may call functions */               \
    X(NESTING, "DIR-4.3-06", "OMP60-tgt-1")                                                                            \
    X(OVERLAP_LEVELS, "DIR-4.2-03") /* requested data that are present in part are an error */                         \
    X(FUSE_BASE, "DIR-4.2-08")      /* clauses of one base address share one block */                                  \
    X(FUSE_RANGE, "DIR-4.2-10")     /* clauses whose ranges intersect share one block */                               \
    X(FUSE_SPLIT, "DIR-4.2-04")     /* present and absent parts of a clause share one block */                         \
    X(COPY_IN_DEVICE, "DIR-4.2-15") /* present data that move to another block are copied on the device */             \
    X(COPY_BACK, "DIR-4.3-03")      /* data that a fusion moved are copied back when the level ends */                 \
    X(SEND, "DIR-4.2-14")           /* data of clauses are copied to their offset in the block */                      \
    X(FETCH, "DIR-4.3-02")          /* data are copied to the host, if the clause says so */                           \
    X(END_LEVEL, "DIR-4.3-04")      /* the end of a level frees its blocks */                                          \
    X(UNOWNED, "DIR-6-01")          /* exit data ends only what enter data has mapped */                               \
    X(HOLE, "DIR-4.2-17")           /* bytes between the data of one block are not present */                          \
    X(STALE, "DIR-4.1-05")          /* device addresses are updated when data move */                                  \
    X(DEVICE, "DIR-1-04", "OMP60-api-2")                                                                               \
    X(DEVICE_FAILED, "HOUSE-device") /* a device reports a failure */                                                  \
    X(MEMORY, "DIR-4.2-13", "OMP60-map-5")                                                                             \
    X(MAP_DATA, "ACC33-3.2.21-1", "OMP60-api-10")                                                                      \
    X(UNINITIALIZED, "TR14-1.2-06", "ACC33-2.7.2-1", "OMP60-map-5")                                                    \
    X(EXCLUDED, "TR14-3.1.1-14", "ACC33-2.7.1-4", "OMPEX-struct_map-1")                                                \
    X(BOUNDS, "TR14-1.2-10", "ACC33-2.7.1-4", "OMP60-sec-1")                                                           \
    X(UNTRANSLATED, "TR14-4.3-15", "ACC33-att-6", "OMPEX-struct_map-6")                                                \
    X(KERNEL, "ACC33-2.5-1", "OMP60-tgt-1")         /* a compute construct runs its body */                            \
    X(QUEUE, "ACC33-async-2", "OMP60-tgt-1")        /* a queue does its work in order */                               \
    X(WAIT, "ACC33-async-3", "OMP60-tgt-1")         /* a wait ends when the queue has done its earlier work */         \
    X(MISSING_WAIT, "ACC33-async-4", "OMP60-tgt-1") /* memory that a queue needs is not freed */                       \
    X(LIMIT, "HOUSE-limit")                                                                                            \
    X(HOST_MEMORY, "HOUSE-memory")                                                                                     \
    X(MISUSE, "HOUSE-misuse")                                                                                          \
    X(DATA_ROUTINE, "ACC33-3.2.18-1") /* this row and the next ones are cited by routines only */                      \
    X(MAP_ZERO, "ACC33-3.2.18-2")                                                                                      \
    X(UPDATE_ZERO, "ACC33-3.2.18-3")                                                                                   \
    X(ATTACH_ROUTINE, "ACC33-att-5")                                                                                   \
    X(UNMAP_DATA, "ACC33-3.2.21-2")                                                                                    \
    X(DEVICE_MEMORY, "ACC33-3.2.16-1")                                                                                 \
    X(MEMCPY, "ACC33-3.2.30-1")                                                                                        \
    X(OMP_DEVICE, "OMP60-api-2")                                                                                       \
    X(OMP_ALLOC, "OMP60-api-3")                                                                                        \
    X(OMP_FREE, "OMP60-api-4")                                                                                         \
    X(OMP_ACCESSIBLE, "OMP60-api-6")                                                                                   \
    X(OMP_MEMCPY, "OMP60-api-7")                                                                                       \
    X(OMP_MEMCPY_RECT, "OMP60-api-8")                                                                                  \
    X(OMP_ASSOCIATE, "OMP60-api-10")                                                                                   \
    X(OMP_DISASSOCIATE, "OMP60-api-11")                                                                                \
    X(OMP_MEMSET, "OMP60-api-13")                                                                                      \
    X(NO_ELEMENTS, "TR14-3.1.1-22", "ACC33-2.7.1-1",                                                                   \
      "OMP60-sec-1") /* this row and all later ones are cited by lua/accdeep only */                                   \
    X(BEHIND_SECTION, "TR14-3.4-02", "ACC33-upd-1", "OMP60-sec-1")                                                     \
    X(RECURSIVE, "TR14-4.3-18", "OMP60-map-15")                                                                        \
    X(COUNTERS, "ACC33-2.6.7-1", "OMPEX-struct_map-1")                                                                 \
    X(DEVICE_ADDRESS, "TR14-1.1-02", "ACC33-2.7-9") /* addresses are used where their memory is */

/* Names of the rules: R_NAME for row NAME of ACCD_RULE_MAP. */
enum accd__rule {
    R_NONE, /* errors and events that cite no rule */
#define ACCD_X(name, ...) R_##name,
    ACCD_RULE_MAP(ACCD_X)
#undef ACCD_X
        R_RULES
};

enum { ACCD_RULE_IDS = 5 }; /* greatest number of ids in a row */

/* --------------------------------------------------------------------------------- policy -- */

/* Result of looking up the host range of a clause in the device's present table. */
enum accd__lookup_result {
    ACCD_LOOKUP_ABSENT,     /* present objects contain none of the bytes */
    ACCD_LOOKUP_OBJECT,     /* an object contains all bytes */
    ACCD_LOOKUP_EXCLUDED,   /* an object contains all bytes, but the clause that mapped it excluded all of them */
    ACCD_LOOKUP_HOLES,      /* an object contains all bytes, but the clause that mapped it excluded some of them */
    ACCD_LOOKUP_UNNAMED,    /* a storage object (allocated by `hold`, to be filled by clauses on its members)
                               contains all bytes, but clauses name none of them */
    ACCD_LOOKUP_NAMED_PART, /* a storage object contains all bytes, and clauses name some of them, not all */
    ACCD_LOOKUP_TUPLE,      /* several objects of one tuple (clauses that fusion merged) contain all bytes */
    ACCD_LOOKUP_OBJECTS,    /* several objects that are not in one tuple contain all bytes */
    ACCD_LOOKUP_PARTIAL,    /* some bytes are in present objects, others are not */
    ACCD_LOOKUP_COUNT
};

/* Demand: kind of the request that looks a range up. It determines what happens to absent and partially present
 * data. */
enum accd__demand {
    ACCD_DEMAND_NEW,               /* the data are expected to be absent, and are made present */
    ACCD_DEMAND_DATA,              /* absent data are made present, present data are used */
    ACCD_DEMAND_ABSENT_PART,       /* absent data are made present, also if another part of the range is present */
    ACCD_DEMAND_PRESENT_PART,      /* if a part of the range is present, only this part is used */
    ACCD_DEMAND_PRESENT,           /* absent data are an error */
    ACCD_DEMAND_NO_CREATE,         /* absent data are ignored: no_create */
    ACCD_DEMAND_PRESENT_BEFORE,    /* check, before the construct, of an item with the `present` modifier */
    ACCD_DEMAND_EXIT,              /* exit data without if_present: absent data may be an error */
    ACCD_DEMAND_EXIT_IF_PRESENT,   /* exit data with if_present: absent data are ignored */
    ACCD_DEMAND_UPDATE,            /* update without if_present: absent data are an error */
    ACCD_DEMAND_UPDATE_IF_PRESENT, /* update with if_present: absent data are ignored */
    ACCD_DEMAND_REGION_END, /* end of a region, for a clause whose object was unmapped while the region was open */
    ACCD_DEMAND_ABANDON,    /* end of a region that is abandoned (accd_region_abandon) */
    ACCD_DEMAND_COUNT
};

/* Decision about a request (one range that a clause names), given its look-up result. */
enum accd__decision {
    ACCD_DECISION_NONE,   /* the rules decide nothing: the caller continues */
    ACCD_DECISION_USE,    /* use the present object */
    ACCD_DECISION_SPLIT,  /* split the request at the bounds of objects */
    ACCD_DECISION_FILL,   /* split the request where the parts of a storage object that clauses name begin and end */
    ACCD_DECISION_SKIP,   /* ignore the request */
    ACCD_DECISION_REJECT, /* report an error */
    ACCD_DECISION_REJECT_NAMED /* report an error, unless the clause's own program excludes all present bytes */
};

/* State in which an attach or detach finds its pointer. */
enum accd__slot_state {
    ACCD_SLOT_ABSENT,        /* the pointer is not present */
    ACCD_SLOT_TARGET_ABSENT, /* the target of the pointer is not present */
    ACCD_SLOT_NULL,          /* the pointer is null */
    ACCD_SLOT_UNATTACHED,    /* the pointer is not attached */
    ACCD_SLOT_DETACHED,      /* the pointer was detached by another clause of the same construct. This state and the
                                following ones can be errors also for clauses with if_present */
    ACCD_SLOT_REPOINTED,     /* an attach finds the pointer attached, but now pointing to another target */
    ACCD_SLOT_CHANGED,       /* a repeated clause finds the pointer attached, but its value on the host changed */
    ACCD_SLOT_STATE_COUNT
};

/* Kind of request that attaches or detaches a pointer. ITEM: an item, for the pointer to its section. SECTION: a
 * section that the item's mapping program reached through the pointer. ATTACH: an attach or detach clause. */
enum accd__slot_owner { ACCD_SLOT_OWNER_ITEM, ACCD_SLOT_OWNER_SECTION, ACCD_SLOT_OWNER_ATTACH, ACCD_SLOT_OWNER_COUNT };

/* Decision with its error. The tables of struct accd__policy have indices of such entries. */
struct accd__policy_entry {
    enum accd__decision decision;
    accd_status status;                   /* status of the error, if `decision` rejects */
    enum accd__rule rule;                 /* rule that the error cites */
    const char *text_before, *text_after; /* parts of the error's message. Between them the caller writes the number of
                                             the device, the name of the profile, or the name of the pointer */
};

extern const struct accd__policy_entry accd__policy_entries[];

/* Policy: the decisions of a rule profile, compiled once for a context. */
struct accd__policy {
    /* Decisions about ranges: indices into accd__policy_entries, by demand (first index) and look-up result (third).
     * The second index is 0 if a mapping program names the requested parts of the range, 1 if the clause requests the
     * range itself. */
    uint8_t presence[ACCD_DEMAND_COUNT][2][ACCD_LOOKUP_COUNT];
    uint8_t slot[ACCD_SLOT_OWNER_COUNT][ACCD_SLOT_STATE_COUNT]; /* decisions about pointers: indices into
                                                                   accd__policy_entries */
    bool region_end_detaches; /* true if the end of a region detaches the pointers that its clauses name, even if these
                                 clauses did not attach them */
    bool counts_attachments;  /* true if each clause increments the counter of an attachment, and its end decrements it;
                                 false: a pointer stays attached until it is unmapped */
    bool exit_needs_enter_data; /* true if exit data is an error, unless an enter data of exactly its range is open */
    /* Index: accd_construct_kind of an entry. True if the sections that a mapping program reaches may be stored as one
     * group, a single record for many sections (table/group.c). */
    bool groups[ACCD_KIND_UPDATE + 1];
    bool copies_then_restores; /* true if copies include attached pointers, which are then restored; false: copies leave
                                  attached pointers out */
    /* Rules that events cite for allocations, copies to the device, and copies to the host. */
    enum accd__rule allocated, sent, fetched;
    bool holes;               /* true if bytes of a present object that its clause excluded count as not present */
    bool needs_openmp_checks; /* true if the fast path (constructs without a plan) must make the checks of OpenMP's
                                 rules. The knob `counting` is not `clauses`, or `holes` or `extended_range` is set */
};

#endif
