/* order_tasks.h - tasks of nowait directives that are put off (rt/orders.h). The lock must not be held in the
 * functions.
 */
#ifndef RT_ORDER_TASKS_H
#define RT_ORDER_TASKS_H

#include <stdbool.h>

/* Takes a task of a nowait directive, which run(data) executes: now or later, as the seed decides. depend: list of
 * depend clauses in gcc's form, or NULL. Returns false, and does nothing, without a seed, and where tasks cannot be put
 * off: in parallel and target regions. */
bool rt_take_task(void (*run)(void *data), void *data, void **depend);
/* Executes the thread's tasks that were put off: those on which `depend` waits, with the tasks before them; NULL: all.
 */
void rt_run_deferred_tasks(void **depend);
/* Executes some of the thread's tasks that were put off, or none, as the seed decides. */
void rt_run_some_tasks(void);

#endif
