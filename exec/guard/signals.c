/* signals.c - signals that arrive while host memory is protected.
 *
 * The operating system writes the frame of a handler to the thread's stack. If the stack is protected, the
 * system drops the signal and sends SIGSEGV instead. So no handler of the program may run while memory is
 * protected:
 *
 *      during a kernel    signals that the program handles are blocked until the kernel ends
 *      between kernels    they are delivered to a handler of the guard, on the guard's alternate stack
 *
 * The handler between kernels unprotects memory, restores the program's handlers and alternate stack, and
 * sends the signal with its siginfo to the thread again. The operating system then delivers the signal as
 * usual.
 *
 * Signals that end the process are handled by the runtime, on the alternate stack, too. That handler calls
 * rt_guard_defer_signal, which opens the memory first. */
#include "page_guard_internal.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

const int rt_handled_signals[RT_HANDLED_SIGNALS] = {SIGSEGV, SIGBUS, SIGTRAP, SIGSYS, SIGFPE, SIGILL};

void (*rt_guard_fatal_signal_handler)(int signal, siginfo_t *info, void *context);

/* Sets the signal mask of the calling thread; writes the mask from before unless `before_p` is NULL. */
void rt_set_signal_mask(uint64_t mask, uint64_t *before_p)
{
    rt_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)before_p, sizeof mask, 0, 0);
}

/* Blocks all signals except SIGSEGV, SIGBUS, SIGSYS and SIGTRAP, and returns the mask from before. */
uint64_t rt_block_all_but_faults(void)
{
    const uint64_t faults =
        rt_signal_bit(SIGSEGV) | rt_signal_bit(SIGBUS) | rt_signal_bit(SIGSYS) | rt_signal_bit(SIGTRAP);
    uint64_t before;
    rt_set_signal_mask(RT_ALL_SIGNALS & ~faults, &before);
    return before;
}

/* Returns true for signals whose handlers must not be replaced: SIGKILL and SIGSTOP, and those that the guard
 * or the C library handles. */
static bool is_guard_signal(int signal)
{
    bool is_reserved = signal == SIGKILL || signal == SIGSTOP || signal == RT_STOP_SIGNAL || signal == RT_SETXID_SIGNAL;
    for (int i = 0; i < RT_HANDLED_SIGNALS; i++)
        is_reserved |= rt_handled_signals[i] == signal;
    return is_reserved;
}

/* Writes the action of a signal to *action_p. Returns true if the action is a handler of the program: not the default,
 * not ignored, not the runtime's handler of fatal signals. */
static bool has_program_handler(int signal, struct rt_kernel_sigaction *action_p)
{
    *action_p = (struct rt_kernel_sigaction){0};
    rt_set_sigaction(signal, NULL, action_p);
    return action_p->handler != (void *)SIG_DFL && action_p->handler != (void *)SIG_IGN &&
           action_p->handler != (void *)(uintptr_t)rt_guard_fatal_signal_handler;
}

/* Returns the mask of the signals that may interrupt a kernel, because the program has no handler for them.
 * The guard's own signals are not in the mask. */
uint64_t rt_get_interrupting_signals(void)
{
    struct rt_kernel_sigaction action;
    uint64_t mask = 0;
    for (int signal = 1; signal <= RT_SIGNAL_MAX; signal++)
        if (!is_guard_signal(signal) && !has_program_handler(signal, &action))
            mask |= rt_signal_bit(signal);
    return mask;
}

/* Sends a signal to the calling thread again, with its siginfo if the limit of queued signals allows that. */
void rt_signals_resend(const struct rt_page_guard *guard, int signal, const siginfo_t *info)
{
    const long thread = rt_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    siginfo_t plain;
    if (!rt_raw_syscall(SYS_rt_tgsigqueueinfo, guard->pid, thread, signal, (long)info, 0, 0))
        return;
    /* The limit of queued signals is reached: a signal as kill() sends it still arrives. */
    memset(&plain, 0, sizeof plain);
    plain.si_signo = signal;
    plain.si_code = SI_USER;
    plain.si_pid = (int)guard->pid;
    rt_raw_syscall(SYS_rt_tgsigqueueinfo, guard->pid, thread, signal, (long)&plain, 0, 0);
}

/* Stores a signal with its siginfo, to be sent again after the kernel. */
void rt_signals_queue(struct rt_page_guard *guard, int signal, const siginfo_t *info)
{
    guard->queued_signals |= rt_signal_bit(signal);
    guard->queued_info[signal] = *info;
}

/* Replaces each handler of the program by guard->on_forwarded_signal, and saves the program's action for
 * rt_signals_restore. */
void rt_signals_forward(struct rt_page_guard *guard)
{
    assert(guard->on_forwarded_signal);
    struct rt_lazy_reprotect *lazy = &guard->lazy;
    const struct rt_kernel_sigaction action = {.handler = (void *)(uintptr_t)guard->on_forwarded_signal,
                                               .flags = SA_SIGINFO | SA_ONSTACK | RT_SA_RESTORER,
                                               .restorer = rt_guard_sigreturn,
                                               .mask = ~(uint64_t)0};
    for (int signal = 1; signal <= RT_SIGNAL_MAX; signal++)
        if (!is_guard_signal(signal) && has_program_handler(signal, &lazy->program_action[signal])) {
            rt_set_sigaction(signal, &action, NULL);
            lazy->forwarded |= rt_signal_bit(signal);
        }
}

/* Restores the program's handlers that rt_signals_forward replaced. */
void rt_signals_restore(struct rt_page_guard *guard)
{
    struct rt_lazy_reprotect *lazy = &guard->lazy;
    for (int signal = 1; lazy->forwarded; lazy->forwarded &= ~rt_signal_bit(signal++))
        if (lazy->forwarded & rt_signal_bit(signal))
            rt_set_sigaction(signal, &lazy->program_action[signal], NULL);
}
