/* fast_path.h - fast path of the check of an access: a few instructions in the function that the compiler
 * calls for each load and store. It only tests states of the accessed bytes (checked.h), and stores origins
 * (writers). Accesses that it does not allow take the slow path, slow_path.c, which may change states or call
 * the runtime. */
#ifndef RT_CHECK_FAST_PATH_H
#define RT_CHECK_FAST_PATH_H

#include "checked.h"

#include <string.h>

#define API __attribute__((visibility("default")))
/* FRAME: frame of the function that contains this macro; needs -fno-omit-frame-pointer. */
#define FRAME ((const uintptr_t *)__builtin_frame_address(0))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* local_shadow: alias of rt_shadow. this_check_thread: state of the calling thread. Both symbols are hidden
 * from other libraries, so that code of this library reaches them without a table of the linker. */
extern struct rt_shadow local_shadow __attribute__((visibility("hidden")));
extern __thread struct rt_check_thread this_check_thread __attribute__((visibility("hidden")));

/* Checks an access of n bytes at `at` that the fast path does not allow, or that must be recorded in the
 * history. Calls rt_shadow.on_access if the shadow does not allow the access. access_flags: RT_ACCESS_READ,
 * ...; pc: return address of the access; frame: __builtin_frame_address of the function that the compiler
 * called, NULL: not known. */
void rt_check_slow_path(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame);
/* Checks an access by rt_check_slow_path, for a function that the compiler calls. Such a function has no
 * frame of its own and jumps here as its last step, so the return address here is that of the program's
 * access. */
void rt_check_caller_slow_path(uintptr_t at, size_t n, unsigned access_flags);
/* Check a read or a write of 4 or 8 bytes that may be the first access since the bytes were moved to this
 * side (host or device). Reached by a jump, so that the return address is that of the program's access. */
void rt_read4_first(uintptr_t at);
void rt_write4_first(uintptr_t at);
void rt_read8_first(uintptr_t at);
void rt_write8_first(uintptr_t at);
/* requested_sizes.c: records that the program requested `bytes` bytes for the block of malloc at `start`. */
void rt_record_requested_size(uintptr_t start, size_t bytes);
/* requested_sizes.c: forgets the requested size of the block at `start`, and returns it (0: not known); called before
 * the block is freed. */
size_t rt_forget_requested_size(uintptr_t start);
/* Checks an access of n bytes word by word, by the slow path. Host memory without a shadow (nothing is mapped
 * there) needs no check. The runtime must be present. */
void rt_check_words_slow_path(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame);

/* Acquires a spin lock that is held for a few instructions; *lock is true while a thread has the lock. Must
 * not be used in signal handlers, which may have interrupted that thread. */
static inline void rt_spin_lock(bool *lock)
{
    while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE))
        __builtin_ia32_pause();
}
/* Releases the spin lock. */
static inline void rt_spin_unlock(bool *lock)
{
    __atomic_clear(lock, __ATOMIC_RELEASE);
}

/* Returns the smaller one of two sizes. */
static inline size_t rt_min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns a word of shadow in which each of n bytes (at most 16) has the states `states`; byte 0 is in the
 * lowest bits. */
static inline uint64_t rt_repeat_states(size_t n, unsigned states)
{
    return (n == 16 ? UINT64_MAX : ((uint64_t)1 << 4 * n) - 1) & states * 0x1111111111111111u;
}

/* Returns the offset `bytes` as a number of units of 1 << shift bytes. If the offset is not a multiple of a
 * unit, the result is larger than any valid index. */
static inline uintptr_t rt_offset_in_units(uintptr_t bytes, unsigned shift)
{
    return shift ? bytes >> shift | bytes << (64 - shift) : bytes;
}

/* Returns the states of n bytes (1, 2, 4, 8 or 16), byte 0 in the lowest bits. states: shadow of a memory
 * area. unit: offset of the first byte in that area, divided by n; for n = 16 divided by 8. Higher bits of
 * the result than those of n bytes are undefined. */
static inline __attribute__((always_inline)) uint64_t rt_load_states(const uint32_t *states, size_t unit, size_t n)
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

/* Stores the low half of `pc`, the return address of a write of n bytes, as the origin of one word; for n =
 * 16 of two words. */
static inline __attribute__((always_inline)) void rt_record_writer(uint32_t *origin, size_t n, uintptr_t pc)
{
    __atomic_store_n(origin, (uint32_t)pc, __ATOMIC_RELAXED);
    if (n == 16)
        __atomic_store_n(origin + 1, (uint32_t)pc, __ATOMIC_RELAXED);
}

/* Returns true if the shadow allows an access of n bytes (1, 2, 4, 8 or 16), and stores the origin of an allowed write.
 * pc: return address of the access. Returns false if the slow path must decide, also for each unaligned address, whose
 * unit number is too large. */
static inline __attribute__((always_inline)) bool rt_check_fast_path(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    const struct rt_check_thread *thread = &this_check_thread;
    const unsigned shift = n == 1 ? 0 : n == 2 ? 1 : n == 4 ? 2 : 3;
    const uint64_t required_states = rt_repeat_states(n, RT_PRESENT | RT_VALID | (write ? RT_DIRTY : RT_WAS_READ));
    const uintptr_t unit = rt_offset_in_units(at - thread->low, shift);
    if (!write && LIKELY(unit < thread->reach[shift]) && (n < 16 || at % 16 == 0) &&
        LIKELY(thread->tiles[unit >> (9 - shift)] == RT_TILE_READABLE))
        return true;
    if (unit < thread->units[shift]) {
        if (~rt_load_states(thread->states, unit, n) & required_states)
            return false;
        if (write)
            rt_record_writer(&thread->origins[unit >> (3 - shift)], n, pc);
        return true;
    }
    if (thread->in_kernel)
        return at - thread->stack < thread->stack_bytes;
    if (!local_shadow.shadow_pages)
        return true;
    uint32_t *shadow_page = local_shadow.shadow_pages[at / RT_SHADOW_PAGE_BYTES % RT_SHADOW_PAGES];
    if (LIKELY(!shadow_page))
        return at - local_shadow.low >= local_shadow.bytes;
    if (at % n)
        return false;
    const size_t offset = at % RT_SHADOW_PAGE_BYTES;
    const uint64_t states = rt_load_states(shadow_page, offset >> shift, n), present = rt_repeat_states(n, RT_PRESENT);
    if (~states & required_states)
        return !(states & present);
    if (write)
        rt_record_writer(shadow_page + RT_SHADOW_ORIGINS + offset / 8, n, pc);
    return true;
}

/* Calls rt_check_slow_path with return address and frame of the enclosing function. The empty assembly keeps
 * the call from becoming a jump, which would drop that frame. */
#define SLOW_PATH_HERE(at, n, access_flags)                                                           \
    do {                                                                                              \
        rt_check_slow_path((at), (n), (access_flags), (uintptr_t)__builtin_return_address(0), FRAME); \
        __asm__ volatile("");                                                                         \
    } while (0)

/* Checks an access of n bytes at `at` of kind `access_flags`, in a function that has more to do afterwards. */
static inline __attribute__((always_inline)) void check(uintptr_t at, size_t n, unsigned access_flags)
{
    if (!LIKELY(rt_check_fast_path(at, n, access_flags & RT_ACCESS_WRITE, (uintptr_t)__builtin_return_address(0))))
        SLOW_PATH_HERE(at, n, access_flags);
}

/* Checks an access of n bytes at `at` of kind `access_flags` as the last step of a function, so that the slow
 * path is reached by a jump. */
static inline __attribute__((always_inline)) void check_last(uintptr_t at, size_t n, unsigned access_flags)
{
    if (LIKELY(rt_check_fast_path(at, n, access_flags & RT_ACCESS_WRITE, (uintptr_t)__builtin_return_address(0))))
        return;
    if (n != 4 && n != 8)
        rt_check_caller_slow_path(at, n, access_flags);
    else if (access_flags & RT_ACCESS_WRITE)
        n == 4 ? rt_write4_first(at) : rt_write8_first(at);
    else
        n == 4 ? rt_read4_first(at) : rt_read8_first(at);
}

#endif
