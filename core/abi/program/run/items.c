/* items.c - the items of one directive. */
#include "items.h"

void goacc_grow_items(struct goacc_items *items, size_t entries)
{
    items->at = malloc(2 * entries * sizeof items->at[0]);
    if (!items->at)
        goacc_die("out-of-memory", "no memory for a directive with %zu entries", entries);
}

accd_item *goacc_add_item(struct goacc_items *items, accd_action action, const void *host,
                          uint64_t bytes)
{
    accd_item *item = &items->at[items->n++];
    *item = (accd_item){.host = host, .bytes = bytes, .action = (uint8_t)action};
    goacc_label_item(item, items->label);
    return item;
}

accd_item *goacc_section_of(struct goacc_items *items, const void *slot, size_t bias)
{
    uintptr_t target = goacc_word(slot) + bias;
    for (size_t i = items->n; i-- > 0 && items->n - i <= items->back;) {
        accd_item *item = &items->at[i];
        if ((uintptr_t)item->host == target && !item->slot && item->bytes &&
            item->action != ACCD_ATTACH && item->action != ACCD_DETACH)
            return item;
    }
    return NULL;
}

void *goacc_address_of_part(const struct goacc_thread *self, const void *host, uint64_t bytes)
{
    uint64_t at = (uintptr_t)host, start, size;
    if (!accd_present_in(goacc.context, self->device, &at, (uintptr_t)host + bytes, &start, &size))
        return NULL;
    const char *device = goacc_device_address(self, (const void *)(uintptr_t)start);
    return (void *)(uintptr_t)(device - (start - (uintptr_t)host));
}

bool goacc_is_partly_present(const struct goacc_thread *self, const void *host, uint64_t bytes)
{
    return accd_presence_of(goacc.context, self->device, host, bytes) == ACCD_PARTLY;
}

bool goacc_add_present(struct goacc_items *items, accd_action action, const void *host,
                       uint16_t flags)
{
    uint64_t start, bytes;
    if (!accd_present_bounds(goacc.context, goacc_own.device, host, &start, &bytes))
        return false;
    goacc_add_item(items, action, (const void *)(uintptr_t)start, bytes)->flags = flags;
    return true;
}
