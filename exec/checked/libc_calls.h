/* libc_calls.h - helpers for replaced library functions that read or write memory of their caller. A caller is
 * instrumented if its module was compiled for checking; only then its accesses are checked. */
#ifndef RT_LIBC_CALLS_H
#define RT_LIBC_CALLS_H

#include "checked.h"

#include <stddef.h>

/* Return address and frame of the call of a replaced function. The macro CALLER makes this value in that
 * function. */
struct rt_caller {
    uintptr_t pc;
    const uintptr_t *frame;
};
#define CALLER ((struct rt_caller){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)})

/* Returns true if the caller's return address lies in a module that was compiled for checking, and the checks are on
 * (the runtime is in the process). */
bool rt_is_instrumented_caller(struct rt_caller caller);
/* Returns the function `name` of the next library that defines it, and caches it in *cached, so that the name is looked
 * up once. Returns NULL if no other library has the function. */
void *rt_find_real_function(void **cached, const char *name);
/* Checks an access of n bytes at `at` word by word; must be called for instrumented callers only. */
void rt_check_word_range(const void *at, size_t n, bool write, struct rt_caller caller);

/* Check that a library function may read or write n bytes for the caller. Do nothing if the caller is not instrumented.
 */
static inline void rt_check_read(const void *at, size_t n, struct rt_caller caller)
{
    if (rt_is_instrumented_caller(caller))
        rt_check_word_range(at, n, false, caller);
}
static inline void rt_check_write(void *at, size_t n, struct rt_caller caller)
{
    if (rt_is_instrumented_caller(caller))
        rt_check_word_range(at, n, true, caller);
}

/* Returns the number of bytes of the string `text` with its terminating zero; `limit` if the first `limit`
 * bytes contain no zero. */
static inline size_t rt_count_string_bytes(const char *text, size_t limit)
{
    size_t n = 0;
    while (n < limit && text[n])
        n++;
    return n < limit ? n + 1 : limit;
}
/* FUNCTION begins the definition of an exported function that replaces the library function `name`.
 * REAL(name) in it is a pointer to the replaced function, in the next library. EXPORT begins the definition
 * of an exported function without such a pointer: the function calls REAL of another function, or none. */
#define REAL(name) ((__typeof__(&(name)))rt_find_real_function(&real_##name, #name))
#define EXPORT(type, name, parameters) \
    API type name parameters;          \
    type name parameters
#define FUNCTION(type, name, parameters) \
    static void *real_##name;            \
    EXPORT(type, name, parameters)

#endif
