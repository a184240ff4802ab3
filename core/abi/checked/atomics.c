/* atomics.c - atomic operations that compilers leave to a library, under names that are not the
 * thread sanitizer's: the loops of gcc for `atomic` on floating-point numbers, and what is too wide
 * for one instruction. */
#include "access.h"
#include "calls.h"

#include <dlfcn.h>

/* NOLINTBEGIN(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name):
 * types, C's builtins */

/* ------------------------------------------------------------------- compare and exchange of gcc
 * -- */

/* gcc calls these with -fno-inline-atomics, where it would write the instruction itself. */
#define COMPARE(n, type, attribute)                                                            \
    API bool goacc_compare##n(void *at, void *expected, type to, int order,                    \
                              int failure) __asm__("__atomic_compare_exchange_" #n);           \
    attribute bool goacc_compare##n(void *at, void *expected, type to, int order, int failure) \
    {                                                                                          \
        (void)order, (void)failure;                                                            \
        type old;                                                                              \
        check((uintptr_t)at, n, GOACC_ATOMIC);                                                 \
        check((uintptr_t)at, n, GOACC_WRITES | GOACC_ATOMIC);                                  \
        memcpy(&old, expected, sizeof old);                                                    \
        const type was = __sync_val_compare_and_swap((volatile type *)at, old, to);            \
        memcpy(expected, &was, sizeof was);                                                    \
        return was == old;                                                                     \
    }
__extension__ typedef unsigned __int128 wide;
COMPARE(1, uint8_t, )
COMPARE(2, uint16_t, )
COMPARE(4, uint32_t, )
COMPARE(8, uint64_t, )
COMPARE(16, wide, __attribute__((target("cx16"))))

/* ------------------------------------------------------------------------------ any size: clang --
 */

static bool locked; /* for programs without libatomic */

static void *find(void **kept, const char *name)
{
    if (!*kept)
        *kept = dlsym(RTLD_NEXT, name);
    return *kept;
}

static void note(const void *at, size_t n, unsigned how, struct goacc_caller caller)
{
    if (goacc_is_checked(caller))
        goacc_ask_words((uintptr_t)at, n, how | GOACC_ATOMIC, caller.pc, caller.frame);
}

typedef void load_fn(size_t n, const void *at, void *to, int order);
API load_fn goacc_load_any __asm__("__atomic_load");
void goacc_load_any(size_t n, const void *at, void *to, int order)
{
    static void *kept;
    load_fn *const real = (load_fn *)find(&kept, "__atomic_load");
    note(at, n, GOACC_READS, CALLER);
    if (real) {
        real(n, at, to, order);
        return;
    }
    goacc_hold(&locked);
    memcpy(to, at, n);
    goacc_release(&locked);
}

typedef void store_fn(size_t n, void *at, const void *from, int order);
API store_fn goacc_store_any __asm__("__atomic_store");
void goacc_store_any(size_t n, void *at, const void *from, int order)
{
    static void *kept;
    store_fn *const real = (store_fn *)find(&kept, "__atomic_store");
    note(at, n, GOACC_WRITES, CALLER);
    if (real) {
        real(n, at, from, order);
        return;
    }
    goacc_hold(&locked);
    memcpy(at, from, n);
    goacc_release(&locked);
}

typedef void exchange_fn(size_t n, void *at, const void *from, void *to, int order);
API exchange_fn goacc_exchange_any __asm__("__atomic_exchange");
void goacc_exchange_any(size_t n, void *at, const void *from, void *to, int order)
{
    static void *kept;
    exchange_fn *const real = (exchange_fn *)find(&kept, "__atomic_exchange");
    note(at, n, GOACC_READS, CALLER);
    note(at, n, GOACC_WRITES, CALLER);
    if (real) {
        real(n, at, from, to, order);
        return;
    }
    goacc_hold(&locked);
    memcpy(to, at, n);
    memcpy(at, from, n);
    goacc_release(&locked);
}

typedef bool compare_fn(size_t n, void *at, void *expected, const void *from, int order,
                        int failure);
API compare_fn goacc_compare_any __asm__("__atomic_compare_exchange");
bool goacc_compare_any(size_t n, void *at, void *expected, const void *from, int order, int failure)
{
    static void *kept;
    compare_fn *const real = (compare_fn *)find(&kept, "__atomic_compare_exchange");
    note(at, n, GOACC_READS, CALLER);
    note(at, n, GOACC_WRITES, CALLER);
    if (real)
        return real(n, at, expected, from, order, failure);
    goacc_hold(&locked);
    const bool same = !memcmp(at, expected, n);
    memcpy(same ? at : expected, same ? from : at, n);
    goacc_release(&locked);
    return same;
}

/* ------------------------------------------------------------------------------- lock of libgomp
 * -- */

/* gcc writes plain loads and stores between these two for what is too wide, and for numbers of
 * several parts. */
API void GOMP_atomic_start(void);
void GOMP_atomic_start(void)
{
    static void *kept;
    void (*const real)(void) = (void (*)(void))find(&kept, "GOMP_atomic_start");
    if (real)
        real();
    inside_here.is_atomic = true;
}

API void GOMP_atomic_end(void);
void GOMP_atomic_end(void)
{
    static void *kept;
    void (*const real)(void) = (void (*)(void))find(&kept, "GOMP_atomic_end");
    inside_here.is_atomic = false;
    if (real)
        real();
}

/* NOLINTEND(bugprone-macro-parentheses, readability-inconsistent-declaration-parameter-name) */
