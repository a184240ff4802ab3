/* guard_asm.c - functions of the page guard in assembly: a system call, the return from a signal handler, and
 * a switch of stacks. System calls made between rt_raw_syscall and rt_guard_sigreturn_end are never
 * dispatched (they raise no SIGSYS). A debugger recognises a signal frame by the bytes of rt_guard_sigreturn. */
#include "page_guard_internal.h"

__asm__(
    ".pushsection .text\n"
    ".globl rt_raw_syscall, rt_guard_sigreturn, rt_guard_sigreturn_end, rt_guard_switch_stack\n"
    ".hidden rt_raw_syscall, rt_guard_sigreturn, rt_guard_sigreturn_end, rt_guard_switch_stack\n"
    ".type rt_raw_syscall, @function\n"
    ".type rt_guard_sigreturn, @function\n"
    ".type rt_guard_switch_stack, @function\n"
    /* A system call: moves the arguments of the C call to the registers of the operating system. */
    "rt_raw_syscall: movq %rdi, %rax\n"
    "movq %rsi, %rdi\n"
    "movq %rdx, %rsi\n"
    "movq %rcx, %rdx\n"
    "movq %r8, %r10\n" /* unlike a C function, a system call gets its fourth argument in r10 */
    "movq %r9, %r8\n"
    "movq 8(%rsp), %r9\n"
    "syscall\n"
    "ret\n"
    "nop\n"
    /* Return from a signal handler: system call 15 is rt_sigreturn. */
    "rt_guard_sigreturn: movq $15, %rax\n"
    "syscall\n"
    "rt_guard_sigreturn_end: nop\n"
    /* A switch of stacks: saves registers and the stack pointer, calls fn(arg) on the new stack, and restores them. */
    "rt_guard_switch_stack: pushq %rbp\n"
    "movq %rsp, %rbp\n"
    "pushq %rbx\n"
    "pushq %r12\n"
    "pushq %r13\n"
    "pushq %r14\n"
    "pushq %r15\n" /* the next lines keep sp_p in rbx, and store the caller's stack pointer there */
    "movq %rdi, %rbx\n"
    "movq %rsp, (%rbx)\n"
    "movq %rsi, %rsp\n"
    "movq %rcx, %rdi\n"
    "call *%rdx\n"
    "movq (%rbx), %rsp\n"
    /* registers of the caller, in reverse order */
    "popq %r15\n"
    "popq %r14\n"
    "popq %r13\n"
    "popq %r12\n"
    "popq %rbx\n"
    "popq %rbp\n"
    "ret\n"
    ".popsection\n");

/* Turns system call dispatch of the calling thread on or off. While it is on and guard->selector is
 * RT_DISPATCH_BLOCK, each system call of the thread raises SIGSYS, except those in this file's functions. */
void rt_guard_set_syscall_dispatch(struct rt_page_guard *guard, bool on)
{
    const uintptr_t start = (uintptr_t)rt_raw_syscall;
    /* The operating system compares the address after the syscall instruction with the range, so the range is one byte
     * longer. */
    rt_raw_syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, on ? PR_SYS_DISPATCH_ON : PR_SYS_DISPATCH_OFF,
                   on ? (long)start : 0, on ? (long)((uintptr_t)rt_guard_sigreturn_end - start + 1) : 0,
                   on ? (long)&guard->selector : 0, 0);
}
