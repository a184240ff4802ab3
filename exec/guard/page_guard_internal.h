/* page_guard_internal.h - state of the page guard, and the functions that its files share: page_guard.c (the run),
 * single_step.c, touched_sections.c, lazy_reprotect.c, signals.c, kernel_syscalls.c, guard_asm.c. */
#ifndef RT_PAGE_GUARD_INTERNAL_H
#define RT_PAGE_GUARD_INTERNAL_H

#include "page_guard.h"
#include "protection_map.h"
#include "stop_the_world.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/prctl.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

#ifndef SS_AUTODISARM
#define SS_AUTODISARM ((int)(1u << 31)) /* Linux 4.7 or later */
#endif

#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2
#endif

enum { RT_DISPATCH_ALLOW, RT_DISPATCH_BLOCK }; /* values of the dispatch selector, as Linux defines them */

enum {
    /* most ranges in rt_page_guard.own_ranges (which stay open to kernels), besides the guard's stack */
    RT_OWN_RANGES_MAX = 512,
    RT_STEPPED_PAGES_MAX = 256, /* most pages whose single-stepped accesses one run counts */
    RT_HANDLED_SIGNALS = 6,
    RT_WINDOWS_MAX = 128, /* most windows: parts of protected memory that the host opens between kernels */
    /* Most pages that the single-steps of one kernel leave open. With more, memory does not stay protected
     * between kernels. */
    RT_UNPROTECTED_PAGES_MAX = 32,
    RT_SIGNAL_MAX = 64,
    /* Most ranges of the caller (`open` of rt_guard_run) that lazy reprotection compares. With more, memory
     * does not stay protected between kernels. */
    RT_OPEN_RANGES_MAX = 16
};

/* Argument of the system call rt_sigaction, as Linux defines it. */
struct rt_kernel_sigaction {
    void *handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
enum { RT_SA_RESTORER = 0x04000000 };

/* Window: an interval of a protected mapping that the host's accesses open between two kernels. `eager`:
 * number of further kernels after which the guard opens the window at once, without a fault. `patience`: the
 * value that `eager` gets at the next fault. */
struct rt_window {
    uint64_t start, end;
    /* PROT_* bits that the program gave the mapping */
    int protection;
    bool open;
    unsigned eager, patience;
    /* last host interval (time between two kernels) in which the window was open; last one in which it grew */
    uint64_t open_interval, growth_interval;
};

/* State of lazy reprotection: memory stays protected in the host interval, the time between two kernels. See
 * lazy_reprotect.c. */
struct rt_lazy_reprotect {
    bool on;                    /* true between two kernels while the host runs and most memory is protected */
    bool has_page_below;        /* true if a page was mapped just below the caller's stack as lazy reprotection began */
    uint64_t interval;          /* number of this host interval */
    uint64_t all_open_interval; /* number of the last host interval in which all memory was open */
    stack_t program_stack;      /* alternate signal stack of the program, which the guard's stack replaces */
    struct rt_range open_ranges[RT_OPEN_RANGES_MAX]; /* ranges that the caller of the last run kept accessible */
    size_t nopen;
    struct rt_window stack; /* part of the caller's stack around its stack pointer, opened at the end of each kernel */
    struct rt_window windows[RT_WINDOWS_MAX];
    size_t nwindows;
    struct rt_range left_open[RT_UNPROTECTED_PAGES_MAX]; /* pages that the last kernel's single-steps left open */
    size_t nleft_open;
    uint64_t forwarded; /* mask of the signals for which the guard's handler replaces the program's */
    struct rt_kernel_sigaction program_action[RT_SIGNAL_MAX + 1];
};

/* The page guard. Lies in memory of the arena (arena.h), which is never protected. page_guard.c describes the life of a
 * run. */
struct rt_page_guard {
    /* returns nonzero if host data at the address are present on a device */
    int (*present)(void *ud, uint64_t address);
    void *ud; /* first argument of `present` */
    /* handler that replaces the program's handlers between kernels; set by rt_guard_new */
    void (*on_forwarded_signal)(int signal, siginfo_t *info, void *context);
    /* id of the process that has started the guard's thread */
    long pid;
    bool has_own_malloc; /* true if malloc of the guard's thread uses memory that stays open to kernels */
    /* handle of the guard's thread, which sleeps and lends its stack and thread pointer to kernels */
    pthread_t thread;
    int number;  /* thread number of the operating system */
    char *stack; /* mapping: guard page, signal stack, guard page, stack of the thread */
    size_t stack_bytes;
    void *control_block; /* thread pointer of the guard's thread; NULL: the thread does not run */
    uint64_t bottom;     /* lowest address of the thread's stack */
    uint64_t top;        /* stack pointer at which kernels begin, below the frames of the sleeping thread */
    /* state of the guard's thread: STATE_STARTS, STATE_SLEEPS or STATE_QUIT (page_guard.c) */
    uint32_t state;
    volatile char selector; /* RT_DISPATCH_BLOCK: system calls of the dispatched thread raise SIGSYS */
    struct rt_protection_map protections;
    struct rt_stopped_threads other_threads;
    struct rt_lazy_reprotect lazy;
    /* Ranges that stay open to kernels: first the guard's stack, then the mappings that kernels made. */
    struct rt_range own_ranges[1 + RT_OWN_RANGES_MAX];
    size_t nown;
    struct rt_kernel_sigaction before[RT_HANDLED_SIGNALS]; /* the program's actions for rt_handled_signals */
    /* State of one run: function and argument of the kernel, floating-point modes of the caller. */
    void (*fn)(void *);
    void *arg;
    uint32_t mxcsr;
    uint16_t x87;
    int timer;        /* id of the POSIX timer */
    int timer_thread; /* number of the thread that the timer signals; 0: there is no timer */
    int caller;       /* number of the thread that runs the kernel */
    /* stack pointer of the caller during the run */
    uint64_t caller_sp;
    uint64_t caller_mask, run_mask; /* signal masks of the caller, and during the kernel */
    uint64_t kernel_mask; /* signal mask that the kernel has set; sigprocmask calls of the kernel read and write it */
    uint64_t queued_signals; /* mask of the signals that are sent again after the kernel */
    siginfo_t queued_info[RT_SIGNAL_MAX + 1];
    /* a guarded kernel runs; its protection has ended early, but it runs on; `fault` describes its wrong
     * access */
    bool is_running, is_abandoned, has_faulted;
    struct rt_guard_fault fault;
    /* registers and stack of `fault` */
    struct accd__debug_fault_context fault_context;
    /* sections of device memory whose first touch by the kernel the guard records (rt_guard_set_sections) */
    struct rt_device_section *sections;
    size_t nsections;
    /* target of siglongjmp in handlers that leave the kernel */
    sigjmp_buf leave;
    uint64_t stepped_pages[RT_STEPPED_PAGES_MAX]; /* hash table of opened pages; open_counts has how often each was
                                                   * opened, nstepped_pages the number of entries */
    unsigned open_counts[RT_STEPPED_PAGES_MAX], nstepped_pages;
};

/* Signals that the C library reserves. The guard stops other threads by RT_STOP_SIGNAL. RT_SETXID_SIGNAL (for
 * setuid in all threads) stays unblocked, because the C library waits until each thread has handled it. */
enum { RT_STOP_SIGNAL = 32, RT_SETXID_SIGNAL = 33 };

/* Returns the bit of a signal (1 to RT_SIGNAL_MAX) in a signal mask of the kernel. */
static inline uint64_t rt_signal_bit(int signal)
{
    return (uint64_t)1 << (signal - 1);
}

/* Sets the action of a signal unless `action` is NULL, and writes the action from before unless `before_p` is NULL. */
static inline void rt_set_sigaction(int signal, const struct rt_kernel_sigaction *action,
                                    struct rt_kernel_sigaction *before_p)
{
    rt_raw_syscall(SYS_rt_sigaction, signal, (long)action, (long)before_p, sizeof(uint64_t), 0, 0);
}

/* Assembly code (guard_asm.c). */
void rt_guard_sigreturn(void);     /* code to which the guard's signal handlers return: the system call rt_sigreturn */
void rt_guard_sigreturn_end(void); /* end of that code */
/* Calls fn(arg) on the stack whose top is `stack`; *sp_p holds the caller's stack pointer meanwhile. */
void rt_guard_switch_stack(uint64_t *sp_p, uint64_t stack, void (*fn)(void *), void *arg);

/* single_step.c: accesses to protected memory. */
/* Handles SIGSEGV or SIGBUS of a kernel for an access at `address`; registers: those of the kernel. Single-steps an
 * allowed access. For any other, records the fault and leaves the kernel by siglongjmp. */
void rt_guard_handle_access(struct rt_page_guard *guard, uint64_t address, greg_t *registers);
/* Protects the pages again that were opened for one instruction, and clears the trap flag in `registers`. Returns
 * false, and changes nothing, if no page was open. */
bool rt_guard_end_single_step(greg_t *registers);
/* Forgets how often pages were opened, except for pages that the last run left open; called as a run begins. */
void rt_guard_reset_step_counts(struct rt_page_guard *guard);

/* touched_sections.c: device sections whose first touch by the kernel is found (struct rt_device_section). */
/* Records the touch of each protected section on the page of `address`, and unprotects these sections. Returns false if
 * no protected section lies on the page. */
bool rt_section_handle_touch(struct rt_page_guard *guard, uint64_t address);
/* Records the touch of sections that the arguments of the system call `number` may point to, before the handler makes
 * the call. registers: those of the kernel. */
void rt_sections_check_syscall(struct rt_page_guard *guard, long number, const greg_t *registers);
/* Marks all sections of a run as RT_TOUCH_NONE, and protects them, as the kernel begins. */
void rt_sections_begin(struct rt_page_guard *guard);
void rt_sections_unprotect(struct rt_page_guard *guard); /* opens the untouched sections while the kernel waits */
void rt_sections_protect(struct rt_page_guard *guard);   /* protects the untouched sections again after that wait */
void rt_sections_end(struct rt_page_guard *guard); /* ends the search: opens all sections; sections not touched so far
                                                    * become RT_TOUCH_UNKNOWN */

/* page_guard.c */
/* Called in a signal handler. Between two kernels with protected memory: unprotects all memory, sends the signal to the
 * calling thread again and returns true. On the thread of a guarded kernel: queues the signal and leaves the kernel, so
 * it does not return. In all other cases returns false. */
bool rt_guard_defer_signal(int signal, siginfo_t *info, void *context);
extern struct rt_page_guard *rt_process_guard; /* the guard of the process; NULL: no guard was made */
/* guard_asm.c: turns system call dispatch of the calling thread on or off. While it is on, guard->selector
 * decides whether system calls of the thread raise SIGSYS. */
void rt_guard_set_syscall_dispatch(struct rt_page_guard *guard, bool on);

/* lazy_reprotect.c: memory that stays protected between kernels. */
/* Called after a kernel, on the guard's stack. Begins a host interval with memory protected, and returns true. Returns
 * false if the caller must unprotect all memory: for example, other threads run, or the kernel has faulted. */
bool rt_lazy_begin(struct rt_page_guard *guard);
/* Returns true if mappings, stack and the nopen ranges `open` are those of the last run, so that the old protection map
 * is still right. */
bool rt_lazy_can_continue(struct rt_page_guard *guard, const struct rt_range *open, size_t nopen);
void rt_lazy_protect_windows(struct rt_page_guard *guard); /* protects the windows again that the host has opened */
/* Unprotects all memory and restores the program's signal actions; does nothing if lazy reprotection is off. context:
 * of the calling signal handler; NULL: the caller is not a handler. */
void rt_lazy_end(struct rt_page_guard *guard, ucontext_t *context);
/* Handles a signal that host code raises or gets between two kernels. A fault on protected memory opens a
 * window, and a system call that needs no open memory is made. Any other signal or system call ends lazy
 * reprotection. */
void rt_lazy_handle_signal(struct rt_page_guard *guard, int signal, const siginfo_t *info, ucontext_t *context);

/* signals.c: signals that arrive while memory is protected. */
/* Signal mask of all signals except 32 and 33, which the C library reserves. */
#define RT_ALL_SIGNALS (~((uint64_t)3 << 31))
extern const int rt_handled_signals[RT_HANDLED_SIGNALS]; /* the signals that the guard handles itself */
/* The runtime's handler of signals that end the process; these signals need not be blocked while a kernel runs. It is
 * installed with SA_ONSTACK and calls rt_guard_defer_signal first. NULL: the runtime has installed none. */
extern void (*rt_guard_fatal_signal_handler)(int signal, siginfo_t *info, void *context);
/* Sets the signal mask of the calling thread, and writes the mask from before unless `before_p` is NULL. */
void rt_set_signal_mask(uint64_t mask, uint64_t *before_p);
/* Blocks all signals except those of faults on protected memory. Returns the signal mask from before. */
uint64_t rt_block_all_but_faults(void);
/* Returns the mask of signals that may interrupt a kernel, because no handler of the program would run. */
uint64_t rt_get_interrupting_signals(void);
/* Replaces the program's signal handlers by guard->on_forwarded_signal while memory stays protected between kernels,
 * because a handler of the program would touch protected memory. */
void rt_signals_forward(struct rt_page_guard *guard);
/* Restores the program's handlers that rt_signals_forward replaced. */
void rt_signals_restore(struct rt_page_guard *guard);
/* Stores a signal that arrived during a kernel, to be sent again after the kernel. A second one with the same number
 * replaces the first. */
void rt_signals_queue(struct rt_page_guard *guard, int signal, const siginfo_t *info);
/* Sends a signal to the calling thread again, with its siginfo. */
void rt_signals_resend(const struct rt_page_guard *guard, int signal, const siginfo_t *info);

/* kernel_syscalls.c: system calls of kernels. */
void rt_guard_restore_handlers(const struct rt_page_guard *guard); /* restores the program's actions for
                                                                    * rt_handled_signals */
/* Ends the protection of the current run early: opens all memory and restores the program's signal handlers. The kernel
 * runs on. */
void rt_guard_abandon(struct rt_page_guard *guard);
/* Opens all memory and resumes the other threads, for a system call of the kernel or while the other threads
 * may run for a moment. */
void rt_guard_pause(struct rt_page_guard *guard);
/* Stops the other threads and protects memory again after rt_guard_pause. Abandons the protection (rt_guard_abandon) if
 * a thread cannot be stopped. */
void rt_guard_resume(struct rt_page_guard *guard);
/* Handles a system call of a kernel, trapped as SIGSYS: makes the call with memory open, and stores its result in
 * `context`. */
void rt_guard_handle_syscall(struct rt_page_guard *guard, long number, ucontext_t *context);
/* Adds a range that stays open to kernels (guard->own_ranges); does nothing if that list is full. */
void rt_guard_add_own_range(struct rt_page_guard *guard, uint64_t start, uint64_t bytes);

#endif
