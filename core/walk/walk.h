/* walk.h - mapping programs, and the columns of sections that they compute from host memory.
 *
 * Declares the result of a walk (struct accd_walk), sections with gaps, and Fortran descriptors. walk.c explains the
 * data structure. This layer reads host memory and computes addresses. It knows neither what is present nor the names
 * of sections, so a section that cannot be computed is recorded as a fault, for which core/plan writes the message. */
#ifndef ACCD_WALK_H
#define ACCD_WALK_H

#include "base/base.h"

#define ACCD_ROWS 256 /* rows that one instruction of a mapping program computes at a time */
#define ACCD_SIZE_BITS 48
#define ACCD_MAX_ARGUMENTS 8                    /* arguments of a function that a mapping program calls */
#define ACCD_MAX_SLOT_BYTES (24 + 24 * 15 + 64) /* bytes of the largest descriptor */
#define ACCD_SOURCE_WALKED 0x80000000u

struct accd_program {
    accd_context *context;
    unsigned users;
    accd_program_spec spec; /* arrays are copies that the program owns */
    bool covers;            /* true if the pieces are all bytes of the element, in order, with the object's action */
    bool init;              /* true if some piece is init_needed */
    bool calls;             /* true if the code calls functions of the host program; it then runs on one thread only */
    bool reaches_calls;     /* true if the program, or one inside it, calls functions of the host program */
    bool is_recursive;      /* true if a field inside points up to this program */
    unsigned open;          /* number of levels above this program that fields inside point up to */
    uint64_t inherited;     /* registers of the enclosing element that the code reads, one bit each */
};

/* Flags that sections specify themselves, or inherit from the element whose pointer is followed. */
#define ACCD_INHERITED_FLAGS                                                                         \
    (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_COPY_ABSENT | ACCD_ITEM_UPDATE_PRESENT | ACCD_ITEM_ALWAYS_IN | \
     ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_REQUIRE_PRESENT | ACCD_ITEM_FINALIZE | ACCD_ITEM_ZERO)
/* Flags that concern the pointer of one section only. */
#define ACCD_ATTACH_FLAGS (ACCD_ITEM_ATTACH_ALWAYS | ACCD_ITEM_ATTACH_NEVER)
#define ACCD_FIELD_FLAGS (ACCD_INHERITED_FLAGS | ACCD_ATTACH_FLAGS)

/* Rowset: the elements over which one program runs, in order. */
struct accd__rowset {
    const accd_program *program;
    int parent;     /* segment that contains the elements, or -1 - root */
    size_t root;    /* number of the root from which they were reached */
    uint8_t action; /* action of the enclosing object */
    uint16_t flags; /* ACCD_FIELD_FLAGS of the enclosing object */
    size_t rows;
    uint64_t base;     /* address of the first of contiguous elements, stride apart ... */
    uint64_t *address; /* ... or, if not NULL, the address of each element */
    uint64_t per;      /* number of elements in each section of the parent ... */
    uint32_t *owner;   /* ... or, if 0, the section that contains each element */
    size_t segments, nsegments;
    int64_t **kept; /* registers that inner levels read, by number; only while the walk is made */
};

/* Segment: a column of objects, the sections reached through one field of all elements of a rowset. */
struct accd__segment {
    const accd_field *field;
    int rowset;
    int elements; /* rowset of the elements in the sections; -1: plain data */
    uint8_t action;
    uint16_t flags;
    size_t rows, first; /* number of sections, and the number of the first one in the walk */
    uint64_t *host;     /* first byte of each section; equal walks share this column and bytes_of */
    uint64_t bytes;     /* bytes of every section, if bytes_of is NULL */
    uint64_t *bytes_of;
    int64_t start; /* index of the first element, if start_of is NULL */
    int64_t *start_of;
    uint64_t low, high;           /* hull of all sections; high = 0: no bytes */
    size_t applied;               /* number of sections that are not empty */
    uint64_t dev;                 /* offset, in a group, of the first section in the device block */
    uint64_t *dev_of;             /* offset of every ACCD_ROWS-th section, if the lengths differ */
    uint64_t total;               /* padded bytes of all sections */
    uint64_t descriptor_checksum; /* checksum of the contents of its descriptors */
    bool may_have_gaps;           /* true if the elements of some section may have gaps between them */
    bool gaps;                    /* true if some walked section has gaps between its elements */
};

struct accd__walk_root {
    uint64_t host, bytes;
    const accd_label *label;
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    size_t item, rowset;
};

/* Set of the visited elements of recursive programs. */
struct accd__visited_set {
    size_t used, capacity; /* capacity is 0 or a power of two */
    struct accd__visited_element {
        uint64_t address;
        const accd_program *program;
    } * at;
};

/* Reasons why a section cannot be computed. */
enum accd__fault {
    ACCD_FAULT_NONE,
    ACCD_FAULT_NEGATIVE,
    ACCD_FAULT_TOO_LARGE,
    ACCD_FAULT_NULL_BASE,
    ACCD_FAULT_NOT_LIVE,
    ACCD_FAULT_BEYOND_ELEMENT, /* the section exceeds the element that contains it */
    ACCD_FAULT_BAD_LOAD,
    ACCD_FAULT_CALL_FAILED,
    ACCD_FAULT_DIVISION_BY_ZERO,
    ACCD_FAULT_OVERFLOW,
    ACCD_FAULT_BAD_SHIFT,
    ACCD_FAULT_NOT_CONTIGUOUS,
    ACCD_FAULT_OUTSIDE_ROW
};

/* First section of a walk that could not be computed. */
struct accd__walk_fault {
    enum accd__fault kind; /* ACCD_FAULT_NONE: no fault */
    size_t section;
    int64_t value; /* length that the section would have had */
};

struct accd_walk {
    accd_context *context;
    unsigned users;
    size_t nroots, nrowsets, nsegments;
    size_t roots_capacity, rowsets_capacity, segments_capacity;
    struct accd__walk_root *roots;
    struct accd__rowset *rowsets;
    struct accd__segment *segments;
    accd_program **programs;        /* programs of the roots, retained */
    size_t sections;                /* number of sections of all segments */
    uint64_t host_frees;            /* host.host_frees of the context at the time when the walk was made */
    bool gaps;                      /* true if some elements are runs with gaps, whose gaps were skipped */
    const struct accd_walk *before; /* earlier walk, only while the walk is made */
    struct accd__visited_set seen;  /* visited elements, only while the walk is made */
    struct accd__walk_fault fault;
};

/* Runs the following statement for each column of a walk, in order. */
#define ACCD_FOR_EACH_SEGMENT(segment, walk)                                    \
    for (struct accd__segment *segment /* NOLINT: a name */ = (walk)->segments; \
         (segment) < (walk)->segments + (walk)->nsegments; (segment)++)

/* Returns true if the item has elements to walk; a null pointer has none. */
static inline bool accd__item_has_elements(const accd_item *item)
{
    return item->program && item->bytes && item->host;
}

static inline uint64_t accd__row_address(const struct accd__rowset *set, size_t row)
{
    return set->address ? set->address[row] : set->base + row * set->program->spec.stride;
}

static inline uint64_t accd__section_bytes(const struct accd__segment *segment, size_t row)
{
    return segment->bytes_of ? segment->bytes_of[row] : segment->bytes;
}

static inline int64_t accd__section_start(const struct accd__segment *segment, size_t row)
{
    return segment->start_of ? segment->start_of[row] : segment->start;
}

/* Returns true if the elements of the field lie in the object itself. */
static inline bool accd__is_inline_field(const accd_field *field)
{
    return field->embedded || field->in_place;
}

static inline bool accd__segment_is_mapped(const struct accd__segment *segment)
{
    return !segment->field->embedded;
}

/* Returns the address of the pointer through which a section was reached; 0 for sections of embedded arrays. */
static inline uint64_t accd__section_slot(const struct accd_walk *walk, const struct accd__segment *segment, size_t row)
{
    if (segment->field->in_place)
        return 0;
    return accd__row_address(&walk->rowsets[segment->rowset], row) + segment->field->offset;
}

static inline uint64_t accd__field_slot_bytes(const accd_field *field)
{
    return field->slot_bytes ? field->slot_bytes : sizeof(void *);
}

/* Grid: elements of a section with gaps, as runs of bytes at equal distances; the last dimension varies fastest. */
struct accd__grid {
    uint64_t host, run;
    unsigned n;
    accd_stride dim[ACCD_MAX_RANK];
};

struct accd__item_grid {
    uint64_t item;
    struct accd__grid grid;
};

/* Dimensions of an array as its descriptor gives them: bytes of an element, counts, steps in bytes. */
struct accd__array_shape {
    uint64_t element;
    unsigned rank;
    int64_t count[ACCD_MAX_RANK], step[ACCD_MAX_RANK];
};

/* ------------------------------------------------------------------------------------ walk.c -- */

/* Walks all items of a construct that have programs. before: NULL, or an earlier walk that is likely equal; equal
 * columns are then shared. ACCD_ERROR_INVALID_SECTION with walk->fault set still returns a walk; no message is
 * recorded. */
accd_status accd__walk_new(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                           struct accd_walk **walk_p);
struct accd_walk *accd__walk_retain(struct accd_walk *walk);
void accd__walk_release(struct accd_walk *walk);

/* ---------------------------------------------------------------------------------- locate.c -- */

/* Returns true if updates copy any bytes of the elements themselves. */
bool accd__has_own_moves(const accd_program *program);
/* Returns true if the bytes of an element are copied as one piece under an action. */
bool accd__moves_as_one_piece(const accd_program *program, uint8_t action, bool out);
/* Returns the address to which a field of a row points: the pointer's value, or the embedded elements' address. */
uint64_t accd__field_target(const struct accd__rowset *set, const accd_field *field, size_t row);
uint64_t accd__section_block_offset(const struct accd__segment *segment, size_t row);
/* Returns the column that contains a section of a walk, and its row there in *row_p. section < walk->sections. */
const struct accd__segment *accd__find_segment(const struct accd_walk *walk, size_t section, size_t *row_p);
/* Returns the root from which the sections of a column were reached. */
const struct accd__walk_root *accd__segment_root(const struct accd_walk *walk, const struct accd__segment *segment);

/* --------------------------------------------------------------------------------- columns.c -- */

/* Widens [*low_p, *high_p] to contain all n addresses. */
void accd__extend_hull(const uint64_t *host, size_t n, uint64_t *low_p, uint64_t *high_p);
/* Returns true if accd__field_target of rows [first, first + n) equals the same rows of the column `before`. */
bool accd__targets_equal(const struct accd__rowset *set, const accd_field *field, const uint64_t *before, size_t first,
                         size_t n);
/* Returns a checksum of the descriptors of rows [first, first + n), without their addresses of data. Descriptors must
 * be readable. Sums of rows add up. Sets *may_have_gaps if one of them may describe a section with gaps. */
uint64_t accd__checksum_descriptors(const struct accd__rowset *set, const accd_field *field, size_t first, size_t n,
                                    bool *may_have_gaps);

/* ------------------------------------------------------------------------------------ grid.c -- */

/* Returns true if a walk has sections with gaps; such a walk cannot become a group. */
bool accd__walk_has_gaps(const struct accd_walk *walk);
void accd__item_get_grid(const accd_item *item, struct accd__grid *grid);
/* Advances index and *offset to the next run of a grid; returns false after the last one. */
bool accd__grid_next(const struct accd__grid *grid, uint64_t *index, uint64_t *offset);
/* Returns true if the runs of an item lie in its bytes, do not overlap, and hold whole elements. */
bool accd__item_grid_fits(const accd_item *item);
/* Gives the grid of a descriptor, if its elements occupy exactly [host, host + bytes) with gaps; else false. base: its
 * address of data; rest: the bytes after that address. */
bool accd__descriptor_grid(const accd_context *context, uint64_t base, const char *rest, uint32_t slot_bytes,
                           uint64_t host, uint64_t bytes, struct accd__grid *grid);
/* Gives the grid of a section of a walk. Returns false if it has no gaps, or no readable descriptor. */
bool accd__section_grid(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                        struct accd__grid *grid);

/* ------------------------------------------------------------------------------ descriptor.c -- */

/* Returns the size that a type record states, or 1 if host memory may not be read there. */
uint64_t accd__type_record_bytes(accd_context *context, uint64_t record);
/* Returns the address of a descriptor's pointer to its type record, or 0. */
uint64_t accd__descriptor_type_slot(const accd_context *context, const void *descriptor);

/* --------------------------------------------------------------------------------- program.c -- */

/* Records the error of a fault and returns its status. section: a section of `count` elements failed, the object asked
 * for; false: an expression failed. */
accd_status accd__report_fault(accd_context *context, enum accd__fault fault, bool section, int64_t count);

#endif
