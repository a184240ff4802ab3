/* entries.h - the entries that gcc passes for a directive, and the items they become.
 *
 * A directive arrives as three columns: addresses, sizes and kinds of its entries. What each kind
 * asks for are facts of that interface; names and numbers are the compiler's. */
#ifndef RT_ENTRIES_H
#define RT_ENTRIES_H

#include "abi/program/run/items.h"

enum {
    ALLOC = 0x00,
    TO = 0x01,
    FROM = 0x02,
    TOFROM = 0x03,
    POINTER = 0x04, /* the pointer that points to the entry before, size: bias */
    TO_PSET = 0x05, /* descriptor of a Fortran array */
    PRESENT = 0x06,
    DELETE = 0x07,    /* delete finalize */
    DEVICEPTR = 0x08, /* a pointer variable that holds a device address */
    DEVICE_RESIDENT = 0x09,
    LINK = 0x0a,
    IF_PRESENT = 0x0b, /* no_create */
    FIRSTPRIVATE = 0x0c,
    FIRSTPRIVATE_INT = 0x0d, /* the value itself stands for the address */
    USE_DEVICE = 0x0e,
    ZERO_LENGTH = 0x0f,
    USE_DEVICE_IF_PRESENT = 0x10,
    RELEASE = 0x17,
    STRUCT = 0x1c, /* an aggregate some members of which follow, size: how many */
    ALWAYS_POINTER = 0x1d,
    POINTER_TO_ZERO_LENGTH = 0x1e,
    DELETE_ZERO_LENGTH = 0x1f,
    ATTACH = 0x50, /* size: bias */
    DETACH = 0x51,
    ATTACH_ZERO_LENGTH = 0x52,
    STRUCT_UNORDERED = 0x5c, /* of gcc 14: STRUCT whose members follow in any order */
    FORCE = 0x80,            /* of ALLOC, TO, FROM, TOFROM: from times before present_or was the rule */
    FORCE_DETACH = 0xd1      /* detach finalize */
};

/* Of OpenMP: what the kinds TO, FROM and TOFROM carry besides. */
enum { ALWAYS = 0x10, IMPLICIT = 0x60, ALWAYS_PRESENT = 0x94 };

struct entries {
    size_t n;
    void **host;
    const size_t *size;
    const unsigned short *kind;
    bool target;            /* of OpenMP: each private variable gets memory of its own */
    bool region;            /* of a target construct */
    const size_t *argument; /* expanded iterators: the entry of each argument; NULL: there are none */
    size_t arguments;
};

static inline unsigned rt_get_entry_kind(const struct entries *map, size_t i)
{
    const unsigned raw = map->kind[i] & 0xff, kind = raw & TOFROM, more = raw - kind;
    if (raw == STRUCT_UNORDERED)
        return STRUCT;
    return more == FORCE || more == IMPLICIT || (kind && (more == ALWAYS || more == ALWAYS_PRESENT)) ? kind : raw;
}

/* The size of an entry of gcc 16 that stands for several, one for each value of an iterator. It has the
 * address of their count, behind which each has an address and a size. */
enum { ITERATED = -1 };

bool rt_has_iterators(const struct entries *map);
/* Returns the entries with those of iterators in place of each that stands for them; host is to be freed. */
struct entries rt_expand_iterators(const struct entries *map);

/* Reports a section of a variable of declare link (clause link of declare target), before a region that
 * maps it: gcc gives the region an array of its own in its place, without values. Only functions that it
 * calls see the section. Where such a function uses the variable, nothing is reported: the region itself may
 * not use it. */
void rt_report_link_sections(const struct entries *map, const void *code);

/* What a kernel gets for an entry, of OpenMP's private variables the host's address. */
void *rt_get_kernel_argument(const struct rt_thread *self, const struct entries *map, size_t i);

/* Of an entry to a data environment, an exit, an update. */
void rt_add_entry_items(const struct entries *map, struct rt_items *items);
void rt_add_exit_items(const struct entries *map, struct rt_items *items);
void rt_add_update_items(const struct entries *map, struct rt_items *items);
/* Of a compute construct, behind those of its entry: attaches variables that hold the address of
 * present data. They are pointers, which the compiler passes like any scalar; a pointer in a data
 * clause takes part in attach (ACC33-att-5). */
void rt_attach_variables(const struct rt_thread *self, const struct entries *map, struct rt_items *items);
bool rt_is_pointer_variable(const struct rt_thread *self, const void *variable); /* of this kind */

/* After an entry: a descriptor that was present may have had other bounds. Attach includes it
 * (ACC33-att-9). */
void rt_refresh_descriptors(const struct rt_thread *self, const struct entries *map);

/* Makes pointers to sections of no length null on the device where nothing is present (OMP60-map-10). back: makes those
 * that still are null what they are on the host, before they are fetched with the object that they lie in. */
void rt_sync_null_pointers(const struct rt_thread *self, const struct entries *map, bool back);

#endif
