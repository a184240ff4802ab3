/* calls.c - system calls of a watched kernel. They come to a handler first (syscall user dispatch),
 * because the operating system answers with EFAULT, not with a signal, where it encounters closed
 * memory. They are made with memory open. */
#include "watching.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

void goacc_watch_restore(const struct goacc_watch *watch)
{
    for (int i = 0; i < GOACC_HANDLED; i++)
        goacc_set_action(goacc_handled[i], &watch->before[i], NULL);
}

void goacc_watch_pause(struct goacc_watch *watch)
{
    goacc_sections_open(watch);
    goacc_closing_open(&watch->closing);
    goacc_others_release(&watch->others);
}

void goacc_watch_give_up(struct goacc_watch *watch)
{
    goacc_watch_pause(watch);
    goacc_sections_end(watch);
    goacc_watch_restore(watch);
    goacc_signals_give_back(watch);
    watch->given_up = true;
    watch->selector = GOACC_SELECT_ALLOW;
}

void goacc_watch_resume(struct goacc_watch *watch)
{
    if (watch->given_up)
        return;
    if (goacc_others_stop(&watch->others, watch->caller, watch->number)) {
        goacc_closing_close(&watch->closing);
        goacc_sections_close(watch);
    } else {
        goacc_watch_give_up(watch);
    }
}

/* Takes [start, start + bytes) out of what kernels mapped. */
static void disown(struct goacc_watch *watch, uint64_t start, uint64_t bytes)
{
    uint64_t end = start + bytes;
    for (size_t i = 1; i < watch->nown; i++) {
        struct goacc_range own = watch->own[i];
        uint64_t own_end = own.start + own.bytes;
        if (own_end <= start || end <= own.start)
            continue;
        watch->own[i--] = watch->own[--watch->nown];
        if (own.start < start)
            watch->own[watch->nown++] = (struct goacc_range){own.start, start - own.start};
        if (end < own_end && watch->nown < 1 + GOACC_OWN_MOST)
            watch->own[watch->nown++] = (struct goacc_range){end, own_end - end};
    }
}

void goacc_watch_own(struct goacc_watch *watch, uint64_t start, uint64_t bytes)
{
    disown(watch, start, bytes);
    if (watch->nown < 1 + GOACC_OWN_MOST)
        watch->own[watch->nown++] = (struct goacc_range){start, bytes};
}

/* The kernel's memory is what it maps. */
static void note_mapping(struct goacc_watch *watch, const greg_t *registers, long number,
                         long result)
{
    long start = registers[REG_RDI], bytes = registers[REG_RSI];
    if (result < 0 && result > -GOACC_PAGE)
        return;
    if (number == SYS_munmap || number == SYS_mremap)
        disown(watch, (uint64_t)start, goacc_whole_pages(bytes));
    if (number == SYS_mmap)
        goacc_watch_own(watch, (uint64_t)result, goacc_whole_pages(bytes));
    if (number == SYS_mremap)
        goacc_watch_own(watch, (uint64_t)result, goacc_whole_pages(registers[REG_RDX]));
}

/* Threads, processes, an end of the process, signals to itself: not while memory is closed. */
static bool is_beyond_watch(long number)
{
    switch (number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo:
    case SYS_rt_sigreturn:
    case SYS_rt_sigaction:
        return true;
    }
    return false;
}

/* FUTEX_WAKE uses the address as a name. Threads that are stopped repeat their wait, which reads the word anew. */
static bool reads_no_memory(long number, const greg_t *registers)
{
    switch (number) {
    case SYS_futex:
        return (registers[REG_RSI] & FUTEX_CMD_MASK) == FUTEX_WAKE;
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mremap:
    case SYS_mprotect:
    case SYS_madvise:
    case SYS_brk:
        return true;
    }
    return false;
}

/* rt_sigprocmask for the kernel: signals wait all the same. */
static long change_mask(struct goacc_watch *watch, const greg_t *registers)
{
    const uint64_t *set_p = (const uint64_t *)registers[REG_RSI];
    uint64_t *before_p = (uint64_t *)registers[REG_RDX], before = watch->kernel_mask;
    if (set_p) {
        uint64_t set = *set_p;
        switch ((int)registers[REG_RDI]) {
        case SIG_BLOCK:
            watch->kernel_mask |= set;
            break;
        case SIG_UNBLOCK:
            watch->kernel_mask &= ~set;
            break;
        default:
            watch->kernel_mask = set;
        }
    }
    if (before_p)
        *before_p = before;
    return 0;
}

static long call(struct goacc_watch *watch, const greg_t *registers, long number)
{
    if (number == SYS_rt_sigprocmask)
        return change_mask(watch, registers);
    return goacc_system(number, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                        registers[REG_R10], registers[REG_R8], registers[REG_R9]);
}

/* SIGPIPE is sent to the thread that wrote, which would keep it. */
static void take_pipe_signal(struct goacc_watch *watch)
{
    uint64_t mask = goacc_bit(SIGPIPE);
    struct timespec none = {0};
    siginfo_t info;
    if (goacc_system(SYS_rt_sigtimedwait, (long)&mask, (long)&info, (long)&none, sizeof mask, 0, 0) > 0)
        goacc_signals_keep(watch, SIGPIPE, &info);
}

void goacc_watch_call(struct goacc_watch *watch, long number, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    if (is_beyond_watch(number)) {
        if (number == SYS_tgkill && registers[REG_RSI] == watch->number) /* raise() */
            registers[REG_RSI] = watch->caller;
        goacc_watch_give_up(watch);
        memcpy(&context->uc_sigmask, &watch->kernel_mask, sizeof watch->kernel_mask);
        registers[REG_RIP] -= 2; /* the instruction, once more */
        registers[REG_RAX] = number;
    } else if (reads_no_memory(number, registers)) {
        long result = call(watch, registers, number);
        note_mapping(watch, registers, number, result);
        registers[REG_RAX] = result;
    } else {
        goacc_sections_called(watch, number, registers);
        goacc_watch_pause(watch);
        registers[REG_RAX] = call(watch, registers, number);
        goacc_watch_resume(watch);
        if (watch->given_up)
            memcpy(&context->uc_sigmask, &watch->kernel_mask, sizeof watch->kernel_mask);
        if (registers[REG_RAX] == -EPIPE && watch->run_mask & goacc_bit(SIGPIPE))
            take_pipe_signal(watch);
    }
}
