/* page_guard.h - runs a kernel while the host's memory is closed, and finds the access that it was not
 * given.
 *
 * The kernel has a stack, thread-local variables and malloc of its own. The other threads of the
 * process wait while it runs; if it takes long, they run for a moment now and then, and the kernel
 * waits. Closed are the heap, large malloc blocks, the stacks of all threads, and the variables of
 * the program and of its libraries; not those of the system's libraries (libc, libgfortran, ...),
 * whose code may also touch closed memory as long as present() does not name it. Memory that a
 * kernel allocates is open to it and to later kernels.
 *
 * The library that this is linked into must be linked with -z now: calls that are bound late would
 * go through closed memory inside a signal handler. */
#ifndef RT_PAGE_GUARD_H
#define RT_PAGE_GUARD_H

#include "abi/program/base/arena.h"
#include "fault_context.h"

#include <stdbool.h>

struct rt_page_guard;

struct rt_guard_fault {
    uint64_t address; /* 0: the processor did not tell (not a valid address) */
    struct accd__debug_fault_context
        *stopped; /* may lie in a system library that the kernel called; until the next run */
    int write;
    int host;              /* 0: not memory that was closed */
    int jumped;            /* the program has left the kernel by a jump, and its stack */
    uint64_t wild_pointer; /* without an address: what rt_find_wild_pointer says; otherwise 0 */
};

/* UNWATCHED: fn has run, and nothing was closed, or only until rt_guard_get_reason. */
enum rt_guard_result { RT_GUARD_OK, RT_GUARD_FAULT, RT_UNGUARDED };

enum rt_unguarded_reason {
    RT_UNGUARDED_SYSTEM,  /* there is no watch, or it does not work */
    RT_UNGUARDED_THREADS, /* another thread cannot be stopped */
    RT_UNGUARDED_MALLOC,  /* threads share the memory of malloc, which is not the C library's */
    RT_UNGUARDED_KERNEL,  /* it started a thread or a process, or sent itself a signal */
    RT_UNGUARDED_REASONS
};

/* present() is called inside a signal handler, with memory closed: it only looks things up, in the
 * arena's memory. One watch at a time. NULL: this system cannot (it needs Linux 5.11 and
 * the C library's own malloc with an arena for each thread, so no MALLOC_ARENA_MAX=1). */
struct rt_page_guard *rt_guard_new(int (*present)(void *ud, uint64_t address), void *ud);
void rt_guard_free(struct rt_page_guard *guard);
/* Of the last run that was not watched; watch may be NULL. */
enum rt_unguarded_reason rt_guard_get_reason(const struct rt_page_guard *guard);

/* Between kernels most memory may stay closed; the host's code that needs it opens it. Gaps between kernels are
 * numbered. */
uint64_t rt_guard_get_interval(const struct rt_page_guard *guard);
/* All memory is open until the next kernel that is watched. */
void rt_guard_unprotect_all(struct rt_page_guard *guard);
/* Whether the host cannot have changed a range after the gap `since`. */
bool rt_guard_is_untouched(const struct rt_page_guard *guard, uint64_t start, uint64_t bytes, uint64_t since);
/* Reads memory of the host, which does not count as a use of it. False: there is none. */
bool rt_guard_peek(struct rt_page_guard *guard, uint64_t start, char *to, size_t n);
/* Whether there is memory, and it holds something else than these bytes. No use of it, either. */
bool rt_guard_differs(struct rt_page_guard *guard, uint64_t start, const char *from, size_t n);

/* Device memory that a kernel may touch, or not. What the watch does not know stays as it is. */
enum rt_touch { RT_TOUCH_UNKNOWN, RT_TOUCH_NONE, RT_TOUCHED };
struct rt_device_section {
    uint64_t start, bytes, at; /* where it was touched first */
    enum rt_touch touch;
    bool protected; /* until it is touched */
};
/* Of the next run; in memory that stays open. */
void rt_guard_set_sections(struct rt_page_guard *guard, struct rt_device_section *sections, size_t nsections);

/* Runs fn(arg); open: ranges that stay accessible, of any length. What arg points to must be among
 * them or in the arena. After a fault, locks of the C library that the kernel held remain held:
 * messages are for write(2). *fault_p is written for RT_GUARD_FAULT. ready(), or NULL, is
 * called before fn, while the other threads wait. Without a watch, fn just runs.
 *
 * Signals that come meanwhile are delivered before this returns; those that would end or stop the
 * process do so at once. A kernel that calls exit() runs the exit functions as the watch's thread,
 * with all memory open; this does not return. */
enum rt_guard_result rt_guard_run(struct rt_page_guard *guard, void (*fn)(void *), void *arg,
                                  const struct rt_range *open, size_t nopen, void (*ready)(void),
                                  struct rt_guard_fault *fault_p);

#endif
