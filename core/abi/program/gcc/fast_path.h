/* fast_path.h - the fast path of gcc's directives: at most FAST_ITEMS_MAX entries of plain data, one item each, while
 * calls need only the lock. All other directives take the slow path through entries.c. goacc.c and target.c build the
 * items. */
#ifndef RT_FAST_PATH_H
#define RT_FAST_PATH_H

#include "abi/program/data/declared.h"
#include "abi/program/data/malloc_blocks.h"
#include "abi/program/run/lifecycle.h"
#include "entries.h"

#include <assert.h>

enum { FAST_ITEMS_MAX = 16 };

/* Fields of a spec, the entry of a table for one kind. ACTION: mask of its accd_action. TRIES: the item is skipped if
 * its data are absent. MOVES: bytes are transferred. OUT: host memory is written. FINAL: finalize. A spec of 0: the
 * kind needs the slow path. */
enum { ACTION = 0x0f, TRIES = 0x10, MOVES = 0x20, OUT = 0x40, FINAL = 0x80 };

/* Path of a directive. The paths after FAST_PATH have flags of rt_run_construct added to it. */
enum route {
    SLOW_PATH,
    FAST_PATH,
    FAST_PATH_CHECKED = FAST_PATH + RT_NEEDS_CHECK,
    FAST_PATH_LINKED = FAST_PATH_CHECKED + RT_HAS_POINTERS
};

/* Returns the path for an entry of plain data with this spec. FAST_PATH_CHECKED: the data must be checked first.
 * SLOW_PATH: the data are read-only, but the directive writes them. `stack`: the caller's stack pointer. */
static inline __attribute__((always_inline)) enum route choose_data_route(const void *host, size_t bytes, unsigned spec,
                                                                          uintptr_t stack)
{
    /* the test of `stack` excludes static memory that a thread uses as its stack */
    if (rt_is_static(host) && (uintptr_t)host < stack)
        return FAST_PATH;
    if (spec & OUT && rt_is_constant(host))
        return SLOW_PATH;
    return rt_needs_check((uintptr_t)host, bytes, spec & MOVES) ? FAST_PATH_CHECKED : FAST_PATH;
}

/* Returns true if a scalar's address may be invalid. gcc removes the copy of a private scalar that was never set, and
 * passes an undefined address from the stack. Needs a call under way (rt.site). */
static inline bool rt_may_be_unset_copy(const void *host, size_t bytes)
{
    assert(rt.site);
    enum { SCALAR = 16, STACK = 8 << 20 };
    return bytes <= SCALAR && (uintptr_t)host - rt.site->call.sp >= STACK && !rt_is_static(host);
}

/* Makes a pointer the slot of the last of n items, as add_pointer of entries.c would. Returns false, and changes
 * nothing, if the pointer does not point to that item's data, or if an item is the pointer or its descriptor. A
 * structure may begin with the pointer. */
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
