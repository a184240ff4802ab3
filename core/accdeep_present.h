/* accdeep_present.h - inspection of present objects, attached pointers, levels and tuples. accdeep_core.h includes this
 * header and has the conventions. */
#ifndef ACCDEEP_PRESENT_H
#define ACCDEEP_PRESENT_H

#include "accdeep_constructs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum accd_presence { ACCD_PRESENCE_NONE, ACCD_PRESENCE_PARTIAL, ACCD_PRESENCE_FULL } accd_presence;

/* Returns whether the host range of `bytes` bytes at `host` is present in one object: wholly, in part, or not at all.
 * bytes = 0 counts as one byte (ACC33-3.2.26-2). */
ACCD_API accd_presence accd_get_presence(accd_context *context, int device, const void *host, uint64_t bytes);
/* Translates a host address in a present object to a device address; returns 0 if no present object contains it
 * (ACC33-3.2.26-1). */
ACCD_API uint64_t accd_device_address(accd_context *context, int device, const void *host);
/* Translates a device address in a present object to a host address; returns 0 if no present object contains it. */
ACCD_API uint64_t accd_host_address(accd_context *context, int device, uint64_t dev);
/* Returns the device address of the target of a pointer that no clause names, given the pointer's value `host`; 0: the
 * pointer has no target. The target is in a present object, or at the end of one. The rules may also accept the
 * extended range, from element 0 of the mapped array to the object (OMP60-map-10). [*low_p, *high_p) becomes the
 * device range of the object. */
ACCD_API uint64_t accd_matching_address(accd_context *context, int device, const void *host, uint64_t *low_p,
                                        uint64_t *high_p);

typedef struct accd_present_object {
    accd_object_info info;
    uint64_t dev;
    uint32_t structured, dynamic; /* reference counters */
    int mapped;                   /* true if accd_map_data mapped the object */
    int pointer;                  /* true if only items with ACCD_ITEM_BASE_POINTER mapped the object */
} accd_present_object;
/* Describes in *present_p the present object that contains a host address or, if `in_device`, a device address. Returns
 * 1, or 0 if no object contains the address. */
ACCD_API int accd_present_at(accd_context *context, int device, uint64_t address, int in_device,
                             accd_present_object *present_p);
/* Describes in *present_p the first present object at or after host address *at, and sets *at to the object's end, so
 * that a loop visits all objects. Returns 1, or 0 after the last object. */
ACCD_API int accd_present_next(accd_context *context, int device, uint64_t *at, accd_present_object *present_p);
/* Sets *start_p and *bytes_p to start and size of the present object that contains a host address. Returns 1, or 0 if
 * there is no such object. Faster than accd_present_at, which also formats names. */
ACCD_API int accd_present_bounds(accd_context *context, int device, const void *host, uint64_t *start_p,
                                 uint64_t *bytes_p);
/* Sets *start_p and *bytes_p to start and size of the first present object with a byte in [*at, end), and *at to the
 * object's end. Returns 1, or 0 if there is no such object. No names are formatted. */
ACCD_API int accd_present_overlapping(accd_context *context, int device, uint64_t *at, uint64_t end, uint64_t *start_p,
                                      uint64_t *bytes_p);

typedef struct accd_attachment {
    char name[160];      /* name of the pointer */
    uint64_t slot;       /* host address of the pointer */
    uint64_t slot_bytes; /* size of the pointer: 8, or that of the Fortran descriptor that begins with the pointer */
    uint64_t target;     /* pointer's value on the host when it was attached */
    uint64_t dev;        /* pointer's value on the device */
    uint32_t count;      /* attach counter */
    uint64_t low, high;  /* device range of the object into which the pointer points */
} accd_attachment;
/* Describes in *attachment_p the attachment of the pointer at host address `slot`. Returns 1, or 0 if the pointer is
 * not attached. */
ACCD_API int accd_attachment_at(accd_context *context, int device, const void *slot, accd_attachment *attachment_p);
/* Describes in *attachment_p the first attachment of a pointer at or after host address *at, and sets *at to the next
 * address, so that a loop visits all attachments. Returns 1, or 0 after the last attachment. */
ACCD_API int accd_attachment_next(accd_context *context, int device, uint64_t *at, accd_attachment *attachment_p);

typedef struct accd_clause { /* clause of a level, which document DIR calls a tuple (DIR-4.1-03) */
    accd_object_info info;
    accd_action action;
    int created; /* true if this level allocated the object (DIR's ALLOC); false if it was present before (ALIAS) */
} accd_clause;
typedef struct accd_level {
    accd_construct_kind kind;
    const char *name, *file;
    int line;
    size_t clauses; /* number of clauses of the level */
} accd_level;
/* Describes in *level_p level `index` of the device's stack of data environments (open regions); index 0 is the
 * outermost level. Returns 1, or 0 if there is no such level. */
ACCD_API int accd_level_get(accd_context *context, int device, size_t index, accd_level *level_p);
/* Describes in *clause_p clause number `clause`, from 0, of level `index`. Returns 1, or 0 if there is no such level or
 * clause. */
ACCD_API int accd_level_get_clause(accd_context *context, int device, size_t index, size_t clause,
                                   accd_clause *clause_p);

/* Lists of tuples of a level and of its base level. A tuple is DIR's record of the data of a clause. Each level has a
 * base level, to which enter data adds tuples while the level is the innermost one (DIR-6-02). Fusion merges tuples
 * that overlap or adjoin. */
typedef enum accd_tuple_list {
    ACCD_LIST_ORIGINAL,   /* clauses of the level */
    ACCD_LIST_ARTIFICIAL, /* tuples of the level after fusion */
    ACCD_LIST_DYNAMIC,    /* clauses of enter data while the level was the innermost one */
    ACCD_LIST_BASE_LEVEL  /* tuples of the level after fusion with its dynamic clauses */
} accd_tuple_list;
typedef struct accd_tuple {
    accd_object_info info;
    uint64_t base;      /* ORIGINAL, DYNAMIC: host address of element 0 */
    uint64_t dev;       /* ARTIFICIAL, BASE_LEVEL: device address of the first byte */
    accd_action action; /* ORIGINAL, DYNAMIC: action of the clause */
    unsigned flags;     /* ORIGINAL, DYNAMIC: flags ACCD_ITEM_* of the clause */
    int alloc; /* ARTIFICIAL, BASE_LEVEL: true if this level, or its base level, allocated the tuple's memory; false if
                  the memory existed before (ALIAS) */
    const accd_object_info *ancestors; /* ARTIFICIAL, BASE_LEVEL: the tuples that were fused into it, by host address */
    size_t nancestors;
} accd_tuple;
typedef void (*accd_tuple_fn)(void *ud, const accd_tuple *tuple);
/* Calls fn(ud, tuple) for each tuple of a list: originals in the order of their clauses, others in host order. Level 0
 * is the outermost one. level = -1, for ACCD_LIST_DYNAMIC and ACCD_LIST_BASE_LEVEL only, lists enter data outside of
 * all levels. Without fusion in the rules, ORIGINAL and ARTIFICIAL both list the clauses of the level, and base levels
 * have no tuples. Costs O(n log n). ACCD_ERROR_NO_DEVICE; ACCD_ERROR_MISUSE: no such level; ACCD_ERROR_OUT_OF_MEMORY
 * (DIR-4.1-03). */
ACCD_API accd_status accd_for_each_tuple(accd_context *context, int device, int64_t level, accd_tuple_list list,
                                         accd_tuple_fn fn, void *ud);

#ifdef __cplusplus
}
#endif

#endif
