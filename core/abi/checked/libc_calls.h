/* libc_calls.h - calls of libraries that read or write memory of their caller. */
#ifndef RT_LIBC_CALLS_H
#define RT_LIBC_CALLS_H

#include "checked.h"

#include <stddef.h>

/* Where the function that uses it was called. */
struct rt_caller {
    uintptr_t pc;
    const uintptr_t *frame;
};
#define CALLER ((struct rt_caller){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)})

/* Whether the accesses of a caller are checked: it lies in a module that was compiled so, and the
 * runtime is there. */
bool rt_is_instrumented_caller(struct rt_caller caller);
/* The function behind ours, found once. */
void *rt_find_real_function(void **cached, const char *name);
/* Checks each word of an access. */
void rt_check_word_range(const void *at, size_t n, bool write, struct rt_caller caller);

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

/* Bytes of a string with its end, or without one, of at most so many. */
static inline size_t rt_count_string_bytes(const char *text, size_t most)
{
    size_t n = 0;
    while (n < most && text[n])
        n++;
    return n < most ? n + 1 : most;
}
/* Calls the C library's own function. */
#define REAL(name) ((__typeof__(&(name)))rt_find_real_function(&real_##name, #name))
#define EXPORT(type, name, parameters) \
    API type name parameters;          \
    type name parameters
#define FUNCTION(type, name, parameters) \
    static void *real_##name;            \
    EXPORT(type, name, parameters)

#endif
