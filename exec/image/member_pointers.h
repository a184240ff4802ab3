/* member_pointers.h - base pointers: pointers that are present on their own only because the compiler maps them along
 * with the section that they point to. */
#ifndef RT_MEMBER_POINTERS_H
#define RT_MEMBER_POINTERS_H

#include "base/runtime.h"

/* Returns true if `item` is a pointer or Fortran descriptor whose target another of the items contains. */
bool rt_is_pointer_item(const accd_item *items, size_t nitems, const accd_item *item);
/* Returns true if `item` is data: it has bytes, neither attaches nor detaches, and is no base pointer of another item.
 */
bool rt_is_data_item(const accd_item *items, size_t nitems, const accd_item *item);
/* Unmaps the present base pointers in the ranges of items that are partly present, on the thread's device. Returns true
 * if it has unmapped any, so that the construct can be tried again. Returns false and unmaps nothing if no item is
 * partly present, or if other data make one so. */
bool rt_unmap_member_pointers(const struct rt_thread *self, const accd_item *items, size_t nitems);

#endif
