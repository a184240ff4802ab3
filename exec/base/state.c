/* state.c - the state of the runtime and of each thread, the locks, and their handling at fork.
 *
 * Locks, in the order in which they are taken:
 * - exclusive: held by calls, and by kernels that use declared variables, while such variables exist.
 * - lock: the runtime's lock, held by each call but not while a kernel runs; skipped in single-threaded processes.
 * - diagnostics_lock: reports and debug information; kernels report without the runtime's lock.
 * - threads_lock: the list of threads; nothing else is locked while it is held. */
#include "runtime.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rt_state rt = {.profiled = true};

static const pthread_mutex_t initial_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
/* Exclusive lock. It is recursive because a callback of a tool may call the runtime again. */
static const pthread_mutex_t initial_exclusive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t exclusive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
/* Lock of reports and debug information. It is recursive because a report looks up names. */
static pthread_mutex_t diagnostics_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
__thread struct rt_thread rt_this_thread __asm__("rt_thread_state"); /* state of the calling thread */

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_thread *threads; /* list of the threads that have called the runtime */

/* Name of the region of declared variables, which is open as long as the context exists. */
const char rt_declared_region_name[] = "program";

/* Ends the process with status 1, without exit handlers, because an error ends the program already. */
void rt_exit_during_shutdown(void)
{
    fflush(NULL);
    _Exit(EXIT_FAILURE);
}

/* ------------------------------------------------------------------------------------- locks -- */

struct rt_thread *_Atomic rt_lock_owner;
volatile bool rt_is_mutex_held;

/* Takes the mutex, and waits until no thread has the lock without the mutex. Returns false if the calling thread has
 * the lock. */
bool rt_lock_slow_path(void)
{
    if (RT_SINGLE_THREADED || atomic_load_explicit(&rt_lock_owner, memory_order_relaxed) == &rt_this_thread ||
        pthread_mutex_lock(&lock))
        return false;
    while (atomic_load_explicit(&rt_lock_owner, memory_order_acquire))
        sched_yield();
    rt_is_mutex_held = true;
    return true;
}

/* Takes the lock and returns true, if no thread has the lock; otherwise returns false. */
bool rt_try_lock(void)
{
    if (atomic_load_explicit(&rt_lock_owner, memory_order_relaxed) || pthread_mutex_trylock(&lock))
        return false;
    if (atomic_load_explicit(&rt_lock_owner, memory_order_acquire)) {
        pthread_mutex_unlock(&lock);
        return false;
    }
    rt_is_mutex_held = true;
    return true;
}

/* Releases the lock, which the thread holds by the mutex. */
void rt_unlock_slow_path(void)
{
    rt_is_mutex_held = false;
    pthread_mutex_unlock(&lock);
}

/* Takes (`on`) or releases the exclusive lock. Taking it waits while another thread has this lock. */
void rt_set_exclusive(bool on)
{
    if (on)
        pthread_mutex_lock(&exclusive);
    else
        pthread_mutex_unlock(&exclusive);
}

/* Takes the lock of diagnostics, which the thread may have already. */
void rt_lock_diagnostics(void)
{
    pthread_mutex_lock(&diagnostics_lock);
}

/* Releases the lock of diagnostics once. */
void rt_unlock_diagnostics(void)
{
    pthread_mutex_unlock(&diagnostics_lock);
}

/* ----------------------------------------------------------------------------------- threads -- */

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

/* Adds the thread to the list of threads that have called the runtime. */
void rt_register_thread(struct rt_thread *thread)
{
    assert(thread && thread->type);
    pthread_mutex_lock(&threads_lock);
    thread->next = threads;
    threads = thread;
    pthread_mutex_unlock(&threads_lock);
}

/* Removes the thread from the list; does nothing if it is not listed. */
void rt_unregister_thread(const struct rt_thread *thread)
{
    pthread_mutex_lock(&threads_lock);
    struct rt_thread **at = &threads;
    while (*at && *at != thread)
        at = &(*at)->next;
    if (*at)
        *at = thread->next;
    pthread_mutex_unlock(&threads_lock);
}

/* Returns the kind of construct whose kernel the thread runs. For a thread that has never called the runtime, looks for
 * a kernel of any thread, whose helper it may be. NULL: no kernel, or the list of threads is locked. */
const char *rt_team_kernel_kind(const struct rt_thread *thread)
{
    const char *region = rt_kernel_kind(thread->activity);
    if (region || thread->type || pthread_mutex_trylock(&threads_lock))
        return region;
    for (const struct rt_thread *other = threads; other && !region; other = other->next)
        region = rt_kernel_kind(other->activity);
    pthread_mutex_unlock(&threads_lock);
    return region;
}

/* --------------------------------------------------------------------------------------- fork -- */

/* true if before_fork took the lock; false: the thread had the lock already, because a signal handler may fork in the
 * middle of a call */
static __thread bool lock_is_taken_for_fork;

/* Takes the runtime's lock (unless the thread has it) and that of diagnostics before a fork, so that the child gets
 * consistent data; calls the hook `fork`. */
static void before_fork(void)
{
    lock_is_taken_for_fork = rt_lock();
    rt_lock_diagnostics();
    RT_CALL_HOOKS(fork, RT_FORK_PREPARE);
}

/* Releases the locks in the parent after a fork, and calls the hook `fork`. */
static void after_fork(void)
{
    RT_CALL_HOOKS(fork, RT_FORK_PARENT);
    rt_unlock_diagnostics();
    if (lock_is_taken_for_fork)
        rt_unlock();
}

/* Makes all locks new in the child, because their owners may be threads of the parent. Takes the runtime's lock if the
 * forking call has it, and calls the hook `fork`. */
static void after_fork_in_child(void)
{
    lock = initial_lock;
    rt_is_mutex_held = false;
    rt_lock_owner = NULL;
    exclusive = diagnostics_lock = initial_exclusive;
    threads_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    threads = rt_this_thread.type ? &rt_this_thread : NULL;
    rt_this_thread.next = NULL;
    if (!lock_is_taken_for_fork)
        rt_lock();
    RT_CALL_HOOKS(fork, RT_FORK_CHILD);
}

/* Registers the functions that handle the locks at a fork. */
void rt_lock_init(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* ----------------------------------------------------------------------------------- context -- */

/* Calls the hooks of all tools for an event. Returns true, because RT_ON_NEW_STACK needs a result. */
static bool dispatch_event(const accd_event *event)
{
    RT_CALL_HOOKS(event, event);
    return true;
}

/* Callback of the core: calls the hooks of all tools for an event. ud is not used. The lock is held. */
static void on_core_event(void *ud, const accd_event *event)
{
    (void)ud;
    RT_ON_NEW_STACK(dispatch_event, event); /* a thread's own stack may be too small for the checks */
}

/* Sets the core's event callback and event mask by what uses events at present: trace, checks, tools. Does nothing
 * without a context. */
void rt_subscribe(void)
{
    if (!rt.context)
        return;
    accd_context_set_event_handler(rt.context, rt_get_event_needs() ? on_core_event : NULL, NULL);
    rt_set_event_mask(true);
}

/* Sets the events that the core reports, and those that have names. A strict run without a trace and without tools for
 * data gets only the events that its checks need; names only if `needs_names`. All other runs get all. */
void rt_set_event_mask(bool needs_names)
{
    assert(rt.context);
    enum { NAMED = 1 << ACCD_OP_H2D | 1 << ACCD_OP_D2H | 1 << ACCD_OP_FREE };
    const bool all_events = (rt_get_event_needs() & ~(unsigned)RT_STRICT_EVENTS) != 0;
    accd_context_subscribe(rt.context, all_events ? ~0u : RT_STRICT_EVENTS, all_events ? ~0u : needs_names ? NAMED : 0);
}

/* Returns the first device with an open region other than that of declared variables, and stores the region's name; -1:
 * no such region. */
int rt_find_open_region(const char **name_p)
{
    assert(rt.context && name_p);
    accd_level level;
    for (int device = 0; device < accd_device_count(rt.context); device++)
        for (size_t i = 0; accd_level_get(rt.context, device, i, &level); i++)
            if (strcmp(level.name, rt_declared_region_name) != 0) {
                *name_p = level.name;
                return device;
            }
    return -1;
}
