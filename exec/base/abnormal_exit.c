/* abnormal_exit.c - reports at the end of programs that end without their exit handlers: by a signal, _exit or
 * quick_exit. The final reports are written first, then the program ends as it would have without the runtime. Called
 * by rt/lifecycle.c, feed_pages/fault.c and feed_pages/strict.c, and by the program through the interposed functions
 * below. */
#include "lib/new_stack.h"
#include "lib/text_buffer.h"
#include "abnormal_exit.h"
#include "runtime.h"
#include "supervisor.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 3 };                       /* longest time for the final reports, in seconds */
static atomic_int ending_thread;            /* id of the thread that ends the process; 0: no thread does */
static volatile sig_atomic_t deadly_signal; /* signal that ends the process; 0: no signal */
static struct timespec started;             /* time at which the final reports began */

static bool is_open; /* true once rt_install_exit_handlers was called */

#ifdef RT_PRELOADED
/* sigaction of the C library */
int __sigaction(int signal, const struct sigaction *action, struct sigaction *before_p);
#define set_action __sigaction
#else
#define set_action sigaction
#endif

/* Returns true if this is the process that opened the context; a child of vfork shares the context but has another id.
 */
static bool is_own_process(void)
{
    return rt.pid == getpid();
}

/* Returns the id of the calling thread, as the kernel numbers threads. */
static int thread_id(void)
{
    return (int)syscall(SYS_gettid);
}

/* Ends the process by the signal at once, with the signal's default action. */
static void kill_by_signal(int signal)
{
    assert(signal > 0);
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t signal_set;
    set_action(signal, &usual, NULL);
    sigemptyset(&signal_set);
    sigaddset(&signal_set, signal);
    raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &signal_set, NULL);
}

/* If another thread ends the process, waits for that end: at most 6 seconds, in steps of 0.2 seconds. */
void rt_wait_for_exit(void)
{
    const int thread = ending_thread;
    for (int i = 0; thread && thread != thread_id() && is_own_process() && i < 10 * SECONDS; i++)
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

/* Records the calling thread as the one that ends the process; waits if another thread is recorded already. */
void rt_claim_exit(void)
{
    int none = 0;
    if (is_own_process() && !atomic_compare_exchange_strong(&ending_thread, &none, thread_id()))
        rt_wait_for_exit();
}

/* Writes the final reports. Does nothing if an error ends the program, or in a child process. */
static void report_at_exit(void)
{
    if (!rt.report_at_end || !is_own_process() || rt.is_ending)
        return;
    rt.is_dying = true;
    rt.report_at_end();
}

/* Handler for a timeout (SIGALRM) or a fault of the final reports: ends the program by `deadly_signal`. An alarm of the
 * program before the timeout is ignored. After a fault, another thread that ends the process may finish first. */
static void on_report_failure(int signal)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (signal == SIGALRM && now.tv_sec - started.tv_sec < SECONDS) /* the program has set this alarm */
        return;
    if (signal != SIGALRM)
        rt_wait_for_exit();
    kill_by_signal(deadly_signal);
}

/* Writes the final reports, limited in time and guarded against faults, since the signal may have interrupted malloc.
 * `unused` is not used. */
static void report_with_timeout(void *unused)
{
    const struct sigaction given_up = {.sa_handler = on_report_failure};
    const struct itimerval limit = {.it_value = {.tv_sec = SECONDS + 1}};
    const int stops[] = {SIGALRM, SIGSEGV, SIGBUS};
    sigset_t open;
    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &started);
    sigemptyset(&open);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        set_action(stops[i], &given_up, NULL);
        sigaddset(&open, stops[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &open, NULL);
    setitimer(ITIMER_REAL, &limit, NULL);
    report_at_exit();
}

/* Writes the final reports, unless they are being written, and ends the process by the signal. */
void rt_end_by_signal(int signal)
{
    assert(signal > 0);
    if (is_own_process()) {
        rt_claim_exit();
        const bool is_repeated = deadly_signal;
        deadly_signal = signal;
        rt.is_killed = true;
        if (!is_repeated)
            rt_run_on_new_stack(report_with_timeout, NULL);
        rt_note_process_end();
    }
    kill_by_signal(signal);
}

/* Hook of rt_on_fatal_signal: returns true if the signal is postponed because host memory is protected. NULL: no hook.
 */
bool (*rt_defer_fatal_signal)(int signal, siginfo_t *info, void *context);

/* Ends the program by the signal, unless the hook defers the signal. */
void rt_on_fatal_signal(int signal, siginfo_t *info, void *context)
{
    if (!rt_defer_fatal_signal || !rt_defer_fatal_signal(signal, info, context))
        rt_end_by_signal(signal);
}

/* Returns true if the default action of `signal` ends the program and this file handles the signal. SIGKILL cannot be
 * handled, and fault.c handles SIGSEGV and SIGBUS. */
static bool is_deadly(int signal)
{
    static const int signals[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGCHLD, SIGCONT,
                                  SIGURG,  SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (signal == signals[i])
            return false;
    return signal <= SIGSYS || (signal >= SIGRTMIN && signal <= SIGRTMAX);
}

/* Returns true if an action is the default action of signals. */
static bool is_default(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

/* Returns the action that calls rt_on_fatal_signal, with all signals blocked. */
static struct sigaction deadly_action(void)
{
    struct sigaction action = {.sa_sigaction = rt_on_fatal_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    /* blocks the signal that stops threads, too, see stop_the_world.h */
    memset(&action.sa_mask, -1, sizeof action.sa_mask);
    return action;
}

/* Replaces the default actions of deadly signals by rt_on_fatal_signal, and registers the final reports for quick_exit.
 */
void rt_install_exit_handlers(void)
{
    const struct sigaction action = deadly_action();
    struct sigaction before;
    is_open = true;
    for (int signal = 1; signal <= SIGRTMAX; signal++)
        if (is_deadly(signal) && !set_action(signal, NULL, &before) && is_default(&before))
            set_action(signal, &action, NULL);
    at_quick_exit(rt_note_process_end); /* runs after report_at_exit */
    at_quick_exit(report_at_exit);
}

#ifdef RT_PRELOADED
/* Process that `accdeep exec` started, and what it reports if it executes no directive (ACCDEEP_SILENT). 0: another
 * process, or nothing is reported. */
static pid_t silent_process;
static char silent_text[200];
static long children; /* page faults of this process's finished children at the start */

/* Returns the number of page faults of finished children; more than before are a sign that this process has started
 * programs. */
static long faults_of_children(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) ? 0 : usage.ru_minflt;
}

/* Records this process as the silent one, if the command has set ACCDEEP_SILENT. Clears that variable, so that programs
 * started by this one are not affected. */
static __attribute__((constructor)) void record_silent_process(void)
{
    const char *silent = getenv("ACCDEEP_SILENT");
    silent_process = silent && *silent ? getpid() : 0;
    snprintf(silent_text, sizeof silent_text, "%s", silent ? silent : "");
    children = faults_of_children();
    unsetenv("ACCDEEP_SILENT");
}

/* Reports at the end that no directive was executed. A program that has started others is a script or a launcher, so
 * nothing is reported for it. */
static __attribute__((destructor)) void report_silent_process(void)
{
    const char *format = getenv("ACCDEEP_FORMAT");
    struct rt_text_buffer line;
    if (silent_process != getpid() || rt.options.rules || faults_of_children() != children)
        return;
    rt_text_clear(&line);
    if (format && !strcmp(format, "json")) {
        rt_text_append(&line, "{\"level\":\"note\"");
        rt_text_append_json_field(&line, "message", silent_text);
        rt_text_append(&line, "}\n");
    } else {
        rt_text_append(&line, "accdeep: note: %s\n", silent_text);
    }
    rt_text_write(STDERR_FILENO, &line);
}

/* Writes the final reports and ends the process with `status`, or with what replaces it (rt_get_exit_status). */
static _Noreturn void exit_process(int status)
{
    if (rt.report_at_end)
        rt_wait_for_exit();
    report_at_exit();
    if (rt.is_dying && is_own_process())
        status = rt_get_exit_status(status);
    rt_note_process_end();
    for (;;)
        syscall(SYS_exit_group, status);
}

/* Replaces sigaction of the C library under `accdeep exec`. A program may set the default action of a deadly signal,
 * for example to send itself the signal. Then the runtime's handler stays installed, and the program reads back the
 * default action. */
__attribute__((visibility("default"))) int sigaction(int signal, const struct sigaction *action,
                                                     struct sigaction *before_p)
{
    const struct sigaction deadly = deadly_action();
    const bool replaced = is_open && action && is_deadly(signal) && is_default(action);
    const int status = set_action(signal, replaced ? &deadly : action, before_p);
    if (!status && before_p && before_p->sa_flags & SA_SIGINFO && before_p->sa_sigaction == rt_on_fatal_signal)
        *before_p = (struct sigaction){.sa_handler = SIG_DFL};
    return status;
}

/* Installs a handler by sigaction above, with these flags. Returns the former handler; SIG_ERR on failure. */
static sighandler_t install_handler(int signal, sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    if (!(flags & SA_NODEFER))
        sigaddset(&action.sa_mask, signal);
    return handler == SIG_ERR || sigaction(signal, &action, &before) ? SIG_ERR : before.sa_handler;
}

/* Replaces signal() of the C library: installs the handler by sigaction above. */
__attribute__((visibility("default"))) sighandler_t signal(int signal, sighandler_t handler)
{
    return install_handler(signal, handler, SA_RESTART);
}

/* Replaces signal() of programs in strict ISO C. */
__attribute__((visibility("default"))) sighandler_t __sysv_signal(int signal, sighandler_t handler)
{
    return install_handler(signal, handler, (int)SA_RESETHAND | SA_NODEFER);
}

/* Replaces _exit of the C library: the final reports are written first. */
__attribute__((visibility("default"))) void _exit(int status)
{
    exit_process(status);
}

/* Replaces _Exit of the C library, which is a synonym of _exit. */
__attribute__((visibility("default"))) void _Exit(int status)
{
    exit_process(status);
}
#endif
