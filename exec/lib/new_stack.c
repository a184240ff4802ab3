/* new_stack.c - calls functions on a stack of the runtime, since threads and signal handlers of the program may have
 * small stacks. Used around debug information, reports and events, which need much stack. */
#include "new_stack.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

enum { BYTES = 1 << 20, GUARD = 4096 };

/* Arguments of rt_enter_new_stack: the function, the end of its stack, and whether the thread runs on that stack. The
 * assembly below depends on the offsets of fn and top. */
extern __thread struct rt_stack_switch {
    void *fn;
    char *top;
    bool is_on;
} rt_stack_switch;
__thread __attribute__((tls_model("initial-exec"), visibility("hidden"))) struct rt_stack_switch rt_stack_switch;

/* Calls rt_stack_switch.fn on the stack below rt_stack_switch.top, with the arguments that rt_enter_new_stack itself
 * gets, at most eight words. Returns the result of that function. */
void rt_enter_new_stack(void);
__asm__(".pushsection .text\n"
        ".globl rt_enter_new_stack\n"
        ".hidden rt_enter_new_stack\n"
        ".type rt_enter_new_stack, @function\n"
        "rt_enter_new_stack: .cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "movq rt_stack_switch@gottpoff(%rip), %rax\n"
        "movq %fs:8(%rax), %rsp\n"
        "pushq 24(%rbp)\n"
        "pushq 16(%rbp)\n"
        "call *%fs:(%rax)\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size rt_enter_new_stack, .-rt_enter_new_stack\n"
        ".popsection\n");

static char *_Atomic cached_stack; /* stack for the next call; NULL: in use or not yet made */

/* Maps a stack whose lowest page is inaccessible, to find an overflow; accessible if the system refuses to divide the
 * mapping. Returns NULL without memory. */
static char *map_new_stack(void)
{
    assert(BYTES > GUARD);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    (void)mprotect(stack, GUARD, PROT_NONE);
    return stack;
}

/* Returns the function that calls `fn` on a new stack. Returns `fn` itself on such a stack, or without memory. */
void *rt_acquire_new_stack(void *fn)
{
    assert(fn);
    if (rt_stack_switch.is_on)
        return fn;
    char *stack = atomic_exchange(&cached_stack, NULL);
    if (!stack)
        stack = map_new_stack();
    if (!stack)
        return fn;
    rt_stack_switch = (struct rt_stack_switch){fn, stack + BYTES, true};
    return (void *)(uintptr_t)rt_enter_new_stack;
}

/* Releases the stack on which the function `call` ran: caches the stack, or unmaps it if another one is cached. */
void rt_release_new_stack(const void *call)
{
    if (call != (void *)(uintptr_t)rt_enter_new_stack)
        return;
    char *stack = rt_stack_switch.top - BYTES;
    rt_stack_switch.is_on = false;
    stack = atomic_exchange(&cached_stack, stack);
    if (stack)
        munmap(stack, BYTES);
}

/* Calls fn(arg) on a new stack; on the current one if that is a new stack already, or without memory. */
void rt_run_on_new_stack(void (*fn)(void *), void *arg)
{
    void (*call)(void *) = (void (*)(void *))(uintptr_t)rt_acquire_new_stack((void *)(uintptr_t)fn);
    call(arg);
    rt_release_new_stack((void *)(uintptr_t)call);
}
