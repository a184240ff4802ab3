/* entries.h - the entries that gcc passes for a directive, and the items that they become. Included by goacc.c and
 * target.c.
 *
 * A directive arrives as three columns: addresses, sizes and kinds of its entries. The size of a pointer's entry is its
 * bias: the bytes from the pointer's value to the start of its section. Names and numbers of kinds are the compiler's
 * (gomp-constants.h); their meaning is defined by that interface. */
#ifndef RT_ENTRIES_H
#define RT_ENTRIES_H

#include "abi/program/run/items.h"

/* Kinds of entries, in the low 8 bits of the kind column; the high 8 bits are the alignment. */
enum {
    ALLOC = 0x00,
    TO = 0x01,
    FROM = 0x02,
    TOFROM = 0x03,
    POINTER = 0x04, /* pointer to the data of the previous entry */
    TO_PSET = 0x05, /* descriptor of a Fortran array */
    PRESENT = 0x06,
    DELETE = 0x07,    /* clause delete, with finalize */
    DEVICEPTR = 0x08, /* pointer variable with a device address */
    DEVICE_RESIDENT = 0x09,
    LINK = 0x0a,
    IF_PRESENT = 0x0b, /* clause no_create */
    FIRSTPRIVATE = 0x0c,
    FIRSTPRIVATE_INT = 0x0d, /* the address column has the value itself */
    USE_DEVICE = 0x0e,
    ZERO_LENGTH = 0x0f,
    USE_DEVICE_IF_PRESENT = 0x10,
    RELEASE = 0x17,
    STRUCT = 0x1c, /* aggregate, some members of which follow; size: their number */
    ALWAYS_POINTER = 0x1d,
    POINTER_TO_ZERO_LENGTH = 0x1e,
    DELETE_ZERO_LENGTH = 0x1f,
    ATTACH = 0x50, /* pointer of a section, to be attached */
    DETACH = 0x51,
    ATTACH_ZERO_LENGTH = 0x52,
    STRUCT_UNORDERED = 0x5c, /* gcc 14 and later: STRUCT whose members follow in any order */
    /* modifier of ALLOC, TO, FROM, TOFROM: meant "even if present" before present_or became the default. Now it marks
     * updates without if_present, and FORCE | FROM in exit data means finalize. */
    FORCE = 0x80,
    FORCE_DETACH = 0xd1 /* clause detach, with finalize */
};

/* Modifiers of TO, FROM and TOFROM in OpenMP. ALWAYS: map with `always`. IMPLICIT: no clause names the data.
 * ALWAYS_PRESENT: map with `always` and `present`, or update with `present`. */
enum { ALWAYS = 0x10, IMPLICIT = 0x60, ALWAYS_PRESENT = 0x94 };

/* Entries of one directive, as columns of n elements. */
struct entries {
    size_t n;
    void **host;                /* address of the data or of the pointer; NULL: absent argument */
    const size_t *size;         /* bytes of the data, or bias of a pointer */
    const unsigned short *kind; /* kind with modifiers, and the alignment in the high 8 bits */
    bool target;                /* true for OpenMP, where each private variable gets memory of its own */
    bool region;                /* true for a target construct */
    const size_t *argument;     /* index of the first entry of each argument; NULL: no iterators were expanded */
    size_t arguments;           /* number of arguments before the expansion */
};

/* Returns the kind of entry i without modifiers; STRUCT_UNORDERED counts as STRUCT. */
static inline unsigned rt_get_entry_kind(const struct entries *map, size_t i)
{
    const unsigned raw = map->kind[i] & 0xff, kind = raw & TOFROM, modifier = raw - kind;
    if (raw == STRUCT_UNORDERED)
        return STRUCT;
    return modifier == FORCE || modifier == IMPLICIT || (kind && (modifier == ALWAYS || modifier == ALWAYS_PRESENT))
               ? kind
               : raw;
}

/* Size of an entry with an iterator (gcc 16), which represents one entry for each value. Its address column points to
 * the number of values, followed by an address and a size for each value. */
enum { ITERATED = -1 };

/* Returns true if an entry has an iterator. */
bool rt_has_iterators(const struct entries *map);
/* Returns the entries with each iterator expanded; at least one entry must have an iterator. The caller must free
 * `host`, which also holds the other columns. Ends the program without memory. */
struct entries rt_expand_iterators(const struct entries *map);

/* Reports sections of link variables (declare link, declare target link) before their region maps them. gcc gives such
 * a region an array of its own without values; only functions that the region calls see the section. Nothing is
 * reported if `code`, the region's function, uses the variable itself. */
void rt_report_link_sections(const struct entries *map, const void *code);

/* Returns a kernel's argument for entry i: the device address of present data. For OpenMP's private variables, declared
 * variables and absent data of no_create, returns the host address; for FIRSTPRIVATE_INT, the value. An absent
 * zero-length section gives NULL, or the host address if rt.options.null_unmatched or for a function. STRUCT gives the
 * device address that the start of the aggregate would have. */
void *rt_get_kernel_argument(const struct rt_thread *self, const struct entries *map, size_t i);

/* Appends the items of a directive that begins a construct or enters data. The list must have space for all entries. An
 * unknown kind ends the program, here and in the two functions below. */
void rt_add_entry_items(const struct entries *map, struct rt_items *items);
/* Appends the items of a directive that exits data. The list must have space for all entries. */
void rt_add_exit_items(const struct entries *map, struct rt_items *items);
/* Appends the items of an update. The list must have space for all entries. */
void rt_add_update_items(const struct entries *map, struct rt_items *items);
/* Appends, after the items of a compute construct's entry, attachments of variables that hold the address of present
 * data. The compiler passes such pointers like scalars, but pointers in data clauses are attached (ACC33-att-5). */
void rt_attach_variables(const struct rt_thread *self, const struct entries *map, struct rt_items *items);
/* Returns true if `variable` holds the address of data that are present on the thread's device. */
bool rt_is_pointer_variable(const struct rt_thread *self, const void *variable);

/* Updates the device's descriptors after an entry, as a present descriptor may have had other bounds (ACC33-att-9). */
void rt_refresh_descriptors(const struct rt_thread *self, const struct entries *map);

/* Makes device pointers to absent zero-length sections null (OMP60-map-10). `restore`: before the enclosing object is
 * copied back, gives pointers that are still null their host value again. */
void rt_sync_null_pointers(const struct rt_thread *self, const struct entries *map, bool restore);

#endif
