/* gcc_entries.h - the entries that gcc passes for a directive, and the items that they become. Included by
 * gcc_fast_path.h and gcc_iterators.c.
 *
 * An entry is what gcc passes for a clause; an item is what the core gets: a host range with an action. A directive
 * arrives as three columns: addresses, sizes and kinds of its entries. For an entry that describes a pointer, the size
 * column has the bias: the bytes from the pointer's value to the start of its section. The kinds are GOMP_MAP_x of
 * gcc's gomp-constants.h, with the same numbers. */
#ifndef RT_ENTRIES_H
#define RT_ENTRIES_H

#include "base/compiler_facts.h"
#include "image/declared.h"
#include "rt/items.h"

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
    STRUCT = 0x1c, /* aggregate; the entries of some of its members follow, and the size column has their number */
    ALWAYS_POINTER = 0x1d,
    POINTER_TO_ZERO_LENGTH = 0x1e,
    DELETE_ZERO_LENGTH = 0x1f,
    ATTACH = 0x50, /* pointer to a mapped section: the pointer's device copy will point to the section's */
    DETACH = 0x51,
    ATTACH_ZERO_LENGTH = 0x52,
    STRUCT_UNORDERED = 0x5c, /* gcc 14 and later: STRUCT whose members follow in any order */
    /* modifier of ALLOC, TO, FROM, TOFROM: transferred even present data, before OpenACC 2.5. Now it marks updates
     * without if_present; FORCE | FROM in exit data means finalize; in other directives it has no effect. */
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
    const size_t *argument;     /* index, by entry as gcc passed it, of its first entry after the expansion of
                                   iterators; NULL: no iterators were expanded */
    size_t arguments;           /* number of entries before the iterators were expanded; 0: none were */
};

/* Parameters of an entry point that have the columns of n entries; the struct entries that they make. */
#define RT_COLUMNS size_t n, void **host, size_t *sizes, unsigned short *kinds
#define RT_ENTRIES(target, region) ((const struct entries){n, host, sizes, kinds, target, region, NULL, 0})

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

/* Reports each entry that maps only a part of a link variable (declare link, declare target link). gcc gives such a
 * region an array of its own without values; only functions that the region calls see the mapped part. Nothing is
 * reported if `code`, the region's function, may use the address of the link variable, or if a pointer passes the part
 * to the region. */
void rt_report_link_sections(const struct entries *map, const void *code);

/* Returns a kernel's argument for entry i: mainly the device address of its data on the thread's device. Declared
 * variables, absent data of no_create, pointers to attach and OpenMP's private variables keep the host address;
 * FIRSTPRIVATE_INT gives the value. An absent zero-length section of OpenMP gives NULL, but the host address if
 * rt.options.null_unmatched or if a function has the address. STRUCT gives the device address that the start of the
 * aggregate would have. */
void *rt_get_kernel_argument(const struct rt_thread *self, const struct entries *map, size_t i);

/* Appends the items of a directive that begins a construct or enters data. The list must have space for all entries. An
 * entry of an unknown kind ends the program. */
void rt_add_entry_items(const struct entries *map, struct rt_items *items);
/* Appends the items of a directive that exits data. The list must have space for all entries. An entry of an unknown
 * kind ends the program. */
void rt_add_exit_items(const struct entries *map, struct rt_items *items);
/* Appends the items of an update. The list must have space for all entries. An entry of an unknown kind ends the
 * program. */
void rt_add_update_items(const struct entries *map, struct rt_items *items);
/* Function that appends the items of a directive: one of the three above. */
typedef void entry_items_of(const struct entries *map, struct rt_items *items);
/* Makes items of the entries by `convert`, and runs a construct of `kind` with them on the thread's device. Returns its
 * region; NULL: none is open. Failure ends the program. */
accd_region *rt_run_entries(struct rt_thread *self, accd_construct_kind kind, const struct entries *map,
                            entry_items_of *convert);
/* Appends attachments of the mapped variables of a compute construct that hold the host address of present data, if the
 * rules have the knob attach_variables. Called after rt_add_entry_items. The compiler passes such pointers like
 * scalars, but pointers in data clauses are attached (ACC33-att-5). */
void rt_attach_variables(const struct rt_thread *self, const struct entries *map, struct rt_items *items);
/* Returns true if the pointer-sized `variable` holds the host address of data that are present on the thread's device.
 */
bool rt_is_pointer_variable(const struct rt_thread *self, const void *variable);

/* Replaces the addresses in entries of host_data, use_device_ptr and use_device_addr by device addresses; the program's
 * code reads them from there in the region. Absent data keep the host address with if_present and in OpenMP (5.1);
 * otherwise they end the program. */
void rt_translate_addresses(const struct rt_thread *self, const struct entries *map);

/* Returns true if the `bytes` bytes at `host` may be a scalar whose address is invalid. gcc removes the copy of a
 * private scalar that was never set, and passes an undefined address from the stack. True for at most 16 bytes that lie
 * neither within 8 MiB above the call's stack pointer nor in static memory. A call must be under way (rt.site). */
static inline bool rt_may_be_unset_copy(const void *host, size_t bytes)
{
    assert(rt.site);
    return bytes <= RT_PRIVATE_SCALAR_MAX && (uintptr_t)host - rt.site->call.sp >= RT_PRIVATE_COPIES_REACH &&
           !rt_is_static(host);
}

#endif
