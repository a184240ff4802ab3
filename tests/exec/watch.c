/* Kernels with the host's memory closed: what is found, and what correct kernels do unharmed. */
#include "../tap.h"

#include <abi/program/strict/watch.h>

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern int library_variable;
int *library_variable_p(void);

enum { PAGE = 4096 };

/* What kernels get; it lies in the arena. */
struct argument {
    char *p, *q;
    size_t n;
    long result;
    double real;
    FILE *file;
};

struct present {
    uint64_t start, end;
};

static struct goacc_watch *watch;
static struct argument *argument;
static struct present *present;
static struct goacc_range opened;
static struct goacc_fault fault;

static int is_present(void *ud, uint64_t address)
{
    const struct present *p = ud;
    return address >= p->start && address < p->end;
}

static struct goacc_watch *open_watch(void)
{
    present = goacc_open_memory(NULL, NULL, 0, sizeof *present);
    *present = (struct present){0};
    argument = goacc_open_memory(NULL, NULL, 0, sizeof *argument);
    return goacc_watch_open(is_present, present);
}

static enum goacc_watched run(void (*fn)(void *), void *p, size_t n)
{
    *argument = (struct argument){.p = p, .q = argument->q, .n = n, .file = argument->file};
    memset(&fault, 0x5a, sizeof fault);
    return goacc_watch_run(watch, fn, argument, &opened, opened.bytes != 0, NULL, &fault);
}

/* Only with volatile does the compiler leave accesses where they are. */
static void k_read(void *arg)
{
    struct argument *a = arg;
    a->result = *(volatile char *)a->p;
}

static void k_write(void *arg)
{
    struct argument *a = arg;
    *(volatile char *)a->p = 'x';
}

static void k_read_word(void *arg)
{
    struct argument *a = arg;
    for (size_t i = 0; i < a->n; i++)
        a->result += *(volatile long *)a->p;
}

static bool pc_in(void (*fn)(void *))
{
    return fault.pc - (uintptr_t)fn < 64;
}

static void found(void *p, const char *what)
{
    char before = *(char *)p;
    ok(run(k_read, p, 0) == GOACC_WATCHED_FAULT && fault.address == (uintptr_t)p && !fault.write &&
           fault.host == 1 && pc_in(k_read),
       "a read of %s", what);
    ok(run(k_write, p, 0) == GOACC_WATCHED_FAULT && fault.address == (uintptr_t)p && fault.write &&
           fault.host == 1 && pc_in(k_write),
       "a write to %s", what);
    ok(*(char *)p == before, "%s is as it was", what);
}

/* --------------------------------------------------------------------------------- faults -- */

static int zero_variable, variable = 1;
static char wide[4 * PAGE];

static void test_found(void)
{
    char *small = malloc(100), *large = malloc(1 << 20), local = 'l';
    small[50] = 's';
    large[70000] = 'b';
    found(small + 50, "the heap");
    found(large + 70000, "a large block");
    found(&local, "the caller's stack");
    found(&zero_variable, "a variable without a value");
    found(&variable, "a variable with a value");
    found(wide + 2 * PAGE, "a large variable");
    found(&library_variable, "a library's variable");
    free(small);
    free(large);
}

static void test_not_host(void)
{
    char *gone = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(gone, PAGE);
    ok(run(k_write, gone, 0) == GOACC_WATCHED_FAULT && fault.address == (uintptr_t)gone &&
           fault.write && fault.host == 0,
       "a write to memory that is gone is not one to the host's");
    ok(run(k_read, NULL, 0) == GOACC_WATCHED_FAULT && fault.address == 0 && fault.host == 0,
       "a null pointer");
    ok(run(k_read, (char *)0xa5a5a5a5a5a5a5a5, 0) == GOACC_WATCHED_FAULT && fault.address == 0 &&
           fault.host == 0 && pc_in(k_read),
       "a pointer that is not an address");
}

/* ----------------------------------------------------------------------------- open memory -- */

static void k_sum(void *arg)
{
    struct argument *a = arg;
    for (size_t i = 0; i < a->n; i++)
        a->result += a->p[i]++;
}

static void test_open(void)
{
    char *device = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    memset(device, 1, 16 * PAGE);
    ok(run(k_sum, device, 16 * PAGE) == GOACC_WATCHED_FAULT && fault.address == (uintptr_t)device,
       "private memory that is not among the open");
    opened = (struct goacc_range){(uintptr_t)device, 16 * PAGE};
    ok(run(k_sum, device, 16 * PAGE) == GOACC_WATCHED_OK && argument->result == 16 * PAGE,
       "a kernel on open memory");
    /* Any length: the pages at both ends are closed, and shared with what is not open. */
    opened = (struct goacc_range){(uintptr_t)wide + 10, 2 * PAGE};
    ok(run(k_sum, wide + 10, 2 * PAGE) == GOACC_WATCHED_OK && argument->result == 0 &&
           wide[10] == 1 && wide[9 + 2 * PAGE] == 1 && wide[10 + 2 * PAGE] == 0,
       "an open range that ends inside of pages");
    ok(run(k_read, wide + 10 + 2 * PAGE, 0) == GOACC_WATCHED_FAULT &&
           fault.address == (uintptr_t)wide + 10 + 2 * PAGE,
       "the byte after an open range");
    ok(run(k_write, wide + 9, 0) == GOACC_WATCHED_FAULT && fault.write, "the byte before it");
    opened = (struct goacc_range){(uintptr_t)&variable, sizeof variable};
    ok(run(k_read, &variable, 0) == GOACC_WATCHED_OK && argument->result == 1, "an open variable");
    ok(run(k_read, &zero_variable, 0) == GOACC_WATCHED_FAULT, "another variable");
    opened.bytes = 0;
    munmap(device, 16 * PAGE);
}

static void k_move(void *arg)
{
    struct argument *a = arg;
    char *from = a->p, *to = a->q;
    size_t n = a->n;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
}

static void test_crossing(void)
{
    char *block = malloc(64 * PAGE), *edge = (char *)(((uintptr_t)block + 3 * PAGE) / PAGE * PAGE);
    long wanted = 0x0102030405060708;
    memcpy(edge - 3, &wanted, 8);
    opened = (struct goacc_range){(uintptr_t)edge - 3, 8};
    ok(run(k_read_word, edge - 3, 1) == GOACC_WATCHED_OK && argument->result == wanted,
       "one access to two closed pages");
    ok(run(k_read_word, edge - 3, 100000) == GOACC_WATCHED_OK &&
           argument->result == wanted * 100000,
       "the same often");
    opened.bytes = 3;
    ok(run(k_read_word, edge - 3, 1) == GOACC_WATCHED_FAULT && fault.address == (uintptr_t)edge,
       "one access of which the second page is not open");
    argument->q = edge + 10 * PAGE - 5;
    opened = (struct goacc_range){(uintptr_t)edge - 3, 20 * PAGE};
    memset(edge, 'e', 8 * PAGE);
    memset(argument->q, 0, 8 * PAGE);
    ok(run(k_move, edge - 2, 8 * PAGE) == GOACC_WATCHED_OK &&
           !memcmp(edge + 10 * PAGE - 5, edge - 2, 8 * PAGE),
       "a string instruction from open to open memory");
    argument->q = (char *)goacc_open_memory(NULL, NULL, 0, 2 * PAGE);
    opened = (struct goacc_range){(uintptr_t)edge + 10, PAGE};
    ok(run(k_move, edge + 10, PAGE) == GOACC_WATCHED_OK && argument->q[PAGE - 1] == 'e',
       "a string instruction over closed pages");
    ok(run(k_move, edge + 10, PAGE + 1) == GOACC_WATCHED_FAULT &&
           fault.address == (uintptr_t)edge + 10 + PAGE && !fault.write,
       "a string instruction that goes too far");
    goacc_open_memory(NULL, argument->q, 2 * PAGE, 0);
    opened.bytes = 0;
    free(block);
}

/* ------------------------------------------------------------------------- system libraries -- */

static void k_print(void *arg)
{
    struct argument *a = arg;
    for (size_t i = 0; i < a->n; i++)
        fprintf(a->file, "line %zu of %s\n", i, "a kernel");
}

static void k_print_out(void *arg)
{
    (void)arg;
    fprintf(stdout, "# a kernel prints\n");
    fflush(stdout);
}

static void test_print(void)
{
    char line[64], wanted[64];
    FILE *file = tmpfile();
    fprintf(file, "the host\n"); /* the buffer is the host's */
    argument->file = file;
    ok(run(k_print, NULL, 20000) == GOACC_WATCHED_OK, "a kernel prints 20000 lines");
    argument->file = NULL;
    rewind(file);
    bool good = fgets(line, sizeof line, file) && !strcmp(line, "the host\n");
    for (size_t i = 0; i < 20000; i++) {
        snprintf(wanted, sizeof wanted, "line %zu of %s\n", i, "a kernel");
        good = good && fgets(line, sizeof line, file) && !strcmp(line, wanted);
    }
    ok(good && !fgets(line, sizeof line, file), "they arrive");
    fclose(file);
    ok(run(k_print_out, NULL, 0) == GOACC_WATCHED_OK, "a kernel prints to stdout");
}

static void k_allocate(void *arg)
{
    struct argument *a = arg;
    for (size_t i = 0; i < a->n; i++) {
        size_t bytes = (size_t)1 << (i % 23);
        char *block = malloc(bytes);
        memset(block, (int)i, bytes);
        a->result += block[bytes - 1] == (char)i;
        free(block);
    }
    a->q = malloc(3 << 20);
    a->p = malloc(100);
    a->q[5] = 'q';
    a->p[5] = 'p';
}

static void k_use(void *arg)
{
    struct argument *a = arg;
    a->result = a->q[5] == 'q' && a->p[5] == 'p';
    free(a->p);
    free(a->q);
}

static void test_allocate(void)
{
    ok(run(k_allocate, NULL, 500) == GOACC_WATCHED_OK && argument->result == 500,
       "a kernel allocates");
    ok(run(k_use, argument->p, 0) == GOACC_WATCHED_OK && argument->result == 1,
       "a later kernel uses what it left");
}

static int compare(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

/* Called here for the first time: the loader writes to the linker's tables. */
static void k_call(void *arg)
{
    struct argument *a = arg;
    int n[100];
    for (int i = 0; i < 100; i++)
        n[i] = (i * 37) % 100;
    qsort(n, 100, sizeof n[0], compare);
    a->result = n[42] + strtol("100", NULL, 10) + atoi("1000");
    for (size_t i = 0; i < a->n; i++)
        a->real += cbrt((double)(i % 8));
    errno = ENOENT;
    a->result += strlen(strerror(errno)) > 0;
}

static void test_call(void)
{
    errno = 0;
    ok(run(k_call, NULL, 50000) == GOACC_WATCHED_OK && argument->result == 1143 &&
           argument->real > 62000,
       "a kernel calls functions that are not bound yet");
    ok(errno == 0, "errno of the caller is its own");
}

static void k_copy(void *arg)
{
    struct argument *a = arg;
    memcpy(a->q, a->p, a->n);
}

static void k_format(void *arg)
{
    struct argument *a = arg;
    a->result = snprintf(a->q, a->n, "%s", a->p);
}

static void test_copy(void)
{
    char *block = malloc(8 * PAGE), *copy = goacc_open_memory(NULL, NULL, 0, 8 * PAGE);
    memset(block, 'b', 8 * PAGE);
    strcpy(block + 1000, "text");
    argument->q = copy;
    ok(run(k_copy, block, 8 * PAGE) == GOACC_WATCHED_OK && !memcmp(block, copy, 8 * PAGE),
       "memcpy of memory that is not present is let through");
    *present = (struct present){(uintptr_t)block + 1000, (uintptr_t)block + 2000};
    ok(run(k_copy, block, 8 * PAGE) == GOACC_WATCHED_FAULT && fault.host && !fault.write &&
           is_present(present, fault.address),
       "memcpy of present memory is the kernel's fault");
    ok(run(k_format, block + 1000, 8 * PAGE) == GOACC_WATCHED_FAULT && fault.host,
       "printing a present text too");
    argument->q = block + 1000;
    ok(run(k_copy, copy, 100) == GOACC_WATCHED_FAULT && fault.write &&
           is_present(present, fault.address),
       "memcpy to present memory too");
    *present = (struct present){0};
    goacc_open_memory(NULL, copy, 8 * PAGE, 0);
    free(block);
}

/* ------------------------------------------------------------------------------ the thread -- */

static void k_round(void *arg)
{
    struct argument *a = arg;
    volatile double three = 3;
    a->real = 1 / three;
    a->result = fegetround();
}

static size_t dig(size_t depth)
{
    volatile char room[1000];
    room[0] = (char)depth;
    return depth ? dig(depth - 1) + (room[0] == (char)depth) : 0;
}

static void k_dig(void *arg)
{
    struct argument *a = arg;
    a->result = (long)dig(a->n);
}

static void k_nested(void *arg)
{
    struct argument *a = arg, *inner = a + 1;
    struct goacc_fault none;
    enum goacc_watched watched = goacc_watch_run(watch, k_sum, inner, NULL, 0, NULL, &none);
    a->result = watched == GOACC_WATCHED_OK && inner->result == 3;
}

static void test_thread(void)
{
    fesetround(FE_UPWARD);
    ok(run(k_round, NULL, 0) == GOACC_WATCHED_OK && argument->result == FE_UPWARD &&
           argument->real > 1.0 / 3.0,
       "a kernel rounds as its caller does");
    fesetround(FE_TONEAREST);
    ok(run(k_dig, NULL, 20000) == GOACC_WATCHED_OK && argument->result == 20000,
       "a kernel has a deep stack");
    ok(run(k_dig, NULL, 2000000) == GOACC_WATCHED_FAULT && !fault.host && fault.write,
       "an endless recursion is found");
    bool good = true;
    for (int i = 0; i < 1000; i++)
        good = good && run(k_read, &variable, 0) == GOACC_WATCHED_FAULT &&
               run(k_dig, NULL, 1) == GOACC_WATCHED_OK;
    ok(good, "kernels run after others that were stopped");
}

static void test_nested(void)
{
    struct argument *two = goacc_open_memory(NULL, NULL, 0, 2 * sizeof *two + 3);
    char *ones = (char *)(two + 2);
    memset(two, 0, 2 * sizeof *two);
    memset(ones, 1, 3);
    two[1].p = ones;
    two[1].n = 3;
    ok(goacc_watch_run(watch, k_nested, two, &(struct goacc_range){(uintptr_t)&watch, 8}, 1,
                       NULL, &fault) == GOACC_WATCHED_OK &&
           two->result == 1,
       "a kernel in a kernel");
    goacc_open_memory(NULL, two, 2 * sizeof *two + 3, 0);
}

static void k_nothing(void *arg)
{
    (void)arg;
}

static void test_many(void)
{
    struct timespec from, to;
    bool good = true;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 10000; i++)
        good = good && run(k_nothing, NULL, 0) == GOACC_WATCHED_OK;
    clock_gettime(CLOCK_MONOTONIC, &to);
    double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
    ok(good, "10000 kernels (%.1f us each)", ns / 10000 / 1000);
}

/* -------------------------------------------------------------------------------- signals -- */

static volatile sig_atomic_t alarms, segments, elsewhere;
static pid_t main_thread;
static sigjmp_buf back;

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

static void on_segment_jump(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static void k_spin(void *arg)
{
    struct argument *a = arg;
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < (long)a->n);
    a->result = 1;
}

static void handle(int signal, void (*handler)(int), struct sigaction *before_p)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(signal, &action, before_p);
}

static void test_timer(void)
{
    struct sigaction before;
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    handle(SIGALRM, on_alarm, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    ok(run(k_spin, NULL, 30) == GOACC_WATCHED_OK && argument->result == 1 && alarms > 0,
       "a kernel is not disturbed by a timer, its signal arrives");
    bool good = true;
    for (int i = 0; i < 2000; i++)
        good = good && run(k_nothing, NULL, 0) == GOACC_WATCHED_OK;
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
    bool good = run(k_read, &variable, 0) == GOACC_WATCHED_FAULT &&
                run(k_call, NULL, 10) == GOACC_WATCHED_OK;
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
    bool good = run(k_spin, NULL, 100) == GOACC_WATCHED_OK && argument->result == 1;
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
    ok(run(k_raise, NULL, 0) == GOACC_UNWATCHED && segments == 1, "a kernel sends itself a signal");
    ok(run(k_break, NULL, 0) == GOACC_UNWATCHED && segments == 2 && argument->result == 1,
       "a kernel has a breakpoint");
    sigaction(SIGUSR1, &before, NULL);
    sigaction(SIGTRAP, &before_trap, NULL);
    ok(run(k_read, &variable, 0) == GOACC_WATCHED_FAULT, "the next kernel is watched");
}

/* ------------------------------------------------------------------------------ processes -- */

static int in_child(void (*body)(void))
{
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(99);
    }
    waitpid(child, &status, 0);
    return status;
}

static bool runs(void)
{
    return run(k_read, &variable, 0) == GOACC_WATCHED_FAULT &&
           run(k_allocate, NULL, 50) == GOACC_WATCHED_OK &&
           run(k_use, argument->p, 0) == GOACC_WATCHED_OK;
}

static void grandchild_runs(void)
{
    _exit(runs() ? 0 : 1);
}

static void child_runs(void)
{
    bool good = in_child(grandchild_runs) == 0 && runs() && in_child(grandchild_runs) == 0;
    goacc_watch_close(watch);
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
    opened = (struct goacc_range){(uintptr_t)&zero_variable, sizeof zero_variable};
    run(k_divide, &zero_variable, 0);
}

static void test_processes(void)
{
    int status = in_child(child_runs);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "kernels run in a child");
    ok(run(k_read, &variable, 0) == GOACC_WATCHED_FAULT, "and in the parent");
    status = in_child(child_aborts);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "abort() in a kernel");
    status = in_child(child_exits);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "exit() in a kernel");
    status = in_child(child_spins);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM, "an alarm ends a kernel");
    status = in_child(child_divides);
    ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGFPE, "a division by zero, of an open variable in a closed page");
}

static void k_system(void *arg)
{
    struct argument *a = arg;
    a->result = system("exit 3");
}

static void *add_one(void *arg)
{
    struct argument *a = arg;
    free(malloc(1000));
    a->result++;
    return NULL;
}

static void k_thread(void *arg)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add_one, arg);
    pthread_join(thread, NULL);
}

/* Threads of the program in the middle of something, until they are asked to end. */
static volatile bool enough, refuses;
static volatile long rounds, interrupted;
static int never[2]; /* a pipe that nothing is written to */

static void *of_malloc(void *arg)
{
    for (size_t i = 0; !enough; i++, rounds++)
        free(malloc(i % 5000));
    return arg;
}

static void *of_print(void *arg)
{
    while (!enough)
        fprintf(arg, "a thread prints\n");
    return arg;
}

static void *of_poll(void *arg)
{
    struct pollfd file = {.fd = never[0], .events = POLLIN};
    while (!enough)
        interrupted += poll(&file, 1, -1) < 0;
    return arg;
}

static void *of_sleep(void *arg)
{
    const struct timespec t = {0, 20000000};
    while (!enough)
        interrupted += nanosleep(&t, NULL) != 0;
    return arg;
}

static void *of_read(void *arg)
{
    char c;
    interrupted += read(never[0], &c, 1) < 0;
    return arg;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *of_lock(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

/* The C library's functions cannot block the signal that stops a thread; this can. */
static void *of_refusal(void *arg)
{
    uint64_t all = ~(uint64_t)0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof all);
    refuses = true;
    while (!enough)
        usleep(1000);
    return arg;
}

static void k_print_often(void *arg)
{
    struct argument *a = arg;
    for (size_t i = 0; i < a->n; i++) {
        fprintf(a->file, "a kernel prints\n");
        free(malloc(i % 5000));
    }
}

static void k_wait_for(void *arg)
{
    struct argument *a = arg;
    while (!*(volatile char *)a->p)
        ;
}

static void *of_flag(void *arg)
{
    usleep(20000);
    *(volatile char *)arg = 1;
    return arg;
}

static void test_stopped(void)
{
    void *(*const bodies[])(void *) = {of_malloc, of_print, of_poll, of_sleep, of_read, of_lock};
    enum { BODIES = sizeof bodies / sizeof bodies[0] };
    pthread_t thread[BODIES], waiter;
    bool good = true;
    FILE *file = tmpfile();
    ok(pipe(never) == 0, "a pipe");
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < BODIES; i++)
        pthread_create(&thread[i], NULL, bodies[i], file);
    usleep(20000);
    for (unsigned i = 0; i < 300; i++) {
        good = good && run(k_nothing, NULL, 0) == GOACC_WATCHED_OK &&
               run(k_read, &variable, 0) == GOACC_WATCHED_FAULT;
        usleep(i % 3 * 200);
    }
    ok(good, "kernels are watched while threads compute, print, and wait");
    argument->file = file;
    ok(run(k_print_often, NULL, 3000) == GOACC_WATCHED_OK,
       "a kernel takes locks that stopped threads hold");
    argument->file = NULL;
    long before = rounds;
    usleep(20000);
    ok(rounds > before, "the threads run on");
    *present = (struct present){0};
    char *flag = goacc_open_memory(NULL, NULL, 0, 1);
    *flag = 0;
    pthread_create(&waiter, NULL, of_flag, flag);
    ok(run(k_wait_for, flag, 0) == GOACC_WATCHED_OK, "a kernel waits for a thread");
    pthread_join(waiter, NULL);
    goacc_open_memory(NULL, flag, 1, 0);
    enough = true;
    good = write(never[1], "end", 3) == 3;
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < BODIES; i++)
        pthread_join(thread[i], NULL);
    ok(good && !interrupted, "no system call of theirs was interrupted");
    fclose(file);
    close(never[0]);
    close(never[1]);
}

static void child_is_refused(void)
{
    pthread_t thread;
    enough = false;
    pthread_create(&thread, NULL, of_refusal, NULL);
    while (!refuses)
        usleep(1000);
    bool good = run(k_read, &variable, 0) == GOACC_UNWATCHED && argument->result == 1 &&
                goacc_watch_reason(watch) == GOACC_THREADS &&
                run(k_read, &variable, 0) == GOACC_UNWATCHED;
    enough = true;
    pthread_join(thread, NULL);
    _exit(good && run(k_read, &variable, 0) == GOACC_WATCHED_FAULT ? 0 : 1);
}

static void test_threads(void)
{
    ok(run(k_system, NULL, 0) == GOACC_UNWATCHED && WEXITSTATUS(argument->result) == 3,
       "a kernel starts a process");
    ok(run(k_thread, NULL, 0) == GOACC_UNWATCHED && argument->result == 1,
       "a kernel starts a thread");
    ok(run(k_read, &variable, 0) == GOACC_WATCHED_FAULT, "the next kernel is watched");
    int status = in_child(child_is_refused);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a thread that cannot be stopped");
}

/* A malloc arena that a thread left behind is given to the watch's thread. */
static void child_inherits(void)
{
    pthread_t thread;
    struct argument first = {0};
    pthread_create(&thread, NULL, add_one, &first);
    pthread_join(thread, NULL);
    watch = open_watch();
    _exit(watch && run(k_allocate, NULL, 50) == GOACC_WATCHED_OK &&
                  run(k_use, argument->p, 0) == GOACC_WATCHED_OK &&
                  run(k_read, &variable, 0) == GOACC_WATCHED_FAULT
              ? 0
              : 1);
}

/* ------------------------------------------------------------------------- between kernels -- */

/* Once twice the same pages were needed, they are opened without a fault. */
static void run_often(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        run(k_nothing, NULL, 0);
}

static void test_held(void)
{
    enum { BYTES = 1 << 20 };
    char *large = malloc(BYTES), copy[100];
    memset(large, 'h', BYTES);
    run_often(3);
    const uint64_t start = (uintptr_t)large + PAGE, bytes = BYTES - 2 * PAGE, gap = goacc_watch_gap(watch);
    run_often(3);
    ok(goacc_watch_gap(watch) == gap + 3, "gaps between kernels are numbered");
    ok(goacc_watch_untouched(watch, start, bytes, gap), "large memory stays closed between kernels");
    ok(goacc_watch_peek(watch, start, copy, sizeof copy) && copy[99] == 'h' &&
           goacc_watch_untouched(watch, start, bytes, gap),
       "a look at closed memory is no use of it");
    large[BYTES / 2]++;
    ok(large[BYTES / 2] == 'h' + 1 && !goacc_watch_untouched(watch, start, bytes, gap),
       "the host writes to closed memory");
    ok(goacc_watch_untouched(watch, start, BYTES / 4, gap), "other pages stay closed");
    for (int i = PAGE; i < BYTES - PAGE; i++)
        large[i]++;
    ok(large[PAGE] == 'h' + 1 && large[BYTES / 2] == 'h' + 2, "the host writes to all of it");
    found(large + BYTES / 2, "what the host has opened between kernels");
    run_often(3);
    ok(goacc_watch_untouched(watch, start, bytes, goacc_watch_gap(watch) - 1), "it is closed again");
    int ends[2], done = pipe(ends);
    run_often(2);
    done += (int)write(ends[1], large + PAGE, 10) + (int)read(ends[0], large + BYTES / 2, 10);
    ok(done == 20 && large[BYTES / 2] == 'h' + 1, "system calls with closed memory");
    close(ends[0]);
    close(ends[1]);
    run_often(2);
    struct sigaction before;
    handle(SIGSEGV, on_segment_jump, &before);
    run_often(2);
    if (!sigsetjmp(back, 1)) {
        *(volatile char *)NULL = 1;
        ok(false, "the program's handler gets a fault of the host");
    } else {
        ok(true, "the program's handler gets a fault of the host");
    }
    sigaction(SIGSEGV, &before, NULL);
    free(large);
}

int main(void)
{
    main_thread = (pid_t)syscall(SYS_gettid);
    int status = in_child(child_inherits);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "after a thread of the program");
    watch = open_watch();
    if (!ok(watch != NULL, "a watch opens"))
        return done();
    test_found();
    test_held();
    test_not_host();
    test_open();
    test_crossing();
    test_print();
    test_allocate();
    test_call();
    test_copy();
    test_thread();
    test_nested();
    test_many();
    test_timer();
    test_kept();
    test_sent();
    test_raised();
    test_processes();
    test_threads();
    test_stopped();
    goacc_watch_close(watch);
    ok(*library_variable_p() == 7, "variables are as they were");
    return done();
}
