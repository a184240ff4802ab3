/* lock.c - the locks of the runtime, the list of its threads, and what a fork does with them.
 *
 * Locks, in the order in which they are taken:
 * - exclusive: held by calls, and by kernels that use declared variables, while such variables exist.
 * - lock: the runtime's lock, held by each call but not while a kernel runs; skipped in single-threaded processes.
 * - diagnostics_lock: reports and debug information; kernels report without the runtime's lock.
 * - threads_lock: the list of threads; nothing else is locked while it is held. */
#include "lock.h"

#include "kernel.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <time.h>

static const pthread_mutex_t initial_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
/* Exclusive lock. It is recursive because a callback of a tool may call the runtime again. */
static const pthread_mutex_t initial_exclusive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t exclusive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
/* Lock of reports and debug information. It is recursive because a report looks up names. */
static pthread_mutex_t diagnostics_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static struct rt_thread *threads; /* list of the threads that have called the runtime */
static uint64_t ended_kernels;    /* number of kernels that threads have run which are no longer listed */

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

/* Returns true if the calling thread has the lock, without or by the mutex, which reports the second wait of a thread.
 */
bool rt_has_lock(void)
{
    static const struct timespec past = {0};
    if (atomic_load_explicit(&rt_lock_owner, memory_order_relaxed) == &rt_this_thread)
        return true;
    const int status = rt_is_mutex_held ? pthread_mutex_timedlock(&lock, &past) : ETIMEDOUT;
    if (!status)
        pthread_mutex_unlock(&lock);
    return status == EDEADLK;
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
    ended_kernels += thread->nkernels;
    pthread_mutex_unlock(&threads_lock);
}

/* Returns the number of kernels that all threads have run, those that have ended, too. */
uint64_t rt_count_kernels(void)
{
    /* a signal may have interrupted a change of the list */
    if (rt.is_dying ? pthread_mutex_trylock(&threads_lock) : pthread_mutex_lock(&threads_lock))
        return ended_kernels + rt_this_thread.nkernels;
    uint64_t n = ended_kernels;
    for (const struct rt_thread *thread = threads; thread; thread = thread->next)
        n += thread->nkernels;
    pthread_mutex_unlock(&threads_lock);
    return n;
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
