/* items.c - builds the list of items (host ranges with actions) of a directive. The lock must be held in all functions.
 */
#include "diag/errors.h"
#include "diag/label.h"
#include "items.h"

#include <assert.h>

/* Allocates an array for the items of `entries` entries, and uses it in place of `inline_items`. Ends the program
 * without memory. */
void rt_grow_items(struct rt_items *items, size_t entries)
{
    assert(entries > 0 && items->n == 0);
    items->at = malloc(2 * entries * sizeof items->at[0]);
    if (!items->at)
        rt_fatal("out-of-memory", "no memory for a directive with %zu entries", entries);
}

/* Appends an item with `action` for the `bytes` bytes at `host`, and returns it. Its label is that of the call, or one
 * with the data's name if names are needed at once. */
accd_item *rt_add_item(struct rt_items *items, accd_action action, const void *host, uint64_t bytes)
{
    assert(items->at != items->inline_items || items->n < sizeof items->inline_items / sizeof items->inline_items[0]);
    accd_item *item = &items->at[items->n++];
    *item = (accd_item){.host = host, .bytes = bytes, .action = (uint8_t)action};
    rt_label_item(item, items->label);
    return item;
}

/* Appends a fix-up of the pointer at `slot`, and returns it. Ends the program without memory. */
struct rt_pointer_fixup *rt_add_fixup(struct rt_items *items, const void *slot)
{
    assert(slot && items->nfixups < items->entries);
    if (!items->fixups && !(items->fixups = malloc(items->entries * sizeof items->fixups[0])))
        rt_fatal("out-of-memory", "no memory for a directive with %zu entries", items->entries);
    struct rt_pointer_fixup *fixup = &items->fixups[items->nfixups++];
    *fixup = (struct rt_pointer_fixup){.slot = slot};
    return fixup;
}

/* Returns the device address that the first of the `bytes` bytes at `host` would have, computed from that of the first
 * present byte; NULL: no byte is present. */
void *rt_find_partly_present_address(const struct rt_thread *self, const void *host, uint64_t bytes)
{
    assert(rt.context);
    uint64_t at = (uintptr_t)host, start, size;
    if (!accd_present_overlapping(rt.context, self->device, &at, (uintptr_t)host + bytes, &start, &size))
        return NULL;
    const char *device = rt_find_device_address(self, (const void *)(uintptr_t)start);
    return (void *)(uintptr_t)(device - (start - (uintptr_t)host));
}

/* Returns true if some, but not all of the `bytes` bytes at `host` are present on the thread's device. */
bool rt_is_partly_present(const struct rt_thread *self, const void *host, uint64_t bytes)
{
    return accd_get_presence(rt.context, self->device, host, bytes) == ACCD_PRESENCE_PARTIAL;
}

/* Appends an item with `action` and `flags` for the whole present object that contains `host`. Returns false, and
 * appends nothing, if `host` is absent. */
bool rt_add_present_item(struct rt_items *items, accd_action action, const void *host, uint16_t flags)
{
    uint64_t start, bytes;
    if (!accd_present_bounds(rt.context, rt_this_thread.device, host, &start, &bytes))
        return false;
    rt_add_item(items, action, (const void *)(uintptr_t)start, bytes)->flags = flags;
    return true;
}
