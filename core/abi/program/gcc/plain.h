/* plain.h - the short way of directives: a few entries of plain data alone, while calls are quick, each of which is one
 * item. All else goes the general way. */
#ifndef GOACC_PLAIN_H
#define GOACC_PLAIN_H

#include "entries.h"

enum { PLAIN = 16 };

/* What a kind of plain data asks for: an action, and more. 0: the kind goes the general way. */
enum { ACTION = 0x0f, TRIES = 0x10, MOVES = 0x20, OUT = 0x40, FINAL = 0x80 };

/* Which way a directive goes. On the short one GOACC_DOUBTFUL and GOACC_LINKED may be added. */
enum route { GENERAL, SHORT, DOUBTFUL = SHORT + GOACC_DOUBTFUL, MOST = DOUBTFUL + GOACC_LINKED };

/* Whether the entry asks for plain data at all; DOUBTFUL: they are to be looked at first. */
static inline __attribute__((always_inline)) enum route plain_data(const void *host, size_t bytes, unsigned asked,
                                                                   uintptr_t stack)
{
    if (goacc_is_static(host) && (uintptr_t)host < stack) /* statics may hold the stack */
        return SHORT;
    if (asked & OUT && goacc_constant(host))
        return GENERAL;
    return goacc_is_doubtful((uintptr_t)host, bytes, asked & MOVES) ? DOUBTFUL : SHORT;
}

/* Whether an address of a scalar may be none: gcc optimizes the copy of a private scalar away that was never set, and
 * passes what was on the stack. */
static inline bool goacc_may_be_no_copy(const void *host, size_t bytes)
{
    enum { SCALAR = 16, STACK = 8 << 20 };
    return bytes <= SCALAR && (uintptr_t)host - goacc.site->call.sp >= STACK && !goacc_is_static(host);
}

/* Whether a pointer of the directive points to the last item's data, and no item is the pointer itself, or its
 * descriptor (a structure may begin with the pointer): then the item has it, as add_pointer of entries.c has it. */
static inline bool plain_pointer(accd_item *items, size_t n, const void *slot, size_t bias)
{
    accd_item *last = n ? &items[n - 1] : NULL;
    if (!last || last->slot || (uintptr_t)last->host != goacc_word(slot) + bias)
        return false;
    for (size_t i = 0; i < n; i++)
        if (items[i].host == slot &&
            (items[i].bytes <= sizeof(void *) || goacc_is_descriptor(slot, items[i].bytes)))
            return false;
    last->slot = slot;
    return true;
}

#endif
