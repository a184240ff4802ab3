/* calls.h - calls of libraries that read or write memory of their caller. */
#ifndef GOACC_CALLS_H
#define GOACC_CALLS_H

#include "checked.h"

#include <stddef.h>

/* Where the function that uses it was called. */
struct goacc_caller {
    uintptr_t pc;
    const uintptr_t *frame;
};
#define CALLER \
    ((struct goacc_caller){(uintptr_t)__builtin_return_address(0), __builtin_frame_address(0)})

/* Whether the accesses of a caller are checked: it lies in a module that was compiled so, and the
 * runtime is there. */
bool goacc_is_checked(struct goacc_caller caller);
/* The function behind ours, found once. */
void *goacc_real(void **kept, const char *name);
/* Checks each word of an access. */
void goacc_check_words(const void *at, size_t n, bool write, struct goacc_caller caller);

static inline void goacc_reads(const void *at, size_t n, struct goacc_caller caller)
{
    if (goacc_is_checked(caller))
        goacc_check_words(at, n, false, caller);
}
static inline void goacc_writes(void *at, size_t n, struct goacc_caller caller)
{
    if (goacc_is_checked(caller))
        goacc_check_words(at, n, true, caller);
}

/* Bytes of a string with its end, or without one, of at most so many. */
static inline size_t goacc_text_bytes(const char *text, size_t most)
{
    size_t n = 0;
    while (n < most && text[n])
        n++;
    return n < most ? n + 1 : most;
}
/* Calls the C library's own function. */
#define REAL(name) ((__typeof__(&(name)))goacc_real(&real_##name, #name))
#define EXPORT(type, name, parameters) \
    API type name parameters;          \
    type name parameters
#define FUNCTION(type, name, parameters) \
    static void *real_##name;            \
    EXPORT(type, name, parameters)

#endif
