/* access.h - the check of one access, in the function that the compiler calls for it. */
#ifndef GOACC_ACCESS_H
#define GOACC_ACCESS_H

#include "checked.h"

#define API __attribute__((visibility("default")))
#define FRAME ((const uintptr_t *)__builtin_frame_address(0)) /* needs -fno-omit-frame-pointer */

/* The same object under a name that no other library has: no table is needed to reach it. */
extern struct goacc_checked checked_here __attribute__((visibility("hidden")));
extern __thread struct goacc_inside inside_here __attribute__((visibility("hidden")));

/* True: the access is fine. n: at most 8. device: the shadow. */
static inline __attribute__((always_inline)) bool is_fine(uintptr_t at, size_t n, bool write, uintptr_t pc,
                                                          struct goacc_shadow *device)
{
    const unsigned into = at % 8;
    const uint32_t bytes = (n == 8 ? UINT32_MAX : (1u << 4 * n) - 1) << 4 * into;
    struct goacc_shadow *word;
    if (inside_here.bytes) {
        uintptr_t offset = at - checked_here.low;
        if (offset >= checked_here.bytes) {
            if (at - inside_here.low < inside_here.bytes)
                return true;
            if (at - inside_here.declared >= inside_here.declared_bytes)
                return false;
            offset += inside_here.offset;
        }
        word = &device[offset / 8];
    } else {
        if (!checked_here.leaves)
            return true;
        struct goacc_shadow *leaf = checked_here.leaves[at / GOACC_LEAF % GOACC_LEAVES];
        if (__builtin_expect(!leaf, 1))
            return at - checked_here.low >= checked_here.bytes;
        word = &leaf[at % GOACC_LEAF / 8];
        if (n + into <= 8 &&
            !(__atomic_load_n(&word->states, __ATOMIC_RELAXED) & bytes & GOACC_IN_ALL(GOACC_PRESENT)))
            return true;
    }
    const uint32_t wanted = bytes & (write ? GOACC_IN_ALL(GOACC_PRESENT | GOACC_ONLY)
                                           : GOACC_IN_ALL(GOACC_PRESENT | GOACC_VALID | GOACC_READ));
    if (n + into > 8)
        return false;
    const uint32_t missing = ~__atomic_load_n(&word->states, __ATOMIC_RELAXED) & wanted;
    if (missing && (write || !inside_here.bytes || missing & ~GOACC_IN_ALL(GOACC_READ)))
        return false;
    if (missing) /* the first read of a kernel since the bytes were moved */
        __atomic_fetch_or(&word->states, missing, __ATOMIC_RELAXED);
    if (write)
        __atomic_store_n(&word->note, (uint32_t)pc, __ATOMIC_RELAXED);
    return true;
}

/* An access, of any bytes, that the shadow does not allow, or that is to be noted. how: GOACC_READS, ... */
void goacc_ask(uintptr_t at, size_t n, unsigned how, uintptr_t pc, const uintptr_t *frame);

/* Of 1, 2, 4, 8 or 16 bytes. */
static inline __attribute__((always_inline)) void check(uintptr_t at, size_t n, unsigned how)
{
    const uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    const bool write = how & GOACC_WRITES;
    const bool fine = n <= 8 ? is_fine(at, n, write, pc, inside_here.device)
                             : is_fine(at, 8, write, pc, inside_here.device) &&
                                   is_fine(at + 8, 8, write, pc, inside_here.device);
    if (__builtin_expect(!fine, 0))
        goacc_ask(at, n, how, pc, FRAME);
}

#endif
