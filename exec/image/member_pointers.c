/* member_pointers.c - unmaps base pointers: pointers that are present on their own only because the compiler maps them
 * with the section that they point to, which OpenACC does not require (ACC33-att-6). A later clause may name the
 * structure that contains such a pointer. The structure is then partly present, which the core refuses; lifecycle.c
 * calls this file, and runs the construct again. */
#include "base/runtime.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "lib/descriptor.h"
#include "member_pointers.h"

#include <assert.h>

/* Returns true if all objects present in the item's range are base pointers, lie completely in the range, and are used
 * by no data region. */
static bool has_only_pointers(const struct rt_thread *self, const accd_item *item)
{
    assert(item->bytes > 0);
    uint64_t at = (uintptr_t)item->host, end = at + item->bytes;
    accd_present_object object;
    while (accd_present_next(rt.context, self->device, &at, &object) && object.info.host < end)
        if (!object.pointer || object.structured || object.info.host < (uintptr_t)item->host || at > end)
            return false;
    return true;
}

/* Unmaps all objects present within the item's range, which must be base pointers. Failure ends the program. */
static void unmap_pointers(const struct rt_thread *self, const accd_item *item)
{
    assert(rt.context && item->bytes > 0);
    uint64_t at = (uintptr_t)item->host, end = at + item->bytes;
    accd_present_object object;
    while (accd_present_next(rt.context, self->device, &at, &object) && object.info.host < end) {
        accd_item pointer = {.host = (const void *)(uintptr_t)object.info.host,
                             .bytes = object.info.bytes,
                             .action = ACCD_ACTION_DELETE};
        rt_label_item_at_site(&pointer);
        rt_check_status(accd_run_construct(
            rt.context,
            &(accd_construct){
                .device = self->device, .kind = ACCD_KIND_EXIT_DATA, .finalize = 1, .items = &pointer, .nitems = 1},
            NULL));
    }
}

/* Returns true if an item is partly present on the thread's device. */
static bool is_partly_present(const struct rt_thread *self, const accd_item *item)
{
    return accd_get_presence(rt.context, self->device, item->host, item->bytes) == ACCD_PRESENCE_PARTIAL;
}

/* Unmaps the base pointers that make items partly present on the thread's device. Returns true if it has unmapped any.
 * Returns false and unmaps nothing if no item is partly present, or if other data make one so. */
bool rt_unmap_member_pointers(const struct rt_thread *self, const accd_item *items, size_t nitems)
{
    assert(items || !nitems);
    bool gave = false;
    for (size_t i = 0; i < nitems; i++)
        if (is_partly_present(self, &items[i]) && !has_only_pointers(self, &items[i]))
            return false;
    for (size_t i = 0; i < nitems; i++)
        if (is_partly_present(self, &items[i])) {
            unmap_pointers(self, &items[i]);
            gave = true;
        }
    return gave;
}

/* Returns true if `item` has the size of a pointer or Fortran descriptor, and another of the items contains the address
 * that its first word holds. */
bool rt_is_pointer_item(const accd_item *items, size_t nitems, const accd_item *item)
{
    if (!item->host || (item->bytes != sizeof(void *) && !rt_is_descriptor_size(item->host, item->bytes)))
        return false;
    const uintptr_t target = rt_load_word(item->host);
    for (size_t i = 0; i < nitems; i++)
        if (&items[i] != item && target && target - (uintptr_t)items[i].host < items[i].bytes)
            return true;
    return false;
}

/* Returns true if `item` is data: it has bytes, neither attaches nor detaches, and is no base pointer of another item.
 */
bool rt_is_data_item(const accd_item *items, size_t nitems, const accd_item *item)
{
    return item->bytes && item->action != ACCD_ACTION_ATTACH && item->action != ACCD_ACTION_DETACH &&
           !(item->flags & ACCD_ITEM_BASE_POINTER) && !rt_is_pointer_item(items, nitems, item);
}
