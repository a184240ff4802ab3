/* clang_call_arguments.h - macros for calls of the program's functions with a number of arguments that is only known
 * at run time. The call passes 16, 64 or 1024 words from an array `args`; the function reads as many as it has
 * parameters. Used by clang_target.c and clang_tasks.c.
 *
 *      An(i)  the n arguments args[i], args[i + 1], ...      Un  their n types, all uintptr_t */
#ifndef RT_CALL_ARGUMENTS_H
#define RT_CALL_ARGUMENTS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define A4(i) args[i], args[(i) + 1], args[(i) + 2], args[(i) + 3]
#define A16(i) A4(i), A4((i) + 4), A4((i) + 8), A4((i) + 12)
#define A64(i) A16(i), A16((i) + 16), A16((i) + 32), A16((i) + 48)
#define A256(i) A64(i), A64((i) + 64), A64((i) + 128), A64((i) + 192)
#define A1024(i) A256(i), A256((i) + 256), A256((i) + 512), A256((i) + 768)
#define U4 uintptr_t, uintptr_t, uintptr_t, uintptr_t
#define U16 U4, U4, U4, U4
#define U64 U16, U16, U16, U16
#define U256 U64, U64, U64, U64
#define U1024 U256, U256, U256, U256

enum { RT_CALL_ARGUMENTS_MAX = 1024 };

/* Returns the number of words to pass for n arguments: 16, 64 or RT_CALL_ARGUMENTS_MAX; n must not exceed the last. */
static inline size_t rt_round_up_argument_count(size_t n)
{
    assert(n <= RT_CALL_ARGUMENTS_MAX);
    return n <= 16 ? 16 : n <= 64 ? 64 : RT_CALL_ARGUMENTS_MAX;
}

#endif
