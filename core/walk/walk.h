/* walk.h - mapping programs and what they find: columns of sections, elements with gaps between them, Fortran
 * descriptors. It reads the host's memory, computes addresses, and knows neither what is present nor what
 * sections are called: what cannot be computed is a fault, which others put into words. */
#ifndef ACCD_WALK_H
#define ACCD_WALK_H

#include "base/base.h"

#define ACCD_ROWS 256 /* rows an instruction of a mapping program runs over */
#define ACCD_SIZE_BITS 48
#define ACCD_MAX_ARGUMENTS 8                    /* of a function that a mapping program calls */
#define ACCD_MAX_SLOT_BYTES (24 + 24 * 15 + 64) /* bytes of the largest descriptor */
#define ACCD_SOURCE_WALKED 0x80000000u

struct accd_program {
    accd_context *context;
    unsigned users;
    accd_program_spec spec; /* arrays are copies that belong to the program */
    bool covers;            /* the pieces are all own bytes, without gap, of the object's action */
    bool init;              /* some of them are init_needed */
    bool calls;             /* calls functions of the host program: one thread only */
    bool reaches_calls;     /* it, or a program inside it, calls functions of the host program */
    bool is_recursive;      /* fields inside point back to it */
    unsigned open;          /* levels beyond this one that fields inside point up to */
    uint64_t inherited;     /* registers of the enclosing element it reads, one bit each */
};

/* Flags that sections have of their own, or from the element whose pointer is followed. */
#define ACCD_INHERITED_FLAGS                                                                         \
    (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_COPY_ABSENT | ACCD_ITEM_UPDATE_PRESENT | ACCD_ITEM_ALWAYS_IN | \
     ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_REQUIRE_PRESENT | ACCD_ITEM_FINALIZE | ACCD_ITEM_ZERO)
/* Flags about the one pointer of a section. */
#define ACCD_ATTACH_FLAGS (ACCD_ITEM_ATTACH_ALWAYS | ACCD_ITEM_ATTACH_NEVER)
#define ACCD_FIELD_FLAGS (ACCD_INHERITED_FLAGS | ACCD_ATTACH_FLAGS)

/* Elements a program is run over, in order. */
struct accd__rowset {
    const accd_program *program;
    int parent;     /* segment the elements lie in, or -1 - root */
    size_t root;    /* that they were reached from */
    uint8_t action; /* of the object around */
    uint16_t flags; /* ACCD_FIELD_FLAGS of it */
    size_t rows;
    uint64_t base;     /* contiguous elements, stride apart ... */
    uint64_t *address; /* ... or, if not NULL, the address of each */
    uint64_t per;      /* elements in each section of the parent ... */
    uint32_t *owner;   /* ... or, if 0, the section each element lies in */
    size_t segments, nsegments;
    int64_t **kept; /* while the walk is made: registers that inner levels read */
};

/* Sections reached through one field of all elements of a rowset: a column of objects. */
struct accd__segment {
    const accd_field *field;
    int rowset;
    int elements; /* rowset of what the sections hold, -1: plain data */
    uint8_t action;
    uint16_t flags;
    size_t rows, first; /* number of the first section in the walk */
    uint64_t *host;     /* first byte of each section; walks that found the same share it, and bytes_of */
    uint64_t bytes;     /* of every section, if bytes_of is NULL */
    uint64_t *bytes_of;
    int64_t start; /* index of the first element, if start_of is NULL */
    int64_t *start_of;
    uint64_t low, high;           /* hull of all sections; high = 0: none */
    size_t applied;               /* sections of more than no bytes */
    uint64_t dev;                 /* in a group: place of the first section in the device block */
    uint64_t *dev_of;             /* place of every ACCD_ROWS-th section, if they differ in length */
    uint64_t total;               /* padded bytes of all sections */
    uint64_t descriptor_checksum; /* what its descriptors hold, as a number */
    bool may_have_gaps;           /* the elements of some section may have gaps between them */
    bool gaps;                    /* elements of some section that are walked have gaps between them */
};

struct accd__walk_root {
    uint64_t host, bytes;
    const accd_label *label;
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    size_t item, rowset;
};

/* Elements of recursive programs that were reached. */
struct accd__visited_set {
    size_t used, capacity; /* room is 0 or a power of two */
    struct accd__visited_element {
        uint64_t address;
        const accd_program *program;
    } * at;
};

/* Why a section could not be computed. */
enum accd__fault {
    ACCD_FAULT_NONE,
    ACCD_FAULT_NEGATIVE,
    ACCD_FAULT_TOO_LARGE,
    ACCD_FAULT_NULL_BASE,
    ACCD_FAULT_NOT_LIVE,
    ACCD_FAULT_BEYOND_ELEMENT, /* an embedded array ends with its element */
    ACCD_FAULT_BAD_LOAD,
    ACCD_FAULT_CALL_FAILED,
    ACCD_FAULT_DIVISION_BY_ZERO,
    ACCD_FAULT_OVERFLOW,
    ACCD_FAULT_BAD_SHIFT,
    ACCD_FAULT_NOT_CONTIGUOUS,
    ACCD_FAULT_OUTSIDE_ROW
};

/* The first section of a walk that could not be computed. */
struct accd__walk_fault {
    enum accd__fault kind; /* ACCD_FAULT_NONE: all could */
    size_t section;
    int64_t value; /* the length it would have had */
};

struct accd_walk {
    accd_context *context;
    unsigned users;
    size_t nroots, nrowsets, nsegments;
    size_t roots_capacity, rowsets_capacity, segments_capacity;
    struct accd__walk_root *roots;
    struct accd__rowset *rowsets;
    struct accd__segment *segments;
    accd_program **programs;        /* retained, one for each root */
    size_t sections;                /* of all segments */
    uint64_t host_frees;            /* of known host memory, when the walk was made */
    bool gaps;                      /* elements that lie in some were left out */
    const struct accd_walk *before; /* while the walk is made */
    struct accd__visited_set seen;  /* while the walk is made */
    struct accd__walk_fault fault;
};

/* All columns of a walk, in order, for the statement that follows. */
#define ACCD_FOR_EACH_SEGMENT(segment, walk)                                    \
    for (struct accd__segment *segment /* NOLINT: a name */ = (walk)->segments; \
         (segment) < (walk)->segments + (walk)->nsegments; (segment)++)

/* Whether there are elements to walk: a null pointer points to none. */
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

/* Whether the elements lie in the object itself. */
static inline bool accd__is_inline_field(const accd_field *field)
{
    return field->embedded || field->in_place;
}

static inline bool accd__segment_is_mapped(const struct accd__segment *segment)
{
    return !segment->field->embedded;
}

/* Address of the pointer a section was reached through; 0 for sections of embedded arrays. */
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

/* Elements of a section with gaps: runs of bytes at equal distances, the last dimension varies fastest. */
struct accd__grid {
    uint64_t host, run;
    unsigned n;
    accd_stride dim[ACCD_MAX_RANK];
};

struct accd__item_grid {
    uint64_t item;
    struct accd__grid grid;
};

/* The dimensions of a descriptor, of which rest lies behind its address. False: there is no
 * descriptor in so many bytes. */
struct accd__array_shape {
    uint64_t element;
    unsigned rank;
    int64_t count[ACCD_MAX_RANK], step[ACCD_MAX_RANK];
};

/* ------------------------------------------------------------------------------------ walk.c -- */

/* before: NULL, or a walk that likely found the same; then equal columns are shared, not written. Where a
 * section cannot be computed there is a walk in spite of the status: with its fault, of which no error is made. */
accd_status accd__walk_new(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                           struct accd_walk **walk_p);
struct accd_walk *accd__walk_retain(struct accd_walk *walk);
void accd__walk_release(struct accd_walk *walk);

/* ---------------------------------------------------------------------------------- locate.c -- */

/* Whether any own bytes of elements move in updates. */
bool accd__has_own_moves(const accd_program *program);
/* Whether own bytes of elements move as one piece under an action. */
bool accd__moves_as_one_piece(const accd_program *program, uint8_t action, bool out);
/* What a field of a row points to: the pointer's value, or the embedded elements' address. */
uint64_t accd__field_target(const struct accd__rowset *set, const accd_field *field, size_t row);
uint64_t accd__section_block_offset(const struct accd__segment *segment, size_t row);
/* The column that a section of a walk lies in, and in *row_p its row there. */
const struct accd__segment *accd__find_segment(const struct accd_walk *walk, size_t section, size_t *row_p);
/* The root that the sections of a column were reached from. */
const struct accd__walk_root *accd__segment_root(const struct accd_walk *walk, const struct accd__segment *segment);

/* --------------------------------------------------------------------------------- columns.c -- */

/* Widens [*low_p, *high_p] until all addresses of a column lie in it. */
void accd__extend_hull(const uint64_t *host, size_t n, uint64_t *low_p, uint64_t *high_p);
/* Whether what a field of some rows points to is what a column says: accd__field_target of each. */
bool accd__targets_equal(const struct accd__rowset *set, const accd_field *field, const uint64_t *before, size_t first,
                         size_t n);
/* The number that stands for what is behind the addresses of descriptors, those of some rows of a column, while
 * they can be read; sums of rows are sums of these. apart: set, if some of them may point to sections with gaps. */
uint64_t accd__checksum_descriptors(const struct accd__rowset *set, const accd_field *field, size_t first, size_t n,
                                    bool *may_have_gaps);

/* ------------------------------------------------------------------------------------ grid.c -- */

/* Whether a walk has sections with gaps: these are no group. */
bool accd__walk_has_gaps(const struct accd_walk *walk);
void accd__item_get_grid(const accd_item *item, struct accd__grid *grid);
/* Offset of the next run behind the one at index; false behind the last one. */
bool accd__grid_next(const struct accd__grid *grid, uint64_t *index, uint64_t *offset);
/* Whether the elements of an item lie in it, and not over one another. */
bool accd__item_grid_fits(const accd_item *item);
/* The elements of a descriptor, if they are just those from host on in so many bytes, with gaps. base: its
 * address; rest: what lies behind that. */
bool accd__descriptor_grid(const accd_context *context, uint64_t base, const char *rest, uint32_t slot_bytes,
                           uint64_t host, uint64_t bytes, struct accd__grid *grid);
/* The elements of a section of a walk, if it has gaps and its descriptors can be read. */
bool accd__section_grid(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                        struct accd__grid *grid);

/* ------------------------------------------------------------------------------ descriptor.c -- */

/* Bytes of a type record: those it tells of, or 1 where the host's memory is not to be read. */
uint64_t accd__type_record_bytes(accd_context *context, uint64_t record);
/* The address of a descriptor's pointer to the type record, or 0. */
uint64_t accd__descriptor_type_slot(const accd_context *context, const void *descriptor);

/* --------------------------------------------------------------------------------- program.c -- */

/* The error of what could not be computed: a section of so many elements behind a pointer, which is the object asked
 * for, or an expression by itself. */
accd_status accd__report_fault(accd_context *context, enum accd__fault fault, bool section, int64_t count);

#endif
