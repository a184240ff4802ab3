/* page_guard.c - the page guard's core: the hand-over to the guard's thread, signal handlers, runs of
 * kernels.
 *
 * DATA. One `struct rt_page_guard` in the arena. It holds the protection map (ranges to mprotect), the
 * stopped threads, the lazy reprotection between kernels, and the stack of a sleeping thread, the guard's
 * thread:
 *
 *      low  [ 1 MB PROT_NONE ][ 256 KB signal stack ][ 1 MB PROT_NONE ][ kernel's stack ...  top][ 64 KB sleeper ] high
 *
 * A kernel runs on the CALLING thread, with the stack and the thread pointer of the guard's thread, which
 * sleeps. So the kernel's malloc arena, errno and thread-local variables are those of the guard's thread, and
 * those of the caller can be protected.
 *
 * STATES, and what moves between them:
 *
 *               rt_guard_run             kernel ends, no other thread
 *      OPEN ------------------> RUNNING -----------------------------> LAZY
 *       ^                        |   ^                                 |  |
 *       |  kernel ends, faults,  |   |   rt_guard_run, same mappings   |  |
 *       +--- or is abandoned ----+   +---------------------------------+  |
 *       |                                                                 |
 *       +---- system call or handled signal of the host, new mappings ----+
 *
 *      OPEN: nothing is protected. RUNNING: all writable memory of the program is PROT_NONE.
 *      LAZY: the host runs, and opens windows of the memory, which is PROT_NONE otherwise.
 *
 * LIFE OF A RUN. 1. All signals are blocked, other threads are stopped, the protection map is built. 2.
 * Handlers are installed, the thread pointer and the stack are switched, and all ranges become PROT_NONE. 3.
 * fn runs. SIGSEGV: an access that is not the kernel's fault (by a system library, to the linker's tables, to
 * an open variable in a protected page) is single-stepped. Its page is open for one instruction, and SIGTRAP
 * protects it again. An access of the kernel itself is recorded, and siglongjmp leaves the kernel. SIGSYS:
 * each system call of the kernel is made by the handler with memory open. 4. Memory is unprotected, or stays
 * protected (LAZY). 5. Threads are resumed, and signals that arrived meanwhile are sent again.
 *
 * INVARIANTS. While memory is protected or threads are stopped: no lock, malloc or errno of the C library is
 * used, only rt_raw_syscall; handlers touch memory of the arena only. is_running: a guarded kernel runs.
 * lazy.on: memory stays protected between kernels. is_abandoned: the protection of the run has ended early;
 * the kernel runs on. */
#include "page_guard_internal.h"

#include <assert.h>
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

enum { STATE_STARTS, STATE_SLEEPS, STATE_QUIT }; /* states of the guard's thread */

enum {
    GUARD = 1 << 20,       /* bytes below a stack that are never accessible, so that an overflow faults */
    ALTERNATE = 256 << 10, /* bytes of the signal stack */
    SLEEPER = 64 << 10,    /* bytes of the stack for the sleeping thread itself */
};

/* Least and largest size of the kernel's stack, in bytes. */
static const size_t stack_least = (size_t)64 << 20, stack_most = (size_t)1 << 30;
/* bytes and alignment of a heap of a thread's malloc arena in the C library */
static const uint64_t malloc_heap = (uint64_t)64 << 20;

/* The guard that signal handlers use; NULL before the first run. */
static struct rt_page_guard *handler_guard;

/* Returns true if the calling thread has the thread pointer of the guard's thread: it runs a kernel, or it is the
 * guard's thread itself. */
static bool is_guard_thread(const struct rt_page_guard *guard)
{
    return guard->control_block == __builtin_thread_pointer();
}

/* Lets the other threads run for 5 ms while the kernel waits. Called in the handler of the timer's signal. Does nothing
 * unless the calling thread runs a kernel under protection. */
static void yield_to_threads(void)
{
    struct rt_page_guard *guard = handler_guard;
    const struct timespec duration = {0, 5000000};
    if (!guard || !guard->is_running || guard->is_abandoned || !is_guard_thread(guard))
        return;
    rt_guard_pause(guard);
    rt_raw_syscall(SYS_nanosleep, (long)&duration, 0, 0, 0, 0, 0);
    rt_guard_resume(guard);
}

/* ----------------------------------------------------------------------------------- signals -- */

/* Handles a fault of a kernel that the guard has not caused, such as SIGFPE: abandons the protection (the
 * kernel runs on with memory open). The faulting instruction runs again and raises the signal for the
 * program's handler. */
static void forward_fault(struct rt_page_guard *guard, int signal, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    rt_guard_end_single_step(registers);
    rt_guard_abandon(guard);
    memcpy(&context->uc_sigmask, &guard->kernel_mask, sizeof guard->kernel_mask);
    const unsigned char *before = (const unsigned char *)registers[REG_RIP] - 1;
    /* SIGTRAP of a breakpoint (0xCC) arrives after its instruction, which the program must repeat */
    if (signal == SIGTRAP && *before == 0xCC)
        registers[REG_RIP]--;
}

/* Handles a signal of a thread that does not run the kernel: restores the program's handlers and marks the
 * run as abandoned (not protected to its end). A fault then repeats and reaches these handlers; a signal that
 * was sent is sent again. */
static void return_fault(struct rt_page_guard *guard, int signal, const siginfo_t *info)
{
    rt_guard_restore_handlers(guard);
    rt_signals_restore(guard);
    guard->is_abandoned = true;
    guard->selector = RT_DISPATCH_ALLOW;
    if (info->si_code <= 0)
        rt_signals_resend(guard, signal, info);
}

/* Handler of each signal in rt_handled_signals, during a kernel and between kernels: passes the signal to the function
 * for its state and cause. */
static void on_signal(int signal, siginfo_t *info, void *arg)
{
    struct rt_page_guard *guard = handler_guard;
    ucontext_t *context = arg;
    greg_t *registers = context->uc_mcontext.gregs;
    if (guard->lazy.on && !guard->is_running)
        rt_lazy_handle_signal(guard, signal, info, context);
    else if (!is_guard_thread(guard))
        return_fault(guard, signal, info);
    else if (info->si_code <= 0)
        rt_signals_queue(guard, signal, info);
    else if (signal == SIGSEGV || signal == SIGBUS)
        rt_guard_handle_access(guard, (uintptr_t)info->si_addr, registers);
    else if (signal == SIGSYS && info->si_code == SYS_USER_DISPATCH)
        rt_guard_handle_syscall(guard, info->si_syscall, context);
    else if (signal != SIGTRAP || !rt_guard_end_single_step(registers))
        forward_fault(guard, signal, context);
}

/* Opens all memory, sends the signal again and returns true, if memory stays protected between two kernels.
 * On the thread of a guarded kernel, queues the signal and leaves the kernel by siglongjmp. In all other
 * cases returns false. */
bool rt_guard_defer_signal(int signal, siginfo_t *info, void *context)
{
    struct rt_page_guard *guard = handler_guard;
    if (guard && guard->lazy.on && !guard->is_running) {
        rt_lazy_end(guard, context);
        rt_signals_resend(guard, signal, info);
        return true;
    }
    if (guard && guard->is_running && !guard->is_abandoned && is_guard_thread(guard)) {
        rt_guard_end_single_step(((ucontext_t *)context)->uc_mcontext.gregs);
        rt_signals_queue(guard, signal, info);
        siglongjmp(guard->leave, 1);
    }
    return false;
}

/* Handler that replaces the program's handlers between kernels (rt_signals_forward): opens memory, and sends
 * the signal again, which then reaches the program's handler. */
static void on_forwarded_signal(int signal, siginfo_t *info, void *context)
{
    rt_guard_defer_signal(signal, info, context);
}

/* Installs the guard's handlers for rt_handled_signals for one run, and computes run_mask, the signal mask of
 * the kernel. Apart from the guard's own signals, the mask blocks each signal that the program handles or
 * that the caller has blocked. */
static void install_handlers(struct rt_page_guard *guard)
{
    struct rt_kernel_sigaction action = {.handler = (void *)(uintptr_t)on_signal,
                                         .flags = SA_SIGINFO | SA_ONSTACK | RT_SA_RESTORER,
                                         .restorer = rt_guard_sigreturn,
                                         .mask = RT_ALL_SIGNALS | rt_signal_bit(RT_STOP_SIGNAL)};
    guard->run_mask = ~((rt_get_interrupting_signals() & ~guard->caller_mask) | rt_signal_bit(RT_STOP_SIGNAL));
    for (int i = 0; i < RT_HANDLED_SIGNALS; i++) {
        rt_set_sigaction(rt_handled_signals[i], &action, &guard->before[i]);
        guard->run_mask &= ~rt_signal_bit(rt_handled_signals[i]);
    }
}

/* Restores the program's handlers unless the run was abandoned, and sends the queued signals again. */
static void uninstall_handlers(struct rt_page_guard *guard)
{
    if (!guard->is_abandoned)
        rt_guard_restore_handlers(guard);
    for (int signal = 1; guard->queued_signals; guard->queued_signals &= ~rt_signal_bit(signal++))
        if (guard->queued_signals & rt_signal_bit(signal))
            rt_signals_resend(guard, signal, &guard->queued_info[signal]);
}

/* --------------------------------------------------------------------------------- hand-over -- */

/* Makes a futex system call on *word. operation: FUTEX_WAIT waits while *word is `value`, FUTEX_WAKE wakes `value`
 * waiters. */
static void futex(uint32_t *word, int operation, uint32_t value)
{
    rt_raw_syscall(SYS_futex, (long)word, operation | FUTEX_PRIVATE_FLAG, value, 0, 0, 0);
}

/* Installs the guard's alternate signal stack, and writes the stack from before unless `before_p` is NULL. The
 * operating system removes the stack while a handler runs (SS_AUTODISARM), and installs the stack in the handler's
 * context when the handler returns. So a handler can restore the program's stack there. */
static void set_signal_stack(struct rt_page_guard *guard, stack_t *before_p)
{
    const stack_t stack = {.ss_sp = guard->stack + GUARD, .ss_flags = SS_AUTODISARM, .ss_size = ALTERNATE};
    rt_raw_syscall(SYS_sigaltstack, (long)&stack, (long)before_p, 0, 0, 0, 0);
}

/* Protects memory, runs the kernel of the guard `arg`, and then unprotects memory, or lets it stay protected
 * for a host interval (the time to the next kernel). This function runs on the guard's stack: the caller may
 * be a handler on the program's alternate stack, which cannot be replaced there. */
static void run_on_guard_stack(void *arg)
{
    struct rt_page_guard *guard = arg;
    if (guard->lazy.on) {
        rt_lazy_protect_windows(guard);
    } else {
        set_signal_stack(guard, &guard->lazy.program_stack);
        rt_protection_apply(&guard->protections);
    }
    if (sigsetjmp(guard->leave, 0)) { /* a handler has left the kernel by siglongjmp */
        set_signal_stack(guard, NULL);
    } else {
        rt_set_signal_mask(guard->run_mask, NULL);
        __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(guard->mxcsr), "m"(guard->x87));
        rt_sections_begin(guard);
        guard->selector = RT_DISPATCH_BLOCK;
        guard->fn(guard->arg);
    }
    guard->selector = RT_DISPATCH_ALLOW;
    rt_sections_unprotect(guard);
    rt_set_signal_mask(RT_ALL_SIGNALS | rt_signal_bit(RT_STOP_SIGNAL), NULL);
    if (!rt_lazy_begin(guard)) {
        rt_protection_lift(&guard->protections);
        rt_raw_syscall(SYS_sigaltstack, (long)&guard->lazy.program_stack, 0, 0, 0, 0, 0);
    }
}

/* Gives the calling thread the thread pointer and the stack of the guard's thread, runs the kernel, and switches back.
 */
static void switch_to_guard_thread(struct rt_page_guard *guard)
{
    assert(guard->is_running && guard->control_block);
    long caller; /* read by assembly, because the compiler assumes that the thread pointer never changes */
    __asm__ volatile("movq %%fs:0, %0" : "=r"(caller));
    if (!guard->lazy.on)
        rt_guard_set_syscall_dispatch(guard, true);
    rt_raw_syscall(SYS_arch_prctl, ARCH_SET_FS, (long)(uintptr_t)guard->control_block, 0, 0, 0, 0);
    rt_guard_switch_stack(&guard->caller_sp, guard->top, run_on_guard_stack, guard);
    rt_raw_syscall(SYS_arch_prctl, ARCH_SET_FS, caller, 0, 0, 0, 0);
    if (!guard->lazy.on)
        rt_guard_set_syscall_dispatch(guard, false);
}

/* ------------------------------------------------------------------------ the guard's thread -- */

/* Ends the process with status 0, as the C library does when its last thread ends. Main function of a new thread. */
static void *exit_process(void *arg)
{
    (void)arg;
    rt_set_signal_mask(0, NULL);
    exit(0);
}

/* Returns true if the guard's thread is the last one, except for the first thread of the process, which has ended but
 * is still listed. The C library would end the process with its last thread, but counts the guard's thread, too. */
static bool is_last_thread(void)
{
    return rt_count_threads() == 2 && rt_has_first_thread_ended();
}

/* Main function of the guard's thread: sleeps until STATE_QUIT, while kernels use its stack and thread pointer. Wakes
 * every second to see if it is the last thread; then it starts a thread that ends the process. */
static void *run_guard_thread(void *arg)
{
    struct rt_page_guard *guard = arg;
    const struct timespec second = {1, 0};
    pthread_t thread;
    bool ends = false;
    guard->number = (int)rt_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    guard->top = ((uintptr_t)__builtin_frame_address(0) - SLEEPER) & ~(uint64_t)63;
    guard->control_block = __builtin_thread_pointer();
    __atomic_store_n(&guard->state, STATE_SLEEPS, __ATOMIC_RELEASE);
    futex(&guard->state, FUTEX_WAKE, 1);
    while (__atomic_load_n(&guard->state, __ATOMIC_ACQUIRE) != STATE_QUIT) {
        rt_raw_syscall(SYS_futex, (long)&guard->state, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, STATE_SLEEPS, (long)&second, 0,
                       0);
        if (!ends && is_last_thread())
            ends = !pthread_create(&thread, NULL, exit_process, NULL);
    }
    return NULL;
}

/* Returns true if Linux supports user dispatch of system calls, which then raise SIGSYS (version 5.11).
 * Leaves the dispatch off. */
static bool can_dispatch(struct rt_page_guard *guard)
{
    const uintptr_t start = (uintptr_t)rt_raw_syscall;
    guard->selector = RT_DISPATCH_ALLOW;
    if (rt_raw_syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)start, 1,
                       (long)&guard->selector, 0))
        return false;
    rt_guard_set_syscall_dispatch(guard, false);
    return true;
}

/* Starts the guard's thread on its mapped stack and waits until the thread sleeps. Returns false if system
 * calls cannot be dispatched or the thread cannot be started. */
static bool start_thread(struct rt_page_guard *guard)
{
    assert(guard->stack);
    pthread_attr_t attributes;
    uint64_t mask = 0;
    guard->pid = rt_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    guard->has_own_malloc = false;
    guard->timer_thread = 0;
    guard->state = STATE_STARTS;
    if (!can_dispatch(guard) || pthread_attr_init(&attributes))
        return false;
    int status = pthread_attr_setstack(&attributes, (void *)(uintptr_t)guard->bottom,
                                       guard->own_ranges[0].start + guard->own_ranges[0].bytes - guard->bottom);
    if (!status) {
        rt_set_signal_mask(RT_ALL_SIGNALS, &mask);
        status = pthread_create(&guard->thread, &attributes, run_guard_thread, guard);
        rt_set_signal_mask(mask, NULL);
    }
    pthread_attr_destroy(&attributes);
    while (!status && __atomic_load_n(&guard->state, __ATOMIC_ACQUIRE) == STATE_STARTS)
        futex(&guard->state, FUTEX_WAIT, STATE_STARTS);
    return !status;
}

/* Maps the guard's stack: as large as the program's limit, at least 64 MB, at most 1 GB. Returns false without memory.
 * If the system refuses to divide the mapping, an overflow is not found. */
static bool map_guard_stack(struct rt_page_guard *guard)
{
    assert(!guard->stack);
    struct rlimit limit = {0};
    getrlimit(RLIMIT_STACK, &limit);
    size_t bytes = limit.rlim_cur < stack_most ? (size_t)rt_page_up(limit.rlim_cur) : stack_most;
    bytes = (bytes < stack_least ? stack_least : bytes) + GUARD + ALTERNATE + GUARD;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED)
        return false;
    (void)mprotect(p, GUARD, PROT_NONE);
    (void)mprotect(p + GUARD + ALTERNATE, GUARD, PROT_NONE);
    guard->stack = p;
    guard->stack_bytes = bytes;
    guard->bottom = (uintptr_t)p + GUARD + ALTERNATE + GUARD;
    guard->own_ranges[0] = (struct rt_range){(uintptr_t)p, bytes};
    guard->nown = 1;
    return true;
}

/* -------------------------------------------------------------------------------------- runs -- */

/* Exit function that runs before those of the program if a kernel calls exit(). Abandons the protection,
 * because the program's exit functions touch protected memory. Does nothing if the calling thread runs no
 * guarded kernel. */
static void on_exit_call(void *arg)
{
    struct rt_page_guard *guard = arg;
    if (!guard->is_running || guard->is_abandoned || !is_guard_thread(guard))
        return;
    rt_guard_abandon(guard);
    rt_set_signal_mask(guard->kernel_mask, NULL);
}

/* Functions of the C++ ABI. __cxa_atexit registers an exit function under the address of any object; __cxa_finalize
 * runs or removes the functions of an object. */
int __cxa_atexit(void (*fn)(void *), void *arg, void *object);
void __cxa_finalize(void *object);

/* Registers on_exit_call as the latest exit function, which runs first. guard NULL: only removes the earlier
 * registration. */
static void register_first_at_exit(struct rt_page_guard *guard)
{
    static char object;
    __cxa_finalize(&object);
    if (guard)
        __cxa_atexit(on_exit_call, guard, &object);
}

/* Prepares the guard's fields for one run of fn(arg), and saves the caller's floating-point modes for the kernel. */
static void begin_run(struct rt_page_guard *guard, void (*fn)(void *), void *arg)
{
    assert(fn);
    guard->fn = fn;
    guard->arg = arg;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(guard->mxcsr), "=m"(guard->x87));
    guard->queued_signals = 0;
    guard->is_abandoned = guard->has_faulted = false;
    rt_guard_reset_step_counts(guard);
    guard->is_running = true;
    handler_guard = guard;
}

/* Arms the timer that lets the other threads run for a moment every `seconds` seconds; 0 disarms the timer.
 * If the system gives no timer, the other threads stay stopped. */
static void set_timer(struct rt_page_guard *guard, long seconds)
{
    assert(seconds >= 0);
    struct sigevent event = {.sigev_signo = RT_STOP_SIGNAL,
                             .sigev_notify = SIGEV_THREAD_ID,
                             .sigev_value.sival_ptr = &guard->other_threads,
                             ._sigev_un._tid = guard->caller};
    const struct itimerspec period = {{seconds, 0}, {seconds, 0}};
    if (guard->timer_thread != guard->caller) {
        if (guard->timer_thread)
            rt_raw_syscall(SYS_timer_delete, guard->timer, 0, 0, 0, 0, 0);
        guard->timer_thread =
            rt_raw_syscall(SYS_timer_create, CLOCK_MONOTONIC, (long)&event, (long)&guard->timer, 0, 0, 0)
                ? 0
                : guard->caller;
    }
    if (guard->timer_thread)
        rt_raw_syscall(SYS_timer_settime, guard->timer, 0, (long)&period, 0, 0, 0);
}

/* Builds the protection map (the list of ranges to protect) while the other threads are stopped. open: nopen
 * ranges that stay accessible. The threads' control blocks stay open, because the operating system writes to
 * them whenever it moves a thread. Returns false without memory, or if the mappings cannot be read. */
static bool build_protection(struct rt_page_guard *guard, const struct rt_range *open, size_t nopen)
{
    assert(guard->other_threads.n <= RT_STOPPED_THREADS_MAX);
    uint64_t threads[1 + RT_STOPPED_THREADS_MAX];
    size_t n = rt_get_control_blocks(&guard->other_threads, threads);
    threads[n++] = (uintptr_t)__builtin_thread_pointer();
    return rt_protection_build(&guard->protections, open, nopen, guard->own_ranges, guard->nown, threads, n);
}

/* Ends a run, also one that could not begin: resumes the other threads and restores the caller's signal mask. Restores
 * the program's handlers unless memory stays protected until the next kernel. */
static void end_run(struct rt_page_guard *guard)
{
    if (guard->is_running && !guard->lazy.on)
        uninstall_handlers(guard);
    guard->is_running = false;
    guard->nsections = 0;
    rt_resume_the_world(&guard->other_threads);
    guard->selector = guard->lazy.on ? RT_DISPATCH_BLOCK : RT_DISPATCH_ALLOW;
    rt_set_signal_mask(guard->caller_mask, NULL);
}

/* Opens all memory until the next guarded kernel, with signals blocked while it does so. Does nothing if
 * guard is NULL or memory is open. */
void rt_guard_unprotect_all(struct rt_page_guard *guard)
{
    if (!guard || !guard->lazy.on)
        return;
    const uint64_t mask = rt_block_all_but_faults();
    rt_lazy_end(guard, NULL);
    rt_set_signal_mask(mask, NULL);
}

/* Runs fn(arg) with the protection map of the last run, which lazy reprotection has kept. open, nopen, ready:
 * see rt_guard_run. Returns false, with memory open and fn not called, if lazy reprotection is off or the map
 * is not right any more. */
static bool run_with_same_protection(struct rt_page_guard *guard, void (*fn)(void *), void *arg,
                                     const struct rt_range *open, size_t nopen, void (*ready)(void))
{
    if (!guard->lazy.on)
        return false;
    guard->caller_mask = rt_block_all_but_faults();
    if (!rt_lazy_can_continue(guard, open, nopen)) {
        rt_lazy_end(guard, NULL);
        rt_set_signal_mask(guard->caller_mask, NULL);
        return false;
    }
    if (ready)
        ready();
    rt_set_signal_mask(RT_ALL_SIGNALS, NULL);
    guard->selector = RT_DISPATCH_ALLOW;
    guard->kernel_mask = guard->caller_mask;
    begin_run(guard, fn, arg);
    switch_to_guard_thread(guard);
    end_run(guard);
    return true;
}

/* Runs fn(arg) with memory protected. open, nopen, ready: see rt_guard_run. Returns false if fn has not run:
 * a thread cannot be stopped, or the map cannot be built. Signals are blocked while the mappings are listed,
 * as a handler could change them. While threads are stopped, no lock of the C library may be taken, because a
 * stopped thread may hold it. */
static bool run_protected(struct rt_page_guard *guard, void (*fn)(void *), void *arg, const struct rt_range *open,
                          size_t nopen, void (*ready)(void))
{
    assert(fn && (open || !nopen));
    register_first_at_exit(guard);
    if (run_with_same_protection(guard, fn, arg, open, nopen, ready))
        return true;
    guard->lazy.nopen = nopen;
    if (nopen && nopen <= RT_OPEN_RANGES_MAX)
        memcpy(guard->lazy.open_ranges, open, nopen * sizeof *open);
    rt_set_signal_mask(RT_ALL_SIGNALS, &guard->caller_mask);
    guard->kernel_mask = guard->caller_mask;
    guard->caller = (int)rt_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    bool success = rt_protection_scan_modules(&guard->protections) &&
                   rt_stop_the_world(&guard->other_threads, guard->caller, guard->number);
    if (success)
        success = build_protection(guard, open, nopen);
    if (success) {
        begin_run(guard, fn, arg);
        install_handlers(guard);
        if (ready)
            ready();
        if (guard->other_threads.n)
            set_timer(guard, 1);
        switch_to_guard_thread(guard);
        if (guard->other_threads.n)
            set_timer(guard, 0);
    }
    end_run(guard);
    return success;
}

/* Kernel of check_own_malloc: allocates a block, stores its address in *arg, and frees it. */
static void try_malloc(void *arg)
{
    char **block_p = arg;
    *block_p = malloc(64);
    free(*block_p);
}

/* Returns true if an address lies in a range that stays open to kernels (guard->own_ranges). */
static bool is_own_address(const struct rt_page_guard *guard, uint64_t address)
{
    for (size_t i = 0; i < guard->nown; i++)
        if (address - guard->own_ranges[i].start < guard->own_ranges[i].bytes)
            return true;
    return false;
}

/* True if malloc gives several threads blocks of the same mapping: then it is not the malloc of the C library. */
static bool has_shared_malloc;

/* Runs a test kernel to find the memory that malloc gives to the guard's thread, and keeps that memory open.
 * The C library may give the thread the malloc arena of an ended thread. Then all heaps of this arena, each
 * with a pointer to the one before, become the guard's. Returns false without memory, if the test kernel
 * could not be protected, or if the heap is not one of the guard's thread alone. */
static bool check_own_malloc(struct rt_page_guard *guard)
{
    char **block_p = rt_arena_realloc(NULL, NULL, 0, sizeof *block_p);
    if (!block_p)
        return false;
    *block_p = NULL;
    bool success = run_protected(guard, try_malloc, block_p, NULL, 0, NULL);
    rt_guard_unprotect_all(guard);
    uint64_t block = (uintptr_t)*block_p;
    rt_arena_realloc(NULL, block_p, sizeof *block_p, 0);
    if (!success || !block)
        return false;
    uint64_t heap = block & ~(malloc_heap - 1);
    while (heap && !is_own_address(guard, block)) {
        if (!rt_is_private_mapping(&guard->protections, heap, block) || guard->nown == 1 + RT_OWN_RANGES_MAX) {
            has_shared_malloc = true;
            return false;
        }
        rt_guard_add_own_range(guard, heap, malloc_heap);
        heap = block = ((const uint64_t *)(uintptr_t)heap)[1];
    }
    guard->has_own_malloc = true;
    return true;
}

/* Returns the memory of the guard, which is never freed; NULL without memory. It is zeroed, except for the slots of
 * stopped threads: a thread may still use its slot in the stop handler. */
static struct rt_page_guard *allocate_guard(void)
{
    static struct rt_page_guard *instance;
    if (!instance) {
        instance = rt_arena_realloc(NULL, NULL, 0, sizeof *instance);
        if (instance)
            memset(instance, 0, sizeof *instance);
        return instance;
    }
    const size_t other_threads = offsetof(struct rt_page_guard, other_threads),
                 rest = other_threads + sizeof instance->other_threads;
    memset(instance, 0, other_threads);
    memset((char *)instance + rest, 0, sizeof *instance - rest);
    instance->other_threads.is_refused = false;
    return instance;
}

/* Returns a new page guard with its stack and its thread. NULL if memory, the system calls or the thread are
 * missing, or if malloc cannot be used in kernels. */
struct rt_page_guard *rt_guard_new(int (*present)(void *ud, uint64_t address), void *ud)
{
    assert(present);
    struct rt_page_guard *guard = has_shared_malloc ? NULL : allocate_guard();
    if (!guard)
        return NULL;
    guard->present = present;
    guard->ud = ud;
    guard->other_threads.yield_to_threads = yield_to_threads;
    guard->on_forwarded_signal = on_forwarded_signal;
    guard->lazy.interval = guard->lazy.all_open_interval = 1;
    if (map_guard_stack(guard) && start_thread(guard) && check_own_malloc(guard))
        return guard;
    rt_guard_free(guard);
    return NULL;
}

/* Opens all memory, ends the guard's thread if it belongs to this process, and frees the stack and the protection map.
 */
void rt_guard_free(struct rt_page_guard *guard)
{
    if (!guard || is_guard_thread(guard)) /* exit() was called in a kernel: the process ends */
        return;
    rt_guard_unprotect_all(guard);
    if (guard->control_block && guard->pid == rt_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0)) {
        __atomic_store_n(&guard->state, STATE_QUIT, __ATOMIC_RELEASE);
        futex(&guard->state, FUTEX_WAKE, 1);
        pthread_join(guard->thread, NULL);
    }
    if (guard->stack)
        munmap(guard->stack, guard->stack_bytes);
    register_first_at_exit(NULL);
    rt_protection_free(&guard->protections);
}

/* Makes sure that the guard's thread runs in this process, and returns true. After a fork the thread is
 * missing in the child, so a new thread is started with the same stack. Returns false if that fails. */
static bool ensure_thread(struct rt_page_guard *guard)
{
    if (guard->pid == rt_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0))
        return guard->control_block != NULL;
    guard->control_block = NULL;
    guard->other_threads.n = 0;
    return start_thread(guard);
}

/* Stores the device sections of the next run in the guard. Does nothing if guard is NULL, or in a kernel. */
void rt_guard_set_sections(struct rt_page_guard *guard, struct rt_device_section *sections, size_t nsections)
{
    assert(sections || !nsections);
    if (!guard || is_guard_thread(guard))
        return;
    guard->sections = sections;
    guard->nsections = nsections;
}

/* Runs fn(arg) with memory protected, or unprotected if that is not possible. Returns RT_GUARD_OK,
 * RT_UNGUARDED, or RT_GUARD_FAULT with the wrong access in *fault_p. A kernel that another guarded kernel
 * calls just runs. */
enum rt_guard_result rt_guard_run(struct rt_page_guard *guard, void (*fn)(void *), void *arg,
                                  const struct rt_range *open, size_t nopen, void (*ready)(void),
                                  struct rt_guard_fault *fault_p)
{
    const bool is_nested = guard && is_guard_thread(guard); /* true: a kernel runs another kernel */
    assert(fn && fault_p && (open || !nopen));
    if (is_nested || !guard || !ensure_thread(guard) || (!guard->has_own_malloc && !check_own_malloc(guard)) ||
        !run_protected(guard, fn, arg, open, nopen, ready)) {
        if (ready)
            ready();
        fn(arg);
        return is_nested ? RT_GUARD_OK : RT_UNGUARDED;
    }
    if (guard->has_faulted) {
        *fault_p = guard->fault;
        return RT_GUARD_FAULT;
    }
    return guard->is_abandoned ? RT_UNGUARDED : RT_GUARD_OK;
}

/* Returns why the last run was unguarded: the first known reason in the order malloc, threads, kernel, system. */
enum rt_unguarded_reason rt_guard_get_reason(const struct rt_page_guard *guard)
{
    if (has_shared_malloc)
        return RT_UNGUARDED_MALLOC;
    if (guard && guard->other_threads.is_refused)
        return RT_UNGUARDED_THREADS;
    return guard && guard->is_abandoned ? RT_UNGUARDED_KERNEL : RT_UNGUARDED_SYSTEM;
}
