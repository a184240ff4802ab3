/* items.h - the items of one directive. */
#ifndef RT_ITEMS_H
#define RT_ITEMS_H

#include "abi/program/base/runtime.h"

#include <stdlib.h>

/* On the stack if they are few. */
struct rt_items {
    accd_item *at, few[16];
    size_t n;
    const accd_label *label; /* of each, if it has no other */
    bool finalize;
    bool descriptors; /* there are some among them */
    bool nulls;       /* of OpenMP: there are pointers to sections of no length */
    size_t back;      /* a pointer's section is at most so many items before it */
};

void rt_grow_items(struct rt_items *items, size_t entries);
/* Room for the items of so many entries: a pointer may be one to map and one to attach. */
static inline void rt_items_init(struct rt_items *items, size_t entries)
{
    items->at = items->few;
    items->n = 0;
    items->back = 3;
    items->finalize = items->descriptors = items->nulls = false;
    items->label = entries ? rt_get_site_label() : NULL;
    if (entries > sizeof items->few / sizeof items->few[0] / 2)
        rt_grow_items(items, entries);
}
static inline void rt_items_free(struct rt_items *items)
{
    if (items->at != items->few)
        free(items->at);
}

accd_item *rt_add_item(struct rt_items *items, accd_action action, const void *host, uint64_t bytes);
/* The section that a pointer with a bias points to, among the items just added; or NULL. */
accd_item *rt_find_pointed_section(struct rt_items *items, const void *slot, size_t bias);

static inline void *rt_find_device_address(const struct rt_thread *self, const void *host)
{
    return (void *)(uintptr_t)accd_device_address(rt.context, self->device, host);
}
/* Where the whole of a range would be of which the device has a part; NULL: it has none. */
void *rt_find_partly_present_address(const struct rt_thread *self, const void *host, uint64_t bytes);
/* Whether the device has a part of a range, but not all. */
bool rt_is_partly_present(const struct rt_thread *self, const void *host, uint64_t bytes);
/* All that is present of the object in which an address lies, as an item (OMP60-map-10). False:
 * nothing is. */
bool rt_add_present_item(struct rt_items *items, accd_action action, const void *host, uint16_t flags);

#endif
