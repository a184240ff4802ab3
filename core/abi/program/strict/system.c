/* system.c - functions of the watch in assembly: a system call, the return from a signal's handler, and a
 * change of stacks. System calls that are made between goacc_system and goacc_watch_return_end are never
 * dispatched; a debugger knows a signal frame by the bytes of the second one. */
#include "watching.h"

__asm__(".pushsection .text\n"
        ".globl goacc_system, goacc_watch_return, goacc_watch_return_end, goacc_watch_switch\n"
        ".hidden goacc_system, goacc_watch_return, goacc_watch_return_end, goacc_watch_switch\n"
        ".type goacc_system, @function\n"
        ".type goacc_watch_return, @function\n"
        ".type goacc_watch_switch, @function\n"
        "goacc_system: movq %rdi, %rax\n"
        "movq %rsi, %rdi\n"
        "movq %rdx, %rsi\n"
        "movq %rcx, %rdx\n"
        "movq %r8, %r10\n"
        "movq %r9, %r8\n"
        "movq 8(%rsp), %r9\n"
        "syscall\n"
        "ret\n"
        "nop\n"
        "goacc_watch_return: movq $15, %rax\n"
        "syscall\n"
        "goacc_watch_return_end: nop\n"
        "goacc_watch_switch: pushq %rbp\n"
        "movq %rsp, %rbp\n"
        "pushq %rbx\n"
        "pushq %r12\n"
        "pushq %r13\n"
        "pushq %r14\n"
        "pushq %r15\n"
        "movq %rdi, %rbx\n"
        "movq %rsp, (%rbx)\n"
        "movq %rsi, %rsp\n"
        "movq %rcx, %rdi\n"
        "call *%rdx\n"
        "movq (%rbx), %rsp\n"
        "popq %r15\n"
        "popq %r14\n"
        "popq %r13\n"
        "popq %r12\n"
        "popq %rbx\n"
        "popq %rbp\n"
        "ret\n"
        ".popsection\n");

void goacc_watch_dispatch(struct goacc_watch *watch, bool on)
{
    const uintptr_t start = (uintptr_t)goacc_system;
    /* The address after the instruction is what is compared. */
    goacc_system(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH,
                 on ? PR_SYS_DISPATCH_ON : PR_SYS_DISPATCH_OFF, on ? (long)start : 0,
                 on ? (long)((uintptr_t)goacc_watch_return_end - start + 1) : 0,
                 on ? (long)&watch->selector : 0, 0);
}
