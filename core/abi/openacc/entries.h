/* entries.h - the entries that gcc passes for a directive, and the items they become.
 *
 * A directive arrives as three columns: addresses, sizes and kinds of its entries. What each kind
 * asks for are facts of that interface; names and numbers are the compiler's. */
#ifndef GOACC_ENTRIES_H
#define GOACC_ENTRIES_H

#include "runtime.h"

#include <stdlib.h>

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
    FORCE = 0x80,       /* of ALLOC, TO, FROM, TOFROM: from times before present_or was the rule */
    FORCE_DETACH = 0xd1 /* detach finalize */
};

struct entries {
    size_t n;
    void **host;
    const size_t *size;
    const unsigned short *kind;
};

static inline unsigned goacc_kind(const struct entries *map, size_t i)
{
    unsigned kind = map->kind[i] & 0xff;
    return kind >= FORCE && kind <= (FORCE | TOFROM) ? kind & ~(unsigned)FORCE : kind;
}

/* The items of a directive, on the stack if they are few. */
struct goacc_items {
    accd_item *at, few[16];
    size_t n;
    const accd_label *label; /* of each, if it has no other */
    bool finalize;
    bool descriptors; /* there are some among them */
};

void goacc_grow_items(struct goacc_items *items, const struct entries *map);
static inline void goacc_open_items(struct goacc_items *items, const struct entries *map)
{
    items->at = items->few;
    items->n = 0;
    items->finalize = items->descriptors = false;
    items->label = map->n ? goacc_site_label() : NULL;
    if (map->n > sizeof items->few / sizeof items->few[0] / 2)
        goacc_grow_items(items, map);
}
static inline void goacc_close_items(struct goacc_items *items)
{
    if (items->at != items->few)
        free(items->at);
}
/* Of an entry to a data environment, an exit, an update. */
void goacc_entry_items(const struct entries *map, struct goacc_items *items);
void goacc_exit_items(const struct entries *map, struct goacc_items *items);
void goacc_update_items(const struct entries *map, struct goacc_items *items);
/* Of a compute construct, behind those of its entry: attaches variables that hold the address of
 * present data. They are pointers, which the compiler passes like any scalar; a pointer in a data
 * clause takes part in attach (ACC33-att-5). */
void goacc_attach_variables(const struct goacc_thread *self, const struct entries *map,
                            struct goacc_items *items);
bool goacc_is_pointer(const struct goacc_thread *self, const void *variable); /* of this kind */

/* After an entry: a descriptor that was present may have had other bounds. Attach includes it
 * (ACC33-att-9). */
void goacc_refresh_descriptors(const struct goacc_thread *self, const struct entries *map);

#endif
