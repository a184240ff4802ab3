/* clang_tasks.c - interposes libomp's functions that create tasks, or at whose end tasks are complete. The program
 * calls the functions of this file, which have the same names and call libomp's own.
 *
 * In strict runs and instrumented programs, the task of a nowait directive runs at once in the creating thread. Its
 * order for race checks remains that of the program (coherence/happens_before.c). All other tasks are left to libomp.
 *
 *      task of libomp:  | struct task | ... | shared -> struct extra | shared variables | */
#include "api/order_tasks.h"
#include "api/target.h"
#include "api/tasks.h"

#include "diag/errors.h"
#include "rt/lifecycle.h"
#include "clang_call_arguments.h"
#include "clang_maps.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

/* Task of libomp, as far as the compiler knows it. shared: its shared variables; entry: its function. */
struct task {
    char *shared;
    int32_t (*entry)(int32_t thread, struct task *task);
};
/* Data of a nowait directive's task, stored right before its shared variables. has_epoch: the task has got its epoch
 * (its position in the order of work). thread: libomp's number of the thread that runs the task (rt_take_task). */
struct extra {
    int32_t (*entry)(int32_t thread, struct task *task); /* the task's own function */
    struct rt_epoch epoch;
    bool has_epoch;
    int32_t thread;
} __attribute__((aligned(16)));

/* Dependence of a task, as the compiler passes it. */
struct depend {
    void *address;
    size_t bytes;
    uint8_t flags;
};
enum { IN = 1, ALL_MEMORY = 0x80 }; /* values of depend.flags: depend(in), omp_all_memory */
enum { TIED = 1 };                  /* flag for libomp's allocation of a task: the task is tied */

#define LIST int32_t n, const struct depend *list, int32_t nno_alias, const struct depend *no_alias
#define LIST_ARGUMENTS n, list, nno_alias, no_alias

/* Functions of libomp that this file calls; it defines those of the same names that come below. */
struct task *__kmpc_omp_target_task_alloc(void *location, int32_t thread, int32_t flags, size_t bytes, size_t shared,
                                          int32_t (*entry)(int32_t, struct task *), int64_t device);
struct task *__kmpc_omp_task_alloc(void *location, int32_t thread, int32_t flags, size_t bytes, size_t shared,
                                   int32_t (*entry)(int32_t, struct task *));
void __kmpc_omp_task_begin_if0(void *location, int32_t thread, struct task *task);
void __kmpc_omp_task_complete_if0(void *location, int32_t thread, struct task *task);
int32_t __kmpc_omp_task(void *location, int32_t thread, struct task *task);
int32_t __kmpc_omp_task_with_deps(void *location, int32_t thread, struct task *task, LIST);
void *__kmpc_task_allow_completion_event(void *location, int32_t thread, struct task *task);
void __kmpc_omp_wait_deps(void *location, int32_t thread, LIST);
void __kmpc_omp_taskwait_deps_51(void *location, int32_t thread, LIST, int32_t nowait);
void __kmpc_end_taskgroup(void *location, int32_t thread);
typedef void fork_fn(void *location, int32_t n, void *fn, ...);
fork_fn __kmpc_fork_call, __kmpc_fork_teams;

/* ------------------------------------------------------------------------------------- waits -- */

/* Address of the site (rt_site) of the program's call of the entry point that uses the macro, and must have a parameter
 * `location`. name: its name in reports; WAIT: that of a wait for tasks. */
#define HERE(name) (&RT_SITE_AT(name, rt_get_ident_text(location)))
#define WAIT (&RT_WAIT_SITE(rt_get_ident_text(location)))
/* libomp's functions at whose end tasks are complete. */
#define END(type, name, parameters, arguments) \
    RT_DEFINE_TASK_END(type, name, parameters, arguments, rt_get_ident_text(location))
END(void, __kmpc_barrier, (void *location, int32_t thread), (location, thread))
END(int32_t, __kmpc_cancel_barrier, (void *location, int32_t thread), (location, thread))
END(void, __kmpc_end_serialized_parallel, (void *location, int32_t thread), (location, thread))
END(int32_t, __kmpc_omp_taskwait, (void *location, int32_t thread), (location, thread))
END(int32_t, __kmpc_reduce,
    (void *location, int32_t thread, int32_t n, size_t bytes, void *data, void (*reduce)(void *, void *), void *lock),
    (location, thread, n, bytes, data, reduce, lock))
END(void, __kmpc_end_reduce, (void *location, int32_t thread, void *lock), (location, thread, lock))
END(void, __kmpc_copyprivate,
    (void *location, int32_t thread, size_t bytes, void *data, void (*copy)(void *, void *), int32_t ready),
    (location, thread, bytes, data, copy, ready))
END(void, __kmpc_fork_call_if, (void *location, int32_t n, void *fn, int32_t condition, void *args),
    (location, n, fn, condition, args))

/* Waits for the tasks of a group by libomp's function, which also calls the program's code that combines results of
 * in_reduction. Meanwhile self->ends_group is set, so that accesses of this code are not checked against pending
 * transfers. */
void __kmpc_end_taskgroup(void *location, int32_t thread)
{
    rt_run_deferred_tasks(NULL);
    struct rt_thread *self = rt_ensure_started();
    const bool outer = self->ends_group;
    self->ends_group = true;
    RT_NEXT(__kmpc_end_taskgroup)(location, thread);
    self->ends_group = outer;
    rt_after_taskwait(WAIT, NULL);
}

/* Calls libomp's function `real` with location, n, fn and the n words of `list`; n must not exceed
 * RT_CALL_ARGUMENTS_MAX. */
static void fork_all(fork_fn *real, void *location, int32_t n, void *fn, va_list list)
{
    assert(n >= 0 && n <= RT_CALL_ARGUMENTS_MAX);
    uintptr_t args[RT_CALL_ARGUMENTS_MAX];
    const size_t capacity = rt_round_up_argument_count((size_t)n);
    for (size_t i = 0; i < capacity; i++)
        args[i] = i < (size_t)n ? va_arg(list, uintptr_t) : 0;
    if (capacity == 16)
        real(location, n, fn, A16(0));
    else if (capacity == 64)
        real(location, n, fn, A64(0));
    else
        real(location, n, fn, A1024(0));
}

/* Defines an entry point that runs a parallel or teams region: calls libomp's function with the same arguments, after
 * which all tasks are complete. Ends the program with more than RT_CALL_ARGUMENTS_MAX arguments. */
#define FORK(name)                                                                                   \
    void __kmpc_##name(void *location, int32_t n, void *fn, ...)                                     \
    {                                                                                                \
        va_list list;                                                                                \
        if (n > RT_CALL_ARGUMENTS_MAX)                                                               \
            rt_reject_call(HERE("parallel"), "unsupported", "uses %d variables; the most are %d", n, \
                           RT_CALL_ARGUMENTS_MAX);                                                   \
        rt_run_deferred_tasks(NULL);                                                                 \
        va_start(list, fn);                                                                          \
        fork_all(RT_NEXT(__kmpc_##name), location, n, fn, list);                                     \
        va_end(list);                                                                                \
        rt_after_taskwait(WAIT, NULL);                                                               \
    }
FORK(fork_call)
FORK(fork_teams)

/* ----------------------------------------------------------------------------------- depend -- */

/* Depend clauses in gcc's form: a header of five words, then the addresses, those of writers (out, inout) first. */
struct depends {
    void **list;     /* list in gcc's form; NULL: no clauses */
    bool all_memory; /* omp_all_memory is named */
};

/* Converts the depend clauses that clang passes (LIST: two arrays) to gcc's form; the caller must free `list` of the
 * result. Ends the program without memory. */
static struct depends open_depends(LIST)
{
    enum { HEAD = 5 };
    const size_t count = (size_t)n + (size_t)nno_alias;
    struct depends depends = {0};
    if (!count)
        return depends;
    if (!(depends.list = calloc(HEAD + count, sizeof *depends.list)))
        rt_fatal("out-of-memory", "no memory for a depend clause");
    uintptr_t nwriters = 0, nreaders = 0;
    for (int reads = 0; reads < 2; reads++) /* writers come first in gcc's form */
        for (size_t i = 0; i < count; i++) {
            const struct depend *at = i < (size_t)n ? &list[i] : &no_alias[i - (size_t)n];
            depends.all_memory |= (at->flags & ALL_MEMORY) != 0;
            if ((at->flags == IN) != reads)
                continue;
            depends.list[HEAD + nwriters + nreaders] = at->address;
            nwriters += reads ? 0 : 1;
            nreaders += reads ? 1 : 0;
        }
    depends.list[1] = (void *)(nwriters + nreaders);
    depends.list[2] = (void *)nwriters;
    depends.list[4] = (void *)nreaders;
    return depends;
}

/* Executes the tasks that were put off (rt_take_task) and that these depend clauses name. */
static void run_deferred_tasks(LIST)
{
    struct depends depends = open_depends(LIST_ARGUMENTS);
    if (depends.list)
        rt_run_deferred_tasks(depends.list);
    free(depends.list);
}

/* Tells the race check that the tasks which these depend clauses name are complete; with omp_all_memory, all tasks.
 * Does nothing if no task is pending. */
static void after_wait_deps(const struct rt_site *site, LIST)
{
    if (!rt_has_pending_tasks())
        return;
    struct depends depends = open_depends(LIST_ARGUMENTS);
    rt_after_taskwait(site, depends.all_memory ? NULL : depends.list);
    free(depends.list);
}

/* Begins a task for the race check, after the tasks that its depend clauses name, and returns its epoch. With
 * omp_all_memory, the task comes after all earlier tasks and before all later ones. */
static struct rt_epoch begin_task(const struct rt_site *site, LIST)
{
    struct depends depends = open_depends(LIST_ARGUMENTS);
    if (depends.all_memory)
        rt_after_taskwait(site, NULL);
    const struct rt_epoch epoch = rt_begin_nowait_task(site, depends.list);
    free(depends.list);
    if (depends.all_memory)
        rt_after_taskwait(site, NULL);
    return epoch;
}

/* Waits, by libomp's function, for the tasks that the depend clauses name, and informs the race check. */
void __kmpc_omp_wait_deps(void *location, int32_t thread, LIST)
{
    run_deferred_tasks(LIST_ARGUMENTS);
    RT_NEXT(__kmpc_omp_wait_deps)(location, thread, LIST_ARGUMENTS);
    after_wait_deps(WAIT, LIST_ARGUMENTS);
}

/* Waits, by libomp's function, for the tasks that the depend clauses name, and informs the race check. With `nowait`
 * the program does not wait, and the race check gets a task in place of a wait. */
void __kmpc_omp_taskwait_deps_51(void *location, int32_t thread, LIST, int32_t nowait)
{
    run_deferred_tasks(LIST_ARGUMENTS);
    RT_NEXT(__kmpc_omp_taskwait_deps_51)(location, thread, LIST_ARGUMENTS, nowait);
    if (!nowait)
        after_wait_deps(WAIT, LIST_ARGUMENTS);
    else if (rt_has_pending_tasks())
        begin_task(WAIT, LIST_ARGUMENTS);
}

/* ------------------------------------------------------------------------------------- tasks -- */

/* Returns the struct extra that __kmpc_omp_target_task_alloc has stored before the shared variables of a nowait
 * directive's task. */
static struct extra *extra_of(const struct task *task)
{
    return (struct extra *)(void *)task->shared - 1;
}

/* Function of a nowait directive's task: runs the task's own function, while the thread has the task's epoch (its
 * position in the order of work). Returns the function's result. */
static int32_t run_nowait_task(int32_t thread, struct task *task)
{
    assert(task->shared);
    const struct extra *extra = extra_of(task);
    struct rt_thread *self = rt_ensure_started();
    const struct rt_epoch before = self->epoch;
    self->epoch = extra->epoch;
    const int32_t result = extra->entry(thread, task);
    self->epoch = before;
    return result;
}

/* Allocates the task of a nowait directive, by libomp, and returns it. In checked or traced runs the task has a struct
 * extra, and run_nowait_task as its function. */
struct task *__kmpc_omp_target_task_alloc(void *location, int32_t thread, int32_t flags, size_t bytes, size_t shared,
                                          int32_t (*entry)(int32_t, struct task *), int64_t device)
{
    /* starts the runtime, if it has not started: the options decide below */
    rt_get_target_device_count();
    if (!RT_HAS_HOOK(wait))
        return RT_NEXT(__kmpc_omp_target_task_alloc)(location, thread, flags, bytes, shared, entry, device);
    shared += 2 * sizeof(struct extra); /* twice, for alignment */
    struct task *task =
        rt_defers_tasks()
            ? RT_NEXT(__kmpc_omp_target_task_alloc)(location, thread, flags, bytes, shared, run_nowait_task, device)
            : RT_NEXT(__kmpc_omp_task_alloc)(location, thread, flags | TIED, bytes, shared, run_nowait_task);
    enum { ALIGNMENT = _Alignof(struct extra) };
    task->shared += 2 * sizeof(struct extra) - (uintptr_t)task->shared % ALIGNMENT;
    *extra_of(task) = (struct extra){.entry = entry};
    return task;
}

/* Function of rt_take_task: runs the struct task `data`. libomp does not know that the task runs, because another task
 * may be its current one; the task's memory is never freed. */
static void run_task_of_list(void *data)
{
    struct task *task = data;
    run_nowait_task(extra_of(task)->thread, task);
}

/* Gives a nowait directive's task to rt_take_task, and returns the result: true if the task was put off or has run. */
static bool take_task(int32_t thread, struct task *task, LIST)
{
    if (!rt.options.seed)
        return false;
    struct depends depends = open_depends(LIST_ARGUMENTS);
    extra_of(task)->thread = thread;
    const bool is_taken = rt_take_task(run_task_of_list, task, depends.list);
    free(depends.list);
    return is_taken;
}

/* Runs a nowait directive's task at once, after the tasks that its depend clauses name, or puts it off, and returns
 * true. Returns false if libomp must run the task: an ordinary task of the program, or a deferred one
 * (rt_defers_tasks). */
static bool run_at_once(const struct rt_site *site, void *location, int32_t thread, struct task *task, LIST)
{
    assert(task->entry);
    if (task->entry != run_nowait_task) { /* an ordinary task of the program */
        run_deferred_tasks(LIST_ARGUMENTS);
        if (n || nno_alias)
            after_wait_deps(site, LIST_ARGUMENTS);
        return false;
    }
    struct extra *extra = extra_of(task);
    /* libomp may call one of the two functions below from the other; the task gets only one epoch. */
    if (!extra->has_epoch)
        extra->epoch = begin_task(site, LIST_ARGUMENTS);
    extra->has_epoch = true;
    if (rt_defers_tasks())
        return false;
    if (take_task(thread, task, LIST_ARGUMENTS))
        return true;
    if (n || nno_alias)
        RT_NEXT(__kmpc_omp_wait_deps)(location, thread, LIST_ARGUMENTS);
    RT_NEXT(__kmpc_omp_task_begin_if0)(location, thread, task);
    run_nowait_task(thread, task);
    RT_NEXT(__kmpc_omp_task_complete_if0)(location, thread, task);
    return true;
}

/* Creates a task by libomp's function, and returns its result; or runs the task at once and returns 0. */
int32_t __kmpc_omp_task(void *location, int32_t thread, struct task *task)
{
    return run_at_once(HERE("a task"), location, thread, task, 0, NULL, 0, NULL)
               ? 0
               : RT_NEXT(__kmpc_omp_task)(location, thread, task);
}

/* Creates a task with depend clauses by libomp's function, and returns its result; or runs the task at once, after the
 * tasks that the clauses name, and returns 0. */
int32_t __kmpc_omp_task_with_deps(void *location, int32_t thread, struct task *task, LIST)
{
    return run_at_once(HERE("a task"), location, thread, task, LIST_ARGUMENTS)
               ? 0
               : RT_NEXT(__kmpc_omp_task_with_deps)(location, thread, task, LIST_ARGUMENTS);
}

/* Handles the detach clause of a task by libomp's function, and returns its event. From now on tasks of nowait
 * directives are deferred: a task that runs at once might wait forever for an event which the program fulfils later. */
void *__kmpc_task_allow_completion_event(void *location, int32_t thread, struct task *task)
{
    rt_has_detached_tasks = true;
    return RT_NEXT(__kmpc_task_allow_completion_event)(location, thread, task);
}
