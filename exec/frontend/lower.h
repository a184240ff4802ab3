/* lower.h - from decoded entries (map_entry.h) to the items of a construct, and to the arguments of its kernel. The
 * lock must be held in all functions. */
#ifndef RT_LOWER_H
#define RT_LOWER_H

#include "map_entry.h"

/* Does the work of rt_lower_entry for an entry without data. */
void rt_lower_other_entry(struct rt_items *items, const struct map_entry *entry);
/* Appends the item of an entry, if it makes one. An entry of a pointer must follow that of its section. */
static inline void rt_lower_entry(struct rt_items *items, const struct map_entry *entry)
{
    if (entry->kind != MAP_DATA) {
        rt_lower_other_entry(items, entry);
        return;
    }
    assert(entry->host && (!entry->ndims || entry->dims));
    if (entry->needs_whole && rt_is_partly_present(&rt_this_thread, entry->host, entry->bytes))
        return;
    accd_item *item = rt_add_item(items, entry->action, entry->host, entry->bytes);
    item->flags = entry->flags;
    item->slot = entry->slot;
    item->base = entry->base;
    item->frame = entry->frame;
    item->frame_bytes = entry->frame_bytes;
    item->dims = entry->dims;
    item->ndims = entry->ndims;
    item->run = entry->run;
    if (entry->program) {
        item->program = entry->program;
        rt_add_label_layout(item);
    }
}
/* Lowers `bytes` bytes of data at `host`, whose item has the flags `flags`. */
static inline void rt_lower_data(struct rt_items *items, accd_action action, const void *host, uint64_t bytes,
                                 uint16_t flags)
{
    rt_lower_entry(
        items,
        &(struct map_entry){.kind = MAP_DATA, .action = (uint8_t)action, .flags = flags, .host = host, .bytes = bytes});
}
/* Lowers a zero-length section at `host`, whose item has the flags `flags`. */
static inline void rt_lower_empty_section(struct rt_items *items, accd_action action, const void *host, uint16_t flags)
{
    rt_lower_entry(
        items, &(struct map_entry){.kind = MAP_EMPTY_SECTION, .action = (uint8_t)action, .flags = flags, .host = host});
}
/* Lowers the pointer at `slot`, whose section begins at `section`. is_empty: that has zero length. action, flags: those
 * of an item for the pointer alone. */
static inline void rt_lower_pointer(struct rt_items *items, accd_action action, const void *slot, const void *section,
                                    bool is_empty, uint16_t flags)
{
    rt_lower_entry(items, &(struct map_entry){.kind = MAP_POINTER,
                                              .action = (uint8_t)action,
                                              .flags = flags,
                                              .is_empty = is_empty,
                                              .host = section,
                                              .slot = slot});
}
/* Records a Fortran descriptor of `bytes` bytes, more than a pointer has, whose bounds rt_run_items refreshes on the
 * device if the entry of its pointer follows. */
void rt_lower_descriptor(struct rt_items *items, const void *host, size_t bytes);
/* Returns the action for data at `host` when a directive begins a construct or enters data and requests `action`. Data
 * in read-only memory, such as virtual tables and typeinfo, cannot be copied back. */
accd_action rt_get_entry_action(accd_action action, const void *host);

/* Runs a construct of `kind` with the items on the thread's device; a construct without items only if it is a compute
 * construct. flags: RT_NEEDS_CHECK etc. (rt/lifecycle.h). Then corrects the device's copies of pointers: those to
 * absent zero-length sections become null (OMP60-map-10), and Fortran descriptors get the host's bounds (ACC33-att-9).
 * Returns the region; NULL: none is open. Failure ends the program. */
accd_region *rt_run_items(struct rt_thread *self, accd_construct_kind kind, unsigned flags, struct rt_items *items);
/* Gives those pointers that rt_run_items made null, and that still are, the host's value again. Called before the
 * object that contains them is copied back. */
void rt_restore_null_pointers(const struct rt_thread *self, const struct rt_items *items);

/* Returns the device address of `base`, from which a kernel reaches the `bytes` bytes at `host`. may_be_partial: the
 * first byte may be absent. NULL: the data are absent. */
void *rt_find_data_argument(const struct rt_thread *self, const char *host, uint64_t bytes, bool may_be_partial,
                            const char *base);
/* Returns the device address of `base`, from which a kernel reaches the zero-length section at `host`. If nothing is
 * present there, returns the image's function if `host` is a function's placeholder. Otherwise returns `base` if
 * rt.options.null_unmatched, for code, and for device memory if rt.device_pointers; else NULL. */
void *rt_find_section_argument(const struct rt_thread *self, const char *host, const char *base);

/* Returns the place of a private variable's copy, which has `bytes` bytes: the first multiple of `alignment` (a power
 * of two) from *next_p on. Sets *next_p to the end of the copy. */
static inline char *rt_place_private_copy(char **next_p, size_t bytes, size_t alignment)
{
    assert(alignment && !(alignment & (alignment - 1)));
    char *copy = (char *)(((uintptr_t)*next_p + alignment - 1) & ~(uintptr_t)(alignment - 1));
    *next_p = copy + bytes;
    return copy;
}

#endif
