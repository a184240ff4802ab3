/* ends.c - ways in which a program ends without its exit functions. What the end reports is reported before, and the
 * program ends as it would have. */
#include "runtime.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* Those that end a program which does not handle them; SIGSEGV and SIGBUS: fault.c. */
static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGFPE, SIGTERM, SIGXCPU};
static volatile sig_atomic_t deadly_signal;

/* A child of vfork shares our memory, but is another process. In a watched kernel memory is closed. What the program
 * has not written yet stays unwritten. */
static void report(void (*how)(void))
{
    if (!goacc.at_end || goacc.pid != getpid() || goacc.ending || (goacc.options.strict && goacc_region(goacc_own.does)))
        return;
    goacc.dying = true;
    how();
}

/* By the signal, at once. */
static void die(int unused)
{
    const int signal = deadly_signal;
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t only;
    (void)unused;
    sigaction(signal, &usual, NULL);
    sigemptyset(&only);
    sigaddset(&only, signal);
    raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

/* The signal may have come in the middle of malloc: what does not come to an end is given up, and so is what faults. */
static void report_in_time(void)
{
    enum { SECONDS = 3 };
    const struct sigaction given_up = {.sa_handler = die};
    const struct itimerval limit = {.it_value = {.tv_sec = SECONDS}};
    const int stops[] = {SIGALRM, SIGSEGV, SIGBUS};
    sigset_t open;
    sigemptyset(&open);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        sigaction(stops[i], &given_up, NULL);
        sigaddset(&open, stops[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &open, NULL);
    setitimer(ITIMER_REAL, &limit, NULL);
    goacc.at_end();
}

void goacc_end_by_signal(int signal)
{
    const bool again = deadly_signal;
    deadly_signal = signal;
    goacc.killed = true;
    if (!again)
        report(report_in_time);
    die(signal);
}

static void at_quick_end(void)
{
    report(goacc.at_end);
}

void goacc_ends_open(void)
{
    const struct sigaction action = {.sa_handler = goacc_end_by_signal};
    struct sigaction before;
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        if (!sigaction(deadly[i], NULL, &before) && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
    at_quick_exit(at_quick_end);
}

#ifdef GOACC_PRELOADED
static _Noreturn void end(int status)
{
    report(goacc.at_end);
    if (!status && goacc.dying && goacc.found && goacc.options.fail && goacc.pid == getpid())
        status = GOACC_FOUND;
    for (;;)
        syscall(SYS_exit_group, status);
}

/* In place of the C library's; only `accdeep exec` does that. */
__attribute__((visibility("default"))) void _exit(int status)
{
    end(status);
}

__attribute__((visibility("default"))) void _Exit(int status)
{
    end(status);
}
#endif
