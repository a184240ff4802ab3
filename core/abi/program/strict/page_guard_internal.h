/* page_guard_internal.h - the state of the watch, and the functions that its files call of each other. */
#ifndef RT_PAGE_GUARD_INTERNAL_H
#define RT_PAGE_GUARD_INTERNAL_H

#include "protection_map.h"
#include "stop_the_world.h"
#include "page_guard.h"

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
#define SS_AUTODISARM ((int)(1u << 31)) /* of Linux 4.7 */
#endif

#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2
#endif

enum { RT_DISPATCH_ALLOW, RT_DISPATCH_BLOCK }; /* as the operating system has them */

enum {
    RT_OWN_RANGES_MAX = 512,    /* mappings that kernels made */
    RT_STEPPED_PAGES_MAX = 256, /* pages with stepped accesses */
    RT_HANDLED_SIGNALS = 6,
    RT_WINDOWS_MAX = 128,          /* of closed memory that the host needs between kernels */
    RT_UNPROTECTED_PAGES_MAX = 32, /* pages that a kernel's steps left open */
    RT_SIGNAL_MAX = 64,
    RT_OPEN_RANGES_MAX = 16 /* ranges of the caller, for memory to stay closed between kernels */
};

/* The kernel's structure. */
struct rt_kernel_sigaction {
    void *handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
enum { RT_SA_RESTORER = 0x04000000 };

/* Of closed memory, which the host has opened between two kernels. */
struct rt_window {
    uint64_t start, end;
    int protection;
    bool open;
    unsigned eager, patience; /* how often it is opened without a fault, and how often after the next one */
    uint64_t opened, grown;   /* the last gaps between kernels in which it was open, and became larger */
};

struct rt_lazy_reprotect {
    bool on;                /* the host's code runs, and most memory is closed */
    bool below;             /* whether something is mapped below the caller's stack */
    uint64_t interval, all; /* number of this gap between kernels, and of the last one with all memory open */
    stack_t program_stack;  /* for signals */
    struct rt_range opened[RT_OPEN_RANGES_MAX]; /* what the caller gave */
    size_t nopen;
    struct rt_window stack; /* of the caller's stack: what is needed at once */
    struct rt_window windows[RT_WINDOWS_MAX];
    size_t nwindows;
    struct rt_range left_open[RT_UNPROTECTED_PAGES_MAX]; /* open, since a kernel's steps opened them too often */
    size_t nleft_open;
    uint64_t forwarded; /* signals whose handlers of the program are replaced by the watch's */
    struct rt_kernel_sigaction program_action[RT_SIGNAL_MAX + 1];
};

struct rt_page_guard {
    int (*present)(void *ud, uint64_t address);
    void *ud;
    void (*on_forwarded_signal)(int signal, siginfo_t *info, void *context);
    long pid;
    bool has_own_malloc; /* the thread's malloc has memory of its own */
    pthread_t thread;
    int number;  /* of the thread, as the operating system has it */
    char *stack; /* guard, signal stack, guard, stack of the thread */
    size_t stack_bytes;
    void *control_block; /* of the thread */
    uint64_t bottom;     /* of the thread's stack */
    uint64_t top;        /* of the kernel's part of the stack */
    uint32_t state;
    volatile char selector; /* whether system calls come to the handler */
    struct rt_protection_map protections;
    struct rt_stopped_threads others;
    struct rt_lazy_reprotect lazy;
    struct rt_range own[1 + RT_OWN_RANGES_MAX]; /* first the stack, then what kernels mapped */
    size_t nown;
    struct rt_kernel_sigaction before[RT_HANDLED_SIGNALS]; /* the program's handlers */
    /* Of one run. */
    void (*fn)(void *);
    void *arg;
    uint32_t mxcsr;
    uint16_t x87;
    int timer, timed; /* a timer of the operating system, its thread; 0: there is none */
    int caller;       /* the thread that runs the kernel */
    uint64_t caller_sp;
    uint64_t caller_mask, run_mask; /* signals: of the caller, of the kernel */
    uint64_t kernel_mask;           /* what the kernel believes its mask to be */
    uint64_t queued_signals;        /* signals that arrived and are sent again after the kernel */
    siginfo_t queued_info[RT_SIGNAL_MAX + 1];
    bool running, is_abandoned, has_faulted;
    struct rt_guard_fault fault;
    struct accd__debug_fault_context stopped;
    struct rt_device_section *sections;
    size_t nsections;
    sigjmp_buf leave;
    uint64_t stepped_pages[RT_STEPPED_PAGES_MAX]; /* pages and how often they were opened */
    unsigned open_counts[RT_STEPPED_PAGES_MAX], nstepped_pages;
};

/* The C library sends its threads two signals, and waits for the second. The first serves to stop
 * other threads. */
enum { RT_STOP_SIGNAL = 32, RT_SETXID_SIGNAL = 33 };

static inline uint64_t rt_signal_bit(int signal)
{
    return (uint64_t)1 << (signal - 1);
}

static inline uint64_t rt_round_up_to_page(long bytes)
{
    return ((uint64_t)bytes + RT_PAGE_SIZE - 1) & ~(uint64_t)(RT_PAGE_SIZE - 1);
}

static inline void rt_set_sigaction(int signal, const struct rt_kernel_sigaction *action,
                                    struct rt_kernel_sigaction *before_p)
{
    rt_raw_syscall(SYS_rt_sigaction, signal, (long)action, (long)before_p, sizeof(uint64_t), 0, 0);
}

/* guard_asm.c */
void rt_guard_sigreturn(void); /* where handlers return to */
void rt_guard_sigreturn_end(void);
/* Calls fn(arg) on another stack; *sp_p is the caller's meanwhile. */
void rt_guard_switch_stack(uint64_t *sp_p, uint64_t stack, void (*fn)(void *), void *arg);

/* single_step.c: accesses to closed memory. */
void rt_guard_handle_access(struct rt_page_guard *guard, uint64_t address, greg_t *registers);
/* Closes what was opened for one instruction. False: nothing was. */
bool rt_guard_end_single_step(greg_t *registers);
void rt_guard_reset_step_counts(struct rt_page_guard *guard);

/* touched_sections.c. True: a section is closed at this address, and has been opened. */
bool rt_section_handle_touch(struct rt_page_guard *guard, uint64_t address);
void rt_sections_check_syscall(struct rt_page_guard *guard, long number, const greg_t *registers);
void rt_sections_begin(struct rt_page_guard *guard);
void rt_sections_unprotect(struct rt_page_guard *guard); /* while the kernel waits */
void rt_sections_protect(struct rt_page_guard *guard);
void rt_sections_end(struct rt_page_guard *guard); /* what is not touched yet may be, unseen */

/* page_guard.c */
/* In the handler of a signal. True: host memory was protected between kernels; now it is not, and the signal is sent
 * to the thread again. If the thread runs a watched kernel, it leaves that, and gets the signal afterwards; then this
 * does not return. */
bool rt_guard_defer_signal(int signal, siginfo_t *info, void *context);
extern struct rt_page_guard *rt_process_guard; /* of the process; NULL: no kernel was watched */
void rt_guard_set_syscall_dispatch(struct rt_page_guard *guard, bool on); /* system calls come to the handler */

/* strict.c: a signal in a kernel that is not watched. Does not return if the thread runs one in a strict run. */
void rt_handle_unguarded_fault(const siginfo_t *info, const ucontext_t *context);

/* lazy_reprotect.c: memory that stays closed between kernels. */
/* After a kernel. False: all memory is to be opened. */
bool rt_lazy_begin(struct rt_page_guard *guard);
/* Whether the next kernel finds mappings, threads and signals as the last one did. */
bool rt_lazy_can_continue(struct rt_page_guard *guard, const struct rt_range *open, size_t nopen);
void rt_lazy_protect_windows(struct rt_page_guard *guard); /* what the host has opened */
/* Opens everything, and gives the signals back; context: of a handler, or NULL. */
void rt_lazy_end(struct rt_page_guard *guard, ucontext_t *context);
void rt_lazy_handle_signal(struct rt_page_guard *guard, int signal, const siginfo_t *info, ucontext_t *context);

/* signals.c: signals of the program that arrive while memory is protected. */
#define RT_ALL_SIGNALS (~((uint64_t)3 << 31))            /* but the two that the C library sends its threads */
extern const int rt_handled_signals[RT_HANDLED_SIGNALS]; /* signals */
/* A handler that ends the process, so that its signals are not held back while a kernel runs; NULL: there is none. It
 * is installed with SA_ONSTACK, and calls rt_guard_defer_signal first. */
extern void (*rt_guard_fatal_signal_handler)(int signal, siginfo_t *info, void *context);
void rt_set_signal_mask(uint64_t mask, uint64_t *before_p);
/* Blocks all signals but those of accesses to protected memory. Returns the mask before. */
uint64_t rt_block_all_but_faults(void);
/* Signals that may interrupt a kernel: the program has no handler of its own for them. */
uint64_t rt_get_interrupting_signals(void);
/* Replaces the program's handlers while memory stays protected between kernels, and gives them back. */
void rt_signals_forward(struct rt_page_guard *guard);
void rt_signals_restore(struct rt_page_guard *guard);
/* Keeps a signal that arrived during a kernel, to be sent again after it. */
void rt_signals_queue(struct rt_page_guard *guard, int signal, const siginfo_t *info);
/* Sends a signal that arrived to the calling thread once more, with what came with it. */
void rt_signals_resend(const struct rt_page_guard *guard, int signal, const siginfo_t *info);

/* kernel_syscalls.c: system calls of kernels. */
void rt_guard_restore_handlers(const struct rt_page_guard *guard); /* the program's handlers */
/* Ends the watching of this run: nothing is closed, and signals are the program's. */
void rt_guard_abandon(struct rt_page_guard *guard);
/* Around a call that needs memory, or another thread: opens; closes, or gives up. */
void rt_guard_pause(struct rt_page_guard *guard);
void rt_guard_resume(struct rt_page_guard *guard);
void rt_guard_handle_syscall(struct rt_page_guard *guard, long number, ucontext_t *context);
void rt_guard_add_own_range(struct rt_page_guard *guard, uint64_t start, uint64_t bytes);

#endif
