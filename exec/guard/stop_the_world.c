/* stop_the_world.c - stops the other threads of the process by a signal, as a debugger does, and resumes
 * them. Called by page_guard.c and kernel_syscalls.c. No lock of the C library may be taken here, because a
 * stopped thread may hold it. */
#include "page_guard_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* State of a thread, changed by compare-and-swap only:
 *
 *      RUNNING --signal_thread--> SIGNALED --handler begins to wait--> WAITING --wait_until_stopped--> STOPPED
 *         ^                                                             |  ^                              |
 *         +------- patience is over: the handler returns ---------------+  +----- resume_the_world -------+ */
enum { RUNNING, SIGNALED, WAITING, STOPPED };

static const uint64_t nanoseconds_per_second = 1000000000;

static const char tasks[] = "/proc/self/task";

static struct rt_stopped_threads *handler_threads; /* slots that the stop handler uses; NULL: not installed yet */
static struct rt_kernel_sigaction previous_action; /* action of the C library for RT_STOP_SIGNAL */

/* Returns the time of the monotonic clock in nanoseconds. */
static uint64_t get_monotonic_time(void)
{
    struct timespec t;
    rt_raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
    return (uint64_t)t.tv_sec * nanoseconds_per_second + (uint64_t)t.tv_nsec;
}

/* Changes the state of a thread from `from` to `to` and returns true. Returns false, and changes nothing, if the state
 * is not `from`. */
static bool change_state(struct rt_stopped_thread *other, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&other->state, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* ------------------------------------------------------------------------------- the handler -- */

/* Sets the state from SIGNALED to WAITING, wakes the thread that stops this one, and waits while the state is
 * STOPPED. Once the state is WAITING again, waits for the time `patience`, and returns with the state
 * RUNNING. Returns at once if the state is not SIGNALED. Written in assembly, because the thread's stack may
 * be protected from the first to the last instruction. */
static void wait_for_release(struct rt_stopped_thread *other, const struct timespec *patience)
{
    __asm__ volatile("movl %[called], %%eax\n"
                     "movl %[waits], %%ecx\n"
                     "lock cmpxchgl %%ecx, (%%rdi)\n"
                     /* the next lines wake the thread that stops this one */
                     "jne 3f\n"
                     "movl %[number], %%eax\n"
                     "movl %[wake], %%esi\n"
                     "movl $1, %%edx\n"
                     "syscall\n" /* the next lines wait, again and again until the patience is over */
                     "1: movl (%%rdi), %%edx\n"
                     "movl %[number], %%eax\n"
                     "movl %[wait], %%esi\n"
                     "movq %[patience], %%r10\n"
                     "syscall\n"
                     "cmpq %[timed_out], %%rax\n"
                     "jne 1b\n" /* the next lines end the wait, unless the thread was stopped again */
                     "movl %[waits], %%eax\n"
                     "movl %[runs], %%ecx\n"
                     "lock cmpxchgl %%ecx, (%%rdi)\n"
                     "jne 1b\n"
                     "3:"
                     :
                     : "D"(&other->state), [patience] "r"(patience), [called] "i"(SIGNALED), [waits] "i"(WAITING),
                       [runs] "i"(RUNNING), [number] "i"(SYS_futex), [wake] "i"(FUTEX_WAKE | FUTEX_PRIVATE_FLAG),
                       [wait] "i"(FUTEX_WAIT | FUTEX_PRIVATE_FLAG), [timed_out] "i"(-ETIMEDOUT)
                     : "rax", "rcx", "rdx", "rsi", "r10", "r11", "memory", "cc");
}

/* Returns true for system calls that fail with EINTR after a signal in spite of SA_RESTART. They have had no
 * effect then, so that they can be repeated. */
static bool can_restart_syscall(uint32_t number)
{
    switch (number) {
    case SYS_poll:
    case SYS_ppoll:
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_futex:
    case SYS_io_getevents:
        return true;
    }
    return false;
}

/* Returns the timeout of the system call `number` in nanoseconds, counted from its start; 0: no timeout, or an absolute
 * time. registers: those after the call. */
static uint64_t get_syscall_timeout(uint32_t number, const greg_t *registers)
{
    const struct timespec *t = NULL;
    int milliseconds = 0;
    if (number == SYS_poll)
        milliseconds = (int)registers[REG_RDX];
    else if (number == SYS_epoll_wait || number == SYS_epoll_pwait)
        milliseconds = (int)registers[REG_R10];
    else if (number == SYS_nanosleep)
        t = (const void *)registers[REG_RDI];
    else if (number == SYS_clock_nanosleep && !(registers[REG_RSI] & TIMER_ABSTIME))
        t = (const void *)registers[REG_RDX];
    if (t)
        return (uint64_t)t->tv_sec * nanoseconds_per_second + (uint64_t)t->tv_nsec;
    return milliseconds > 0 ? (uint64_t)milliseconds * 1000000 : 0;
}

/* Changes `context` so that the system call which the signal interrupted is made again. Does nothing unless the call
 * was made by `movl $number, %eax; syscall`, failed with EINTR and can be repeated. If the timeout of the call has
 * passed while the thread `other` was stopped repeatedly, the call returns 0 instead. */
static void restart_syscall(struct rt_stopped_thread *other, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    const unsigned char *next = (const unsigned char *)registers[REG_RIP];
    uint32_t number;
    if (registers[REG_RAX] != -EINTR || next[-1] != 0x05 || next[-2] != 0x0f || next[-7] != 0xb8)
        return;
    memcpy(&number, next - 6, sizeof number);
    if (!can_restart_syscall(number))
        return;
    const uint64_t limit = get_syscall_timeout(number, registers), at = get_monotonic_time();
    const bool is_restart = limit && other->call == (uint64_t)next && other->sp == (uint64_t)registers[REG_RSP] &&
                            at - other->resume_time < limit;
    if (is_restart && at > other->deadline) {
        registers[REG_RAX] = 0;
        other->call = 0;
        return;
    }
    if (!is_restart)
        other->deadline = at + limit;
    other->call = (uint64_t)next;
    other->sp = (uint64_t)registers[REG_RSP];
    registers[REG_RIP] -= 2;
    registers[REG_RAX] = number;
}

/* Returns true if `other`, the value of a signal, points to a slot of handler_threads. */
static bool is_thread_slot(const struct rt_stopped_thread *other)
{
    return handler_threads && other >= handler_threads->at && other < handler_threads->at + RT_STOPPED_THREADS_MAX;
}

/* Handles RT_STOP_SIGNAL. From the guard's timer: lets other threads run. From signal_thread: waits until the thread is
 * released; ignored if the slot in the signal's value belongs to another thread. From the C library: calls the handler
 * of the C library. */
static void on_stop(int signal, siginfo_t *info, void *context)
{
    struct rt_stopped_thread *other = info->si_value.sival_ptr;
    if (info->si_code == SI_TIMER && handler_threads && other == (void *)handler_threads) {
        handler_threads->yield_to_threads();
    } else if (info->si_code == SI_QUEUE && is_thread_slot(other)) {
        if (other->thread != rt_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0))
            return;
        restart_syscall(other, context);
        other->control_block = (uintptr_t)__builtin_thread_pointer();
        wait_for_release(other, &handler_threads->patience);
        other->resume_time = get_monotonic_time();
    } else if (previous_action.handler) {
        ((void (*)(int, siginfo_t *, void *))(uintptr_t)previous_action.handler)(signal, info, context);
    }
}

/* Installs the stop handler for the slots `threads`. Repeated for each stop, as the C library may install a handler of
 * its own at any time. */
static void install_stop_handler(struct rt_stopped_threads *threads)
{
    assert(threads->yield_to_threads);
    struct rt_kernel_sigaction current_action, action = {.handler = (void *)(uintptr_t)on_stop,
                                                         .flags = SA_SIGINFO | SA_RESTART | RT_SA_RESTORER,
                                                         .restorer = rt_guard_sigreturn,
                                                         .mask = ~(uint64_t)0};
    handler_threads = threads;
    threads->patience = (struct timespec){0, 200000};
    rt_set_sigaction(RT_STOP_SIGNAL, NULL, &current_action);
    if (current_action.handler == action.handler)
        return;
    previous_action = current_action;
    rt_set_sigaction(RT_STOP_SIGNAL, &action, NULL);
}

/* ----------------------------------------------------------------------------------- threads -- */

/* Returns the number of threads of the process; 0: not known. The folder /proc/self/task has a folder for
 * each thread, and so a link count of 2 more than threads. */
size_t rt_count_threads(void)
{
    struct stat status;
    const long result = rt_raw_syscall(SYS_stat, (long)tasks, (long)&status, 0, 0, 0, 0);
    return result ? 0 : status.st_nlink - 2;
}

/* Returns true if the process has the state Z (zombie): its first thread has ended. */
bool rt_has_first_thread_ended(void)
{
    char text[64] = "";
    const long file = rt_raw_syscall(SYS_open, (long)"/proc/self/stat", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (file < 0)
        return false;
    rt_raw_syscall(SYS_read, file, (long)text, sizeof text - 1, 0, 0, 0);
    rt_raw_syscall(SYS_close, file, 0, 0, 0, 0, 0);
    /* The last parenthesis counts: the program's name is in parentheses and may contain others. */
    for (size_t i = sizeof text - 1; i-- > 0;)
        if (text[i] == ')')
            return text[i + 1] == ' ' && text[i + 2] == 'Z';
    return false;
}

/* Returns the slot of a thread (thread number), a new slot if it has none; NULL if all slots are used. */
static struct rt_stopped_thread *get_thread_slot(struct rt_stopped_threads *threads, int thread)
{
    assert(thread > 0);
    struct rt_stopped_thread *unused = NULL;
    for (size_t i = 0; i < threads->n; i++) {
        if (threads->at[i].thread == thread)
            return &threads->at[i];
        if (!threads->at[i].thread && !unused)
            unused = &threads->at[i];
    }
    if (!unused && threads->n < RT_STOPPED_THREADS_MAX)
        unused = &threads->at[threads->n++];
    if (unused)
        *unused = (struct rt_stopped_thread){.thread = thread};
    return unused;
}

struct entry { /* entry of a directory, as getdents64 returns it */
    uint64_t inode, offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/* Gives each thread of the process except those with the numbers `self` and `second_one` a slot, and frees
 * the slots of ended threads. Returns false if slots are missing or the threads cannot be listed.
 * threads->ended becomes 1 if the first thread has ended. */
static bool list_threads(struct rt_stopped_threads *threads, int self, int second_one)
{
    _Alignas(8) char text[2048];
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    long nread, folder = rt_raw_syscall(SYS_open, (long)tasks, flags, 0, 0, 0, 0);
    bool success = folder >= 0;
    for (size_t i = 0; i < threads->n; i++)
        threads->at[i].is_listed = false;
    while (success && (nread = rt_raw_syscall(SYS_getdents64, folder, (long)text, sizeof text, 0, 0, 0)) > 0)
        for (const struct entry *entry = (void *)text; (const char *)entry < text + nread;
             entry = (const void *)((const char *)entry + entry->bytes)) {
            int thread = 0;
            for (const char *c = entry->name; *c >= '0' && *c <= '9'; c++)
                thread = thread * 10 + (*c - '0');
            if (!thread || thread == self || thread == second_one)
                continue;
            if (thread == rt_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) && rt_has_first_thread_ended()) {
                threads->ended = 1;
                continue;
            }
            struct rt_stopped_thread *other = get_thread_slot(threads, thread);
            success = success && other;
            if (other)
                other->is_listed = true;
        }
    if (folder >= 0)
        rt_raw_syscall(SYS_close, folder, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < threads->n; i++)
        if (!threads->at[i].is_listed)
            threads->at[i].thread = 0;
    return success;
}

/* Sends the stop signal to a thread whose state is RUNNING; does nothing in other states. The state stays RUNNING if
 * the signal cannot be sent. */
static void signal_thread(struct rt_stopped_thread *other)
{
    assert(other->thread);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = RT_STOP_SIGNAL;
    info.si_code = SI_QUEUE;
    info.si_pid = (int)rt_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    info.si_value.sival_ptr = other;
    if (change_state(other, RUNNING, SIGNALED) &&
        rt_raw_syscall(SYS_rt_tgsigqueueinfo, info.si_pid, other->thread, RT_STOP_SIGNAL, (long)&info, 0, 0))
        other->state = RUNNING; /* the thread has ended: the next listing will not have it */
}

/* Waits until a signaled thread is stopped or has ended. Returns false if the thread does not answer before the time
 * `deadline` (nanoseconds of the monotonic clock). */
static bool wait_until_stopped(struct rt_stopped_thread *other, uint64_t deadline)
{
    assert(other->thread);
    const struct timespec period = {0, 10000000};
    while (!change_state(other, WAITING, STOPPED)) {
        if (__atomic_load_n(&other->state, __ATOMIC_ACQUIRE) != SIGNALED)
            return true;
        rt_raw_syscall(SYS_futex, (long)&other->state, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, SIGNALED, (long)&period, 0, 0);
        if (rt_raw_syscall(SYS_tgkill, rt_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0), other->thread, 0, 0, 0, 0)) {
            other->state = RUNNING; /* the thread has ended, so no stop is needed */
            return true;
        }
        if (get_monotonic_time() > deadline)
            return change_state(other, SIGNALED, RUNNING) ? false : change_state(other, WAITING, STOPPED);
    }
    return true;
}

/* Returns the number of threads whose state is STOPPED. */
static size_t count_stopped(const struct rt_stopped_threads *threads)
{
    size_t nstopped = 0;
    for (size_t i = 0; i < threads->n; i++)
        nstopped += threads->at[i].thread && threads->at[i].state == STOPPED;
    return nstopped;
}

/* Returns true if the last stop found no other thread: no thread is stopped, and stopping was not refused. */
bool rt_is_only_thread(const struct rt_stopped_threads *threads)
{
    return !threads->is_refused && !count_stopped(threads);
}

/* Stops all threads except those with the numbers `self` and `second_one`. Lists and signals threads until
 * all are stopped, as new ones may start meanwhile. Returns false, with all threads resumed, if that fails or
 * takes more than a second; later calls do not try again. */
bool rt_stop_the_world(struct rt_stopped_threads *threads, int self, int second_one)
{
    const uint64_t deadline = threads->is_refused ? 0 : get_monotonic_time() + nanoseconds_per_second;
    for (size_t i = 0; i < threads->n; i++)
        change_state(&threads->at[i], WAITING, STOPPED);
    while (rt_count_threads() != 2 + count_stopped(threads) + threads->ended) {
        bool success =
            !threads->is_refused && list_threads(threads, self, second_one) && get_monotonic_time() < deadline;
        if (success)
            install_stop_handler(threads);
        for (size_t i = 0; success && i < threads->n; i++)
            if (threads->at[i].thread)
                signal_thread(&threads->at[i]);
        for (size_t i = 0; success && i < threads->n; i++)
            success = !threads->at[i].thread || wait_until_stopped(&threads->at[i], deadline);
        if (success)
            continue;
        threads->is_refused = true;
        rt_resume_the_world(threads);
        return false;
    }
    return true;
}

/* Releases the stopped threads, which run on after their patience. */
void rt_resume_the_world(struct rt_stopped_threads *threads)
{
    for (size_t i = 0; i < threads->n; i++)
        change_state(&threads->at[i], STOPPED, WAITING);
}

/* Writes the thread pointers of all threads with a slot to `blocks`, and returns how many there are. */
size_t rt_get_control_blocks(const struct rt_stopped_threads *threads, uint64_t *blocks)
{
    assert(blocks && threads->n <= RT_STOPPED_THREADS_MAX);
    size_t n = 0;
    for (size_t i = 0; i < threads->n; i++)
        if (threads->at[i].thread)
            blocks[n++] = threads->at[i].control_block;
    return n;
}
