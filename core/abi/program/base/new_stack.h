/* new_stack.h - calls of functions that need more stack than a thread of the program may have. */
#ifndef RT_NEW_STACK_H
#define RT_NEW_STACK_H

#include <stdint.h>

/* Calls fn(arg) on a stack of 1 MiB; on the current stack if it is such a stack already, or without memory. `fn` must
 * return. */
void rt_run_on_new_stack(void (*fn)(void *), void *arg);
/* Returns the function to call in place of `fn`: one that runs `fn` on a new stack, or `fn` itself, on the current
 * stack. */
void *rt_acquire_new_stack(void *fn);
/* Releases the stack of the call `taken`, the result of rt_acquire_new_stack. */
void rt_release_new_stack(const void *taken);
/* Calls `fn` like rt_run_on_new_stack and returns its result. The arguments have at most eight words. */
#define RT_ON_NEW_STACK(fn, ...)                                                                               \
    __extension__({                                                                                            \
        __typeof__(&(fn)) call_ = (__typeof__(&(fn)))(uintptr_t)rt_acquire_new_stack((void *)(uintptr_t)(fn)); \
        __typeof__((fn)(__VA_ARGS__)) result_ = call_(__VA_ARGS__);                                            \
        rt_release_new_stack((void *)(uintptr_t)call_);                                                        \
        result_;                                                                                               \
    })

#endif
