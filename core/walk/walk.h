/* walk.h - mapping programs, and the columns of sections that they compute from host memory.
 *
 * Declares the result of a walk (struct accd_walk), sections with gaps, and Fortran descriptors. walk.c explains the
 * data structure. This layer reads host memory and computes addresses. It knows neither which data are present on a
 * device nor the names of sections. It therefore only records a section that cannot be computed as a fault, for which
 * core/plan writes the message.
 *
 * Words:
 * - mapping program: computes, for one element of a type, the sections of its fields, by instructions on registers.
 * - section: a range of host memory that one field of one element names, as a pointer does.
 * - row: one element; column: an array with one value for each row; hull: the smallest range that contains several.
 * - rowset: the elements over which one program runs; segment: the sections that one field gives for a rowset.
 * - root: an item of a construct at which a walk begins; fault: why a section cannot be computed.
 * - slot: the pointer to a section, or the Fortran descriptor that begins with this pointer.
 * - embedded: elements inside the element that has the field. They are walked, but not mapped on their own.
 * - in place: a section of an array inside the element. It is mapped on its own, without a pointer. */
#ifndef ACCD_WALK_H
#define ACCD_WALK_H

#include "base/base.h"

#define ACCD_ROWS 256 /* rows that one instruction of a mapping program computes at a time */
/* Number of bits of the size of a section or object, which is less than 2^48 bytes. */
#define ACCD_SIZE_BITS 48
#define ACCD_MAX_ARGUMENTS 8 /* greatest number of arguments of a function that a mapping program calls */
#define ACCD_MAX_SLOT_BYTES (24 + 24 * 15 + 64) /* bytes of the largest descriptor */
/* Flag of accd__request.source (table/table.h). If it is set, the other bits are the number of a walk's section;
 * otherwise they are the number of an item. */
#define ACCD_SOURCE_WALKED 0x80000000u

struct accd_program {
    accd_context *context;
    unsigned users;         /* number of owners; the last one to release the program frees it */
    accd_program_spec spec; /* specification given to accd_program_new; its arrays are copies that the program owns */
    bool covers; /* true if the pieces (byte ranges that are copied) cover all bytes of the element, in order, with the
                    object's action, and none is entry_only */
    bool init;   /* true if some piece has the flag init (its initial value is needed), for which create acts as copyin
                    and copyout as copy */
    bool calls;  /* true if the code calls functions of the host program, so that it runs on one thread */
    bool reaches_calls; /* true if the program, or one inside it, calls functions of the host program */
    bool is_recursive;  /* true if a field of the program, or of a program inside it, names the program as its child by
                           accd_field.up */
    unsigned open;      /* greatest number of levels outside of this program to which accd_field.up of its fields, or of
                           fields inside it, refers; 0: none does, so that an item can have the program */
    uint64_t inherited; /* set of the enclosing element's registers that the code reads; bit k: register k */
    uint64_t visit;     /* number of the new program that visited this program last (close_cycles); 0: none */
    unsigned visit_level; /* level of that visit */
};

/* Flags that a section either specifies itself or inherits from the element that holds its pointer. */
#define ACCD_INHERITED_FLAGS                                                                         \
    (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_COPY_ABSENT | ACCD_ITEM_UPDATE_PRESENT | ACCD_ITEM_ALWAYS_IN | \
     ACCD_ITEM_ALWAYS_OUT | ACCD_ITEM_REQUIRE_PRESENT | ACCD_ITEM_FINALIZE | ACCD_ITEM_ZERO)
/* Flags that concern the pointer of one section only, and are not inherited. */
#define ACCD_ATTACH_FLAGS (ACCD_ITEM_ATTACH_ALWAYS | ACCD_ITEM_ATTACH_NEVER)
/* Flags (ACCD_ITEM_*) that a field of a mapping program can have. */
#define ACCD_FIELD_FLAGS (ACCD_INHERITED_FLAGS | ACCD_ATTACH_FLAGS)

/* Rowset: the elements over which one program runs, in order. */
struct accd__rowset {
    const accd_program *program;
    int parent;     /* number of the segment whose sections contain the elements. Negative: the elements are those of an
                       item, and `parent` is -1 minus the number of the item's root */
    size_t root;    /* number of the root from which the elements were reached */
    uint8_t action; /* action (accd_action) of the item or section that contains the elements */
    uint16_t flags; /* flags of that item or section, those in ACCD_FIELD_FLAGS */
    size_t rows;
    uint64_t base; /* address of the first element, if the elements are contiguous: program->spec.stride bytes apart */
    uint64_t *address; /* address of each element; NULL: the elements are contiguous from `base` on */
    uint64_t
        per; /* number of elements in each section of the parent, if all sections have equally many; 0: see `owner` */
    uint32_t *owner; /* number of the parent's row whose section contains each element; NULL: `per` counts */
    /* Number of the rowset's first segment, and how many segments it has: one for each field. */
    size_t segments, nsegments;
    /* Columns of registers that programs of inner elements read (ACCD_I_INHERIT), by register number. Valid only while
     * the walk is made. */
    int64_t **register_columns;
};

/* Segment: the sections that one field of all elements of a rowset describes; section r is that of row r. */
struct accd__segment {
    const accd_field *field;
    int rowset;
    int elements;       /* number of the rowset with the elements of the sections; -1: plain data */
    uint8_t action;     /* action (accd_action) of the sections */
    uint16_t flags;     /* flags of the sections, those in ACCD_FIELD_FLAGS */
    size_t rows, first; /* number of sections, and the number of the first one in the walk */
    uint64_t *host;     /* address of the first byte of each section. The columns host and bytes_of are shared with an
                           earlier walk if its columns are equal */
    uint64_t bytes;     /* bytes of each section, if all are equal and bytes_of is NULL */
    /* Bytes of each section; NULL: all have `bytes`. */
    uint64_t *bytes_of;
    int64_t start; /* index of the first element of each section, if all are equal and start_of is NULL */
    /* Index of the first element of each section; NULL: all have `start`. */
    int64_t *start_of;
    uint64_t low, high; /* hull of all sections; high = 0: all sections are empty */
    size_t applied;     /* number of sections that are not empty */
    uint64_t dev;       /* offset of the first section in the device block of a group (table/group.c) */
    uint64_t *dev_of;   /* offset in that block of every ACCD_ROWS-th section, if the lengths differ; else NULL */
    uint64_t total;     /* sum of the bytes of all sections, each rounded up to a multiple of 16 (accd__padded) */
    uint64_t descriptor_checksum; /* checksum of the descriptors of the sections; 0: the field is a plain pointer */
    bool may_have_gaps; /* true if some descriptor of the sections may describe gaps between elements (result of a quick
                           test) */
    bool gaps; /* true if the elements of the sections are walked, and some section has gaps between its elements */
};

/* Root: an item of the construct whose elements are walked. */
struct accd__walk_root {
    uint64_t host, bytes;
    const accd_label *label;
    int64_t start, index[ACCD_MAX_LABEL_INDICES];
    size_t item, rowset; /* number of the item in the construct; number of the rowset of its elements */
};

/* Set of the elements of recursive programs that a walk has visited, as a hash table. */
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
    ACCD_FAULT_NEGATIVE,         /* negative length */
    ACCD_FAULT_TOO_LARGE,        /* a bound is too large, or has no 64-bit value (ACCD_UNREPRESENTABLE) */
    ACCD_FAULT_NULL_BASE,        /* null pointer to a section that is not empty */
    ACCD_FAULT_NOT_LIVE,         /* the section is not inside live registered host memory */
    ACCD_FAULT_BEYOND_ELEMENT,   /* the section exceeds the element that contains it */
    ACCD_FAULT_BAD_LOAD,         /* ACCD_I_LOAD_AT from a null or dangling address */
    ACCD_FAULT_CALL_FAILED,      /* a function of the host program failed */
    ACCD_FAULT_DIVISION_BY_ZERO, /* division by zero in arithmetic of a C type */
    ACCD_FAULT_OVERFLOW,         /* overflow in arithmetic of a C type */
    ACCD_FAULT_BAD_SHIFT,        /* shift by too many bits in arithmetic of a C type */
    ACCD_FAULT_NOT_CONTIGUOUS,   /* ACCD_I_REQUIRE, k > 0: the section covers parts of several rows of its array */
    ACCD_FAULT_OUTSIDE_ROW       /* ACCD_I_REQUIRE, k = 0: the section runs off its row of the array */
};

/* First section of a walk that could not be computed. */
struct accd__walk_fault {
    enum accd__fault kind; /* ACCD_FAULT_NONE: no fault */
    size_t section;        /* number of the section in the walk */
    int64_t value;         /* number of elements that the section would have had */
};

struct accd_walk {
    accd_context *context;
    unsigned users;
    size_t nroots, nrowsets, nsegments;
    size_t roots_capacity, rowsets_capacity, segments_capacity;
    struct accd__walk_root *roots;
    struct accd__rowset *rowsets;
    struct accd__segment *segments;
    accd_program **programs; /* programs of the roots, which the walk retains */
    size_t sections;         /* number of sections of all segments */
    uint64_t host_frees;     /* number of frees of host memory (context->host.host_frees) when the walk was made */
    bool gaps;               /* true if an item, or a section that was walked, has gaps between its elements */
    /* Earlier walk, whose columns this walk shares where they are equal, or NULL. Valid only while this walk is made.
     */
    const struct accd_walk *before;
    struct accd__visited_set visited; /* visited elements of recursive programs; valid only while the walk is made */
    struct accd__walk_fault fault;
};

/* Runs the following statement for each segment of a walk, in order. */
#define ACCD_FOR_EACH_SEGMENT(segment, walk)                                    \
    for (struct accd__segment *segment /* NOLINT: a name */ = (walk)->segments; \
         (segment) < (walk)->segments + (walk)->nsegments; (segment)++)

/* Returns true if the item has elements to walk: it has a mapping program, is not empty, and its address is not 0. */
static inline bool accd__item_has_elements(const accd_item *item)
{
    return item->program && item->bytes && item->host;
}

/* Returns the host address of the element in a row; row < set->rows. */
static inline uint64_t accd__row_address(const struct accd__rowset *set, size_t row)
{
    return set->address ? set->address[row] : set->base + row * set->program->spec.stride;
}

/* Returns the bytes of the section in a row; 0: the section is empty. */
static inline uint64_t accd__section_bytes(const struct accd__segment *segment, size_t row)
{
    return segment->bytes_of ? segment->bytes_of[row] : segment->bytes;
}

/* Returns the index of the first element of the section in a row. */
static inline int64_t accd__section_start(const struct accd__segment *segment, size_t row)
{
    return segment->start_of ? segment->start_of[row] : segment->start;
}

/* Returns true if the elements of the field lie in the element that contains the field; false if the field is a pointer
 * to them. */
static inline bool accd__is_inline_field(const accd_field *field)
{
    return field->embedded || field->in_place;
}

/* Returns true if the sections of the segment are mapped as objects. Embedded elements are not: they are parts of the
 * object that contains them, and only walked. */
static inline bool accd__segment_is_mapped(const struct accd__segment *segment)
{
    return !segment->field->embedded;
}

/* Returns the host address of the pointer through which the section in a row was reached; 0 for a field with
 * `in_place`, an array inside the element. */
static inline uint64_t accd__section_slot(const struct accd_walk *walk, const struct accd__segment *segment, size_t row)
{
    if (segment->field->in_place)
        return 0;
    return accd__row_address(&walk->rowsets[segment->rowset], row) + segment->field->offset;
}

/* Returns the bytes of the pointer of a field or, if the field has one, of its descriptor. */
static inline uint64_t accd__field_slot_bytes(const accd_field *field)
{
    return field->slot_bytes ? field->slot_bytes : sizeof(void *);
}

/* Grid: the elements of a section with gaps, as runs of contiguous bytes at equal distances in each dimension. The last
 * dimension varies fastest. */
struct accd__grid {
    uint64_t host, run; /* address of the first run; bytes of each run */
    unsigned n;         /* number of dimensions */
    accd_stride dim[ACCD_MAX_RANK];
};

/* Grid of item number `item` of a construct. */
struct accd__item_grid {
    uint64_t item;
    struct accd__grid grid;
};

/* Dimensions of an array as its descriptor gives them: bytes of an element, number of elements and distance in bytes
 * for each dimension. */
struct accd__array_shape {
    uint64_t element;
    unsigned rank;
    int64_t count[ACCD_MAX_RANK], step[ACCD_MAX_RANK];
};

/* ------------------------------------------------------------------------------------ walk.c -- */

/* Walks all items of a construct that have programs, and sets *walk_p to the new walk, which the caller releases.
 * `before` is an earlier walk that is probably equal; columns that are equal are shared with it. NULL: none. If a
 * section cannot be computed, the call returns
 * ACCD_ERROR_INVALID_SECTION without a message, and *walk_p is a walk with `fault` set, which the caller releases.
 * After other errors (no memory, too many sections, misuse) there is no walk, and *walk_p is unchanged. */
accd_status accd__walk_new(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                           struct accd_walk **walk_p);
/* Adds a user (an owner that later calls accd__walk_release) to a walk, and returns the walk. */
struct accd_walk *accd__walk_retain(struct accd_walk *walk);
/* Removes a user of a walk, which may be NULL, and frees the walk after its last user. */
void accd__walk_release(struct accd_walk *walk);

/* ---------------------------------------------------------------------------------- locate.c -- */

/* Returns true if updates copy bytes of the program's elements themselves, not only sections that their pointers reach.
 * This is so if some piece of the program is not entry_only. */
bool accd__has_own_moves(const accd_program *program);
/* Returns true if `action` copies all bytes of an element of `program` as one piece: to the host if `out`, otherwise to
 * the device. */
bool accd__moves_as_one_piece(const accd_program *program, uint8_t action, bool out);
/* Returns the address to which a field of the element in a row points: the pointer's value or, if the field's elements
 * lie inside that element, their address. */
uint64_t accd__field_target(const struct accd__rowset *set, const accd_field *field, size_t row);
/* Returns the offset of a section in the device block of its group; row < segment->rows. */
uint64_t accd__section_block_offset(const struct accd__segment *segment, size_t row);
/* Returns the segment that contains section number `section` of a walk, and sets *row_p to the section's row there.
 * Requires section < walk->sections. */
const struct accd__segment *accd__find_segment(const struct accd_walk *walk, size_t section, size_t *row_p);
/* Returns the root (item of the construct) from which the sections of a segment were reached. */
const struct accd__walk_root *accd__segment_root(const struct accd_walk *walk, const struct accd__segment *segment);

/* --------------------------------------------------------------------------------- columns.c -- */

/* Widens the closed range from *low_p to *high_p to contain the n addresses of `host`. */
void accd__extend_hull(const uint64_t *host, size_t n, uint64_t *low_p, uint64_t *high_p);
/* Returns true if the address to which the field points, in each row of [first, first + n), equals before[row]. */
bool accd__targets_equal(const struct accd__rowset *set, const accd_field *field, const uint64_t *before, size_t first,
                         size_t n);
/* Returns a checksum of the contents, except the addresses of data, of the descriptors in rows [first, first + n),
 * which must be readable. The checksums of adjacent ranges of rows add up. Sets *may_have_gaps if a descriptor may
 * describe a section with gaps; otherwise leaves it unchanged. */
uint64_t accd__checksum_descriptors(const struct accd__rowset *set, const accd_field *field, size_t first, size_t n,
                                    bool *may_have_gaps);

/* ------------------------------------------------------------------------------------ grid.c -- */

/* Returns true if a section of the walk has gaps between its elements; such a walk cannot become a group
 * (table/group.h). */
bool accd__walk_has_gaps(const struct accd_walk *walk);
/* Writes the grid of an item with dimensions, which accd__item_grid_fits has accepted, to *grid. */
void accd__item_get_grid(const accd_item *item, struct accd__grid *grid);
/* Advances to the next run of a grid and returns true, or returns false after the last run. `index` has one counter for
 * each dimension, and *offset is the distance in bytes from the first run; all are 0 at the first run. */
bool accd__grid_next(const struct accd__grid *grid, uint64_t *index, uint64_t *offset);
/* Returns true if the runs of an item with dimensions lie in the item's bytes, do not overlap, and hold whole elements
 * of its program (if it has one). */
bool accd__item_grid_fits(const accd_item *item);
/* Writes the grid of a descriptor of `slot_bytes` bytes and returns true if its elements have gaps between them, begin
 * at `host` and end at host + bytes. Otherwise returns false; *grid must then not be used. The descriptor is given in
 * two parts: `base` is its first word, the address of data, and `rest` points to its other bytes. */
bool accd__descriptor_grid(const accd_context *context, uint64_t base, const char *rest, uint32_t slot_bytes,
                           uint64_t host, uint64_t bytes, struct accd__grid *grid);
/* Writes the grid of the section in a row and returns true. Returns false if the section is empty or has no gaps, or
 * the host contents of its descriptor no longer describe it; *grid must then not be used. The descriptor must be
 * readable. */
bool accd__section_grid(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                        struct accd__grid *grid);

/* ------------------------------------------------------------------------------ descriptor.c -- */

/* Returns the size in bytes that a type record (the type description of Flang's descriptors) states in its first word;
 * 1 if that word may not be read. */
uint64_t accd__type_record_bytes(accd_context *context, uint64_t record);
/* Returns the host address of a descriptor's pointer to its type record; 0 if the descriptor has no addendum. */
uint64_t accd__descriptor_type_slot(const accd_context *context, const void *descriptor);

/* --------------------------------------------------------------------------------- program.c -- */

/* Records the error of a fault and returns its status. If `section` is true, a section of `count` elements failed,
 * whose name the caller inserts (accd__insert_object_name). If it is false, an expression without an element failed. */
accd_status accd__report_fault(accd_context *context, enum accd__fault fault, bool section, int64_t count);

#endif
