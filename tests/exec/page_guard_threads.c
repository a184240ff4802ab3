/* Kernels with the host's memory closed: the program's other threads. */
#include "page_guard.h"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>

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
        good = good && run(k_nothing, NULL, 0) == RT_GUARD_OK &&
               run(k_read, &variable, 0) == RT_GUARD_FAULT;
        usleep(i % 3 * 200);
    }
    ok(good, "kernels are watched while threads compute, print, and wait");
    argument->file = file;
    ok(run(k_print_often, NULL, 3000) == RT_GUARD_OK,
       "a kernel takes locks that stopped threads hold");
    argument->file = NULL;
    long before = rounds;
    usleep(20000);
    ok(rounds > before, "the threads run on");
    *present = (struct present){0};
    char *flag = rt_arena_realloc(NULL, NULL, 0, 1);
    *flag = 0;
    pthread_create(&waiter, NULL, of_flag, flag);
    ok(run(k_wait_for, flag, 0) == RT_GUARD_OK, "a kernel waits for a thread");
    pthread_join(waiter, NULL);
    rt_arena_realloc(NULL, flag, 1, 0);
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
    bool good = run(k_read, &variable, 0) == RT_UNGUARDED && argument->result == 1 &&
                rt_guard_get_reason(guard) == RT_UNGUARDED_THREADS &&
                run(k_read, &variable, 0) == RT_UNGUARDED;
    enough = true;
    pthread_join(thread, NULL);
    _exit(good && run(k_read, &variable, 0) == RT_GUARD_FAULT ? 0 : 1);
}

static void test_threads(void)
{
    ok(run(k_system, NULL, 0) == RT_UNGUARDED && WEXITSTATUS(argument->result) == 3,
       "a kernel starts a process");
    ok(run(k_thread, NULL, 0) == RT_UNGUARDED && argument->result == 1,
       "a kernel starts a thread");
    ok(run(k_read, &variable, 0) == RT_GUARD_FAULT, "the next kernel is watched");
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
    guard = open_watch();
    _exit(guard && run(k_allocate, NULL, 50) == RT_GUARD_OK &&
                  run(k_use, argument->p, 0) == RT_GUARD_OK &&
                  run(k_read, &variable, 0) == RT_GUARD_FAULT
              ? 0
              : 1);
}

int main(void)
{
    int status = in_child(child_inherits);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "after a thread of the program");
    guard = open_watch();
    if (!ok(guard != NULL, "a watch opens"))
        return done();
    test_threads();
    test_stopped();
    rt_guard_free(guard);
    return done();
}
