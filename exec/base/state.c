/* state.c - the state of the runtime and of each thread. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

struct rt_state rt = {.profiled = true};

__thread struct rt_thread rt_this_thread __asm__("rt_thread_state"); /* state of the calling thread */

/* Ends the process with status 1, without exit handlers, because an error ends the program already. */
void rt_exit_during_shutdown(void)
{
    fflush(NULL);
    _Exit(EXIT_FAILURE);
}

/* Returns the highest address of the thread's stack (exclusive), by the attributes of the calling thread; 1:
 * not known. */
uintptr_t rt_get_stack_end(struct rt_thread *self)
{
    if (!self->stack_high) {
        pthread_attr_t attr;
        void *low;
        size_t bytes = 0;
        self->stack_high = 1; /* stays 1 if the stack's end is not known */
        if (!pthread_getattr_np(pthread_self(), &attr)) {
            if (!pthread_attr_getstack(&attr, &low, &bytes))
                self->stack_high = (uintptr_t)low + bytes;
            pthread_attr_destroy(&attr);
        }
    }
    return self->stack_high;
}
