/* watching.h - the state of the watch, and the functions that its files call of each other. */
#ifndef GOACC_WATCHING_H
#define GOACC_WATCHING_H

#include "closing.h"
#include "others.h"
#include "watch.h"

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

enum { GOACC_SELECT_ALLOW, GOACC_SELECT_BLOCK }; /* as the operating system has them */

enum {
    GOACC_OWN_MOST = 512,   /* mappings that kernels made */
    GOACC_PAGES_MOST = 256, /* pages with stepped accesses */
    GOACC_HANDLED = 6,
    GOACC_PIECES_MOST = 128, /* of closed memory that the host needs between kernels */
    GOACC_STAYED_MOST = 32,  /* pages that a kernel's steps left open */
    GOACC_SIGNALS = 64,
    GOACC_OPEN_MOST = 16     /* ranges of the caller, for memory to stay closed between kernels */
};

/* The kernel's structure. */
struct goacc_action {
    void *handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
enum { GOACC_RESTORER = 0x04000000 };

/* Of closed memory, which the host has opened between two kernels. */
struct goacc_piece {
    uint64_t start, end;
    int protection;
    bool open;
    unsigned eager, patience; /* how often it is opened without a fault, and how often after the next one */
    uint64_t opened, grown;   /* the last gaps between kernels in which it was open, and became larger */
};

struct goacc_held {
    bool on;           /* the host's code runs, and most memory is closed */
    bool below;        /* whether something is mapped below the caller's stack */
    uint64_t gap, all; /* number of this gap between kernels, and of the last one with all memory open */
    stack_t program_stack; /* for signals */
    struct goacc_range opened[GOACC_OPEN_MOST]; /* what the caller gave */
    size_t nopen;
    struct goacc_piece stack; /* of the caller's stack: what is needed at once */
    struct goacc_piece pieces[GOACC_PIECES_MOST];
    size_t npieces;
    struct goacc_range stayed[GOACC_STAYED_MOST]; /* open, since a kernel's steps opened them too often */
    size_t nstayed;
    uint64_t forwarded; /* signals whose handlers of the program are replaced by the watch's */
    struct goacc_action program_action[GOACC_SIGNALS + 1];
};

struct goacc_watch {
    int (*present)(void *ud, uint64_t address);
    void *ud;
    void (*on_forwarded)(int signal, siginfo_t *info, void *context);
    long pid;
    bool proved; /* the thread's malloc has memory of its own */
    pthread_t thread;
    int number;  /* of the thread, as the operating system has it */
    char *stack; /* guard, signal stack, guard, stack of the thread */
    size_t stack_bytes;
    void *control_block; /* of the thread */
    uint64_t bottom;     /* of the thread's stack */
    uint64_t top;        /* of the kernel's part of the stack */
    uint32_t state;
    volatile char selector; /* whether system calls come to the handler */
    struct goacc_closing closing;
    struct goacc_others others;
    struct goacc_held held;
    struct goacc_range own[1 + GOACC_OWN_MOST]; /* first the stack, then what kernels mapped */
    size_t nown;
    struct goacc_action before[GOACC_HANDLED]; /* the program's handlers */
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
    uint64_t late;                  /* signals that arrived and are sent again after the kernel */
    siginfo_t late_info[GOACC_SIGNALS + 1];
    bool running, given_up, faulted;
    struct goacc_fault fault;
    struct goacc_stopped stopped;
    struct goacc_section *sections;
    size_t nsections;
    sigjmp_buf leave;
    uint64_t page[GOACC_PAGES_MOST]; /* pages and how often they were opened */
    unsigned times[GOACC_PAGES_MOST], npages;
};

/* The C library sends its threads two signals, and waits for the second. The first serves to stop
 * other threads. */
enum { GOACC_STOP_SIGNAL = 32, GOACC_SETXID_SIGNAL = 33 };

static inline uint64_t goacc_bit(int signal)
{
    return (uint64_t)1 << (signal - 1);
}

static inline uint64_t goacc_whole_pages(long bytes)
{
    return ((uint64_t)bytes + GOACC_PAGE - 1) & ~(uint64_t)(GOACC_PAGE - 1);
}

static inline void goacc_set_action(int signal, const struct goacc_action *action,
                                    struct goacc_action *before_p)
{
    goacc_system(SYS_rt_sigaction, signal, (long)action, (long)before_p, sizeof(uint64_t), 0, 0);
}

/* system.c */
void goacc_watch_return(void); /* where handlers return to */
void goacc_watch_return_end(void);
/* Calls fn(arg) on another stack; *sp_p is the caller's meanwhile. */
void goacc_watch_switch(uint64_t *sp_p, uint64_t stack, void (*fn)(void *), void *arg);

/* steps.c: accesses to closed memory. */
void goacc_watch_access(struct goacc_watch *watch, uint64_t address, greg_t *registers);
/* Closes what was opened for one instruction. False: nothing was. */
bool goacc_watch_end_step(greg_t *registers);
void goacc_watch_forget_times(struct goacc_watch *watch);

/* sections.c. True: a section is closed at this address, and has been opened. */
bool goacc_sections_touched(struct goacc_watch *watch, uint64_t address);
void goacc_sections_called(struct goacc_watch *watch, long number, const greg_t *registers);
void goacc_sections_begin(struct goacc_watch *watch);
void goacc_sections_open(struct goacc_watch *watch); /* while the kernel waits */
void goacc_sections_close(struct goacc_watch *watch);
void goacc_sections_end(struct goacc_watch *watch); /* what is not touched yet may be, unseen */

/* watch.c */
/* In the handler of a signal. True: host memory was protected between kernels; now it is not, and the signal is sent
 * to the thread again. If the thread runs a watched kernel, it leaves that, and gets the signal afterwards; then this does
 * not return. */
bool goacc_watch_defer(int signal, siginfo_t *info, void *context);
extern struct goacc_watch *goacc_watcher; /* of the process; NULL: no kernel was watched */
void goacc_watch_dispatch(struct goacc_watch *watch, bool on); /* system calls come to the handler */

/* strict.c: a signal in a kernel that is not watched. Does not return if the thread runs one in a strict run. */
void goacc_strict_fault(const siginfo_t *info, const ucontext_t *context);

/* held.c: memory that stays closed between kernels. */
/* After a kernel. False: all memory is to be opened. */
bool goacc_held_begin(struct goacc_watch *watch);
/* Whether the next kernel finds mappings, threads and signals as the last one did. */
bool goacc_held_goes_on(struct goacc_watch *watch, const struct goacc_range *open, size_t nopen);
void goacc_held_close(struct goacc_watch *watch); /* what the host has opened */
/* Opens everything, and gives the signals back; context: of a handler, or NULL. */
void goacc_held_end(struct goacc_watch *watch, ucontext_t *context);
void goacc_held_signal(struct goacc_watch *watch, int signal, const siginfo_t *info, ucontext_t *context);

/* signals.c: signals of the program that arrive while memory is protected. */
#define GOACC_ALL_SIGNALS (~((uint64_t)3 << 31)) /* but the two that the C library sends its threads */
extern const int goacc_handled[GOACC_HANDLED]; /* signals */
/* A handler that ends the process, so that its signals are not held back while a kernel runs; NULL: there is none. It is
 * installed with SA_ONSTACK, and calls goacc_watch_defer first. */
extern void (*goacc_watch_deadly)(int signal, siginfo_t *info, void *context);
void goacc_set_mask(uint64_t mask, uint64_t *before_p);
/* Blocks all signals but those of accesses to protected memory. Returns the mask before. */
uint64_t goacc_block_but_faults(void);
/* Signals that may interrupt a kernel: the program has no handler of its own for them. */
uint64_t goacc_signals_interrupting(void);
/* Replaces the program's handlers while memory stays protected between kernels, and gives them back. */
void goacc_signals_forward(struct goacc_watch *watch);
void goacc_signals_give_back(struct goacc_watch *watch);
/* Keeps a signal that arrived during a kernel, to be sent again after it. */
void goacc_signals_keep(struct goacc_watch *watch, int signal, const siginfo_t *info);
/* Sends a signal that arrived to the calling thread once more, with what came with it. */
void goacc_signals_resend(const struct goacc_watch *watch, int signal, const siginfo_t *info);

/* calls.c: system calls of kernels. */
void goacc_watch_restore(const struct goacc_watch *watch); /* the program's handlers */
/* Ends the watching of this run: nothing is closed, and signals are the program's. */
void goacc_watch_give_up(struct goacc_watch *watch);
/* Around a call that needs memory, or another thread: opens; closes, or gives up. */
void goacc_watch_pause(struct goacc_watch *watch);
void goacc_watch_resume(struct goacc_watch *watch);
void goacc_watch_call(struct goacc_watch *watch, long number, ucontext_t *context);
void goacc_watch_own(struct goacc_watch *watch, uint64_t start, uint64_t bytes);

#endif
