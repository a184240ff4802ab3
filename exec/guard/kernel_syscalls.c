/* kernel_syscalls.c - system calls of a guarded kernel. They raise SIGSYS first (syscall user dispatch), because the
 * operating system answers EFAULT for protected memory, without a signal. The handler of SIGSYS makes the system calls
 * with memory open. */
#include "page_guard_internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

/* Restores the program's actions for rt_handled_signals, which install_handlers has saved. */
void rt_guard_restore_handlers(const struct rt_page_guard *guard)
{
    for (int i = 0; i < RT_HANDLED_SIGNALS; i++)
        rt_set_sigaction(rt_handled_signals[i], &guard->before[i], NULL);
}

/* Opens all memory and resumes the other threads, until rt_guard_resume. */
void rt_guard_pause(struct rt_page_guard *guard)
{
    rt_sections_unprotect(guard);
    rt_protection_lift(&guard->protections);
    rt_resume_the_world(&guard->other_threads);
}

/* Opens all memory for the rest of the kernel, and restores the program's signal handlers. */
void rt_guard_abandon(struct rt_page_guard *guard)
{
    rt_guard_pause(guard);
    rt_sections_end(guard);
    rt_guard_restore_handlers(guard);
    rt_signals_restore(guard);
    guard->is_abandoned = true;
    guard->selector = RT_DISPATCH_ALLOW;
}

/* Stops the other threads and protects memory again. If a thread cannot be stopped, abandons the protection:
 * memory stays open, and the kernel runs on. Does nothing if the protection was abandoned before. */
void rt_guard_resume(struct rt_page_guard *guard)
{
    if (guard->is_abandoned)
        return;
    if (rt_stop_the_world(&guard->other_threads, guard->caller, guard->number)) {
        rt_protection_apply(&guard->protections);
        rt_sections_protect(guard);
    } else {
        rt_guard_abandon(guard);
    }
}

/* Removes the interval [start, start + bytes) from the mappings that kernels have made (guard->own_ranges,
 * without the guard's stack). A listed range that contains the interval is split; the upper part is forgotten
 * if the list is full. */
static void remove_own_range(struct rt_page_guard *guard, uint64_t start, uint64_t bytes)
{
    uint64_t end = start + bytes;
    for (size_t i = 1; i < guard->nown; i++) {
        struct rt_range range = guard->own_ranges[i];
        uint64_t own_end = range.start + range.bytes;
        if (own_end <= start || end <= range.start)
            continue;
        guard->own_ranges[i--] = guard->own_ranges[--guard->nown];
        if (range.start < start)
            guard->own_ranges[guard->nown++] = (struct rt_range){range.start, start - range.start};
        if (end < own_end && guard->nown < 1 + RT_OWN_RANGES_MAX)
            guard->own_ranges[guard->nown++] = (struct rt_range){end, own_end - end};
    }
}

/* Adds a range to guard->own_ranges (ranges that stay open to kernels), in place of earlier entries for its
 * addresses. Does nothing more if the list is full. */
void rt_guard_add_own_range(struct rt_page_guard *guard, uint64_t start, uint64_t bytes)
{
    remove_own_range(guard, start, bytes);
    if (guard->nown < 1 + RT_OWN_RANGES_MAX)
        guard->own_ranges[guard->nown++] = (struct rt_range){start, bytes};
}

/* Adds a mapping that the kernel has made by a system call to guard->own_ranges, or removes one that it has unmapped.
 * registers: arguments of the system call `number`; result: of the call. A failed call is ignored. */
static void track_mapping_call(struct rt_page_guard *guard, const greg_t *registers, long number, long result)
{
    long start = registers[REG_RDI], bytes = registers[REG_RSI];
    if (result < 0 && result > -RT_PAGE_SIZE)
        return;
    if (number == SYS_munmap || number == SYS_mremap)
        remove_own_range(guard, (uint64_t)start, rt_page_up((uint64_t)bytes));
    if (number == SYS_mmap)
        rt_guard_add_own_range(guard, (uint64_t)result, rt_page_up((uint64_t)bytes));
    if (number == SYS_mremap)
        rt_guard_add_own_range(guard, (uint64_t)result, rt_page_up((uint64_t)registers[REG_RDX]));
}

/* Returns true for system calls after which memory cannot stay protected: they start threads or processes, end a thread
 * or the process, send signals, or set signal handlers. */
static bool needs_unguarded_run(long number)
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
    case SYS_rt_sigaction:
        return true;
    }
    return false;
}

/* Returns true for system calls that use an address only as a number, without access to its memory.
 * FUTEX_WAKE is such a call: stopped threads repeat their wait, which reads the word again. */
static bool is_address_a_key(long number, const greg_t *registers)
{
    switch (number) {
    case SYS_futex:
        return (registers[REG_RSI] & FUTEX_CMD_MASK) == FUTEX_WAKE;
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

/* Does sigprocmask for a kernel, with its arguments in `registers`. Changes guard->kernel_mask only, as signals stay
 * blocked until the kernel ends. Returns 0. */
static long emulate_sigprocmask(struct rt_page_guard *guard, const greg_t *registers)
{
    const uint64_t *set_p = (const uint64_t *)registers[REG_RSI];
    uint64_t *before_p = (uint64_t *)registers[REG_RDX], before = guard->kernel_mask;
    if (set_p) {
        uint64_t set = *set_p;
        switch ((int)registers[REG_RDI]) {
        case SIG_BLOCK:
            guard->kernel_mask |= set;
            break;
        case SIG_UNBLOCK:
            guard->kernel_mask &= ~set;
            break;
        default:
            guard->kernel_mask = set;
        }
    }
    if (before_p)
        *before_p = before;
    return 0;
}

/* Makes the system call `number` with the arguments in the registers, and returns its result, or -errno on failure. */
static long make_syscall(struct rt_page_guard *guard, const greg_t *registers, long number)
{
    if (number == SYS_rt_sigprocmask)
        return emulate_sigprocmask(guard, registers);
    return rt_raw_syscall(number, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
                          registers[REG_R8], registers[REG_R9]);
}

/* Takes a pending SIGPIPE of the calling thread, and queues it to be sent after the kernel; otherwise the blocked
 * signal would stay pending. Does nothing if no SIGPIPE is pending. */
static void queue_pipe_signal(struct rt_page_guard *guard)
{
    uint64_t mask = rt_signal_bit(SIGPIPE);
    struct timespec none = {0};
    siginfo_t info;
    if (rt_raw_syscall(SYS_rt_sigtimedwait, (long)&mask, (long)&info, (long)&none, sizeof mask, 0, 0) > 0)
        rt_signals_queue(guard, SIGPIPE, &info);
}

/* Makes a system call of the kernel, and stores the result in `context`. Memory is open meanwhile, unless the
 * call uses addresses only as numbers. For calls after which memory cannot stay protected, abandons the
 * protection, and the kernel repeats the call. */
void rt_guard_handle_syscall(struct rt_page_guard *guard, long number, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    if (needs_unguarded_run(number)) {
        /* raise() in a kernel names the guard's thread, but the thread that runs the kernel must get the
         * signal */
        if (number == SYS_tgkill && registers[REG_RSI] == guard->number)
            registers[REG_RSI] = guard->caller;
        rt_guard_abandon(guard);
        memcpy(&context->uc_sigmask, &guard->kernel_mask, sizeof guard->kernel_mask);
        registers[REG_RIP] -= 2; /* the kernel repeats the syscall instruction, now without the guard */
        registers[REG_RAX] = number;
    } else if (is_address_a_key(number, registers)) {
        long result = make_syscall(guard, registers, number);
        track_mapping_call(guard, registers, number, result);
        registers[REG_RAX] = result;
    } else {
        rt_sections_check_syscall(guard, number, registers);
        rt_guard_pause(guard);
        registers[REG_RAX] = make_syscall(guard, registers, number);
        rt_guard_resume(guard);
        if (guard->is_abandoned)
            memcpy(&context->uc_sigmask, &guard->kernel_mask, sizeof guard->kernel_mask);
        if (registers[REG_RAX] == -EPIPE && guard->run_mask & rt_signal_bit(SIGPIPE))
            queue_pipe_signal(guard);
    }
}
