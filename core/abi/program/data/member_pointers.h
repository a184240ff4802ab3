/* member_pointers.h - pointers that are present only for the sections to which they point. */
#ifndef RT_MEMBER_POINTERS_H
#define RT_MEMBER_POINTERS_H

#include "abi/program/base/runtime.h"

/* True if an item is only the pointer or descriptor of another item's data. */
bool rt_is_pointer_item(const accd_item *items, size_t nitems, const accd_item *item);
/* True if an item is data, not a pointer to another item's data. */
bool rt_is_data_item(const accd_item *items, size_t nitems, const accd_item *item);
/* Unmaps pointers that alone made items partly present, and returns true. Returns false if there are
 * no such pointers, or if other data make an item partly present. */
bool rt_unmap_member_pointers(const struct rt_thread *self, const accd_item *items, size_t nitems);

#endif
