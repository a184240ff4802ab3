/* lock.h - the locks of the runtime, and the list of its threads. */
#ifndef RT_LOCK_H
#define RT_LOCK_H

#include "runtime.h"

#if __has_include(<sys/single_threaded.h>) /* glibc 2.32 and later */
#include <sys/single_threaded.h>
#define RT_SINGLE_THREADED __libc_single_threaded
#else
#define RT_SINGLE_THREADED false
#endif

/* Adds `thread` to the list of threads that have called the runtime. */
void rt_register_thread(struct rt_thread *thread);

void rt_unregister_thread(const struct rt_thread *thread); /* removes `thread` from the list, if listed */

uint64_t rt_count_kernels(void); /* returns the number of kernels that all threads have run */

/* Returns the kind of construct whose kernel `thread` runs, for fault handlers. A thread that has never called the
 * runtime counts as a helper of any running kernel. NULL: no kernel, or the list of threads is locked. */
const char *rt_team_kernel_kind(const struct rt_thread *thread);

/* Takes the lock without starting the runtime. Returns false if the calling thread has the lock already. */
bool rt_lock_slow_path(void);

/* takes the lock without waiting; returns false if any thread has the lock, also the calling one */
bool rt_try_lock(void);

/* returns true if the calling thread has the lock */
bool rt_has_lock(void);

void rt_unlock_slow_path(void); /* releases the lock, which the calling thread holds by the mutex */

void rt_lock_init(void); /* registers the functions that handle the locks at a fork; called once */

/* Thread that has the lock without the mutex because it was the only thread. Threads that start meanwhile take the
 * mutex and wait until this is NULL. */
extern struct rt_thread *_Atomic rt_lock_owner;

extern volatile bool rt_is_mutex_held; /* true if the lock is held by the mutex */

/* Takes the lock, without the mutex in a single-threaded process. Returns false if the calling thread has the lock
 * already. */
static inline bool rt_lock(void)
{
    if (!RT_SINGLE_THREADED || rt_is_mutex_held || atomic_load_explicit(&rt_lock_owner, memory_order_relaxed))
        return rt_lock_slow_path();
    atomic_store_explicit(&rt_lock_owner, &rt_this_thread, memory_order_relaxed);
    return true;
}

/* Releases the lock. Does nothing if the calling thread does not have it: an error in a kernel ends the program. */
static inline void rt_unlock(void)
{
    if (__builtin_expect(atomic_load_explicit(&rt_lock_owner, memory_order_relaxed) == &rt_this_thread, 1))
        atomic_store_explicit(&rt_lock_owner, NULL, memory_order_release);
    else
        rt_unlock_slow_path();
}

/* Takes (`on`) or releases the exclusive lock: calls of other threads wait while a kernel uses declared variables. */
void rt_set_exclusive(bool on);

/* Take and release the lock of debug information and reports, which a thread may take several times. */
void rt_lock_diagnostics(void);

void rt_unlock_diagnostics(void);

#endif
