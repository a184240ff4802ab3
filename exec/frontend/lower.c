/* lower.c - turns the entries of a directive into the items of one construct (a host range with an action), and finds
 * the arguments of its kernel. Called by the entry points of gcc and clang with the lock held.
 *
 * An entry of data becomes one item. A pointer's entry follows that of the section that it points to, and becomes that
 * item's slot (the address of the pointer to attach). Without such an item it becomes one that only attaches the
 * pointer. Pointers whose device copies must be corrected once the data are mapped are kept in items->fixups. */
#include "lower.h"

#include "diag/errors.h"
#include "image/declared.h"
#include "image/image.h"
#include "lib/descriptor.h"
#include "rt/lifecycle.h"
#include "rt/orders.h"

#include <string.h>

/* --------------------------------------------------------------------------------------- items -- */

/* Returns the item, among the last items->search_depth ones, of the section that begins at `section` and has no pointer
 * yet; NULL: no such item. */
static accd_item *find_section(struct rt_items *items, const void *section)
{
    for (size_t i = items->n; i-- > 0 && items->n - i <= items->search_depth;) {
        accd_item *item = &items->at[i];
        if (item->host == section && !item->slot && item->bytes && item->action != ACCD_ACTION_ATTACH &&
            item->action != ACCD_ACTION_DETACH)
            return item;
    }
    return NULL;
}

/* Sets ACCD_ITEM_BASE_POINTER in the items that map or unmap the base pointer or the Fortran descriptor at `slot`,
 * which gcc adds to a section. Rule profiles differ in whether such an item changes the reference counts of present
 * data that contain the pointer. */
static void mark_pointer(struct rt_items *items, const void *slot)
{
    for (size_t i = 0; i < items->n; i++) {
        accd_item *item = &items->at[i];
        bool pointer = item->bytes == sizeof(void *) && item->action == ACCD_ACTION_CREATE;
        bool is_unmapped = item->bytes == sizeof(void *) && item->action == ACCD_ACTION_DELETE;
        if (item->host == slot && (pointer || is_unmapped || rt_is_descriptor_size(slot, item->bytes)))
            item->flags |= ACCD_ITEM_BASE_POINTER;
    }
}

/* Records the pointer of `entry` for rt_run_items, if it is that of a Fortran descriptor, or if its section has zero
 * length. */
static void record_pointer(struct rt_items *items, const struct map_entry *entry)
{
    const bool is_empty = entry->is_empty && entry->host;
    struct rt_pointer_fixup *fixup = NULL;
    for (size_t i = items->nfixups; i-- > 0 && !fixup;)
        if (items->fixups[i].slot == entry->slot && !items->fixups[i].section)
            fixup = &items->fixups[i];
    if (!fixup && is_empty)
        fixup = rt_add_fixup(items, entry->slot);
    if (fixup) {
        fixup->section = entry->host;
        fixup->is_empty = is_empty;
    }
}

/* Makes the pointer of `entry` the slot of its section's item. Without such an item, appends one for the pointer alone,
 * unless the action is ACCD_ACTION_INHERIT. */
static void lower_pointer(struct rt_items *items, const struct map_entry *entry)
{
    assert(entry->slot);
    accd_item *section = find_section(items, entry->host);
    /* Pointers with if_present are not marked, because the aggregate that contains them may be present. A null pointer
     * has no section yet, or no longer; the compiler's item for the pointer is a base pointer all the same. */
    if (!(entry->flags & ACCD_ITEM_IF_PRESENT) && (section || !rt_load_word(entry->slot)))
        mark_pointer(items, entry->slot);
    record_pointer(items, entry);
    if (section) {
        section->slot = entry->slot;
    } else if (entry->action != ACCD_ACTION_INHERIT) {
        accd_item *item = rt_add_item(items, entry->action, entry->slot, sizeof(void *));
        item->slot = entry->slot;
        item->flags = entry->flags;
    }
}

/* Appends an item for the whole present object at a zero-length section. Without such an object, appends an item only
 * for the modifier `present`, which then fails in the core. */
static void lower_empty_section(struct rt_items *items, const struct map_entry *entry)
{
    const bool is_required = entry->flags & ACCD_ITEM_REQUIRE_PRESENT;
    const uint16_t flags = entry->flags & (uint16_t)~ACCD_ITEM_REQUIRE_PRESENT;
    if (!rt_add_present_item(items, entry->action, entry->host, flags) && is_required)
        rt_add_item(items, entry->action, entry->host, 1)->flags = ACCD_ITEM_REQUIRE_PRESENT;
}

/* Records the Fortran descriptor at `host`, whose pointer's entry follows, for rt_run_items. */
void rt_lower_descriptor(struct rt_items *items, const void *host, size_t bytes)
{
    assert(bytes > sizeof(void *));
    rt_add_fixup(items, host)->descriptor_bytes = bytes;
}

/* Appends the item of an entry that has no data. */
void rt_lower_other_entry(struct rt_items *items, const struct map_entry *entry)
{
    assert(rt.site && rt.context && entry->kind != MAP_DATA);
    if (entry->kind == MAP_EMPTY_SECTION)
        lower_empty_section(items, entry);
    else
        lower_pointer(items, entry);
}

/* Returns `action` without the copy to the host, if `host` lies in read-only memory. */
accd_action rt_get_entry_action(accd_action action, const void *host)
{
    if ((action != ACCD_ACTION_COPY && action != ACCD_ACTION_COPYOUT) || !rt_is_constant(host))
        return action;
    return action == ACCD_ACTION_COPY ? ACCD_ACTION_COPYIN : ACCD_ACTION_CREATE;
}

/* --------------------------------------------------------------------------------- constructs -- */

/* Bounds of a Fortran descriptor, which follow its address: for the device copy at `to`, if that has `address`. */
struct bounds {
    uint64_t to, address;
    int device;
    size_t bytes;
    char at[sizeof(struct rt_gfortran_descriptor) + RT_MAX_RANK * sizeof(struct rt_gfortran_dimension)];
};

/* Copies bounds to the device copy of a descriptor, if they differ and the device copy points to the device copy of the
 * data. If it does not, a kernel may have changed it: the device's bounds are kept. data: a struct bounds. */
static void write_bounds(const void *data)
{
    const struct bounds *bounds = data;
    const size_t pointer = sizeof(void *);
    if (rt_load_word((const void *)(uintptr_t)bounds->to) == bounds->address &&
        memcmp(bounds->at, (const char *)(uintptr_t)bounds->to + pointer, bounds->bytes) != 0)
        rt_write_device(bounds->device, bounds->to + pointer, bounds->at, bounds->bytes);
}

/* Refreshes the bounds of a present descriptor's device copy, at `device`, in the queue of the construct under way. */
static void refresh_descriptor(const struct rt_thread *self, const struct rt_pointer_fixup *fixup, uint64_t device)
{
    const size_t pointer = sizeof(void *);
    const char *host = fixup->slot;
    const uint64_t dev_data = accd_device_address(rt.context, self->device, fixup->section);
    struct bounds bounds = {.to = device,
                            .address = rt_load_word(host) + dev_data - (uintptr_t)fixup->section,
                            .device = self->device,
                            .bytes = fixup->descriptor_bytes - pointer};
    assert(bounds.bytes <= sizeof bounds.at);
    memcpy(bounds.at, host + pointer, bounds.bytes);
    if (dev_data)
        rt_call_in_queue(write_bounds, &bounds, sizeof bounds);
}

/* Writes the present device copies of pointers to zero-length sections whose data are absent: makes them null, or, with
 * `restore`, copies the host's pointer to those that are null. */
static void sync_null_pointer(const struct rt_thread *self, const struct rt_pointer_fixup *fixup, uint64_t device,
                              bool restore)
{
    const void *const null = NULL;
    if (rt_find_device_address(self, fixup->section) || (restore && rt_load_word((const void *)(uintptr_t)device)))
        return;
    if (!restore)
        RT_CALL_HOOKS(store_null, self->device, fixup->slot);
    rt_write_device(self->device, device, restore ? fixup->slot : &null, sizeof null);
}

/* Runs a construct with the items, and corrects the device's copies of pointers. */
accd_region *rt_run_items(struct rt_thread *self, accd_construct_kind kind, unsigned flags, struct rt_items *items)
{
    assert(items->at && items->nfixups <= items->entries);
    accd_region *region = NULL;
    if (items->n || kind == ACCD_KIND_COMPUTE)
        region = rt_run_construct(self, kind, flags, items->at, items->n, items->finalize);
    for (size_t i = 0; i < items->nfixups; i++) {
        const struct rt_pointer_fixup *fixup = &items->fixups[i];
        const uint64_t device = accd_device_address(rt.context, self->device, fixup->slot);
        if (device && fixup->descriptor_bytes)
            refresh_descriptor(self, fixup, device);
        if (device && fixup->is_empty)
            sync_null_pointer(self, fixup, device, false);
    }
    return region;
}

/* Gives pointers to absent zero-length sections that are null on the device the host's value. */
void rt_restore_null_pointers(const struct rt_thread *self, const struct rt_items *items)
{
    for (size_t i = 0; i < items->nfixups; i++) {
        const struct rt_pointer_fixup *fixup = &items->fixups[i];
        const uint64_t device = fixup->is_empty ? accd_device_address(rt.context, self->device, fixup->slot) : 0;
        if (device)
            sync_null_pointer(self, fixup, device, true);
    }
}

/* ---------------------------------------------------------------------------------- arguments -- */

/* Returns the device address of `base`, computed from that of the data at `host`; NULL: the data are absent. */
void *rt_find_data_argument(const struct rt_thread *self, const char *host, uint64_t bytes, bool may_be_partial,
                            const char *base)
{
    assert(rt.context && host);
    const char *device = rt_find_device_address(self, host);
    if (!device && may_be_partial)
        device = rt_find_partly_present_address(self, host, bytes);
    return device ? (void *)(uintptr_t)(device - (host - base)) : NULL;
}

/* Returns the device address of `base`, computed from that of the zero-length section at `host`; other results see
 * lower.h. */
void *rt_find_section_argument(const struct rt_thread *self, const char *host, const char *base)
{
    assert(rt.context);
    uint64_t low, high;
    const uint64_t match = accd_matching_address(rt.context, self->device, host, &low, &high);
    if (match && match != high)
        return (void *)(uintptr_t)(match - (uint64_t)(host - base));
    void *function = rt_find_image_function(self->device, host);
    const bool is_kept = rt.options.null_unmatched || rt_is_code(host) ||
                         (rt.device_pointers && accd_device_at(rt.context, (uintptr_t)host) == self->device);
    return function || !is_kept ? function : (void *)(uintptr_t)base;
}
