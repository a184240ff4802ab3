/* gcc_fast_path.h - the fast path of gcc's directives, for at most FAST_ITEMS_MAX entries of plain data, each of which
 * becomes one item (host range with an action). It is taken only while a call needs no more than the lock
 * (rt_can_use_fast_path): no tools, checks or declared variables. All other directives take the slow path through
 * gcc_entries.c. gcc_acc.c and gcc_omp.c build the items of the fast path. */
#ifndef RT_FAST_PATH_H
#define RT_FAST_PATH_H

#include "base/compiler_facts.h"
#include "image/declared.h"
#include "image/malloc_blocks.h"
#include "rt/lifecycle.h"
#include "gcc_entries.h"

#include <assert.h>

enum { FAST_ITEMS_MAX = 16 };

/* Bits of a spec, which says what a directive does with entries of one kind; each directive has a table of specs,
 * indexed by the kind. ACTION: mask of the accd_action. TRIES: the item is skipped if its data are absent. MOVES: bytes
 * are transferred. OUT: host memory is written. FINAL: finalize. A spec of 0: entries of this kind need the slow path.
 */
enum { ACTION = 0x0f, TRIES = 0x10, MOVES = 0x20, OUT = 0x40, FINAL = 0x80 };

/* Path of a directive. CHECKED: the items must be checked before the core gets them. LINKED: items also attach
 * pointers. The values above FAST_PATH are FAST_PATH plus the flags that rt_run_construct gets. */
enum route {
    SLOW_PATH,
    FAST_PATH,
    FAST_PATH_CHECKED = FAST_PATH + RT_NEEDS_CHECK,
    FAST_PATH_LINKED = FAST_PATH_CHECKED + RT_HAS_POINTERS
};

/* Returns the path for the `bytes` bytes of data at `host`, with the spec of their entry. SLOW_PATH: the data are
 * read-only, but the directive would write them. FAST_PATH_CHECKED: the data must be checked first (rt_needs_check).
 * FAST_PATH: neither. `stack`: the program's stack pointer at the call. The lock must be held. */
static inline __attribute__((always_inline)) enum route choose_data_route(const void *host, size_t bytes, unsigned spec,
                                                                          uintptr_t stack)
{
    /* Static data need no check, unless a thread uses static memory as its stack; then they may lie above `stack`. */
    if (rt_is_static(host) && (uintptr_t)host < stack)
        return FAST_PATH;
    if (spec & OUT && rt_is_constant(host))
        return SLOW_PATH;
    return rt_needs_check((uintptr_t)host, bytes, spec & MOVES) ? FAST_PATH_CHECKED : FAST_PATH;
}

/* Makes `item` the item of an entry of data with this spec, and returns the path that it can take, see
 * choose_data_route. Makes no item for SLOW_PATH. Fields that are not set here must be 0. */
static inline __attribute__((always_inline)) enum route
make_fast_item(accd_item *item, const void *host, size_t bytes, unsigned spec, uintptr_t stack, const accd_label *label)
{
    const enum route route = choose_data_route(host, bytes, spec, stack);
    if (route == SLOW_PATH)
        return route;
    item->host = host;
    item->bytes = bytes;
    item->slot = NULL;
    item->label = label;
    item->action = spec & ACTION;
    item->flags = spec & TRIES ? ACCD_ITEM_IF_PRESENT : 0;
    return route;
}

/* Returns true if the `bytes` bytes at `host` may be a scalar whose address is invalid. gcc removes the copy of a
 * private scalar that was never set, and passes an undefined address from the stack. True for at most 16 bytes that lie
 * neither within 8 MiB above the call's stack pointer nor in static memory. A call must be under way (rt.site). */
static inline bool rt_may_be_unset_copy(const void *host, size_t bytes)
{
    assert(rt.site);
    return bytes <= RT_PRIVATE_SCALAR_MAX && (uintptr_t)host - rt.site->call.sp >= RT_PRIVATE_COPIES_REACH &&
           !rt_is_static(host);
}

/* Attaches the pointer at `slot` to the last of n items, by setting the item's slot. The pointer's value plus `bias`
 * must be the start of that item's data. Returns false, and changes nothing, if it is not, if the item has a slot
 * already, or if one of the items maps the pointer alone or its Fortran descriptor. */
static inline bool attach_to_last_item(accd_item *items, size_t n, const void *slot, size_t bias)
{
    assert(slot && n <= FAST_ITEMS_MAX);
    accd_item *last = n ? &items[n - 1] : NULL;
    if (!last || last->slot || (uintptr_t)last->host != rt_load_word(slot) + bias)
        return false;
    for (size_t i = 0; i < n; i++)
        if (items[i].host == slot && (items[i].bytes <= sizeof(void *) || rt_is_descriptor_size(slot, items[i].bytes)))
            return false;
    last->slot = slot;
    return true;
}

#endif
