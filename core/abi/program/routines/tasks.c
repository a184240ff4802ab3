/* tasks.c - libgomp's functions at whose end tasks are complete, for strict runs and traces: each does what libgomp's own
 * does, and then the order of tasks is known. Which thread waits for which task is not looked at: each wait is for all
 * tasks. A task of the program with depend clauses orders ours, too: those before it are taken for complete. */
#include "target.h"

#include <dlfcn.h>

enum { DEPENDS = 1 << 3, DETACHES = 1 << 13 }; /* flags of tasks */

bool goacc_detaches;
static atomic_bool has_tasks; /* that the program has not waited for */

bool goacc_is_deferred(void)
{
    return !goacc.options.left || goacc_detaches;
}

bool goacc_has_tasks(void)
{
    return has_tasks;
}

struct goacc_turn goacc_next_task(const struct goacc_site *site, void **depend)
{
    struct goacc_turn turn = {0};
    if (goacc.options.left) {
        goacc_enter(site);
        turn = goacc_order_task(depend);
        goacc_leave();
    }
    has_tasks = true; /* whoever waits after this knows the task */
    return turn;
}

void goacc_tasks_waited(const struct goacc_site *site, void **depend)
{
    const bool traced = goacc.options.trace >= 0;
    if (!has_tasks || goacc_region(goacc_own.does) || goacc_in_target() || !(goacc.options.left || traced))
        return;
    goacc_enter(site);
    goacc_note_place(site);
    has_tasks = depend;
    if (traced)
        goacc_trace_event(&(accd_event){.op = ACCD_OP_WAIT,
                                        .device = goacc_own.device,
                                        .name = depend ? "tasks of depend clauses" : "all tasks",
                                        .rule = "OMP60-tgt-1",
                                        .async = ACCD_SYNCHRONOUS});
    if (depend)
        goacc_order_depend(depend);
    else
        goacc_order_tasks();
    goacc_races_waited();
    goacc_leave();
}

/* Functions without a result, with one: name, parameters, arguments. */
#define LOOP (void (*fn)(void *), void *data, unsigned threads, long from, long to, long step, long a, long b)
#define LOOP_ARGUMENTS (fn, data, threads, from, to, step, a, b)
#define TASKS                                                                                                \
    (void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,               \
     unsigned flags, unsigned long tasks, int priority, long from, long to, long step)
#define TASKS_ARGUMENTS (fn, data, copy, bytes, alignment, flags, tasks, priority, from, to, step)
#define ENDS(X)                                                                                              \
    X(GOMP_taskwait, (void), ())                                                                             \
    X(GOMP_taskgroup_end, (void), ())                                                                        \
    X(GOMP_taskloop, TASKS, TASKS_ARGUMENTS)                                                                 \
    X(GOMP_taskloop_ull, TASKS, TASKS_ARGUMENTS)                                                             \
    X(GOMP_barrier, (void), ())                                                                              \
    X(GOMP_loop_end, (void), ())                                                                             \
    X(GOMP_sections_end, (void), ())                                                                         \
    X(GOMP_single_copy_end, (void *data), (data))                                                            \
    X(GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled))                               \
    X(GOMP_parallel_end, (void), ())                                                                         \
    X(GOMP_parallel, (void (*fn)(void *), void *data, unsigned threads, unsigned flags),                     \
      (fn, data, threads, flags))                                                                            \
    X(GOMP_parallel_sections,                                                                                \
      (void (*fn)(void *), void *data, unsigned threads, unsigned count, unsigned flags),                    \
      (fn, data, threads, count, flags))                                                                     \
    X(GOMP_parallel_loop_static, LOOP, LOOP_ARGUMENTS)                                                       \
    X(GOMP_parallel_loop_dynamic, LOOP, LOOP_ARGUMENTS)                                                      \
    X(GOMP_parallel_loop_guided, LOOP, LOOP_ARGUMENTS)                                                       \
    X(GOMP_parallel_loop_runtime, LOOP, LOOP_ARGUMENTS)                                                      \
    X(GOMP_parallel_loop_nonmonotonic_dynamic, LOOP, LOOP_ARGUMENTS)                                         \
    X(GOMP_parallel_loop_nonmonotonic_guided, LOOP, LOOP_ARGUMENTS)                                          \
    X(GOMP_parallel_loop_nonmonotonic_runtime, LOOP, LOOP_ARGUMENTS)                                         \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, LOOP, LOOP_ARGUMENTS)
#define RETURNS(X)                                                                                           \
    X(bool, GOMP_barrier_cancel, (void), ())                                                                 \
    X(bool, GOMP_loop_end_cancel, (void), ())                                                                \
    X(bool, GOMP_sections_end_cancel, (void), ())                                                            \
    X(unsigned, GOMP_parallel_reductions,                                                                    \
      (void (*fn)(void *), void *data, unsigned threads, unsigned flags), (fn, data, threads, flags))

#define POINTER_TO(type, name, parameters, arguments) \
    type name parameters;                             \
    static __typeof__(name) *real_##name;
#define POINTER(name, parameters, arguments) POINTER_TO(void, name, parameters, arguments)
ENDS(POINTER)
RETURNS(POINTER_TO)
void GOMP_taskwait_depend(void **depend);
static __typeof__(GOMP_taskwait_depend) *real_GOMP_taskwait_depend;
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
               bool deferred, unsigned flags, void **depend, int priority, void *detach);
static __typeof__(GOMP_task) *real_GOMP_task;

static void find(void)
{
#define FIND(name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name);
#define FIND_ONE(name, parameters, arguments) FIND(name)
#define FIND_OTHER(type, name, parameters, arguments) FIND(name)
    ENDS(FIND_ONE)
    RETURNS(FIND_OTHER)
    FIND(GOMP_taskwait_depend)
    FIND(GOMP_task)
}

void goacc_find_tasks(void)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;
    pthread_once(&found, find);
}

/* Whether the end of tasks is looked at, or may be by when it comes. */
static inline bool looks(void)
{
    return !goacc.context || goacc.options.left || goacc.options.trace >= 0;
}

#define HERE ((const struct goacc_site[]){goacc_here("a wait for tasks")})
#define END(name, parameters, arguments) \
    void name parameters                 \
    {                                    \
        goacc_find_tasks();              \
        if (!looks()) {                  \
            real_##name arguments;       \
            return;                      \
        }                                \
        real_##name arguments;           \
        goacc_tasks_waited(HERE, NULL);  \
    }
#define RETURN(type, name, parameters, arguments) \
    type name parameters                          \
    {                                             \
        goacc_find_tasks();                       \
        type result = real_##name arguments;      \
        goacc_tasks_waited(HERE, NULL);           \
        return result;                            \
    }
ENDS(END)
RETURNS(RETURN)

void GOMP_taskwait_depend(void **depend)
{
    goacc_find_tasks();
    real_GOMP_taskwait_depend(depend);
    goacc_tasks_waited(HERE, depend);
}

void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long bytes, long alignment,
               bool deferred, unsigned flags, void **depend, int priority, void *detach)
{
    goacc_find_tasks();
    if (flags & DEPENDS)
        goacc_tasks_waited(HERE, NULL);
    if (flags & DETACHES)
        goacc_detaches = true;
    real_GOMP_task(fn, data, copy, bytes, alignment, deferred, flags, depend, priority, detach);
}
