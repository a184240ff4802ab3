/* fast_path.h - the short way of directives: a few entries of plain data alone, while calls are quick, each of which is
 * one item. All else goes the general way. */
#ifndef RT_FAST_PATH_H
#define RT_FAST_PATH_H

#include "entries.h"

enum { FAST_ITEMS_MAX = 16 };

/* What a kind of plain data asks for: an action, and more. 0: the kind goes the general way. */
enum { ACTION = 0x0f, TRIES = 0x10, MOVES = 0x20, OUT = 0x40, FINAL = 0x80 };

/* Which way a directive goes. On the short one RT_NEEDS_CHECK and RT_HAS_POINTERS may be added. */
enum route {
    SLOW_PATH,
    FAST_PATH,
    FAST_PATH_CHECKED = FAST_PATH + RT_NEEDS_CHECK,
    FAST_PATH_LINKED = FAST_PATH_CHECKED + RT_HAS_POINTERS
};

/* Whether the entry asks for plain data at all; DOUBTFUL: they are to be looked at first. */
static inline __attribute__((always_inline)) enum route choose_data_route(const void *host, size_t bytes, unsigned spec,
                                                                          uintptr_t stack)
{
    if (rt_is_static(host) && (uintptr_t)host < stack) /* statics may hold the stack */
        return FAST_PATH;
    if (spec & OUT && rt_is_constant(host))
        return SLOW_PATH;
    return rt_needs_check((uintptr_t)host, bytes, spec & MOVES) ? FAST_PATH_CHECKED : FAST_PATH;
}

/* Whether an address of a scalar may be none: gcc optimizes the copy of a private scalar away that was never set, and
 * passes what was on the stack. */
static inline bool rt_may_be_unset_copy(const void *host, size_t bytes)
{
    enum { SCALAR = 16, STACK = 8 << 20 };
    return bytes <= SCALAR && (uintptr_t)host - rt.site->call.sp >= STACK && !rt_is_static(host);
}

/* Whether a pointer of the directive points to the last item's data, and no item is the pointer itself, or its
 * descriptor (a structure may begin with the pointer): then the item has it, as add_pointer of entries.c has it. */
static inline bool attach_to_last_item(accd_item *items, size_t n, const void *slot, size_t bias)
{
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
