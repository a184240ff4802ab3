/* watch.c - kernels with the host's memory closed: what runs them, the hand-over, the signals.
 *
 * A kernel runs on the thread that calls it, with the stack and the thread pointer of another one
 * that sleeps: so its malloc, its errno and its variables are not the caller's. Three signals do
 * the work while memory is closed. SIGSEGV: an access that is none of the kernel's doing (a system
 * library's, the linker's tables, an open variable in a closed page) is stepped: its page is opened
 * for one instruction, and SIGTRAP closes it again. SIGSYS: system calls of the kernel come here
 * first. */
#include "watching.h"

#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>


enum { STATE_STARTS, STATE_SLEEPS, STATE_QUIT }; /* of the watch's thread */

enum {
    GUARD = 1 << 20,       /* below a stack */
    ALTERNATE = 256 << 10, /* signal stack */
    SLEEPER = 64 << 10,    /* of the stack, for the thread itself */
};

static const size_t stack_least = (size_t)64 << 20, stack_most = (size_t)1 << 30;
static const uint64_t malloc_heap = (uint64_t)64 << 20; /* size and alignment in the C library */

/* Handlers know it by this. */
static struct goacc_watch *the_watch;

static bool on_watch_thread(const struct goacc_watch *watch)
{
    return watch->control_block == __builtin_thread_pointer();
}

/* A long kernel: the others run for a moment, while it waits. */
static void breathe(void)
{
    struct goacc_watch *watch = the_watch;
    const struct timespec moment = {0, 5000000};
    if (!watch || !watch->running || watch->given_up || !on_watch_thread(watch))
        return;
    goacc_watch_pause(watch);
    goacc_system(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
    goacc_watch_resume(watch);
}

/* ----------------------------------------------------------------------------------- signals -- */

/* The program's own matter: its handler gets it once more. */
static void pass_on(struct goacc_watch *watch, int signal, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    goacc_watch_end_step(registers);
    goacc_watch_give_up(watch);
    memcpy(&context->uc_sigmask, &watch->kernel_mask, sizeof watch->kernel_mask);
    const unsigned char *before = (const unsigned char *)registers[REG_RIP] - 1;
    if (signal == SIGTRAP && *before == 0xCC) /* a breakpoint is reported after its instruction */
        registers[REG_RIP]--;
}

/* Other threads run while a kernel waits. What they did is done again. */
static void leave_to_program(struct goacc_watch *watch, int signal, const siginfo_t *info)
{
    goacc_watch_restore(watch);
    goacc_signals_give_back(watch);
    watch->given_up = true;
    watch->selector = GOACC_SELECT_ALLOW;
    if (info->si_code <= 0)
        goacc_signals_resend(watch, signal, info);
}

static void on_signal(int signal, siginfo_t *info, void *arg)
{
    struct goacc_watch *watch = the_watch;
    ucontext_t *context = arg;
    greg_t *registers = context->uc_mcontext.gregs;
    if (watch->held.on && !watch->running)
        goacc_held_signal(watch, signal, info, context);
    else if (!on_watch_thread(watch))
        leave_to_program(watch, signal, info);
    else if (info->si_code <= 0)
        goacc_signals_keep(watch, signal, info);
    else if (signal == SIGSEGV || signal == SIGBUS)
        goacc_watch_access(watch, (uintptr_t)info->si_addr, registers);
    else if (signal == SIGSYS && info->si_code == SYS_USER_DISPATCH)
        goacc_watch_call(watch, info->si_syscall, context);
    else if (signal != SIGTRAP || !goacc_watch_end_step(registers))
        pass_on(watch, signal, context);
}

bool goacc_watch_defer(int signal, siginfo_t *info, void *context)
{
    struct goacc_watch *watch = the_watch;
    if (watch && watch->held.on && !watch->running) {
        goacc_held_end(watch, context);
        goacc_signals_resend(watch, signal, info);
        return true;
    }
    if (watch && watch->running && !watch->given_up && on_watch_thread(watch)) {
        goacc_watch_end_step(((ucontext_t *)context)->uc_mcontext.gregs);
        goacc_signals_keep(watch, signal, info);
        siglongjmp(watch->leave, 1);
    }
    return false;
}

static void on_forwarded(int signal, siginfo_t *info, void *context)
{
    goacc_watch_defer(signal, info, context);
}

static void install(struct goacc_watch *watch)
{
    struct goacc_action action = {.handler = (void *)(uintptr_t)on_signal,
                                  .flags = SA_SIGINFO | SA_ONSTACK | GOACC_RESTORER,
                                  .restorer = goacc_watch_return,
                                  .mask = GOACC_ALL_SIGNALS | goacc_bit(GOACC_STOP_SIGNAL)};
    watch->run_mask = ~((goacc_signals_interrupting() & ~watch->caller_mask) | goacc_bit(GOACC_STOP_SIGNAL));
    for (int i = 0; i < GOACC_HANDLED; i++) {
        goacc_set_action(goacc_handled[i], &action, &watch->before[i]);
        watch->run_mask &= ~goacc_bit(goacc_handled[i]);
    }
}

static void uninstall(struct goacc_watch *watch)
{
    if (!watch->given_up)
        goacc_watch_restore(watch);
    for (int signal = 1; watch->late; watch->late &= ~goacc_bit(signal++))
        if (watch->late & goacc_bit(signal))
            goacc_signals_resend(watch, signal, &watch->late_info[signal]);
}

/* ------------------------------------------------------------------------------- the kernel -- */

static void futex(uint32_t *word, int operation, uint32_t value)
{
    goacc_system(SYS_futex, (long)word, operation | FUTEX_PRIVATE_FLAG, value, 0, 0, 0);
}

/* Arms the alternate stack of the watch. The operating system disarms it while a handler runs, and takes the stack of
 * the handler's context for the next one, so that a handler can give the program's stack back. */
static void set_signal_stack(struct goacc_watch *watch, stack_t *before_p)
{
    const stack_t stack = {.ss_sp = watch->stack + GUARD, .ss_flags = SS_AUTODISARM, .ss_size = ALTERNATE};
    goacc_system(SYS_sigaltstack, (long)&stack, (long)before_p, 0, 0, 0, 0);
}

/* On the watch's stack: the caller may be a handler on the program's alternate stack, which cannot be changed there. */
static void run_kernel(void *arg)
{
    struct goacc_watch *watch = arg;
    if (watch->held.on) {
        goacc_held_close(watch);
    } else {
        set_signal_stack(watch, &watch->held.program_stack);
        goacc_closing_close(&watch->closing);
    }
    if (sigsetjmp(watch->leave, 0)) { /* from a handler */
        set_signal_stack(watch, NULL);
    } else {
        goacc_set_mask(watch->run_mask, NULL);
        __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(watch->mxcsr), "m"(watch->x87));
        goacc_sections_begin(watch);
        watch->selector = GOACC_SELECT_BLOCK;
        watch->fn(watch->arg);
    }
    watch->selector = GOACC_SELECT_ALLOW;
    goacc_sections_open(watch);
    goacc_set_mask(GOACC_ALL_SIGNALS | goacc_bit(GOACC_STOP_SIGNAL), NULL);
    if (!goacc_held_begin(watch)) {
        goacc_closing_open(&watch->closing);
        goacc_system(SYS_sigaltstack, (long)&watch->held.program_stack, 0, 0, 0, 0, 0);
    }
}

/* The caller becomes the watch's thread, and itself again. */
static void hand_over(struct goacc_watch *watch)
{
    long caller; /* the compiler takes the thread pointer for one that never changes */
    __asm__ volatile("movq %%fs:0, %0" : "=r"(caller));
    if (!watch->held.on)
        goacc_watch_dispatch(watch, true);
    goacc_system(SYS_arch_prctl, ARCH_SET_FS, (long)(uintptr_t)watch->control_block, 0, 0, 0, 0);
    goacc_watch_switch(&watch->caller_sp, watch->top, run_kernel, watch);
    goacc_system(SYS_arch_prctl, ARCH_SET_FS, caller, 0, 0, 0, 0);
    if (!watch->held.on)
        goacc_watch_dispatch(watch, false);
}

/* -------------------------------------------------------------------------------- the thread -- */

/* Ends the process as the C library does when its last thread ends. */
static void *end_process(void *arg)
{
    (void)arg;
    goacc_set_mask(0, NULL);
    exit(0);
}

/* After the first thread has ended, the end of the last one ends the process: the C library counts this thread, too. */
static bool is_last(void)
{
    return goacc_count_threads() == 2 && goacc_first_thread_ended();
}

static void *serve(void *arg)
{
    struct goacc_watch *watch = arg;
    const struct timespec second = {1, 0};
    pthread_t thread;
    bool ends = false;
    watch->number = (int)goacc_system(SYS_gettid, 0, 0, 0, 0, 0, 0);
    watch->top = ((uintptr_t)__builtin_frame_address(0) - SLEEPER) & ~(uint64_t)63;
    watch->control_block = __builtin_thread_pointer();
    __atomic_store_n(&watch->state, STATE_SLEEPS, __ATOMIC_RELEASE);
    futex(&watch->state, FUTEX_WAKE, 1);
    while (__atomic_load_n(&watch->state, __ATOMIC_ACQUIRE) != STATE_QUIT) {
        goacc_system(SYS_futex, (long)&watch->state, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, STATE_SLEEPS, (long)&second, 0,
                     0);
        if (!ends && is_last())
            ends = !pthread_create(&thread, NULL, end_process, NULL);
    }
    return NULL;
}

/* Whether the system calls of a thread can be dispatched here. */
static bool can_dispatch(struct goacc_watch *watch)
{
    const uintptr_t start = (uintptr_t)goacc_system;
    watch->selector = GOACC_SELECT_ALLOW;
    if (goacc_system(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)start, 1,
                     (long)&watch->selector, 0))
        return false;
    goacc_watch_dispatch(watch, false);
    return true;
}

static bool start_thread(struct goacc_watch *watch)
{
    pthread_attr_t attributes;
    uint64_t mask = 0;
    watch->pid = goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0);
    watch->proved = false;
    watch->timed = 0;
    watch->state = STATE_STARTS;
    if (!can_dispatch(watch) || pthread_attr_init(&attributes))
        return false;
    int failed = pthread_attr_setstack(&attributes, (void *)(uintptr_t)watch->bottom,
                                       watch->own[0].start + watch->own[0].bytes - watch->bottom);
    if (!failed) {
        goacc_set_mask(GOACC_ALL_SIGNALS, &mask);
        failed = pthread_create(&watch->thread, &attributes, serve, watch);
        goacc_set_mask(mask, NULL);
    }
    pthread_attr_destroy(&attributes);
    while (!failed && __atomic_load_n(&watch->state, __ATOMIC_ACQUIRE) == STATE_STARTS)
        futex(&watch->state, FUTEX_WAIT, STATE_STARTS);
    return !failed;
}

/* As large as the program's own, within reason. */
static bool map_stack(struct goacc_watch *watch)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_STACK, &limit);
    size_t bytes =
        limit.rlim_cur < stack_most ? (size_t)goacc_whole_pages((long)limit.rlim_cur) : stack_most;
    bytes = (bytes < stack_least ? stack_least : bytes) + GUARD + ALTERNATE + GUARD;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED)
        return false;
    mprotect(p, GUARD, PROT_NONE);
    mprotect(p + GUARD + ALTERNATE, GUARD, PROT_NONE);
    watch->stack = p;
    watch->stack_bytes = bytes;
    watch->bottom = (uintptr_t)p + GUARD + ALTERNATE + GUARD;
    watch->own[0] = (struct goacc_range){(uintptr_t)p, bytes};
    watch->nown = 1;
    return true;
}

/* ---------------------------------------------------------------------------------- the runs -- */

/* Exit functions are the program's, and touch its memory. */
static void on_exit_call(void *arg)
{
    struct goacc_watch *watch = arg;
    if (!watch->running || watch->given_up || !on_watch_thread(watch))
        return;
    goacc_watch_give_up(watch);
    goacc_set_mask(watch->kernel_mask, NULL);
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
    goacc_watch_forget_times(watch);
    watch->running = true;
    the_watch = watch;
}

/* Seconds until the others run for a moment; 0: never. */
static void set_timer(struct goacc_watch *watch, long seconds)
{
    struct sigevent event = {.sigev_signo = GOACC_STOP_SIGNAL,
                             .sigev_notify = SIGEV_THREAD_ID,
                             .sigev_value.sival_ptr = &watch->others,
                             ._sigev_un._tid = watch->caller};
    const struct itimerspec often = {{seconds, 0}, {seconds, 0}};
    if (watch->timed != watch->caller) {
        if (watch->timed)
            goacc_system(SYS_timer_delete, watch->timer, 0, 0, 0, 0, 0);
        watch->timed = goacc_system(SYS_timer_create, CLOCK_MONOTONIC, (long)&event,
                                    (long)&watch->timer, 0, 0, 0)
                           ? 0
                           : watch->caller;
    }
    if (watch->timed)
        goacc_system(SYS_timer_settime, watch->timer, 0, (long)&often, 0, 0, 0);
}

/* Of control blocks the operating system writes parts whenever a thread is moved, asleep or not. */
static bool list(struct goacc_watch *watch, const struct goacc_range *open, size_t nopen)
{
    uint64_t threads[1 + GOACC_OTHERS_MOST];
    size_t n = goacc_others_blocks(&watch->others, threads);
    threads[n++] = (uintptr_t)__builtin_thread_pointer();
    return goacc_closing_list(&watch->closing, open, nopen, watch->own, watch->nown, threads, n);
}

static void end(struct goacc_watch *watch)
{
    if (watch->running && !watch->held.on)
        uninstall(watch);
    watch->running = false;
    watch->nsections = 0;
    goacc_others_release(&watch->others);
    watch->selector = watch->held.on ? GOACC_SELECT_BLOCK : GOACC_SELECT_ALLOW;
    goacc_set_mask(watch->caller_mask, NULL);
}

void goacc_watch_open_memory(struct goacc_watch *watch)
{
    if (!watch || !watch->held.on)
        return;
    const uint64_t mask = goacc_block_but_faults();
    goacc_held_end(watch, NULL);
    goacc_set_mask(mask, NULL);
}

/* If all is as the kernel before left it, nothing is listed. False: it is not; memory is open. */
static bool run_again(struct goacc_watch *watch, void (*fn)(void *), void *arg, const struct goacc_range *open,
                      size_t nopen, void (*ready)(void))
{
    if (!watch->held.on)
        return false;
    watch->caller_mask = goacc_block_but_faults();
    if (!goacc_held_goes_on(watch, open, nopen)) {
        goacc_held_end(watch, NULL);
        goacc_set_mask(watch->caller_mask, NULL);
        return false;
    }
    if (ready)
        ready();
    goacc_set_mask(GOACC_ALL_SIGNALS, NULL);
    watch->selector = GOACC_SELECT_ALLOW;
    watch->kernel_mask = watch->caller_mask;
    begin(watch, fn, arg);
    hand_over(watch);
    end(watch);
    return true;
}

/* While others wait, none of the C library's locks may be taken: one of them may hold it. Signals
 * are blocked around it: no handler may change mappings that are listed. */
static bool run(struct goacc_watch *watch, void (*fn)(void *), void *arg,
                const struct goacc_range *open, size_t nopen, void (*ready)(void))
{
    come_first_at_exit(watch);
    if (run_again(watch, fn, arg, open, nopen, ready))
        return true;
    watch->held.nopen = nopen;
    if (nopen && nopen <= GOACC_OPEN_MOST)
        memcpy(watch->held.opened, open, nopen * sizeof *open);
    goacc_set_mask(GOACC_ALL_SIGNALS, &watch->caller_mask);
    watch->kernel_mask = watch->caller_mask;
    watch->caller = (int)goacc_system(SYS_gettid, 0, 0, 0, 0, 0, 0);
    bool good = goacc_closing_modules(&watch->closing) &&
                goacc_others_stop(&watch->others, watch->caller, watch->number);
    if (good)
        good = list(watch, open, nopen);
    if (good) {
        begin(watch, fn, arg);
        install(watch);
        if (ready)
            ready();
        if (watch->others.n)
            set_timer(watch, 1);
        hand_over(watch);
        if (watch->others.n)
            set_timer(watch, 0);
    }
    end(watch);
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
static bool malloc_is_shared; /* threads get blocks of the same mappings: another malloc than the C library's */

static bool prove(struct goacc_watch *watch)
{
    char **block_p = goacc_open_memory(NULL, NULL, 0, sizeof *block_p);
    if (!block_p)
        return false;
    *block_p = NULL;
    bool good = run(watch, allocate, block_p, NULL, 0, NULL);
    goacc_watch_open_memory(watch);
    uint64_t block = (uintptr_t)*block_p;
    goacc_open_memory(NULL, block_p, sizeof *block_p, 0);
    if (!good || !block)
        return false;
    uint64_t heap = block & ~(malloc_heap - 1);
    while (heap && !is_own(watch, block)) {
        if (!goacc_is_mapping(&watch->closing, heap, block) || watch->nown == 1 + GOACC_OWN_MOST) {
            malloc_is_shared = true;
            return false;
        }
        goacc_watch_own(watch, heap, malloc_heap);
        heap = block = ((const uint64_t *)(uintptr_t)heap)[1];
    }
    watch->proved = true;
    return true;
}

/* The memory of a watch, which stays: a thread that was stopped may still be in its handler, with its slot. All but
 * the slots is zero. NULL: no memory. */
static struct goacc_watch *new_watch(void)
{
    static struct goacc_watch *kept;
    if (!kept) {
        kept = goacc_open_memory(NULL, NULL, 0, sizeof *kept);
        if (kept)
            memset(kept, 0, sizeof *kept);
        return kept;
    }
    const size_t others = offsetof(struct goacc_watch, others), rest = others + sizeof kept->others;
    memset(kept, 0, others);
    memset((char *)kept + rest, 0, sizeof *kept - rest);
    kept->others.refused = false;
    return kept;
}

struct goacc_watch *goacc_watch_open(int (*present)(void *ud, uint64_t address), void *ud)
{
    struct goacc_watch *watch = malloc_is_shared ? NULL : new_watch();
    if (!watch)
        return NULL;
    watch->present = present;
    watch->ud = ud;
    watch->others.breathe = breathe;
    watch->on_forwarded = on_forwarded;
    watch->held.gap = watch->held.all = 1;
    if (map_stack(watch) && start_thread(watch) && prove(watch))
        return watch;
    goacc_watch_close(watch);
    return NULL;
}

void goacc_watch_close(struct goacc_watch *watch)
{
    if (!watch || on_watch_thread(watch)) /* exit() in a kernel: the process ends */
        return;
    goacc_watch_open_memory(watch);
    if (watch->control_block && watch->pid == goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0)) {
        __atomic_store_n(&watch->state, STATE_QUIT, __ATOMIC_RELEASE);
        futex(&watch->state, FUTEX_WAKE, 1);
        pthread_join(watch->thread, NULL);
    }
    if (watch->stack)
        munmap(watch->stack, watch->stack_bytes);
    come_first_at_exit(NULL);
    goacc_closing_free(&watch->closing);
}

/* After a fork the thread is the parent's; its stack and its memory serve a new one. */
static bool has_thread(struct goacc_watch *watch)
{
    if (watch->pid == goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0))
        return watch->control_block != NULL;
    watch->control_block = NULL;
    watch->others.n = 0;
    return start_thread(watch);
}

void goacc_watch_sections(struct goacc_watch *watch, struct goacc_section *sections, size_t nsections)
{
    if (!watch || on_watch_thread(watch))
        return;
    watch->sections = sections;
    watch->nsections = nsections;
}

enum goacc_watched goacc_watch_run(struct goacc_watch *watch, void (*fn)(void *), void *arg,
                                   const struct goacc_range *open, size_t nopen,
                                   void (*ready)(void), struct goacc_fault *fault_p)
{
    const bool inside = watch && on_watch_thread(watch); /* a kernel in a kernel */
    if (inside || !watch || !has_thread(watch) || (!watch->proved && !prove(watch)) ||
        !run(watch, fn, arg, open, nopen, ready)) {
        if (ready)
            ready();
        fn(arg);
        return inside ? GOACC_WATCHED_OK : GOACC_UNWATCHED;
    }
    if (watch->faulted) {
        *fault_p = watch->fault;
        return GOACC_WATCHED_FAULT;
    }
    return watch->given_up ? GOACC_UNWATCHED : GOACC_WATCHED_OK;
}

enum goacc_reason goacc_watch_reason(const struct goacc_watch *watch)
{
    if (malloc_is_shared)
        return GOACC_MALLOC;
    if (watch && watch->others.refused)
        return GOACC_THREADS;
    return watch && watch->given_up ? GOACC_KERNEL : GOACC_SYSTEM;
}
