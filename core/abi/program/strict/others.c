/* others.c - stops the other threads of the process by a signal, as a debugger does, and lets them run again. */
#include "watching.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread runs, is called by the signal, waits as long as its patience lasts, or until it is
 * released. */
enum { RUNS, CALLED, WAITS, HELD };

static const uint64_t second = 1000000000;

static const char tasks[] = "/proc/self/task";

static struct goacc_others *the_others;
static struct goacc_action before; /* the C library's */

static uint64_t now(void)
{
    struct timespec t;
    goacc_system(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
    return (uint64_t)t.tv_sec * second + (uint64_t)t.tv_nsec;
}

static bool change(struct goacc_other *other, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&other->state, &from, to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* ------------------------------------------------------------------------------- the handler -- */

/* Waits. From the first instruction to the last the stack may be closed. */
static void wait(struct goacc_other *other, const struct timespec *patience)
{
    __asm__ volatile(
        "movl %[called], %%eax\n"
        "movl %[waits], %%ecx\n"
        "lock cmpxchgl %%ecx, (%%rdi)\n"
        "jne 3f\n"
        "movl %[number], %%eax\n"
        "movl %[wake], %%esi\n"
        "movl $1, %%edx\n"
        "syscall\n"
        "1: movl (%%rdi), %%edx\n"
        "movl %[number], %%eax\n"
        "movl %[wait], %%esi\n"
        "movq %[patience], %%r10\n"
        "syscall\n"
        "cmpq %[timed_out], %%rax\n"
        "jne 1b\n"
        "movl %[waits], %%eax\n"
        "movl %[runs], %%ecx\n"
        "lock cmpxchgl %%ecx, (%%rdi)\n"
        "jne 1b\n"
        "3:"
        :
        : "D"(&other->state), [patience] "r"(patience), [called] "i"(CALLED), [waits] "i"(WAITS),
          [runs] "i"(RUNS), [number] "i"(SYS_futex), [wake] "i"(FUTEX_WAKE | FUTEX_PRIVATE_FLAG),
          [wait] "i"(FUTEX_WAIT | FUTEX_PRIVATE_FLAG), [timed_out] "i"(-ETIMEDOUT)
        : "rax", "rcx", "rdx", "rsi", "r10", "r11", "memory", "cc");
}

/* Calls that a signal with SA_RESTART ends all the same. They have done nothing yet. */
static bool can_be_repeated(uint32_t number)
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

/* Nanoseconds that a call waits at most, from its beginning on; 0: another time, or none. */
static uint64_t limit_of(uint32_t number, const greg_t *registers)
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
        return (uint64_t)t->tv_sec * second + (uint64_t)t->tv_nsec;
    return milliseconds > 0 ? (uint64_t)milliseconds * 1000000 : 0;
}

/* Makes the system call once more that the signal ended: movl $number, %eax; syscall. If its time
 * has passed while the thread was stopped again and again, it is over. */
static void repeat(struct goacc_other *other, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    const unsigned char *next = (const unsigned char *)registers[REG_RIP];
    uint32_t number;
    if (registers[REG_RAX] != -EINTR || next[-1] != 0x05 || next[-2] != 0x0f || next[-7] != 0xb8)
        return;
    memcpy(&number, next - 6, sizeof number);
    if (!can_be_repeated(number))
        return;
    const uint64_t limit = limit_of(number, registers), at = now();
    const bool again = limit && other->call == (uint64_t)next &&
                       other->sp == (uint64_t)registers[REG_RSP] && at - other->left < limit;
    if (again && at > other->deadline) {
        registers[REG_RAX] = 0;
        other->call = 0;
        return;
    }
    if (!again)
        other->deadline = at + limit;
    other->call = (uint64_t)next;
    other->sp = (uint64_t)registers[REG_RSP];
    registers[REG_RIP] -= 2;
    registers[REG_RAX] = number;
}

static bool is_slot(const struct goacc_other *other)
{
    return the_others && other >= the_others->at && other < the_others->at + GOACC_OTHERS_MOST;
}

static void on_stop(int signal, siginfo_t *info, void *context)
{
    struct goacc_other *other = info->si_value.sival_ptr;
    if (info->si_code == SI_TIMER && the_others && other == (void *)the_others) {
        the_others->breathe();
    } else if (info->si_code == SI_QUEUE && is_slot(other)) {
        if (other->thread != goacc_system(SYS_gettid, 0, 0, 0, 0, 0, 0))
            return;
        repeat(other, context);
        other->control_block = (uintptr_t)__builtin_thread_pointer();
        wait(other, &the_others->patience);
        other->left = now();
    } else if (before.handler) {
        ((void (*)(int, siginfo_t *, void *))(uintptr_t)before.handler)(signal, info, context);
    }
}

/* The C library may install its own at any time. */
static void take_signal(struct goacc_others *others)
{
    struct goacc_action now, action = {.handler = (void *)(uintptr_t)on_stop,
                                       .flags = SA_SIGINFO | SA_RESTART | GOACC_RESTORER,
                                       .restorer = goacc_watch_return,
                                       .mask = ~(uint64_t)0};
    the_others = others;
    others->patience = (struct timespec){0, 200000};
    goacc_set_action(GOACC_STOP_SIGNAL, NULL, &now);
    if (now.handler == action.handler)
        return;
    before = now;
    goacc_set_action(GOACC_STOP_SIGNAL, &action, NULL);
}

/* ----------------------------------------------------------------------------------- threads -- */

/* A directory has a link for each folder in it: one for each thread. */
size_t goacc_count_threads(void)
{
    struct stat status;
    const long failed = goacc_system(SYS_stat, (long)tasks, (long)&status, 0, 0, 0, 0);
    return failed ? 0 : status.st_nlink - 2;
}

bool goacc_first_thread_ended(void)
{
    char text[64] = "";
    const long file = goacc_system(SYS_open, (long)"/proc/self/stat", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    if (file < 0)
        return false;
    goacc_system(SYS_read, file, (long)text, sizeof text - 1, 0, 0, 0);
    goacc_system(SYS_close, file, 0, 0, 0, 0, 0);
    for (size_t i = sizeof text - 1; i-- > 0;) /* the name of the program stands in brackets */
        if (text[i] == ')')
            return text[i + 1] == ' ' && text[i + 2] == 'Z';
    return false;
}

static struct goacc_other *slot_of(struct goacc_others *others, int thread)
{
    struct goacc_other *unused = NULL;
    for (size_t i = 0; i < others->n; i++) {
        if (others->at[i].thread == thread)
            return &others->at[i];
        if (!others->at[i].thread && !unused)
            unused = &others->at[i];
    }
    if (!unused && others->n < GOACC_OTHERS_MOST)
        unused = &others->at[others->n++];
    if (unused)
        *unused = (struct goacc_other){.thread = thread};
    return unused;
}

struct entry { /* of a directory, as the operating system has it */
    uint64_t inode, offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/* Gives each thread a slot, and frees those of threads that are gone. False: too many, or no list.
 */
static bool list(struct goacc_others *others, int self, int second_one)
{
    _Alignas(8) char text[2048];
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    long got, folder = goacc_system(SYS_open, (long)tasks, flags, 0, 0, 0, 0);
    bool good = folder >= 0;
    for (size_t i = 0; i < others->n; i++)
        others->at[i].seen = false;
    while (good &&
           (got = goacc_system(SYS_getdents64, folder, (long)text, sizeof text, 0, 0, 0)) > 0)
        for (const struct entry *entry = (void *)text; (const char *)entry < text + got;
             entry = (const void *)((const char *)entry + entry->bytes)) {
            int thread = 0;
            for (const char *c = entry->name; *c >= '0' && *c <= '9'; c++)
                thread = thread * 10 + (*c - '0');
            if (!thread || thread == self || thread == second_one)
                continue;
            if (thread == goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0) && goacc_first_thread_ended()) {
                others->ended = 1;
                continue;
            }
            struct goacc_other *other = slot_of(others, thread);
            good = good && other;
            if (other)
                other->seen = true;
        }
    if (folder >= 0)
        goacc_system(SYS_close, folder, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < others->n; i++)
        if (!others->at[i].seen)
            others->at[i].thread = 0;
    return good;
}

static void call(struct goacc_other *other)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = GOACC_STOP_SIGNAL;
    info.si_code = SI_QUEUE;
    info.si_pid = (int)goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0);
    info.si_value.sival_ptr = other;
    if (change(other, RUNS, CALLED) &&
        goacc_system(SYS_rt_tgsigqueueinfo, info.si_pid, other->thread, GOACC_STOP_SIGNAL,
                     (long)&info, 0, 0))
        other->state = RUNS; /* it is gone: the next list lacks it */
}

/* False: it does not come. */
static bool hold(struct goacc_other *other, uint64_t until)
{
    const struct timespec often = {0, 10000000};
    while (!change(other, WAITS, HELD)) {
        if (__atomic_load_n(&other->state, __ATOMIC_ACQUIRE) != CALLED)
            return true;
        goacc_system(SYS_futex, (long)&other->state, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, CALLED,
                     (long)&often, 0, 0);
        if (goacc_system(SYS_tgkill, goacc_system(SYS_getpid, 0, 0, 0, 0, 0, 0), other->thread, 0,
                         0, 0, 0)) {
            other->state = RUNS; /* it is gone */
            return true;
        }
        if (now() > until)
            return change(other, CALLED, RUNS) ? false : change(other, WAITS, HELD);
    }
    return true;
}

static size_t count_held(const struct goacc_others *others)
{
    size_t held = 0;
    for (size_t i = 0; i < others->n; i++)
        held += others->at[i].thread && others->at[i].state == HELD;
    return held;
}

bool goacc_others_none(const struct goacc_others *others)
{
    return !others->refused && !count_held(others);
}

bool goacc_others_stop(struct goacc_others *others, int self, int second_one)
{
    const uint64_t until = others->refused ? 0 : now() + second;
    for (size_t i = 0; i < others->n; i++)
        change(&others->at[i], WAITS, HELD);
    while (goacc_count_threads() != 2 + count_held(others) + others->ended) {
        bool good = !others->refused && list(others, self, second_one) && now() < until;
        if (good)
            take_signal(others);
        for (size_t i = 0; good && i < others->n; i++)
            if (others->at[i].thread)
                call(&others->at[i]);
        for (size_t i = 0; good && i < others->n; i++)
            good = !others->at[i].thread || hold(&others->at[i], until);
        if (good)
            continue;
        others->refused = true;
        goacc_others_release(others);
        return false;
    }
    return true;
}

void goacc_others_release(struct goacc_others *others)
{
    for (size_t i = 0; i < others->n; i++)
        change(&others->at[i], HELD, WAITS);
}

size_t goacc_others_blocks(const struct goacc_others *others, uint64_t *blocks)
{
    size_t n = 0;
    for (size_t i = 0; i < others->n; i++)
        if (others->at[i].thread)
            blocks[n++] = others->at[i].control_block;
    return n;
}
