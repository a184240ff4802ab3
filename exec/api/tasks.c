/* tasks.c - interposes functions of libgomp at whose end tasks are complete, for the race check and traces. The
 * functions here have the same names; they call libgomp's own and then record the wait. Except for depend clauses, a
 * wait counts as one for all tasks, whichever thread waits. A task of the program with depend clauses counts as a wait
 * for all tasks, too. */
#include "base/kernel.h"
#include "diag/symbolize.h"
#include "rt/lifecycle.h"
#include "trace/trace.h"
#include "order_tasks.h"
#include "target.h"
#include "tasks.h"

#include <assert.h>

enum { DEPENDS = 1 << 3, DETACHES = 1 << 13 }; /* flags of GOMP_task */

bool rt_has_detached_tasks;
static atomic_bool has_tasks; /* true while tasks may exist that the program has not waited for */

/* Returns true if libgomp or libomp decides when tasks of nowait directives run. That is so in runs without checks and
 * seed, or if the program has made a task with a detach clause. */
bool rt_defers_tasks(void)
{
    return (!rt.options.diagnose && !rt.options.seed) || rt_has_detached_tasks;
}

/* Returns true if tasks may exist that the program has not waited for. */
bool rt_has_pending_tasks(void)
{
    return has_tasks;
}

/* Records that a task of a nowait directive is pending, and returns its epoch (position in the order of work), which is
 * empty in a run without checks. depend: libgomp's list of depend clauses, or NULL. */
struct rt_epoch rt_begin_nowait_task(const struct rt_site *site, void **depend)
{
    assert(site);
    struct rt_epoch epoch = {0};
    if (RT_HAS_HOOK(begin_task)) {
        rt_enter(site);
        RT_CALL_HOOKS(begin_task, depend, &epoch);
        rt_leave();
    }
    has_tasks = true; /* set last: a thread that sees true and waits must find the task recorded */
    return epoch;
}

/* Records that the program has waited for the tasks that `depend` (libgomp's list of depend clauses) names; NULL: for
 * all tasks. Does nothing if no task is pending, in kernels and target regions, and in runs without checks or trace. */
void rt_after_taskwait(const struct rt_site *site, void **depend)
{
    assert(site);
    if (!has_tasks || rt_kernel_kind(rt_this_thread.activity) || rt_is_in_target() || !RT_HAS_HOOK(wait))
        return;
    const struct rt_wait wait = {
        .device = rt_enter(site)->device, .async = RT_ASYNC_SYNC, .is_for_tasks = true, .depend = depend};
    rt_record_location(site);
    has_tasks = depend;
    RT_CALL_HOOKS(wait, &wait);
    rt_leave();
}

/* libgomp's functions at whose end tasks are complete. */
#define END(type, name, parameters, arguments) RT_DEFINE_TASK_END(type, name, parameters, arguments, NULL)
#define LOOP_END(name)                                                                                                 \
    END(void, name, (void (*fn)(void *), void *data, unsigned threads, long from, long to, long step, long a, long b), \
        (fn, data, threads, from, to, step, a, b))
#define TASKLOOP_END(name)                                                                                         \
    END(void, name,                                                                                                \
        (void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, unsigned flags, \
         unsigned long tasks, int priority, long from, long to, long step),                                        \
        (fn, data, copy, bytes, alignment, flags, tasks, priority, from, to, step))
END(void, GOMP_taskwait, (void), ())
END(void, GOMP_taskgroup_end, (void), ())
TASKLOOP_END(GOMP_taskloop)
TASKLOOP_END(GOMP_taskloop_ull)
END(void, GOMP_barrier, (void), ())
END(bool, GOMP_barrier_cancel, (void), ())
END(void, GOMP_loop_end, (void), ())
END(bool, GOMP_loop_end_cancel, (void), ())
END(void, GOMP_sections_end, (void), ())
END(bool, GOMP_sections_end_cancel, (void), ())
END(void, GOMP_single_copy_end, (void *data), (data))
END(void, GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled))
END(void, GOMP_parallel_end, (void), ())
END(void, GOMP_parallel, (void (*fn)(void *), void *data, unsigned threads, unsigned flags), (fn, data, threads, flags))
END(unsigned, GOMP_parallel_reductions, (void (*fn)(void *), void *data, unsigned threads, unsigned flags),
    (fn, data, threads, flags))
END(void, GOMP_parallel_sections, (void (*fn)(void *), void *data, unsigned threads, unsigned count, unsigned flags),
    (fn, data, threads, count, flags))
LOOP_END(GOMP_parallel_loop_static)
LOOP_END(GOMP_parallel_loop_dynamic)
LOOP_END(GOMP_parallel_loop_guided)
LOOP_END(GOMP_parallel_loop_runtime)
LOOP_END(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP_END(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_END(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_END(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* Waits, by libgomp's function, for the tasks that `depend` names, and records the wait. */
void GOMP_taskwait_depend(void **depend)
{
    rt_run_deferred_tasks(depend);
    RT_NEXT(GOMP_taskwait_depend)(depend);
    rt_after_taskwait(&RT_WAIT_SITE(NULL), depend);
}

/* Creates a task by libgomp's function. A task with depend clauses counts as a wait for all tasks before it. */
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, bool deferred,
               unsigned flags, void **depend, int priority, void *detach)
{
    if (flags & DEPENDS)
        rt_run_deferred_tasks(depend);
    if (flags & DEPENDS)
        rt_after_taskwait(&RT_WAIT_SITE(NULL), NULL);
    if (flags & DETACHES)
        rt_has_detached_tasks = true;
    RT_NEXT(GOMP_task)(fn, data, copy, bytes, alignment, deferred, flags, depend, priority, detach);
}
