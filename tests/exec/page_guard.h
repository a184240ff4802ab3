/* page_guard.h - for the tests of kernels with the host's memory closed: a watch, and kernels of several of them. */
#ifndef PAGE_GUARD_TEST_H
#define PAGE_GUARD_TEST_H

#include "../tap.h"

#include <guard/page_guard.h>

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static struct rt_page_guard *guard;
static struct argument *argument;
static struct present *present;
static struct rt_range opened;
static struct rt_guard_fault fault;

static inline int is_present(void *ud, uint64_t address)
{
    const struct present *p = ud;
    return address >= p->start && address < p->end;
}

static inline struct rt_page_guard *open_watch(void)
{
    present = rt_arena_realloc(NULL, NULL, 0, sizeof *present);
    *present = (struct present){0};
    argument = rt_arena_realloc(NULL, NULL, 0, sizeof *argument);
    return rt_guard_new(is_present, present);
}

static inline enum rt_guard_result run(void (*fn)(void *), void *p, size_t n)
{
    *argument = (struct argument){.p = p, .q = argument->q, .n = n, .file = argument->file};
    memset(&fault, 0x5a, sizeof fault);
    return rt_guard_run(guard, fn, argument, &opened, opened.bytes != 0, NULL, &fault);
}

/* Only with volatile does the compiler leave accesses where they are. */
static inline void k_read(void *arg)
{
    struct argument *a = arg;
    a->result = *(volatile char *)a->p;
}

static inline void k_write(void *arg)
{
    struct argument *a = arg;
    *(volatile char *)a->p = 'x';
}

static inline void k_read_word(void *arg)
{
    struct argument *a = arg;
    for (size_t i = 0; i < a->n; i++)
        a->result += *(volatile long *)a->p;
}

static inline bool pc_in(void (*fn)(void *))
{
    return fault.fault_context->at.pc - 1 - (uintptr_t)fn < 64;
}

static inline void found(void *p, const char *what)
{
    char before = *(char *)p;
    ok(run(k_read, p, 0) == RT_GUARD_FAULT && fault.address == (uintptr_t)p && !fault.write &&
           fault.host == 1 && pc_in(k_read),
       "a read of %s", what);
    ok(run(k_write, p, 0) == RT_GUARD_FAULT && fault.address == (uintptr_t)p && fault.write &&
           fault.host == 1 && pc_in(k_write),
       "a write to %s", what);
    ok(*(char *)p == before, "%s is as it was", what);
}

static int variable = 1;
static sigjmp_buf back;

static inline void k_nothing(void *arg)
{
    (void)arg;
}

static inline void k_spin(void *arg)
{
    struct argument *a = arg;
    struct timespec from, now;
    clock_gettime(CLOCK_MONOTONIC, &from);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < (long)a->n);
    a->result = 1;
}

static inline void k_allocate(void *arg)
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

static inline void k_use(void *arg)
{
    struct argument *a = arg;
    a->result = a->q[5] == 'q' && a->p[5] == 'p';
    free(a->p);
    free(a->q);
}

static inline void handle(int signal, void (*handler)(int), struct sigaction *before_p)
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(signal, &action, before_p);
}

static inline void on_segment_jump(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

static inline int in_child(void (*body)(void))
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

#endif
