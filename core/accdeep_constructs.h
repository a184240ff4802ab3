/* accdeep_constructs.h - constructs and their items, regions, and recorded bounds. accdeep_core.h includes this header
 * and has the conventions. */
#ifndef ACCDEEP_CONSTRUCTS_H
#define ACCDEEP_CONSTRUCTS_H

#include "accdeep_programs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum accd_construct_kind {
    ACCD_KIND_REGION,  /* structured data region: accd_run_construct enters it, accd_region_end exits it */
    ACCD_KIND_COMPUTE, /* compute region: accd_run_construct enters it, accd_region_end exits it */
    ACCD_KIND_ENTER_DATA,
    ACCD_KIND_EXIT_DATA,
    ACCD_KIND_UPDATE
} accd_construct_kind;

typedef struct accd_stride { /* dimension of a section with gaps, which consists of runs of bytes */
    uint64_t count,
        step; /* number of runs along the dimension; bytes from the start of a run to the start of the next run */
} accd_stride;

typedef struct accd_item {
    const void *host;    /* address of the first byte of the item's data */
    uint64_t bytes;      /* size of the data; 0: the clause does not apply (TR14-4.3-14). With ACCD_ACTION_ATTACH of a
                            descriptor: the bytes that must be present; 0: those at the address in the descriptor */
    const void *slot;    /* address of the pointer through which the section is reached, or NULL */
    uint32_t slot_bytes; /* size of the Fortran descriptor that begins with the pointer and is attached as a whole
                            (FLANG-composite-1). 0: a plain pointer. ACCD_ERROR_MISUSE: not whole words, or too large
                            for a descriptor */
    int64_t start;       /* index of the first element, for names only */
    int64_t index[ACCD_MAX_LABEL_INDICES]; /* indices that replace each # in the label's name */
    const accd_label *label;               /* name of the item; NULL: it has no name */
    accd_program *program;                 /* mapping program of the item's elements; NULL: plain data */
    const int64_t *params;                 /* parameters of the program */
    const void *frame;    /* frame: structure or array that is not mapped itself, but one of whose members the item is.
                             Mapped members of one frame keep their distances on the device. NULL: no frame */
    uint64_t frame_bytes; /* bytes of the frame; needed in the first construct that names the frame */
    const void *base;     /* element 0 of the array that contains the section; NULL: at `host` (DIR-4.1-03) */
    /* Section with gaps: ndims dimensions of runs of `run` bytes. The first run is at `host`, the others at the
     * distances that `dims` gives. Presence and allocation concern all bytes, gaps included. Only runs are copied
     * (ACC33-upd-2), and only elements in runs are walked. ACCD_ERROR_MISUSE: runs outside of the bytes, overlapping
     * runs, or parts of elements. */
    const accd_stride *dims;
    uint64_t run;
    uint8_t ndims;  /* number of dims, at most 15; 0: no gaps */
    uint8_t action; /* action of the clause: an accd_action */
    uint16_t flags; /* set of the flags ACCD_ITEM_* below */
} accd_item;
#define ACCD_ITEM_UNCOUNTED 1u       /* adds no reference, because another item for the same object adds one */
#define ACCD_ITEM_INIT 2u            /* clause init_needed: create acts as copyin, copyout as copy */
#define ACCD_ITEM_IF_PRESENT 4u      /* if_present: absent data are skipped; exit data skips data without enter data */
#define ACCD_ITEM_PRESENT_OR 8u      /* present_or_copy and similar clauses: present data are accepted */
#define ACCD_ITEM_BASE_POINTER 16u   /* the item is the pointer p of another item's section p[a:n] */
#define ACCD_ITEM_COPY_ABSENT 32u    /* present_and_copyin: copies the absent part of partially present data */
#define ACCD_ITEM_UPDATE_PRESENT 64u /* update_and_copy: copies the part that is present already, too */
#define ACCD_ITEM_ALWAYS_IN 128u     /* copies to the device, even if the data are present already */
#define ACCD_ITEM_ALWAYS_OUT 256u    /* copies to the host, even if references remain */
#define ACCD_ITEM_REQUIRE_PRESENT 512u /* present modifier: absent data are an error, checked first (OMP60-map-9) */
#define ACCD_ITEM_FINALIZE 1024u       /* exit data: finalize for this item alone: counters of its data become 0 */
#define ACCD_ITEM_ZERO 2048u           /* fills new device memory to which nothing is copied with zeros (ACC33-2.7-4) */
/* The next two flags concern the pointer at `slot` only, not pointers in the data (OMP61-1): */
#define ACCD_ITEM_ATTACH_ALWAYS 4096u /* attaches the pointer, even if neither the pointer nor its target is new */
#define ACCD_ITEM_ATTACH_NEVER 8192u  /* never attaches the pointer */
/* The next two flags concern, on entry, the item and the sections that its program reaches: */
#define ACCD_ITEM_PRESENT_PART 16384u /* maps and attaches only the present part of the data (OMP60-map-12) */
#define ACCD_ITEM_CHAIN 32768u /* the item is a pointer on the path to another item: adds a dynamic reference, too */

/* Sets host, bytes, start and base of an item from the section base[start:count], whose elements have `unit` bytes.
 * ACCD_ERROR_INVALID_SECTION: a negative length, or bounds outside of the address space (ACC33-2.7.1-1). */
ACCD_API accd_status accd_item_set_section(accd_context *context, accd_item *item, uint64_t base, int64_t start,
                                           int64_t count, uint64_t unit);

/* Code that computes where an item lies. Each `int` member is the number of the register that has the value, or -1: the
 * code computes no such value. */
typedef struct accd_item_code {
    const accd_instruction *code; /* instructions, none of which reads the current element (see accd_evaluate) */
    size_t ncode;
    unsigned registers;                /* number of registers, at most ACCD_MAX_ITEM_REGISTERS */
    int base, start, count;            /* section base[start:count]; start = -1: index 0; count = -1: one element */
    int slot;                          /* address of the pointer to the section; -1: accd_item.slot is not changed */
    int origin;                        /* address of element 0, for accd_item.base; -1: element 0 is at `base` */
    int index[ACCD_MAX_LABEL_INDICES]; /* indices that replace each # in the label's name */
    uint64_t unit;                     /* size of an element of the section */
    const int *params;                 /* registers with the parameters of the item's program */
    unsigned nparams;
} accd_item_code;
#define ACCD_MAX_ITEM_REGISTERS 64

/* Runs code and sets host, bytes, start, base, index and params of an item, and slot if code->slot is not -1.
 * `parameters` has the parameters of the code; NULL: none. `params` is an array of code->nparams elements that receives
 * the parameters of the item's program; the item points to it. ACCD_ERROR_MISUSE: the code names registers that it does
 * not have. Otherwise fails with the errors of accd_evaluate and accd_item_set_section. */
ACCD_API accd_status accd_item_locate(accd_context *context, const accd_item_code *code, const int64_t *parameters,
                                      int64_t *params, accd_item *item);

typedef struct accd_construct {
    int device;
    accd_construct_kind kind;
    int finalize; /* exit data: dynamic counters and attach counters become 0 */
    const accd_item *items;
    size_t nitems;
    const char *name; /* name of the construct, "data", in messages; not copied, must outlive the region */
    const char *file; /* file of the directive, or NULL; not copied, must outlive the region */
    int line;
    uint64_t thread; /* number of the host thread; only the regions of one thread must be properly nested */
    unsigned queue;  /* queue (accd_queue_get) for the transfers of the construct and of the region's end; 0: the
                        transfers are complete when the call returns */
} accd_construct;

/* Executes a construct. *region_p receives the region that ACCD_KIND_REGION and ACCD_KIND_COMPUTE open, which
 * accd_region_end frees; `region_p` may be NULL for other kinds. A failure changes nothing, and accd_context_error has
 * the reason. Reasons are absent or partially present data, pointers that cannot be attached or detached, invalid
 * sections, missing memory, or a failure of the device (TR14-4.2-01 to TR14-4.2-11). */
ACCD_API accd_status accd_run_construct(accd_context *context, const accd_construct *construct, accd_region **region_p);
/* Executes a construct with the results and errors of accd_run_construct, but faster if its items attach or detach
 * pointers. */
ACCD_API accd_status accd_run_construct_with_pointers(accd_context *context, const accd_construct *construct,
                                                      accd_region **region_p);

/* Ends a region, and frees it. If the end fails, the region stays open. ACCD_ERROR_REGION_NESTING: the region is not
 * the innermost one of its device and thread (DIR-4.3-06). */
ACCD_API accd_status accd_region_end(accd_region *region);
/* Ends a region, and the regions of its thread inside it, without copying to the host, when an error unwinds the
 * program. ACCD_ERROR_OUT_OF_MEMORY: some of these regions remain, until they are abandoned again or an outer region
 * ends. */
ACCD_API accd_status accd_region_abandon(accd_region *region);
/* Returns the number of the region's device; -1 if `region` is NULL. */
ACCD_API int accd_region_device(const accd_region *region);
/* Writes the device addresses of the region's first items, at most n, to `addresses`. Stops before the first item whose
 * address is not stored in the region. Returns the number of addresses written. It is 0 for regions that the fast path
 * (core/ops/fast_path.c) did not open. */
ACCD_API size_t accd_region_addresses(const accd_region *region, uint64_t *addresses, size_t n);

/* Records in *bounds_p the bounds (address and length) that all sections of an item have now. The caller frees the
 * record with accd_bounds_free before the context is closed. *bounds_p becomes NULL if the item has no mapping program,
 * or one that calls functions of the host program, which only constructs may call. If a section is invalid, returns
 * the error that a construct with this item would return. */
ACCD_API accd_status accd_bounds_new(accd_context *context, const accd_item *item, accd_bounds **bounds_p);
typedef struct accd_bounds_change {
    char then[160], now[160]; /* names of the section in the earlier and the later record: "X.a[0:4]", "X.a[0:2]" */
} accd_bounds_change;
/* Compares two records of bounds, `then` and `now`: the sections that both reached through the same pointers. Returns 1
 * if one has changed, and *change_p receives the first such section; otherwise 0 (TR14-4.3-04). */
ACCD_API int accd_bounds_changed(const accd_bounds *then, const accd_bounds *now, accd_bounds_change *change_p);
/* Frees recorded bounds; NULL does nothing. */
ACCD_API void accd_bounds_free(accd_bounds *bounds);

#ifdef __cplusplus
}
#endif

#endif
