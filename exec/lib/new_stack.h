/* new_stack.h - calls of functions that need more stack than a thread of the program may have. */
#ifndef RT_NEW_STACK_H
#define RT_NEW_STACK_H

#include <stdint.h>

/* Calls fn(arg) on a stack of 1 MiB. Stays on the current stack if that is such a stack already, or if memory is
 * exhausted. `fn` must return. */
void rt_run_on_new_stack(void (*fn)(void *), void *arg);
/* Returns the function to call in place of `fn`, with the same arguments: it runs `fn` on a new stack. Returns `fn`
 * itself on such a stack already, or without memory. rt_release_new_stack must be called after the call. */
void *rt_acquire_new_stack(void *fn);
/* Releases the stack on which `call` ran, which must be the result of rt_acquire_new_stack; does nothing if that was
 * `fn` itself. */
void rt_release_new_stack(const void *call);
/* Calls `fn` with these arguments, at most eight words, on a stack of 1 MiB (rt_acquire_new_stack), and returns its
 * result. */
#define RT_ON_NEW_STACK(fn, ...)                                                                               \
    __extension__({                                                                                            \
        __typeof__(&(fn)) call_ = (__typeof__(&(fn)))(uintptr_t)rt_acquire_new_stack((void *)(uintptr_t)(fn)); \
        __typeof__((fn)(__VA_ARGS__)) result_ = call_(__VA_ARGS__);                                            \
        rt_release_new_stack((void *)(uintptr_t)call_);                                                        \
        result_;                                                                                               \
    })

#endif
