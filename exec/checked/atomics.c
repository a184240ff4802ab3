/* atomics.c - atomic operations that compilers leave to a library under names other than the thread sanitizer's: gcc's
 * loops for `atomic` on floating-point numbers, and operations too wide for one instruction. */
#include "fast_path.h"
#include "libc_calls.h"

/* NOLINTBEGIN(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name): types, C's builtins */

/* --------------------------------------------------------------- compare and exchange of gcc -- */

/* Defines the function __atomic_compare_exchange_1 (2, 4, ...) for n bytes. gcc calls it instead of an instruction with
 * -fno-inline-atomics. The function checks the access, stores `to` at `at` if the value there is *expected, and sets
 * *expected to the old value. Returns true if `to` was stored. */
#define COMPARE(n, type, attribute)                                                                \
    API bool rt_atomic_compare##n(void *at, void *expected, type to, int order,                    \
                                  int failure) __asm__("__atomic_compare_exchange_" #n);           \
    attribute bool rt_atomic_compare##n(void *at, void *expected, type to, int order, int failure) \
    {                                                                                              \
        (void)order, (void)failure;                                                                \
        type old;                                                                                  \
        check((uintptr_t)at, n, RT_ACCESS_ATOMIC);                                                 \
        check((uintptr_t)at, n, RT_ACCESS_WRITE | RT_ACCESS_ATOMIC);                               \
        memcpy(&old, expected, sizeof old);                                                        \
        const type previous = __sync_val_compare_and_swap((volatile type *)at, old, to);           \
        memcpy(expected, &previous, sizeof previous);                                              \
        return previous == old;                                                                    \
    }
__extension__ typedef unsigned __int128 wide;
COMPARE(1, uint8_t, )
COMPARE(2, uint16_t, )
COMPARE(4, uint32_t, )
COMPARE(8, uint64_t, )
COMPARE(16, wide, __attribute__((target("cx16"))))

/* --------------------------------------------------------------------------- any size: clang -- */

static bool spin_lock; /* spin lock for programs without libatomic */

/* Checks an atomic access of n bytes of kind `access_flags` (RT_ACCESS_READ, ...). Does nothing if the caller
 * was not compiled for checking, or without the runtime. */
static void check_atomic_access(const void *at, size_t n, unsigned access_flags, struct rt_caller caller)
{
    if (rt_is_instrumented_caller(caller))
        rt_check_words_slow_path((uintptr_t)at, n, access_flags | RT_ACCESS_ATOMIC, caller.pc, caller.frame);
}

typedef void load_fn(size_t n, const void *at, void *to, int order);
/* __atomic_load of any size: checks the read, and copies n bytes from `at` to `to`, by libatomic or, without
 * it, under spin_lock. */
API load_fn rt_atomic_load_any __asm__("__atomic_load");
void rt_atomic_load_any(size_t n, const void *at, void *to, int order)
{
    static void *cached;
    load_fn *const real = (load_fn *)rt_find_real_function(&cached, "__atomic_load");
    check_atomic_access(at, n, RT_ACCESS_READ, CALLER);
    if (real) {
        real(n, at, to, order);
        return;
    }
    rt_spin_lock(&spin_lock);
    memcpy(to, at, n);
    rt_spin_unlock(&spin_lock);
}

typedef void store_fn(size_t n, void *at, const void *from, int order);
/* __atomic_store of any size: checks the write, and copies n bytes from `from` to `at`, by libatomic or,
 * without it, under spin_lock. */
API store_fn rt_atomic_store_any __asm__("__atomic_store");
void rt_atomic_store_any(size_t n, void *at, const void *from, int order)
{
    static void *cached;
    store_fn *const real = (store_fn *)rt_find_real_function(&cached, "__atomic_store");
    check_atomic_access(at, n, RT_ACCESS_WRITE, CALLER);
    if (real) {
        real(n, at, from, order);
        return;
    }
    rt_spin_lock(&spin_lock);
    memcpy(at, from, n);
    rt_spin_unlock(&spin_lock);
}

typedef void exchange_fn(size_t n, void *at, const void *from, void *to, int order);
/* __atomic_exchange of any size: checks the accesses, copies the n old bytes at `at` to `to`, and then the n
 * bytes at `from` to `at`. Uses libatomic or, without it, spin_lock. */
API exchange_fn rt_atomic_exchange_any __asm__("__atomic_exchange");
void rt_atomic_exchange_any(size_t n, void *at, const void *from, void *to, int order)
{
    static void *cached;
    exchange_fn *const real = (exchange_fn *)rt_find_real_function(&cached, "__atomic_exchange");
    check_atomic_access(at, n, RT_ACCESS_READ, CALLER);
    check_atomic_access(at, n, RT_ACCESS_WRITE, CALLER);
    if (real) {
        real(n, at, from, to, order);
        return;
    }
    rt_spin_lock(&spin_lock);
    memcpy(to, at, n);
    memcpy(at, from, n);
    rt_spin_unlock(&spin_lock);
}

typedef bool compare_fn(size_t n, void *at, void *expected, const void *from, int order, int failure);
/* __atomic_compare_exchange of any size: checks the accesses, and stores the bytes of `from` at `at` if the n
 * bytes there equal those of *expected. Returns true then; otherwise copies the bytes at `at` to *expected,
 * and returns false. Uses libatomic or, without it, spin_lock. */
API compare_fn rt_atomic_compare_any __asm__("__atomic_compare_exchange");
bool rt_atomic_compare_any(size_t n, void *at, void *expected, const void *from, int order, int failure)
{
    static void *cached;
    compare_fn *const real = (compare_fn *)rt_find_real_function(&cached, "__atomic_compare_exchange");
    check_atomic_access(at, n, RT_ACCESS_READ, CALLER);
    check_atomic_access(at, n, RT_ACCESS_WRITE, CALLER);
    if (real)
        return real(n, at, expected, from, order, failure);
    rt_spin_lock(&spin_lock);
    const bool same = !memcmp(at, expected, n);
    memcpy(same ? at : expected, same ? from : at, n);
    rt_spin_unlock(&spin_lock);
    return same;
}

/* --------------------------------------------------------------------------- lock of libgomp -- */

/* Takes libgomp's lock for atomic operations; accesses of the thread then count as atomic until GOMP_atomic_end. gcc
 * writes plain loads and stores between the two calls for operations that no instruction can do, such as those on
 * complex numbers. */
API void GOMP_atomic_start(void);
void GOMP_atomic_start(void)
{
    static void *cached;
    void (*const real)(void) = (void (*)(void))rt_find_real_function(&cached, "GOMP_atomic_start");
    if (real)
        real();
    this_check_thread.is_atomic = true;
}

/* Releases libgomp's lock; later accesses of the thread count as plain ones. */
API void GOMP_atomic_end(void);
void GOMP_atomic_end(void)
{
    static void *cached;
    void (*const real)(void) = (void (*)(void))rt_find_real_function(&cached, "GOMP_atomic_end");
    this_check_thread.is_atomic = false;
    if (real)
        real();
}

/* NOLINTEND(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name) */
