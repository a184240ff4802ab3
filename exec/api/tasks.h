/* tasks.h - tasks of libgomp and libomp, for the race check and traces. */
#ifndef RT_TASKS_H
#define RT_TASKS_H

#include "base/runtime.h"
#include "next_function.h"
#include "order_tasks.h"

/* Returns true if libgomp or libomp decides when the tasks of nowait directives run. Returns false if they run at once,
 * in strict and instrumented runs, or when a seed decides (rt_take_task), unless the program has made a task with a
 * detach clause. */
bool rt_defers_tasks(void);
/* Records the task of a nowait directive, called at `site`, as pending. Returns the epoch of the task (its position in
 * the order of work); an empty epoch unless the run is strict or instrumented. depend: libgomp's list of depend
 * clauses; NULL: none. */
struct rt_epoch rt_begin_nowait_task(const struct rt_site *site, void **depend);
/* Records, in the race check and the trace, that the program has waited for the tasks that `depend` names (libgomp's
 * list of depend clauses). `depend` NULL: it has waited for all tasks. Does nothing if no task is pending, in a kernel,
 * or in runs without checks or trace. */
void rt_after_taskwait(const struct rt_site *site, void **depend);
bool rt_has_pending_tasks(void); /* true if the program has not waited for all of its tasks */
/* True if the program has made a task with a detach clause, which an event of the program completes. Then tasks of
 * nowait directives are deferred, because waiting for such a task in the creating thread might never end. */
extern bool rt_has_detached_tasks;

/* Site (struct rt_site) of the program's call of the entry point that uses the macro. name: its name in reports; place:
 * location that the compiler passes, or NULL. RT_WAIT_SITE: of a call that waits for tasks. */
#define RT_SITE_AT(name, place) \
    ((const struct rt_site){.call = rt_caller_site(name).call, .construct_name = (name), .location = (place)})
#define RT_WAIT_SITE(place) RT_SITE_AT("a wait for tasks", place)

static inline void rt_after_all_tasks(const struct rt_site *site) /* records a wait for all tasks */
{
    rt_after_taskwait(site, NULL);
}

/* Defines the entry point `name`, at whose end all tasks are complete. It executes those that were put off, and returns
 * the result of the next library's function, after recording the wait (by the attribute cleanup). place: as in
 * RT_WAIT_SITE. */
#define RT_DEFINE_TASK_END(type, name, parameters, arguments, place)                                  \
    type name parameters;                                                                             \
    type name parameters                                                                              \
    {                                                                                                 \
        const struct rt_site site __attribute__((cleanup(rt_after_all_tasks))) = RT_WAIT_SITE(place); \
        rt_run_deferred_tasks(NULL);                                                                  \
        return RT_NEXT(name) arguments;                                                               \
    }

#endif
