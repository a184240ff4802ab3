/* Signals that arrive while kernels run and between them, by argument: each must reach its handler
 * once, in order. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, THREADS = 4, EACH = 25 };

static double a[N], notes[N];
static volatile int got, wrong, ticks;
static char stack[65536];

/* The handler uses data of the host, which the next kernel uses, too. */
static void on_queued(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (info->si_value.sival_int != got || info->si_code != SI_QUEUE)
        wrong++;
    notes[got % N] += 1;
    got++;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void kernel(void)
{
#pragma acc parallel loop copy(a)
    for (int i = 0; i < N; i++)
        a[i] += 1;
    for (volatile int k = 0; k < 2000; k++) {
    }
}

static pid_t send_queued(int count, int pause)
{
    const pid_t parent = getpid(), child = fork();
    if (child)
        return child;
    for (int i = 0; i < count; i++) {
        sigqueue(parent, SIGRTMIN + 3, (union sigval){.sival_int = i});
        if (pause)
            usleep((useconds_t)pause);
    }
    _exit(0);
}

/* From another process, one by one or many at once. */
static void queued(int count, int pause)
{
    handle(SIGRTMIN + 3, on_queued, 0);
    const pid_t child = send_queued(count, pause);
    while (waitpid(child, NULL, WNOHANG) == 0)
        kernel();
    kernel();
    printf("%d of %d, %d wrong\n", got, count, wrong);
}

static void on_tick(int number)
{
    (void)number;
    ticks++;
    notes[ticks % N] += 1;
}

static void timer(void)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
    for (int i = 0; i < 400 || ticks < 10; i++)
        kernel();
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += notes[i];
    printf("each tick is %s\n", sum == ticks ? "noted" : "not noted");
}

static void on_stack(int number, siginfo_t *info, void *context)
{
    char here;
    if (&here < stack || &here >= stack + sizeof stack)
        wrong++;
    on_queued(number, info, context);
}

static void on_directive(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    double b[4] = {0};
#pragma acc parallel loop copy(b)
    for (int i = 0; i < 4; i++)
        b[i] += 1;
    notes[0] += b[3];
}

static void on_stack_with_directive(int number, siginfo_t *info, void *context)
{
    char here;
    if (&here < stack || &here >= stack + sizeof stack)
        wrong++;
    on_directive(number, info, context);
}

/* Handlers on a stack of the program; one has a directive. */
static void alternate(void)
{
    stack_t after, mine = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&mine, NULL);
    handle(SIGRTMIN + 3, on_stack, SA_ONSTACK);
    const pid_t child = send_queued(200, 500);
    while (waitpid(child, NULL, WNOHANG) == 0)
        kernel();
    handle(SIGUSR2, on_stack_with_directive, SA_ONSTACK);
    for (int i = 0; i < 100; i++) {
        kernel();
        raise(SIGUSR2);
    }
    wrong += notes[0] != 101; /* one of the 200 is counted there */
    sigaltstack(NULL, &after);
    printf("%d of 200, %d wrong, the stack is %s\n", got, wrong,
           after.ss_sp == stack ? "kept" : "lost");
}

/* A handler that raises its own signal, and one with a directive. */
static void on_nested(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    got++;
    if (got % 3)
        raise(number);
}

static void nested(void)
{
    handle(SIGUSR1, on_nested, SA_NODEFER);
    handle(SIGUSR2, on_directive, 0);
    handle(SIGWINCH, on_directive, (int)SA_RESETHAND);
    for (int i = 0; i < 100; i++) {
        kernel();
        raise(SIGUSR1);
        kernel();
        raise(SIGUSR2);
        raise(SIGWINCH); /* the second is ignored */
    }
    printf("%d of 300, %g of 101\n", got, notes[0]);
}

static void read_by_file(void)
{
    sigset_t set;
    struct signalfd_siginfo info;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    sigprocmask(SIG_BLOCK, &set, NULL);
    const int file = signalfd(-1, &set, SFD_NONBLOCK);
    const pid_t child = send_queued(200, 100);
    for (int ended = 0; !ended;) {
        ended = waitpid(child, NULL, WNOHANG) != 0;
        kernel();
        for (; read(file, &info, sizeof info) > 0; got++)
            wrong += info.ssi_int != got;
    }
    printf("%d of 200, %d wrong\n", got, wrong);
}

static void blocked(void)
{
    sigset_t set;
    handle(SIGRTMIN + 3, on_queued, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    for (int i = 0; i < 100; i++) {
        sigprocmask(SIG_BLOCK, &set, NULL);
        kernel();
        for (int k = 0; k < 3; k++)
            sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = 3 * i + k});
        kernel();
        wrong += got != 3 * i;
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    printf("%d of 300, %d wrong\n", got, wrong);
}

static atomic_int arrived[THREADS], mixed, started;
static __thread int self = -1;

static void on_thread(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (self != info->si_value.sival_int)
        mixed++;
    else
        arrived[self]++;
}

static void *work(void *number)
{
    double *b = calloc(N, sizeof *b);
    self = (int)(long)number;
    started++;
    while (arrived[self] < EACH) {
#pragma acc parallel loop copy(b [0:N])
        for (int i = 0; i < N; i++)
            b[i] += 1;
    }
    free(b);
    return NULL;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    handle(SIGRTMIN + 3, on_thread, SA_RESTART);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    while (started < THREADS) /* a signal before the thread knows its number would count as mixed */
        usleep(1000);
    usleep(50000);
    for (int k = 0; k < EACH; k++) {
        for (int i = 0; i < THREADS; i++)
            pthread_sigqueue(thread[i], SIGRTMIN + 3, (union sigval){.sival_int = i});
        usleep(1000);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("%d %d %d %d, %d wrong\n", arrived[0], arrived[1], arrived[2], arrived[3], mixed);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    printf("%s: ", way);
    fflush(stdout);
    if (!strcmp(way, "queued"))
        queued(300, 500);
    else if (!strcmp(way, "burst"))
        queued(2000, 0);
    else if (!strcmp(way, "timer"))
        timer();
    else if (!strcmp(way, "alternate"))
        alternate();
    else if (!strcmp(way, "nested"))
        nested();
    else if (!strcmp(way, "file"))
        read_by_file();
    else if (!strcmp(way, "blocked"))
        blocked();
    else if (!strcmp(way, "threads"))
        threads();
    return 0;
}
