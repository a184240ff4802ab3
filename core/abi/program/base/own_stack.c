/* own_stack.c - calls functions on a stack of the runtime: threads of the program may have small ones, and so may handlers
 * of signals. */
#include "runtime.h"

#include <sys/mman.h>

enum { BYTES = 1 << 20, GUARD = 4096 };

/* Arguments of goacc_switch_stack: a function and the end of the stack for it; and whether that stack is in use. */
extern __thread struct goacc_switch {
    void *fn;
    char *top;
    bool on;
} goacc_switch;
__thread __attribute__((tls_model("initial-exec"), visibility("hidden"))) struct goacc_switch goacc_switch;

/* Calls goacc_switch.fn with the arguments that it gets itself, at most eight words, and returns its result. */
void goacc_switch_stack(void);
__asm__(".pushsection .text\n"
        ".globl goacc_switch_stack\n"
        ".hidden goacc_switch_stack\n"
        ".type goacc_switch_stack, @function\n"
        "goacc_switch_stack: .cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "movq %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "movq goacc_switch@gottpoff(%rip), %rax\n"
        "movq %fs:8(%rax), %rsp\n"
        "pushq 24(%rbp)\n"
        "pushq 16(%rbp)\n"
        "call *%fs:(%rax)\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size goacc_switch_stack, .-goacc_switch_stack\n"
        ".popsection\n");

static char *_Atomic kept; /* a stack for the next call; NULL: in use, or not there yet */

/* Its lowest page is closed. NULL: no memory. */
static char *map_stack(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    mprotect(stack, GUARD, PROT_NONE);
    return stack;
}

void *goacc_take_own_stack(void *fn)
{
    if (goacc_switch.on)
        return fn;
    char *stack = atomic_exchange(&kept, NULL);
    if (!stack)
        stack = map_stack();
    if (!stack)
        return fn;
    goacc_switch = (struct goacc_switch){fn, stack + BYTES, true};
    return (void *)(uintptr_t)goacc_switch_stack;
}

void goacc_give_own_stack(const void *taken)
{
    if (taken != (void *)(uintptr_t)goacc_switch_stack)
        return;
    char *stack = goacc_switch.top - BYTES;
    goacc_switch.on = false;
    stack = atomic_exchange(&kept, stack);
    if (stack)
        munmap(stack, BYTES);
}

void goacc_call_on_own_stack(void (*fn)(void *), void *arg)
{
    void (*call)(void *) = (void (*)(void *))(uintptr_t)goacc_take_own_stack((void *)(uintptr_t)fn);
    call(arg);
    goacc_give_own_stack((void *)(uintptr_t)call);
}
