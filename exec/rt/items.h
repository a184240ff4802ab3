/* items.h - list of the items of one directive. An entry is what the compiler passes for a clause; an item is what the
 * core gets: a host range with an action. */
#ifndef RT_ITEMS_H
#define RT_ITEMS_H

#include "base/runtime.h"
#include "diag/label.h"

#include <assert.h>
#include <stdlib.h>

/* Pointer whose device copy may have to be corrected when the items of the directive are mapped. */
struct rt_pointer_fixup {
    const void *slot;        /* address of the pointer, or of the Fortran descriptor that begins with it */
    const void *section;     /* address of the pointer's data; NULL: no entry of the directive attaches the pointer */
    size_t descriptor_bytes; /* size of the Fortran descriptor; 0: the pointer is in none */
    bool is_empty;           /* true if the section has zero length (OpenMP) */
};

/* List of items. `at` is the array: `inline_items` if that is long enough, otherwise memory of malloc. */
struct rt_items {
    accd_item *at, inline_items[16];
    size_t n; /* number of items */
    /* label of the call, for items without a name of their own; NULL: the list was made for no entries */
    const accd_label *label;
    bool finalize;                   /* true if the directive has clause finalize */
    size_t search_depth;             /* number of last items among which a pointer's section is searched */
    size_t entries;                  /* number of entries that the list was made for */
    struct rt_pointer_fixup *fixups; /* array of nfixups, at most `entries`, in memory of malloc; NULL: none yet */
    size_t nfixups;
};

/* Allocates an array for the items of `entries` entries (not 0) and uses it in place of `inline_items`. The list must
 * be empty. Ends the program without memory. */
void rt_grow_items(struct rt_items *items, size_t entries);
/* Initializes a list for the items of at most `entries` entries, each of which makes up to two items: one to map and
 * one to attach. The lock must be held. Ends the program without memory. */
static inline void rt_items_init(struct rt_items *items, size_t entries)
{
    assert(rt.site || !entries);
    items->at = items->inline_items;
    items->n = 0;
    items->search_depth = 3;
    items->finalize = false;
    items->entries = entries;
    items->fixups = NULL;
    items->nfixups = 0;
    items->label = entries ? rt_get_site_label() : NULL;
    if (entries > sizeof items->inline_items / sizeof items->inline_items[0] / 2)
        rt_grow_items(items, entries);
}
/* Frees the list's memory. */
static inline void rt_items_free(struct rt_items *items)
{
    assert(items->at);
    if (items->at != items->inline_items)
        free(items->at);
    if (items->fixups)
        free(items->fixups);
}

/* Appends an item with `action` for the `bytes` bytes at `host`, and returns it, for the caller to set further fields.
 * Its label is that of the call, or one with the data's name if names are needed at once. The list must have space. */
accd_item *rt_add_item(struct rt_items *items, accd_action action, const void *host, uint64_t bytes);
/* Appends a fix-up of the pointer at `slot`, and returns it, for the caller to set further fields. There must be fewer
 * fix-ups than entries. Ends the program without memory. */
struct rt_pointer_fixup *rt_add_fixup(struct rt_items *items, const void *slot);

/* Returns the device address of present data on the thread's device; NULL: the byte at `host` is absent. */
static inline void *rt_find_device_address(const struct rt_thread *self, const void *host)
{
    return (void *)(uintptr_t)accd_device_address(rt.context, self->device, host);
}
/* Returns the device address that the first of the `bytes` bytes at `host` would have, computed from that of the first
 * present byte; NULL: no byte is present. */
void *rt_find_partly_present_address(const struct rt_thread *self, const void *host, uint64_t bytes);
/* Returns true if some, but not all of the `bytes` bytes at `host` are present on the thread's device. */
bool rt_is_partly_present(const struct rt_thread *self, const void *host, uint64_t bytes);
/* Appends an item for the whole present object that contains `host` (OMP60-map-10), with the item flags `flags`.
 * Returns false, and appends nothing, if `host` is absent. */
bool rt_add_present_item(struct rt_items *items, accd_action action, const void *host, uint16_t flags);

#endif
