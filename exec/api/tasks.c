/* tasks.c - interposes functions of libgomp at whose end tasks are complete, for the race check and traces. The
 * functions here have the same names; they call libgomp's own and then record the wait. Except for depend clauses, a
 * wait counts as one for all tasks, whichever thread waits. A task of the program with depend clauses counts as a wait
 * for all tasks, too. */
#include "diag/symbolize.h"
#include "rt/lifecycle.h"
#include "trace/trace.h"
#include "target.h"

#include <assert.h>
#include <dlfcn.h>

enum { DEPENDS = 1 << 3, DETACHES = 1 << 13 }; /* flags of GOMP_task */

bool rt_has_detached_tasks;
static atomic_bool has_tasks; /* true while tasks may exist that the program has not waited for */

/* Returns true if libgomp or libomp decides when tasks of nowait directives run: in runs without checks, or if the
 * program has made a task with a detach clause. */
bool rt_defers_tasks(void)
{
    return !rt.options.diagnose || rt_has_detached_tasks;
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

/* Lists of libgomp's functions at whose end tasks are complete. ENDS: functions without a result, as name, parameters,
 * arguments. RETURNS: functions with a result, whose type comes first. */
#define LOOP (void (*fn)(void *), void *data, unsigned threads, long from, long to, long step, long a, long b)
#define LOOP_ARGUMENTS (fn, data, threads, from, to, step, a, b)
#define TASKS                                                                                                  \
    (void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, unsigned flags, \
     unsigned long tasks, int priority, long from, long to, long step)
#define TASKS_ARGUMENTS (fn, data, copy, bytes, alignment, flags, tasks, priority, from, to, step)
#define ENDS(X)                                                                                                      \
    X(GOMP_taskwait, (void), ())                                                                                     \
    X(GOMP_taskgroup_end, (void), ())                                                                                \
    X(GOMP_taskloop, TASKS, TASKS_ARGUMENTS)                                                                         \
    X(GOMP_taskloop_ull, TASKS, TASKS_ARGUMENTS)                                                                     \
    X(GOMP_barrier, (void), ())                                                                                      \
    X(GOMP_loop_end, (void), ())                                                                                     \
    X(GOMP_sections_end, (void), ())                                                                                 \
    X(GOMP_single_copy_end, (void *data), (data))                                                                    \
    X(GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled))                                       \
    X(GOMP_parallel_end, (void), ())                                                                                 \
    X(GOMP_parallel, (void (*fn)(void *), void *data, unsigned threads, unsigned flags), (fn, data, threads, flags)) \
    X(GOMP_parallel_sections, (void (*fn)(void *), void *data, unsigned threads, unsigned count, unsigned flags),    \
      (fn, data, threads, count, flags))                                                                             \
    X(GOMP_parallel_loop_static, LOOP, LOOP_ARGUMENTS)                                                               \
    X(GOMP_parallel_loop_dynamic, LOOP, LOOP_ARGUMENTS)                                                              \
    X(GOMP_parallel_loop_guided, LOOP, LOOP_ARGUMENTS)                                                               \
    X(GOMP_parallel_loop_runtime, LOOP, LOOP_ARGUMENTS)                                                              \
    X(GOMP_parallel_loop_nonmonotonic_dynamic, LOOP, LOOP_ARGUMENTS)                                                 \
    X(GOMP_parallel_loop_nonmonotonic_guided, LOOP, LOOP_ARGUMENTS)                                                  \
    X(GOMP_parallel_loop_nonmonotonic_runtime, LOOP, LOOP_ARGUMENTS)                                                 \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, LOOP, LOOP_ARGUMENTS)
#define RETURNS(X)                                                                                            \
    X(bool, GOMP_barrier_cancel, (void), ())                                                                  \
    X(bool, GOMP_loop_end_cancel, (void), ())                                                                 \
    X(bool, GOMP_sections_end_cancel, (void), ())                                                             \
    X(unsigned, GOMP_parallel_reductions, (void (*fn)(void *), void *data, unsigned threads, unsigned flags), \
      (fn, data, threads, flags))

#define POINTER_TO(type, name, parameters, arguments) \
    type name parameters;                             \
    static __typeof__(name) *real_##name;
#define POINTER(name, parameters, arguments) POINTER_TO(void, name, parameters, arguments)
ENDS(POINTER)
RETURNS(POINTER_TO)
void GOMP_taskwait_depend(void **depend);
static __typeof__(GOMP_taskwait_depend) *real_GOMP_taskwait_depend;
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, bool deferred,
               unsigned flags, void **depend, int priority, void *detach);
static __typeof__(GOMP_task) *real_GOMP_task;

/* Looks up libgomp's functions; pointers of functions that libgomp lacks stay NULL. */
static void find_functions(void)
{
#define FIND(name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name);
#define FIND_ONE(name, parameters, arguments) FIND(name)
#define FIND_OTHER(type, name, parameters, arguments) FIND(name)
    ENDS(FIND_ONE)
    RETURNS(FIND_OTHER)
    FIND(GOMP_taskwait_depend)
    FIND(GOMP_task)
}

/* Looks up libgomp's functions, once: at the first call. */
void rt_find_libgomp_tasks(void)
{
    static pthread_once_t once_control = PTHREAD_ONCE_INIT;
    pthread_once(&once_control, find_functions);
}

/* Returns true if waits for tasks must be recorded (checks or a trace), or if the options are not known yet. */
static inline bool observes_tasks(void)
{
    return !rt.context || RT_HAS_HOOK(wait);
}

/* Returns the site (struct rt_site) of the program's call of the entry point that uses this macro. */
#define HERE ((const struct rt_site[]){rt_caller_site("a wait for tasks")})
/* Define an entry point at whose end tasks are complete, without (END) and with (RETURN) a result. It calls libgomp's
 * function, and then records a wait for all tasks. */
#define END(name, parameters, arguments) \
    void name parameters                 \
    {                                    \
        rt_find_libgomp_tasks();         \
        if (!observes_tasks()) {         \
            real_##name arguments;       \
            return;                      \
        }                                \
        real_##name arguments;           \
        rt_after_taskwait(HERE, NULL);   \
    }
#define RETURN(type, name, parameters, arguments) \
    type name parameters                          \
    {                                             \
        rt_find_libgomp_tasks();                  \
        type result = real_##name arguments;      \
        rt_after_taskwait(HERE, NULL);            \
        return result;                            \
    }
ENDS(END)
RETURNS(RETURN)

/* Waits, by libgomp's function, for the tasks that `depend` names, and records the wait. */
void GOMP_taskwait_depend(void **depend)
{
    rt_find_libgomp_tasks();
    real_GOMP_taskwait_depend(depend);
    rt_after_taskwait(HERE, depend);
}

/* Creates a task by libgomp's function. A task with depend clauses counts as a wait for all tasks before it. */
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment, bool deferred,
               unsigned flags, void **depend, int priority, void *detach)
{
    rt_find_libgomp_tasks();
    if (flags & DEPENDS)
        rt_after_taskwait(HERE, NULL);
    if (flags & DETACHES)
        rt_has_detached_tasks = true;
    real_GOMP_task(fn, data, copy, bytes, alignment, deferred, flags, depend, priority, detach);
}
