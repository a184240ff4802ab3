/* page_guard.h - the page guard: runs a kernel while the host's memory is protected, and finds the first
 * access of the kernel to host memory that it may not use. Called by strict.c.
 *
 * The kernel has a stack, thread-local variables and a malloc of its own. The other threads of the process
 * are stopped while it runs; in a long kernel they run for a moment every second, and the kernel waits.
 * Protected are the heap, large malloc blocks, the stacks of all threads, and the variables of the program
 * and of its libraries. Variables of the system's libraries (libc, libgfortran, ...) stay open, and code of
 * these libraries may touch protected memory unless data at the address are present on a device (callback
 * `present` of rt_guard_new). Memory that a kernel allocates is open to it and to later kernels.
 *
 * The library that contains this code must be linked with -z now: lazily bound calls would use protected
 * memory inside a signal handler. */
#ifndef RT_PAGE_GUARD_H
#define RT_PAGE_GUARD_H

#include "lib/arena.h"
#include "fault_context.h"

#include <stdbool.h>

struct rt_page_guard;

/* First wrong access of a kernel. */
struct rt_guard_fault {
    uint64_t address; /* address of the access; 0: the processor did not report it (not a canonical address) */
    struct accd__debug_fault_context
        *fault_context;    /* registers and stack at the access; the accessing code may be a system
                            * library that the kernel called. Valid until the next run */
    int write;             /* 1: the access writes */
    int host;              /* 1: the address is protected host memory */
    int has_jumped;        /* 1: a jump has left the kernel, so that the stack at the access is not the guard's */
    uint64_t wild_pointer; /* result of rt_find_wild_pointer if `address` is 0, otherwise 0 */
};

/* Result of a run. RT_GUARD_OK: fn has run to its end without a wrong access. RT_GUARD_FAULT: a wrong access has ended
 * fn. RT_UNGUARDED: fn has run to its end, but memory was not protected all the time; rt_guard_get_reason says why. */
enum rt_guard_result { RT_GUARD_OK, RT_GUARD_FAULT, RT_UNGUARDED };

/* Reasons why a run was unguarded. */
enum rt_unguarded_reason {
    RT_UNGUARDED_SYSTEM,  /* the page guard was not made, or does not work on this system */
    RT_UNGUARDED_THREADS, /* a thread cannot be stopped */
    RT_UNGUARDED_MALLOC,  /* threads share the memory of a malloc that is not the C library's */
    RT_UNGUARDED_KERNEL,  /* the kernel started a thread or a process, or sent itself a signal */
    RT_UNGUARDED_REASONS
};

/* Makes the page guard of the process; only one may exist. present(ud, address) must return nonzero if host data at
 * `address` are present on a device. It is called inside a signal handler while memory is protected, so it may only do
 * look-ups in memory of the arena. Returns NULL without memory, or if this system lacks support: the guard needs Linux
 * 5.11, and the C library's own malloc with an arena for each thread (no MALLOC_ARENA_MAX=1). */
struct rt_page_guard *rt_guard_new(int (*present)(void *ud, uint64_t address), void *ud);
/* Unprotects all memory, ends the guard's thread and frees its stack. Does nothing if guard is NULL, or on the guard's
 * own thread: then a kernel has called exit(). */
void rt_guard_free(struct rt_page_guard *guard);
/* Returns why the last run was unguarded; RT_UNGUARDED_SYSTEM if no other reason is known. guard may be NULL. */
enum rt_unguarded_reason rt_guard_get_reason(const struct rt_page_guard *guard);

/* Returns the number of the current host interval, the time between two kernels; 0 if guard is NULL. Most memory may
 * stay protected in it; the host's accesses open what they touch. */
uint64_t rt_guard_get_interval(const struct rt_page_guard *guard);
/* Unprotects all memory until the next guarded kernel. Does nothing if guard is NULL or memory is open. */
void rt_guard_unprotect_all(struct rt_page_guard *guard);
/* Returns true if the host cannot have changed the range in any host interval (time between two kernels)
 * after the one with the number `interval`. False if that is not known: without a guard, with memory open, or
 * if a part of the range is not protected. */
bool rt_guard_is_untouched(const struct rt_page_guard *guard, uint64_t start, uint64_t bytes, uint64_t interval);
/* Copies n bytes of host memory at `start` to `to`; this does not count as an access of the host. Returns false if
 * memory is not mapped; `to` may have changed then. guard may be NULL. */
bool rt_guard_peek(struct rt_page_guard *guard, uint64_t start, char *to, size_t n);
/* Returns true if n bytes of host memory at `start` are mapped and differ from those at `from`; this does not count as
 * an access of the host. guard may be NULL. */
bool rt_guard_differs(struct rt_page_guard *guard, uint64_t start, const char *from, size_t n);

/* Use of a section of device memory by a kernel: not known, not touched, touched. */
enum rt_touch { RT_TOUCH_UNKNOWN, RT_TOUCH_NONE, RT_TOUCHED };
/* Section of device memory: data that a kernel's construct names. The guard finds the kernel's first touch of
 * the section; `touch` is RT_TOUCH_UNKNOWN if that is not possible. */
struct rt_device_section {
    uint64_t start, bytes, at; /* start and size of the section; first address that the kernel touched */
    enum rt_touch touch;
    bool protected; /* the pages are PROT_NONE until the section is touched */
};
/* Sets the sections for the next run; they must lie in memory of the arena. Does nothing if guard is NULL, or in a
 * kernel. */
void rt_guard_set_sections(struct rt_page_guard *guard, struct rt_device_section *sections, size_t nsections);

/* Runs fn(arg) with the host's memory protected. `open` lists ranges of any length that stay accessible; the memory
 * that `arg` points to must lie in them or in the arena. ready(), unless NULL, is called before fn while the other
 * threads are stopped. If guard is NULL or cannot protect memory, fn just runs, after ready().
 *
 * RT_GUARD_FAULT fills *fault_p. Locks of the C library that the kernel held then remain held, so messages must be
 * written by write(2).
 *
 * Signals that arrive during the run are delivered before rt_guard_run returns; signals that would end or stop the
 * process do so at once. A kernel that calls exit() runs the exit functions as the guard's thread, with all memory
 * open; then rt_guard_run does not return. */
enum rt_guard_result rt_guard_run(struct rt_page_guard *guard, void (*fn)(void *), void *arg,
                                  const struct rt_range *open, size_t nopen, void (*ready)(void),
                                  struct rt_guard_fault *fault_p);

#endif
