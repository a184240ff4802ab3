/* stack_variables.h - finds present data whose stack variable belonged to a function that has returned. */
#ifndef RT_STACK_VARIABLES_H
#define RT_STACK_VARIABLES_H

#include "base/runtime.h"

/* Reports, before a construct, data in the items' ranges that are variables of functions that have returned,
 * and unmaps these data. `declares`: the scope of a declare directive begins. */
void rt_check_returned_variables(struct rt_thread *self, const accd_item *items, size_t nitems, bool declares);
/* Records items of enter data that lie on the stack; `exits`: forgets those that exit data unmaps. */
void rt_record_stack_variables(struct rt_thread *self, const accd_item *items, size_t nitems, bool exits);
void rt_end_thread_stack(uint64_t thread);   /* forgets the stack of a thread that has ended */
bool rt_is_declared_on_stack(uint64_t host); /* true for data of a declare directive's scope */
/* True if the program has no name for a pointer at `host`, so that no directive can unmap the pointer. */
bool rt_is_hidden_pointer(uint64_t host);

#endif
