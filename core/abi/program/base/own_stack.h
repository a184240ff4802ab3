/* own_stack.h - calls of functions that need more stack than a thread of the program may have. */
#ifndef GOACC_OWN_STACK_H
#define GOACC_OWN_STACK_H

#include <stdint.h>

/* Calls fn(arg) on a stack of 1 MiB, if the thread is not on such a one already. fn returns. */
void goacc_call_on_own_stack(void (*fn)(void *), void *arg);
/* GOACC_ON_OWN_STACK(fn, ...) calls fn on such a stack and returns its result. The arguments have at most eight words.
 * The two functions are its parts. */
void *goacc_take_own_stack(void *fn);
void goacc_give_own_stack(const void *taken);
#define GOACC_ON_OWN_STACK(fn, ...)                                                                             \
    __extension__({                                                                                             \
        __typeof__(&(fn)) call_ = (__typeof__(&(fn)))(uintptr_t)goacc_take_own_stack((void *)(uintptr_t)(fn)); \
        __typeof__((fn)(__VA_ARGS__)) result_ = call_(__VA_ARGS__);                                             \
        goacc_give_own_stack((void *)(uintptr_t)call_);                                                         \
        result_;                                                                                                \
    })

#endif
