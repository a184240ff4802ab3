/* watch.c - kernels with the host's memory closed: the watch's thread, the hand-over, the signals.
 *
 * Three signals do the work while memory is closed. SIGSEGV: an access that is none of the kernel's
 * doing (a system library's, the linker's tables, an open variable in a closed page) is stepped:
 * its page is opened for one instruction, and SIGTRAP closes it again. SIGSYS: system calls of the
 * kernel come here first (syscall user dispatch), because the operating system answers with EFAULT,
 * not with a signal, where it encounters closed memory; they are made with memory open. */
#include "watch.h"

#include "closing.h"
#include "stray.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif

enum { STATE_READY, STATE_GO, STATE_QUIT }; /* of the watch's thread */
enum { SELECT_ALLOW, SELECT_BLOCK }; /* as the operating system has them */

enum {
    GUARD = 1 << 20,       /* below a stack */
    ALTERNATE = 256 << 10, /* signal stack */
    STEPS_MOST = 40,       /* pages of one instruction: a gather of 16 crossing elements */
    OWN_MOST = 512,        /* mappings that kernels made */
    PAGES_MOST = 256,      /* pages with stepped accesses */
    PATIENCE = 64,         /* a page opened so often stays open for the rest of the run */
    KNOWN_PATIENCE = 8     /* the same for one that stayed open in an earlier run */
};
static const size_t stack_least = (size_t)64 << 20, stack_most = (size_t)1 << 30;
static const uint64_t malloc_heap = (uint64_t)64 << 20; /* size and alignment in the C library */

/* The kernel's structure. */
struct action {
    void *handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
enum { RESTORER = 0x04000000 };

static const int handled[] = {SIGSEGV, SIGBUS, SIGTRAP, SIGSYS, SIGFPE, SIGILL};
enum { HANDLED = sizeof handled / sizeof handled[0] };

struct goacc_watch {
    int (*present)(void *ud, uint64_t address);
    void *ud;
    long pid;
    bool proved;            /* the thread's malloc has memory of its own */
    pthread_t thread;
    char *stack;            /* guard, signal stack, guard, stack of the thread */
    size_t stack_bytes;
    void *control_block;    /* of the thread */
    uint32_t state;
    volatile char selector; /* whether its system calls come to the handler */
    struct goacc_closing closing;
    struct goacc_range own[1 + OWN_MOST]; /* first the stack, then what kernels mapped */
    size_t nown;
    struct action before[HANDLED];        /* the program's handlers */
    /* Of one run. */
    void (*fn)(void *);
    void *arg;
    uint32_t mxcsr;
    uint16_t x87;
    uint64_t caller_mask, run_mask; /* signals: of the caller, of the thread */
    uint64_t kernel_mask;           /* what the kernel believes its mask to be */
    uint64_t late;                  /* signals that were sent, to be sent again */
    bool running, given_up, faulted;
    struct goacc_fault fault;
    sigjmp_buf leave;
    uint64_t steps[STEPS_MOST]; /* pages open for one instruction */
    unsigned nsteps;
    uint64_t page[PAGES_MOST];  /* pages and how often they were opened */
    unsigned times[PAGES_MOST], npages;
};

/* Handlers know it by this. */
static struct goacc_watch *the_watch;

/* Where handlers return to. Its system call alone may be made while the others are dispatched; a
 * debugger knows a signal frame by these very bytes. */
__asm__(".pushsection .text\n"
        ".globl goacc_watch_return, goacc_watch_return_end\n"
        ".hidden goacc_watch_return, goacc_watch_return_end\n"
        ".type goacc_watch_return, @function\n"
        "nop\n"
        "goacc_watch_return: movq $15, %rax\n"
        "syscall\n"
        "goacc_watch_return_end: nop\n"
        ".popsection\n");
void goacc_watch_return(void);
void goacc_watch_return_end(void);

static uint64_t bit(int signal)
{
    return (uint64_t)1 << (signal - 1);
}

/* Not the two that the C library sends its threads, and waits for. */
static const uint64_t all_signals = ~((uint64_t)3 << 31);

static void set_mask(uint64_t mask, uint64_t *before_p)
{
    goacc_system(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)before_p, sizeof mask, 0, 0);
}

static void set_action(int signal, const struct action *action, struct action *before_p)
{
    goacc_system(SYS_rt_sigaction, signal, (long)action, (long)before_p, sizeof(uint64_t), 0, 0);
}

static void restore_actions(const struct goacc_watch *watch)
{
    for (int i = 0; i < HANDLED; i++)
        set_action(handled[i], &watch->before[i], NULL);
}

/* Ends the watching of this run: nothing is closed, and signals are the program's. */
static void give_up(struct goacc_watch *watch)
{
    goacc_closing_open(&watch->closing);
    restore_actions(watch);
    watch->given_up = true;
}

static bool on_watch_thread(const struct goacc_watch *watch)
{
    return watch->control_block == __builtin_thread_pointer();
}

/* ---------------------------------------------------------------------------------- accesses -- */

/* How often the page was opened in this run; NULL: too many pages. */
static unsigned *times_opened(struct goacc_watch *watch, uint64_t page)
{
    size_t i = (page / GOACC_PAGE * 0x9E3779B97F4A7C15u >> 32) % PAGES_MOST;
    while (watch->page[i] && watch->page[i] != page)
        i = (i + 1) % PAGES_MOST;
    if (!watch->page[i]) {
        if (watch->npages == PAGES_MOST - 1)
            return NULL;
        watch->npages++;
        watch->page[i] = page;
    }
    return &watch->times[i];
}

static bool has_present(const struct goacc_watch *watch, uint64_t page)
{
    for (uint64_t address = page; address < page + GOACC_PAGE; address += sizeof(void *))
        if (watch->present(watch->ud, address))
            return true;
    return false;
}

/* A page that is often needed stays open. Not for a system library if some of it is present: what a
 * library does there may be the kernel's fault. */
static bool stays_open(struct goacc_watch *watch, uint64_t address, uint64_t page)
{
    unsigned *times = times_opened(watch, page);
    if (times && ++*times < PATIENCE)
        return false;
    bool stays = goacc_everyone_may(&watch->closing, address) || !has_present(watch, page);
    if (times && !stays)
        *times = 0;
    return stays;
}

/* A new run. */
static void forget_times(struct goacc_watch *watch)
{
    bool all = watch->npages > PAGES_MOST / 2;
    if (all)
        memset(watch->page, 0, sizeof watch->page);
    for (size_t i = 0; i < PAGES_MOST; i++)
        watch->times[i] = !all && watch->times[i] >= PATIENCE ? PATIENCE - KNOWN_PATIENCE : 0;
    watch->npages = all ? 0 : watch->npages;
}

static long protect(uint64_t start, uint64_t end, int protection)
{
    return goacc_system(SYS_mprotect, (long)start, (long)(end - start), protection, 0, 0, 0);
}

/* Opens the page for one instruction, or all around it where that is too small for the operating
 * system (huge pages). */
static void step(struct goacc_watch *watch, const struct goacc_closed *closed, uint64_t address,
                 greg_t *registers)
{
    uint64_t page = address & ~(uint64_t)(GOACC_PAGE - 1);
    if (protect(page, page + GOACC_PAGE, closed->protection) != 0) {
        protect(closed->start, closed->end, closed->protection);
        return;
    }
    if (stays_open(watch, address, page) || watch->nsteps == STEPS_MOST)
        return;
    watch->steps[watch->nsteps++] = page;
    registers[REG_EFL] |= 0x100;
}

/* Pages that were opened for one instruction are closed again. */
static void end_step(struct goacc_watch *watch, greg_t *registers)
{
    for (unsigned i = 0; i < watch->nsteps; i++)
        protect(watch->steps[i], watch->steps[i] + GOACC_PAGE, PROT_NONE);
    watch->nsteps = 0;
    registers[REG_EFL] &= ~(greg_t)0x100;
}

enum { PAGE_FAULT = 14, ERROR_WRITE = 2, ERROR_FETCH = 16 }; /* of the processor */

/* Whether the kernel is not to blame for an access to closed memory. */
static bool is_harmless(const struct goacc_watch *watch, uint64_t address, const greg_t *registers)
{
    if (registers[REG_ERR] & ERROR_FETCH)
        return false;
    if (goacc_everyone_may(&watch->closing, address))
        return true;
    return goacc_is_system(&watch->closing, (uint64_t)registers[REG_RIP]) &&
           !watch->present(watch->ud, address);
}

static void on_access(struct goacc_watch *watch, uint64_t address, greg_t *registers)
{
    bool known = registers[REG_TRAPNO] == PAGE_FAULT;
    const struct goacc_closed *closed = known ? goacc_closed_at(&watch->closing, address) : NULL;
    if (closed && is_harmless(watch, address, registers)) {
        step(watch, closed, address, registers);
        return;
    }
    watch->fault = (struct goacc_fault){
        .address = known ? address : 0,
        .pc = (uintptr_t)registers[REG_RIP],
        .write = known && registers[REG_ERR] & ERROR_WRITE,
        .host = closed != NULL,
        .stray = known ? 0 : goacc_stray(registers),
    };
    watch->faulted = true;
    siglongjmp(watch->leave, 1);
}

/* ------------------------------------------------------------------------------ system calls -- */

/* Takes [start, start + bytes) out of what kernels mapped. */
static void disown(struct goacc_watch *watch, uint64_t start, uint64_t bytes)
{
    uint64_t end = start + bytes;
    for (size_t i = 1; i < watch->nown; i++) {
        struct goacc_range own = watch->own[i];
        uint64_t own_end = own.start + own.bytes;
        if (own_end <= start || end <= own.start)
            continue;
        watch->own[i--] = watch->own[--watch->nown];
        if (own.start < start)
            watch->own[watch->nown++] = (struct goacc_range){own.start, start - own.start};
        if (end < own_end && watch->nown < 1 + OWN_MOST)
            watch->own[watch->nown++] = (struct goacc_range){end, own_end - end};
    }
}

static void own(struct goacc_watch *watch, uint64_t start, uint64_t bytes)
{
    disown(watch, start, bytes);
    if (watch->nown < 1 + OWN_MOST)
        watch->own[watch->nown++] = (struct goacc_range){start, bytes};
}

static uint64_t pages(long bytes)
{
    return ((uint64_t)bytes + GOACC_PAGE - 1) & ~(uint64_t)(GOACC_PAGE - 1);
}

/* The kernel's memory is what it maps. */
static void note_mapping(struct goacc_watch *watch, const greg_t *registers, long number,
                         long result)
{
    long start = registers[REG_RDI], bytes = registers[REG_RSI];
    if (result < 0 && result > -GOACC_PAGE)
        return;
    if (number == SYS_munmap || number == SYS_mremap)
        disown(watch, (uint64_t)start, pages(bytes));
    if (number == SYS_mmap)
        own(watch, (uint64_t)result, pages(bytes));
    if (number == SYS_mremap)
        own(watch, (uint64_t)result, pages(registers[REG_RDX]));
}

/* Threads, processes, an end of the process, signals to itself: not while memory is closed. */
static bool is_beyond_watch(long number)
{
    switch (number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo:
    case SYS_rt_sigreturn:
        return true;
    }
    return false;
}

static bool reads_no_memory(long number)
{
    switch (number) {
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mremap:
    case SYS_mprotect:
    case SYS_madvise:
    case SYS_brk:
        return true;
    }
    return false;
}

/* rt_sigprocmask for the kernel: signals wait all the same. */
static long change_mask(struct goacc_watch *watch, const greg_t *registers)
{
    const uint64_t *set_p = (const uint64_t *)registers[REG_RSI];
    uint64_t *before_p = (uint64_t *)registers[REG_RDX], before = watch->kernel_mask;
    if (set_p) {
        uint64_t set = *set_p;
        switch ((int)registers[REG_RDI]) {
        case SIG_BLOCK:
            watch->kernel_mask |= set;
            break;
        case SIG_UNBLOCK:
            watch->kernel_mask &= ~set;
            break;
        default:
            watch->kernel_mask = set;
        }
    }
    if (before_p)
        *before_p = before;
    return 0;
}

static long call(struct goacc_watch *watch, const greg_t *registers, long number)
{
    if (number == SYS_rt_sigprocmask)
        return change_mask(watch, registers);
    return goacc_system(number, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                        registers[REG_R10], registers[REG_R8], registers[REG_R9]);
}

/* SIGPIPE is sent to the thread that wrote, which would keep it. */
static void take_pipe_signal(struct goacc_watch *watch)
{
    uint64_t mask = bit(SIGPIPE);
    struct timespec none = {0};
    if (goacc_system(SYS_rt_sigtimedwait, (long)&mask, 0, (long)&none, sizeof mask, 0, 0) > 0)
        watch->late |= mask;
}

static void on_system_call(struct goacc_watch *watch, long number, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    if (is_beyond_watch(number)) {
        give_up(watch);
        memcpy(&context->uc_sigmask, &watch->kernel_mask, sizeof watch->kernel_mask);
        registers[REG_RIP] -= 2; /* the instruction, once more */
        registers[REG_RAX] = number;
    } else if (reads_no_memory(number)) {
        long result = call(watch, registers, number);
        note_mapping(watch, registers, number, result);
        registers[REG_RAX] = result;
    } else {
        goacc_closing_open(&watch->closing);
        registers[REG_RAX] = call(watch, registers, number);
        goacc_closing_close(&watch->closing);
        if (registers[REG_RAX] == -EPIPE && watch->run_mask & bit(SIGPIPE))
            take_pipe_signal(watch);
    }
}

/* ----------------------------------------------------------------------------------- signals -- */

/* The program's own matter: its handler gets it once more. */
static void pass_on(struct goacc_watch *watch, int signal, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    end_step(watch, registers);
    give_up(watch);
    memcpy(&context->uc_sigmask, &watch->kernel_mask, sizeof watch->kernel_mask);
    const unsigned char *before = (const unsigned char *)registers[REG_RIP] - 1;
    if (signal == SIGTRAP && *before == 0xCC) /* a breakpoint is reported after its instruction */
        registers[REG_RIP]--;
}

static void on_signal(int signal, siginfo_t *info, void *arg)
{
    struct goacc_watch *watch = the_watch;
    ucontext_t *context = arg;
    greg_t *registers = context->uc_mcontext.gregs;
    char selector = watch->selector;
    watch->selector = SELECT_ALLOW;
    if (info->si_code <= 0)
        watch->late |= bit(signal);
    else if (signal == SIGSEGV || signal == SIGBUS)
        on_access(watch, (uintptr_t)info->si_addr, registers);
    else if (signal == SIGTRAP && watch->nsteps)
        end_step(watch, registers);
    else if (signal == SIGSYS && selector == SELECT_BLOCK)
        on_system_call(watch, info->si_syscall, context);
    else
        pass_on(watch, signal, context);
    watch->selector = watch->given_up ? SELECT_ALLOW : selector;
}

/* What ends or stops the process unless the program handles it may do so during a kernel. */
static uint64_t deadly(void)
{
    static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGABRT, SIGUSR1,
                                 SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGTSTP};
    uint64_t mask = 0;
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        struct action action = {0};
        set_action(deadly[i], NULL, &action);
        if (action.handler == NULL)
            mask |= bit(deadly[i]);
    }
    return mask;
}

static void install(struct goacc_watch *watch)
{
    struct action action = {.handler = (void *)(uintptr_t)on_signal,
                            .flags = SA_SIGINFO | SA_ONSTACK | RESTORER,
                            .restorer = goacc_watch_return,
                            .mask = all_signals};
    watch->run_mask = ~(deadly() & ~watch->caller_mask);
    for (int i = 0; i < HANDLED; i++) {
        set_action(handled[i], &action, &watch->before[i]);
        watch->run_mask &= ~bit(handled[i]);
    }
}

static void uninstall(struct goacc_watch *watch)
{
    if (!watch->given_up)
        restore_actions(watch);
    long thread = goacc_system(SYS_gettid, 0, 0, 0, 0, 0, 0);
    for (int signal = 1; watch->late; watch->late &= ~bit(signal++))
        if (watch->late & bit(signal))
            goacc_system(SYS_tgkill, watch->pid, thread, signal, 0, 0, 0);
}

/* -------------------------------------------------------------------------------- the thread -- */

static void futex(uint32_t *word, int operation, uint32_t value)
{
    goacc_system(SYS_futex, (long)word, operation | FUTEX_PRIVATE_FLAG, value, 0, 0, 0);
}

static void run_kernel(struct goacc_watch *watch)
{
    set_mask(watch->run_mask, NULL);
    goacc_closing_close(&watch->closing);
    if (!sigsetjmp(watch->leave, 0)) {
        __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(watch->mxcsr), "m"(watch->x87));
        watch->selector = SELECT_BLOCK;
        watch->fn(watch->arg);
    }
    watch->selector = SELECT_ALLOW;
    goacc_closing_open(&watch->closing);
    set_mask(all_signals, NULL);
}

static void report_state(struct goacc_watch *watch, uint32_t state)
{
    __atomic_store_n(&watch->state, state, __ATOMIC_RELEASE);
    futex(&watch->state, FUTEX_WAKE, 1);
}

static void *serve(void *arg)
{
    struct goacc_watch *watch = arg;
    stack_t stack = {.ss_sp = watch->stack + GUARD, .ss_size = ALTERNATE};
    uintptr_t start = (uintptr_t)goacc_watch_return;
    long failed = sigaltstack(&stack, NULL);
    /* The address after the instruction is what is compared. */
    if (!failed)
        failed = prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, start,
                       (uintptr_t)goacc_watch_return_end - start + 1, &watch->selector);
    watch->control_block = failed ? NULL : __builtin_thread_pointer();
    report_state(watch, failed ? STATE_QUIT : STATE_READY);
    for (;;) {
        uint32_t state = __atomic_load_n(&watch->state, __ATOMIC_ACQUIRE);
        if (state == STATE_QUIT)
            return NULL;
        if (state == STATE_GO) {
            run_kernel(watch);
            report_state(watch, STATE_READY);
        } else {
            futex(&watch->state, FUTEX_WAIT, state);
        }
    }
}

/* Lets the thread run and waits for it. From the first instruction on the stack may be closed. */
static void hand_over(struct goacc_watch *watch)
{
    __asm__ volatile("movl %[go], (%%rdi)\n"
                     "movl %[number], %%eax\n"
                     "movl %[wake], %%esi\n"
                     "movl $1, %%edx\n"
                     "syscall\n"
                     "1: cmpl %[go], (%%rdi)\n"
                     "jne 2f\n"
                     "movl %[number], %%eax\n"
                     "movl %[wait], %%esi\n"
                     "movl %[go], %%edx\n"
                     "xorl %%r10d, %%r10d\n"
                     "syscall\n"
                     "jmp 1b\n"
                     "2:"
                     :
                     : "D"(&watch->state), [go] "i"(STATE_GO), [number] "i"(SYS_futex),
                       [wake] "i"(FUTEX_WAKE | FUTEX_PRIVATE_FLAG),
                       [wait] "i"(FUTEX_WAIT | FUTEX_PRIVATE_FLAG)
                     : "rax", "rcx", "rdx", "rsi", "r10", "r11", "memory", "cc");
}

static void wait_while(struct goacc_watch *watch, uint32_t state)
{
    while (__atomic_load_n(&watch->state, __ATOMIC_ACQUIRE) == state)
        futex(&watch->state, FUTEX_WAIT, state);
}

static bool start_thread(struct goacc_watch *watch)
{
    char *bottom = watch->stack + GUARD + ALTERNATE + GUARD;
    pthread_attr_t attributes;
    uint64_t mask = 0;
    watch->pid = goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0);
    watch->proved = false;
    watch->state = STATE_GO;
    if (pthread_attr_init(&attributes))
        return false;
    int failed = pthread_attr_setstack(
        &attributes, bottom, watch->stack_bytes - (size_t)(bottom - watch->stack));
    if (!failed) {
        set_mask(all_signals, &mask);
        failed = pthread_create(&watch->thread, &attributes, serve, watch);
        set_mask(mask, NULL);
    }
    pthread_attr_destroy(&attributes);
    if (failed)
        return false;
    wait_while(watch, STATE_GO);
    if (watch->control_block)
        return true;
    pthread_join(watch->thread, NULL);
    return false;
}

/* As large as the program's own, within reason. */
static bool map_stack(struct goacc_watch *watch)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_STACK, &limit);
    size_t bytes = limit.rlim_cur < stack_most ? (size_t)pages((long)limit.rlim_cur) : stack_most;
    bytes = (bytes < stack_least ? stack_least : bytes) + GUARD + ALTERNATE + GUARD;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED)
        return false;
    mprotect(p, GUARD, PROT_NONE);
    mprotect(p + GUARD + ALTERNATE, GUARD, PROT_NONE);
    watch->stack = p;
    watch->stack_bytes = bytes;
    watch->own[0] = (struct goacc_range){(uintptr_t)p, bytes};
    watch->nown = 1;
    return true;
}

/* ---------------------------------------------------------------------------------- the runs -- */

/* A directory has a link for each folder in it: one for each thread. */
static bool is_alone(void)
{
    struct stat status;
    return stat("/proc/self/task", &status) == 0 && status.st_nlink == 2 + 2;
}

/* Exit functions are the program's, and touch its memory. */
static void on_exit_call(void *arg)
{
    struct goacc_watch *watch = arg;
    if (!watch->running || watch->given_up || !on_watch_thread(watch))
        return;
    watch->selector = SELECT_ALLOW;
    give_up(watch);
    set_mask(watch->kernel_mask, NULL);
}

/* Of the C++ ABI; the first names a handler by the address of any object, the second removes it. */
int __cxa_atexit(void (*fn)(void *), void *arg, void *object);
void __cxa_finalize(void *object);

/* Exit functions run in the reverse order of their registration: ours has to be the last. */
static void come_first_at_exit(struct goacc_watch *watch)
{
    static char object;
    __cxa_finalize(&object);
    if (watch)
        __cxa_atexit(on_exit_call, watch, &object);
}

static void begin(struct goacc_watch *watch, void (*fn)(void *), void *arg)
{
    watch->fn = fn;
    watch->arg = arg;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(watch->mxcsr), "=m"(watch->x87));
    watch->late = 0;
    watch->given_up = watch->faulted = false;
    watch->nsteps = 0;
    forget_times(watch);
    watch->running = true;
    the_watch = watch;
}

/* Signals are blocked around it: no handler may change mappings that are listed. */
static bool run(struct goacc_watch *watch, void (*fn)(void *), void *arg,
                const struct goacc_range *open, size_t nopen)
{
    come_first_at_exit(watch);
    set_mask(all_signals, &watch->caller_mask);
    watch->kernel_mask = watch->caller_mask;
    bool good = goacc_closing_list(&watch->closing, open, nopen, watch->own, watch->nown);
    if (good) {
        begin(watch, fn, arg);
        install(watch);
        hand_over(watch);
        uninstall(watch);
        watch->running = false;
    }
    set_mask(watch->caller_mask, NULL);
    return good;
}

static void allocate(void *arg)
{
    char **block_p = arg;
    *block_p = malloc(64);
    free(*block_p);
}

static bool is_own(const struct goacc_watch *watch, uint64_t address)
{
    for (size_t i = 0; i < watch->nown; i++)
        if (address - watch->own[i].start < watch->own[i].bytes)
            return true;
    return false;
}

/* What the thread's malloc returns must lie in mappings that stay open. The C library may give it
 * the arena of a thread that is gone: that one's heaps, each with a pointer to the one before, are
 * the thread's from now on. */
static bool prove(struct goacc_watch *watch)
{
    char **block_p = goacc_open_memory(NULL, NULL, 0, sizeof *block_p);
    if (!block_p)
        return false;
    *block_p = NULL;
    bool good = run(watch, allocate, block_p, NULL, 0);
    uint64_t block = (uintptr_t)*block_p;
    goacc_open_memory(NULL, block_p, sizeof *block_p, 0);
    if (!good || !block)
        return false;
    uint64_t heap = block & ~(malloc_heap - 1);
    while (heap && !is_own(watch, block)) {
        if (!goacc_is_mapping(&watch->closing, heap, block) || watch->nown == 1 + OWN_MOST)
            return false;
        own(watch, heap, malloc_heap);
        heap = block = ((const uint64_t *)(uintptr_t)heap)[1];
    }
    watch->proved = true;
    return true;
}

struct goacc_watch *goacc_watch_open(int (*present)(void *ud, uint64_t address), void *ud)
{
    struct goacc_watch *watch = goacc_open_memory(NULL, NULL, 0, sizeof *watch);
    if (!watch)
        return NULL;
    memset(watch, 0, sizeof *watch);
    watch->present = present;
    watch->ud = ud;
    if (map_stack(watch) && start_thread(watch) && (!is_alone() || prove(watch)))
        return watch;
    goacc_watch_close(watch);
    return NULL;
}

void goacc_watch_close(struct goacc_watch *watch)
{
    if (!watch || on_watch_thread(watch)) /* exit() in a kernel: the process ends */
        return;
    if (watch->control_block && watch->pid == goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0)) {
        report_state(watch, STATE_QUIT);
        pthread_join(watch->thread, NULL);
    }
    if (watch->stack)
        munmap(watch->stack, watch->stack_bytes);
    come_first_at_exit(NULL);
    goacc_closing_free(&watch->closing);
    goacc_open_memory(NULL, watch, sizeof *watch, 0);
}

/* After a fork the thread is the parent's; its stack and its memory serve a new one. */
static bool has_thread(struct goacc_watch *watch)
{
    if (watch->pid == goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0))
        return watch->control_block != NULL;
    watch->control_block = NULL;
    return start_thread(watch);
}

enum goacc_watched goacc_watch_run(struct goacc_watch *watch, void (*fn)(void *), void *arg,
                                   const struct goacc_range *open, size_t nopen,
                                   struct goacc_fault *fault_p)
{
    if (on_watch_thread(watch)) { /* a kernel in a kernel */
        fn(arg);
        return GOACC_WATCHED_OK;
    }
    if (!has_thread(watch) || !is_alone() || (!watch->proved && !prove(watch)) ||
        !run(watch, fn, arg, open, nopen)) {
        fn(arg);
        return GOACC_UNWATCHED;
    }
    if (watch->faulted) {
        *fault_p = watch->fault;
        return GOACC_WATCHED_FAULT;
    }
    return watch->given_up ? GOACC_UNWATCHED : GOACC_WATCHED_OK;
}
