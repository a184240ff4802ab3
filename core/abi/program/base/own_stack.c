/* own_stack.c - calls functions on a stack of the runtime: threads of the program may have small
 * ones, and so may handlers of signals. */
#include "runtime.h"

#include <sys/mman.h>

enum { BYTES = 1 << 20, GUARD = 4096 };

/* Calls fn(arg) with the stack pointer `top`. */
void goacc_switch_stack(void (*fn)(void *), void *arg, void *top);
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
        "movq %rdx, %rsp\n"
        "movq %rdi, %rax\n"
        "movq %rsi, %rdi\n"
        "call *%rax\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size goacc_switch_stack, .-goacc_switch_stack\n"
        ".popsection\n");

static __thread bool is_on_own_stack;

/* Its lowest page is closed. NULL: no memory. */
static char *map_stack(void)
{
    char *stack = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    mprotect(stack, GUARD, PROT_NONE);
    return stack;
}

void goacc_call_on_own_stack(void (*fn)(void *), void *arg)
{
    static char *_Atomic kept; /* free for the next call; NULL: in use, or not there yet */
    char *stack = is_on_own_stack ? NULL : atomic_exchange(&kept, NULL);
    if (!is_on_own_stack && !stack)
        stack = map_stack();
    if (!stack) {
        fn(arg);
        return;
    }
    is_on_own_stack = true;
    goacc_switch_stack(fn, arg, stack + BYTES);
    is_on_own_stack = false;
    stack = atomic_exchange(&kept, stack);
    if (stack)
        munmap(stack, BYTES);
}
