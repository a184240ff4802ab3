/* Kernels with the host's memory closed: signals, and processes. */
#include "page_guard.h"

#include <sys/syscall.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms, segments, elsewhere;
static pid_t main_thread;
static int zero_variable;

static void on_alarm(int signal)
{
    (void)signal;
    alarms++;
    elsewhere += main_thread != (pid_t)syscall(SYS_gettid);
}

static void on_segment(int signal)
{
    (void)signal;
    segments++;
}

static void test_timer(void)
{
    struct sigaction before;
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    handle(SIGALRM, on_alarm, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    ok(run(k_spin, NULL, 30) == RT_GUARD_OK && argument->result == 1 && alarms > 0,
       "a kernel is not disturbed by a timer, its signal arrives");
    bool good = true;
    for (int i = 0; i < 2000; i++)
        good = good && run(k_nothing, NULL, 0) == RT_GUARD_OK;
    setitimer(ITIMER_REAL, &never, NULL);
    ok(good && alarms > 10, "nor are many short ones");
    ok(!elsewhere, "its handler runs on the program's thread");
    sigaction(SIGALRM, &before, NULL);
}

static bool same_action(const struct sigaction *a, const struct sigaction *b)
{
    return a->sa_handler == b->sa_handler && a->sa_flags == b->sa_flags &&
           !memcmp(&a->sa_mask, &b->sa_mask, 8);
}

static void test_kept(void)
{
    struct sigaction first[2], before[2], after[2];
    sigset_t mask, mask_after;
    handle(SIGSEGV, on_segment_jump, &first[0]);
    handle(SIGTRAP, on_segment, &first[1]);
    sigaction(SIGSEGV, NULL, &before[0]);
    sigaction(SIGTRAP, NULL, &before[1]);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    bool good = run(k_read, &variable, 0) == RT_GUARD_FAULT &&
                run(k_allocate, NULL, 10) == RT_GUARD_OK;
    sigprocmask(SIG_SETMASK, NULL, &mask_after);
    sigaction(SIGSEGV, NULL, &after[0]);
    sigaction(SIGTRAP, NULL, &after[1]);
    ok(good && same_action(&before[0], &after[0]) && same_action(&before[1], &after[1]) &&
           !memcmp(&mask, &mask_after, 8),
       "handlers and mask of the program are as before");
    volatile int jumped = 0;
    if (!sigsetjmp(back, 1))
        *(volatile char *)NULL = 0;
    else
        jumped = 1;
    ok(jumped, "the program's own handler works");
    sigemptyset(&mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGSEGV, &first[0], NULL);
    sigaction(SIGTRAP, &first[1], NULL);
}

/* A SIGSEGV that somebody sends is not a fault of the kernel. */
static void test_sent(void)
{
    struct sigaction before;
    handle(SIGSEGV, on_segment, &before);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        usleep(20000);
        kill(getppid(), SIGSEGV);
        _exit(0);
    }
    bool good = run(k_spin, NULL, 100) == RT_GUARD_OK && argument->result == 1;
    waitpid(child, NULL, 0);
    ok(good && segments == 1, "a SIGSEGV sent by a process arrives after the kernel");
    sigaction(SIGSEGV, &before, NULL);
}

static void k_raise(void *arg)
{
    struct argument *a = arg;
    a->result = raise(SIGUSR1);
}

static void k_divide(void *arg)
{
    struct argument *a = arg;
    a->result = 7 / *(volatile int *)a->p;
}

static void k_break(void *arg)
{
    struct argument *a = arg;
    __asm__ volatile("int3");
    a->result = 1;
}

static void test_raised(void)
{
    struct sigaction before, before_trap;
    handle(SIGUSR1, on_segment, &before);
    handle(SIGTRAP, on_segment, &before_trap);
    segments = 0;
    ok(run(k_raise, NULL, 0) == RT_UNGUARDED && segments == 1, "a kernel sends itself a signal");
    ok(run(k_break, NULL, 0) == RT_UNGUARDED && segments == 2 && argument->result == 1,
       "a kernel has a breakpoint");
    sigaction(SIGUSR1, &before, NULL);
    sigaction(SIGTRAP, &before_trap, NULL);
    ok(run(k_read, &variable, 0) == RT_GUARD_FAULT, "the next kernel is watched");
}

/* ------------------------------------------------------------------------------ processes -- */

static bool runs(void)
{
    return run(k_read, &variable, 0) == RT_GUARD_FAULT &&
           run(k_allocate, NULL, 50) == RT_GUARD_OK &&
           run(k_use, argument->p, 0) == RT_GUARD_OK;
}

static void grandchild_runs(void)
{
    _exit(runs() ? 0 : 1);
}

static void child_runs(void)
{
    bool good = in_child(grandchild_runs) == 0 && runs() && in_child(grandchild_runs) == 0;
    rt_guard_free(guard);
    _exit(good ? 0 : 1);
}

static void k_abort(void *arg)
{
    (void)arg;
    abort();
}

static int *exit_block;

static void on_exit_of_program(void)
{
    exit_block[0]++;
    zero_variable++;
    printf("# exit function: %d %d\n", exit_block[0], zero_variable);
    fflush(stdout);
    if (exit_block[0] != 1 || zero_variable != 1)
        _exit(1);
}

static void k_exit(void *arg)
{
    (void)arg;
    exit(7);
}

static void child_aborts(void)
{
    run(k_abort, NULL, 0);
}

static void child_exits(void)
{
    exit_block = calloc(1, sizeof *exit_block);
    atexit(on_exit_of_program);
    run(k_exit, NULL, 0);
}

static void child_spins(void)
{
    alarm(1);
    run(k_spin, NULL, 20000);
}

static void child_divides(void)
{
    opened = (struct rt_range){(uintptr_t)&zero_variable, sizeof zero_variable};
    run(k_divide, &zero_variable, 0);
}

static void test_processes(void)
{
    int status = in_child(child_runs);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "kernels run in a child");
    ok(run(k_read, &variable, 0) == RT_GUARD_FAULT, "and in the parent");
    status = in_child(child_aborts);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "abort() in a kernel");
    status = in_child(child_exits);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "exit() in a kernel");
    status = in_child(child_spins);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM, "an alarm ends a kernel");
    status = in_child(child_divides);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE, "a division by zero, of an open variable in a closed page");
}

int main(void)
{
    main_thread = (pid_t)syscall(SYS_gettid);
    guard = open_watch();
    if (!ok(guard != NULL, "a watch opens"))
        return done();
    test_timer();
    test_kept();
    test_sent();
    test_raised();
    test_processes();
    rt_guard_free(guard);
    return done();
}
