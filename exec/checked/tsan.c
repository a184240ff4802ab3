/* tsan.c - functions that gcc and clang call with -fsanitize=thread. Functions for loads and stores check the
 * access (fast_path.h). Functions for atomic operations check the access and do the operation. All other
 * functions do nothing here. */
#include "fast_path.h"

/* -------------------------------------------------------------------------- loads and stores -- */

/* ACCESS defines the function __tsan_NAME, which checks an access to `bytes` bytes at `at`; the compiler's
 * own load or store follows the call. ACCESSES defines all such functions for n aligned bytes, UNALIGNED
 * those for n unaligned bytes. */
#define ACCESS(name, bytes, access_flags)               \
    API void __tsan_##name(void *at);                   \
    void __tsan_##name(void *at)                        \
    {                                                   \
        check_last((uintptr_t)at, bytes, access_flags); \
    }
#define ACCESSES(n)                             \
    ACCESS(read##n, n, RT_ACCESS_READ)          \
    ACCESS(write##n, n, RT_ACCESS_WRITE)        \
    ACCESS(volatile_read##n, n, RT_ACCESS_READ) \
    ACCESS(volatile_write##n, n, RT_ACCESS_WRITE)
#define UNALIGNED(n)                                      \
    ACCESS(unaligned_read##n, n, RT_ACCESS_READ)          \
    ACCESS(unaligned_write##n, n, RT_ACCESS_WRITE)        \
    ACCESS(unaligned_volatile_read##n, n, RT_ACCESS_READ) \
    ACCESS(unaligned_volatile_write##n, n, RT_ACCESS_WRITE)
/* Defines the function for a load and a store of n bytes at the same address, which newer compilers of LLVM call. */
#define BOTH(name, n)                                \
    API void __tsan_##name##read_write##n(void *at); \
    void __tsan_##name##read_write##n(void *at)      \
    {                                                \
        check((uintptr_t)at, n, RT_ACCESS_READ);     \
        check((uintptr_t)at, n, RT_ACCESS_WRITE);    \
    }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)
BOTH(, 1)
BOTH(, 2)
BOTH(, 4)
BOTH(, 8)
BOTH(, 16)
BOTH(unaligned_, 2)
BOTH(unaligned_, 4)
BOTH(unaligned_, 8)
BOTH(unaligned_, 16)
ACCESS(vptr_read, sizeof(void *), RT_ACCESS_READ)

/* Checks the write of an object's pointer to its table of virtual functions. */
API void __tsan_vptr_update(void *at, void *value);
void __tsan_vptr_update(void *at, void *value)
{
    (void)value;
    check_last((uintptr_t)at, sizeof(void *), RT_ACCESS_WRITE);
}

/* Checks an access of n bytes at `at` of kind `access_flags` by the slow path; does nothing without the
 * runtime or if n is 0. */
static inline __attribute__((always_inline)) void check_range(const void *at, size_t n, unsigned access_flags)
{
    if (local_shadow.shadow_pages && n)
        SLOW_PATH_HERE((uintptr_t)at, n, access_flags);
}

/* Checks a read of n bytes at `at`. */
API void __tsan_read_range(void *at, size_t n);
void __tsan_read_range(void *at, size_t n)
{
    check_range(at, n, RT_ACCESS_READ);
}

/* Checks a write of n bytes at `at`. */
API void __tsan_write_range(void *at, size_t n);
void __tsan_write_range(void *at, size_t n)
{
    check_range(at, n, RT_ACCESS_WRITE);
}

/* The next three functions check the accesses, do the work of the C library's function of the same name, and return
 * `to`. Newer compilers of LLVM call them in its place. */
API void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    check_range(from, n, RT_ACCESS_READ);
    check_range(to, n, RT_ACCESS_WRITE);
    return __builtin_memcpy(to, from, n);
}

API void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n)
{
    check_range(from, n, RT_ACCESS_READ);
    check_range(to, n, RT_ACCESS_WRITE);
    return __builtin_memmove(to, from, n);
}

API void *__tsan_memset(void *to, int byte, size_t n);
void *__tsan_memset(void *to, int byte, size_t n)
{
    check_range(to, n, RT_ACCESS_WRITE);
    return __builtin_memset(to, byte, n);
}

/* ------------------------------------------------------------------------- atomic operations -- */

typedef uint8_t word8;
typedef uint16_t word16;
typedef uint32_t word32;
typedef uint64_t word64;
__extension__ typedef unsigned __int128 word128;

/* NOLINTBEGIN(bugprone-macro-parentheses): attributes of functions, expressions */
/* Each operation has sequentially consistent order, whatever `order` is requested.
 *
 * SWAPS defines swapN for words of n bits. It stores `to` at `at` if the value there is *expected, sets
 * *expected to the old value, and returns true if `to` was stored. */
#define SWAPS(n, attribute)                                                                   \
    static inline attribute bool swap##n(volatile word##n *at, word##n *expected, word##n to) \
    {                                                                                         \
        const word##n previous = __sync_val_compare_and_swap(at, *expected, to);              \
        const bool success = previous == *expected;                                           \
        *expected = previous;                                                                 \
        return success;                                                                       \
    }
SWAPS(8, )
SWAPS(16, )
SWAPS(32, )
SWAPS(64, )
#define WIDE __attribute__((target("cx16")))
SWAPS(128, WIDE)

/* Defines an atomic operation on n bits that stores a new value, an expression of the old value `old` and an
 * operand, and returns the old value. The access is checked as an atomic read and write. */
#define CHANGE(n, name, attribute, expression)                                                    \
    API word##n __tsan_atomic##n##_##name(volatile word##n *at, word##n operand, int order);      \
    attribute word##n __tsan_atomic##n##_##name(volatile word##n *at, word##n operand, int order) \
    {                                                                                             \
        (void)order;                                                                              \
        check((uintptr_t)at, n / 8, RT_ACCESS_ATOMIC);                                            \
        check((uintptr_t)at, n / 8, RT_ACCESS_WRITE | RT_ACCESS_ATOMIC);                          \
        word##n old = *at; /* a torn value of 16 bytes fails the comparison */                    \
        while (!swap##n(at, &old, (word##n)(expression)))                                         \
            ;                                                                                     \
        return old;                                                                               \
    }
/* Defines an atomic compare-and-exchange of n bits, by swapN, which returns 1 if `to` was stored and 0 if not. The
 * access is checked as an atomic read and write. */
#define COMPARE(n, name, attribute)                                                                                    \
    API int __tsan_atomic##n##_compare_exchange_##name(volatile word##n *at, word##n *expected, word##n to, int order, \
                                                       int failure);                                                   \
    attribute int __tsan_atomic##n##_compare_exchange_##name(volatile word##n *at, word##n *expected, word##n to,      \
                                                             int order, int failure)                                   \
    {                                                                                                                  \
        (void)order, (void)failure;                                                                                    \
        check((uintptr_t)at, n / 8, RT_ACCESS_ATOMIC);                                                                 \
        check((uintptr_t)at, n / 8, RT_ACCESS_WRITE | RT_ACCESS_ATOMIC);                                               \
        return swap##n(at, expected, to);                                                                              \
    }
/* Defines all atomic operations on n bits; LOAD is the body of the load. */
#define ATOMIC(n, attribute)                                                                                           \
    CHANGE(n, exchange, attribute, operand)                                                                            \
    CHANGE(n, fetch_add, attribute, old + operand)                                                                     \
    CHANGE(n, fetch_sub, attribute, old - operand)                                                                     \
    CHANGE(n, fetch_and, attribute, old &operand)                                                                      \
    CHANGE(n, fetch_or, attribute, old | operand)                                                                      \
    CHANGE(n, fetch_xor, attribute, old ^ operand)                                                                     \
    CHANGE(n, fetch_nand, attribute, ~(old & operand))                                                                 \
    COMPARE(n, strong, attribute)                                                                                      \
    COMPARE(n, weak, attribute)                                                                                        \
    API word##n __tsan_atomic##n##_compare_exchange_val(volatile word##n *at, word##n expected, word##n to, int order, \
                                                        int failure);                                                  \
    attribute word##n __tsan_atomic##n##_compare_exchange_val(volatile word##n *at, word##n expected, word##n to,      \
                                                              int order, int failure)                                  \
    {                                                                                                                  \
        (void)order, (void)failure;                                                                                    \
        check((uintptr_t)at, n / 8, RT_ACCESS_ATOMIC);                                                                 \
        check((uintptr_t)at, n / 8, RT_ACCESS_WRITE | RT_ACCESS_ATOMIC);                                               \
        swap##n(at, &expected, to);                                                                                    \
        return expected;                                                                                               \
    }                                                                                                                  \
    API word##n __tsan_atomic##n##_load(const volatile word##n *at, int order);                                        \
    attribute word##n __tsan_atomic##n##_load(const volatile word##n *at, int order)                                   \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        check((uintptr_t)at, n / 8, RT_ACCESS_ATOMIC);                                                                 \
        LOAD(n)                                                                                                        \
    }                                                                                                                  \
    API void __tsan_atomic##n##_store(volatile word##n *at, word##n value, int order);                                 \
    attribute void __tsan_atomic##n##_store(volatile word##n *at, word##n value, int order)                            \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        check((uintptr_t)at, n / 8, RT_ACCESS_WRITE | RT_ACCESS_ATOMIC);                                               \
        word##n old = *at;                                                                                             \
        while (!swap##n(at, &old, value))                                                                              \
            ;                                                                                                          \
    }
#define LOAD(n) return __atomic_load_n(at, __ATOMIC_SEQ_CST);
ATOMIC(8, )
ATOMIC(16, )
ATOMIC(32, )
ATOMIC(64, )
#undef LOAD
/* A load of 16 bytes is a compare-and-exchange of 0 for 0, because the processor has no other atomic load of
 * 16 bytes; it needs writable memory. */
#define LOAD(n)                                          \
    word128 old = 0;                                     \
    swap128((volatile word128 *)(uintptr_t)at, &old, 0); \
    return old;
ATOMIC(128, WIDE)

/* NOLINTEND(bugprone-macro-parentheses) */

/* Executes a sequentially consistent fence. */
API void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ----------------------------------------------------------------------------- nothing to do -- */

/* Defines a function that does nothing. Instrumented code calls it for events that play no part in the
 * checks. */
#define NOTHING(name, parameters) \
    API void name parameters;     \
    void name parameters          \
    {                             \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(__tsan_func_entry, (void *pc))
NOTHING(__tsan_func_exit, (void))
NOTHING(__tsan_ignore_thread_begin, (void))
NOTHING(__tsan_ignore_thread_end, (void))
NOTHING(__tsan_atomic_signal_fence, (int order))
NOTHING(__tsan_acquire, (void *at))
NOTHING(__tsan_release, (void *at))
NOTHING(__tsan_mutex_create, (void *at, unsigned flags))
NOTHING(__tsan_mutex_destroy, (void *at, unsigned flags))
NOTHING(__tsan_mutex_pre_lock, (void *at, unsigned flags))
NOTHING(__tsan_mutex_post_lock, (void *at, unsigned flags, int recursion))
NOTHING(__tsan_mutex_post_unlock, (void *at, unsigned flags))
NOTHING(__tsan_mutex_pre_signal, (void *at, unsigned flags))
NOTHING(__tsan_mutex_post_signal, (void *at, unsigned flags))
NOTHING(__tsan_mutex_pre_divert, (void *at, unsigned flags))
NOTHING(__tsan_mutex_post_divert, (void *at, unsigned flags))
NOTHING(AnnotateHappensBefore, (const char *file, int line, const volatile void *at))
NOTHING(AnnotateHappensAfter, (const char *file, int line, const volatile void *at))
NOTHING(AnnotateIgnoreReadsBegin, (const char *file, int line))
NOTHING(AnnotateIgnoreReadsEnd, (const char *file, int line))
NOTHING(AnnotateIgnoreWritesBegin, (const char *file, int line))
NOTHING(AnnotateIgnoreWritesEnd, (const char *file, int line))

/* Does nothing; returns 0. */
API int __tsan_mutex_pre_unlock(void *at, unsigned flags);
int __tsan_mutex_pre_unlock(void *at, unsigned flags)
{
    return 0;
}
