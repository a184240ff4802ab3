/* lifecycle.h - start and end of the runtime, begin and end of each call, and constructs. */
#ifndef RT_LIFECYCLE_H
#define RT_LIFECYCLE_H

#include "base/lock.h"
#include "base/runtime.h"

/* Starts the runtime if necessary and returns the state of the calling thread. */
struct rt_thread *rt_ensure_started(void);
/* Do the work of rt_enter and rt_leave (below) for calls on the slow path: with tools, checks and declared variables.
 */
struct rt_thread *rt_enter_slow_path(const struct rt_site *site);
void rt_leave_slow_path(void);
/* Begin and end a call that does not use the device: it does not make the device active (reported as started). */
struct rt_thread *rt_enter_without_device(const struct rt_site *site);
void rt_leave_without_device(void);
/* Begins a call of the program: starts the runtime if necessary, takes the lock, sets rt.site and returns the
 * thread's state. rt_leave ends the call. */
static inline struct rt_thread *rt_enter(const struct rt_site *site)
{
    if (!rt_can_use_fast_path() || !rt_lock())
        return rt_enter_slow_path(site);
    rt.site = site;
    return &rt_this_thread;
}
static inline void rt_leave_fast_path(void) /* ends a call that took the fast path */
{
    assert(rt.site);
    rt.site = NULL;
    rt_unlock();
}
static inline void rt_leave(void) /* ends a call that rt_enter began */
{
    if (rt_can_use_fast_path())
        rt_leave_fast_path();
    else
        rt_leave_slow_path();
}
/* Reports the error `code` in the call at `site`, whose name begins the message, and ends the program. */
_Noreturn void rt_reject_call(const struct rt_site *site, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports that the compiler of the call's code uses an unknown interface ("passes entries of kind 0x99"), and ends
 * the program. The lock may be held. */
_Noreturn void rt_reject_unknown_abi(const struct rt_site *site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends all device data of the process (acc_shutdown), after the final checks of strict and instrumented runs. */
void rt_end_device_data(void);
/* Flags of rt_run_construct. RT_NEEDS_CHECK: the items must be checked before the core gets them. RT_HAS_POINTERS: some
 * items attach pointers. RT_HAS_PRIVATE_ITEMS: items of copyin clauses may be firstprivate variables instead. */
enum { RT_NEEDS_CHECK = 1, RT_HAS_POINTERS = 2, RT_HAS_PRIVATE_ITEMS = 4 };
void rt_end_core_region(struct rt_thread *self, accd_region *region); /* ends the program on failure */
/* Runs a construct of `kind` with these items on the thread's device, for the current call. flags: RT_x above,
 * or 0. finalize: reference counters become 0. Returns the construct's region; NULL: it opens none.
 * Failure ends the program. The lock must be held. */
accd_region *rt_run_construct(struct rt_thread *self, accd_construct_kind kind, unsigned flags, const accd_item *items,
                              size_t nitems, bool finalize);

#endif
