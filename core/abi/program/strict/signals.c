/* signals.c - signals that arrive while host memory is protected.
 *
 * The operating system writes the frame of a handler to the thread's stack. Where that is
 * protected, it drops the signal and sends SIGSEGV instead. So no handler of the program may run
 * while memory is protected:
 *
 *   during a kernel    signals that the program handles are blocked until it ends
 *   between kernels    they come to a handler of the watch, on its alternate stack. It opens
 * memory, gives the program its handlers and its alternate stack back, and sends the signal to the
 * thread again, with what came with it. The operating system then delivers it as usual.
 *
 * Signals that end the process are handled by the runtime, on the alternate stack, too; see
 * goacc_watch_defer. */
#include "watching.h"

#include <errno.h>
#include <string.h>

const int goacc_handled[GOACC_HANDLED] = {SIGSEGV, SIGBUS, SIGTRAP, SIGSYS, SIGFPE, SIGILL};

void (*goacc_watch_deadly)(int signal, siginfo_t *info, void *context);

void goacc_set_mask(uint64_t mask, uint64_t *before_p)
{
    goacc_system(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)before_p, sizeof mask, 0, 0);
}

uint64_t goacc_block_but_faults(void)
{
    const uint64_t faults =
        goacc_bit(SIGSEGV) | goacc_bit(SIGBUS) | goacc_bit(SIGSYS) | goacc_bit(SIGTRAP);
    uint64_t before;
    goacc_set_mask(GOACC_ALL_SIGNALS & ~faults, &before);
    return before;
}

static bool is_own(int signal)
{
    bool own = signal == SIGKILL || signal == SIGSTOP || signal == GOACC_STOP_SIGNAL ||
               signal == GOACC_SETXID_SIGNAL;
    for (int i = 0; i < GOACC_HANDLED; i++)
        own |= goacc_handled[i] == signal;
    return own;
}

static bool has_program_handler(int signal, struct goacc_action *action_p)
{
    *action_p = (struct goacc_action){0};
    goacc_set_action(signal, NULL, action_p);
    return action_p->handler != (void *)SIG_DFL && action_p->handler != (void *)SIG_IGN &&
           action_p->handler != (void *)(uintptr_t)goacc_watch_deadly;
}

uint64_t goacc_signals_interrupting(void)
{
    struct goacc_action action;
    uint64_t mask = 0;
    for (int signal = 1; signal <= GOACC_SIGNALS; signal++)
        if (!is_own(signal) && !has_program_handler(signal, &action))
            mask |= goacc_bit(signal);
    return mask;
}

void goacc_signals_resend(const struct goacc_watch *watch, int signal, const siginfo_t *info)
{
    const long thread = goacc_system(SYS_gettid, 0, 0, 0, 0, 0, 0);
    siginfo_t plain;
    if (!goacc_system(SYS_rt_tgsigqueueinfo, watch->pid, thread, signal, (long)info, 0, 0))
        return;
    memset(
        &plain, 0,
        sizeof plain); /* the limit of queued signals: as sent by kill() it arrives all the same */
    plain.si_signo = signal;
    plain.si_code = SI_USER;
    plain.si_pid = (int)watch->pid;
    goacc_system(SYS_rt_tgsigqueueinfo, watch->pid, thread, signal, (long)&plain, 0, 0);
}

void goacc_signals_keep(struct goacc_watch *watch, int signal, const siginfo_t *info)
{
    watch->late |= goacc_bit(signal);
    watch->late_info[signal] = *info;
}

void goacc_signals_forward(struct goacc_watch *watch)
{
    struct goacc_held *held = &watch->held;
    const struct goacc_action action = {.handler = (void *)(uintptr_t)watch->on_forwarded,
                                        .flags = SA_SIGINFO | SA_ONSTACK | GOACC_RESTORER,
                                        .restorer = goacc_watch_return,
                                        .mask = ~(uint64_t)0};
    for (int signal = 1; signal <= GOACC_SIGNALS; signal++)
        if (!is_own(signal) && has_program_handler(signal, &held->program_action[signal])) {
            goacc_set_action(signal, &action, NULL);
            held->forwarded |= goacc_bit(signal);
        }
}

void goacc_signals_give_back(struct goacc_watch *watch)
{
    struct goacc_held *held = &watch->held;
    for (int signal = 1; held->forwarded; held->forwarded &= ~goacc_bit(signal++))
        if (held->forwarded & goacc_bit(signal))
            goacc_set_action(signal, &held->program_action[signal], NULL);
}
