/* access.h - the short check of one access: a few instructions in the function that the compiler calls for
 * each load and store. If it does not allow the access, ask.c looks closer. */
#ifndef GOACC_ACCESS_H
#define GOACC_ACCESS_H

#include "checked.h"

#include <string.h>

#define API __attribute__((visibility("default")))
#define FRAME ((const uintptr_t *)__builtin_frame_address(0)) /* needs -fno-omit-frame-pointer */
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* The same object under a name that no other library has: no table is needed to reach it. */
extern struct goacc_checked checked_here __attribute__((visibility("hidden")));
extern __thread struct goacc_inside inside_here __attribute__((visibility("hidden")));

/* An access, of any bytes, that the shadow does not allow at once, or that is to be noted. how: GOACC_READS, ... */
void goacc_ask(uintptr_t at, size_t n, unsigned how, uintptr_t pc, const uintptr_t *frame);
/* An access of the caller's caller: the functions that the compiler calls have no frame of their own, and jump here as
 * the last thing that they do. Of 4 or 8 bytes: perhaps the first access since they were moved. */
void goacc_ask_from(uintptr_t at, size_t n, unsigned how);
void goacc_read4_first(uintptr_t at);
void goacc_write4_first(uintptr_t at);
void goacc_read8_first(uintptr_t at);
void goacc_write8_first(uintptr_t at);
/* asked.c: a block of malloc, and how many bytes were asked for; it is about to be freed. */
void goacc_asked_note(uintptr_t start, size_t bytes);
void goacc_asked_forget(uintptr_t start);
/* The same as goacc_ask for each word of a range. */
void goacc_ask_words(uintptr_t at, size_t n, unsigned how, uintptr_t pc, const uintptr_t *frame);

/* A lock that is held for a few instructions. */
static inline void goacc_hold(bool *lock)
{
    while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE))
        __builtin_ia32_pause();
}
static inline void goacc_release(bool *lock)
{
    __atomic_clear(lock, __ATOMIC_RELEASE);
}

static inline size_t goacc_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* For each of n bytes from the lowest on, 16 at most. */
static inline uint64_t goacc_of_bytes(size_t n, unsigned states)
{
    return (n == 16 ? UINT64_MAX : ((uint64_t)1 << 4 * n) - 1) & states * 0x1111111111111111u;
}

/* Bytes as units of 1 << shift bytes. */
static inline uintptr_t goacc_units(uintptr_t bytes, unsigned shift)
{
    return shift ? bytes >> shift | bytes << (64 - shift) : bytes;
}

/* The states of n bytes, the unit of an access, at a place in the shadow that is counted in such units, or in words. */
static inline __attribute__((always_inline)) uint64_t goacc_states_of(const uint32_t *states, size_t unit, size_t n)
{
    uint64_t wide;
    uint16_t half;
    switch (n) {
    case 1:
        return ((const uint8_t *)states)[unit / 2] >> 4 * (unit % 2);
    case 2:
        return ((const uint8_t *)states)[unit];
    case 4:
        memcpy(&half, (const char *)states + 2 * unit, sizeof half);
        return half;
    case 8:
        return states[unit];
    default:
        memcpy(&wide, states + unit, sizeof wide);
        return wide;
    }
}

static inline __attribute__((always_inline)) void goacc_note_write(uint32_t *note, size_t n, uintptr_t pc)
{
    __atomic_store_n(note, (uint32_t)pc, __ATOMIC_RELAXED);
    if (n == 16)
        __atomic_store_n(note + 1, (uint32_t)pc, __ATOMIC_RELAXED);
}

/* True: the access of n bytes, 1, 2, 4, 8 or 16, is fine. An address that is no multiple of n, or of 8, has a number of
 * units that is too large. */
static inline __attribute__((always_inline)) bool goacc_is_fine(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    const struct goacc_inside *inside = &inside_here;
    const unsigned shift = n == 1 ? 0 : n == 2 ? 1 : n == 4 ? 2 : 3;
    const uint64_t wanted = goacc_of_bytes(n, GOACC_PRESENT | GOACC_VALID | (write ? GOACC_ONLY : GOACC_READ));
    const uintptr_t unit = goacc_units(at - inside->low, shift);
    if (!write && LIKELY(unit < inside->reach[shift]) && (n < 16 || at % 16 == 0) &&
        LIKELY(inside->tiles[unit >> (9 - shift)] == GOACC_ALL))
        return true;
    if (unit < inside->units[shift]) {
        if (~goacc_states_of(inside->states, unit, n) & wanted)
            return false;
        if (write)
            goacc_note_write(&inside->notes[unit >> (3 - shift)], n, pc);
        return true;
    }
    if (inside->runs)
        return at - inside->stack < inside->stack_bytes;
    if (!checked_here.leaves)
        return true;
    uint32_t *leaf = checked_here.leaves[at / GOACC_LEAF % GOACC_LEAVES];
    if (LIKELY(!leaf))
        return at - checked_here.low >= checked_here.bytes;
    if (at % n)
        return false;
    const size_t into = at % GOACC_LEAF;
    const uint64_t states = goacc_states_of(leaf, into >> shift, n), present = goacc_of_bytes(n, GOACC_PRESENT);
    if (~states & wanted)
        return !(states & present);
    if (write)
        goacc_note_write(leaf + GOACC_NOTES + into / 8, n, pc);
    return true;
}

/* Of a function that does more behind it; its frame stays. */
#define ASK_HERE(at, n, how)                                                           \
    do {                                                                          \
        goacc_ask((at), (n), (how), (uintptr_t)__builtin_return_address(0), FRAME); \
        __asm__ volatile("");                                                     \
    } while (0)

static inline __attribute__((always_inline)) void check(uintptr_t at, size_t n, unsigned how)
{
    if (!LIKELY(goacc_is_fine(at, n, how & GOACC_WRITES, (uintptr_t)__builtin_return_address(0))))
        ASK_HERE(at, n, how);
}

/* Where nothing follows. */
static inline __attribute__((always_inline)) void check_last(uintptr_t at, size_t n, unsigned how)
{
    if (LIKELY(goacc_is_fine(at, n, how & GOACC_WRITES, (uintptr_t)__builtin_return_address(0))))
        return;
    if (n != 4 && n != 8)
        goacc_ask_from(at, n, how);
    else if (how & GOACC_WRITES)
        n == 4 ? goacc_write4_first(at) : goacc_write8_first(at);
    else
        n == 4 ? goacc_read4_first(at) : goacc_read8_first(at);
}

#endif
