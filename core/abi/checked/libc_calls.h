/* libc_calls.h - helpers for functions of libraries that read or write memory of their caller. */
#ifndef RT_LIBC_CALLS_H
#define RT_LIBC_CALLS_H

#include "checked.h"

#include <stddef.h>

/* Return address and frame of the call of a function, by CALLER in that function. */
struct rt_caller {
    uintptr_t pc;
    const uintptr_t *frame;
};
#define CALLER ((struct rt_caller){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)})

/* True if the caller is in a module that was compiled for checking, and the runtime is present. */
bool rt_is_instrumented_caller(struct rt_caller caller);
/* Returns the function of the next library, looked up once. */
void *rt_find_real_function(void **cached, const char *name);
/* Checks an access word by word. The caller must be instrumented. */
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

/* Returns the number of bytes of a string with its end, or `most` if the end is not among them. */
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
