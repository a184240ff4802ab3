/* items.h - builds the list of items of one directive, for the entry points in gcc/, clang/ and routines/. An entry is
 * what the compiler passes for a clause; an item is what the core gets: a host range with an action. */
#ifndef RT_ITEMS_H
#define RT_ITEMS_H

#include "abi/program/base/label.h"
#include "abi/program/base/runtime.h"

#include <assert.h>
#include <stdlib.h>

/* List of items. `at` is the array: `inline_items` if that is long enough, otherwise memory of malloc. */
struct rt_items {
    accd_item *at, inline_items[16];
    size_t n; /* number of items */
    /* label of the call, for items without a name of their own; NULL: the list was made for no entries */
    const accd_label *label;
    bool finalize;       /* the directive has clause finalize */
    bool descriptors;    /* true if an item is a descriptor of a Fortran array */
    bool nulls;          /* OpenMP: true if an item is a pointer to a zero-length section */
    size_t search_depth; /* number of last items among which a pointer's section is searched */
};

/* Replaces the array `inline_items` by one for the items of `entries` entries, which must not be 0; the list must be
 * empty. Ends the program without memory. */
void rt_grow_items(struct rt_items *items, size_t entries);
/* Initializes a list for at most `entries` entries. Each entry makes up to two items: one to map and one to attach. The
 * lock must be held. Ends the program without memory. */
static inline void rt_items_init(struct rt_items *items, size_t entries)
{
    items->at = items->inline_items;
    items->n = 0;
    items->search_depth = 3;
    items->finalize = items->descriptors = items->nulls = false;
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
}

/* Appends an item with the label of the call, and returns the item, for the caller to set further fields. The list must
 * have space. */
accd_item *rt_add_item(struct rt_items *items, accd_action action, const void *host, uint64_t bytes);
/* Returns the item, among the last `search_depth` items, of the section that begins at the value of the pointer at
 * `slot` plus `bias`. Items that have a pointer already are skipped. Returns NULL if no item qualifies. */
accd_item *rt_find_pointed_section(struct rt_items *items, const void *slot, size_t bias);

/* Returns the device address of present data on the thread's device; NULL: the byte at `host` is absent. */
static inline void *rt_find_device_address(const struct rt_thread *self, const void *host)
{
    return (void *)(uintptr_t)accd_device_address(rt.context, self->device, host);
}
/* Returns the device address that the start of a partly present range would have; NULL: no byte of the range is
 * present. */
void *rt_find_partly_present_address(const struct rt_thread *self, const void *host, uint64_t bytes);
/* Returns true if a range is present in part, but not completely. */
bool rt_is_partly_present(const struct rt_thread *self, const void *host, uint64_t bytes);
/* Appends an item for the whole present object that contains `host` (OMP60-map-10), with the item flags `flags`.
 * Returns false, and appends nothing, if `host` is absent. */
bool rt_add_present_item(struct rt_items *items, accd_action action, const void *host, uint16_t flags);

#endif
