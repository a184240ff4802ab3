/* fault_context.h - registers and stack of the code that a fault has stopped. */
#ifndef RT_FAULT_CONTEXT_H
#define RT_FAULT_CONTEXT_H

#include "debuginfo/debug.h"

#include <string.h>
#include <sys/ucontext.h>

/* Captures registers and stack words in *fault_context, inside of a signal handler. The stack must be readable up to
 * the address `end`. If `end` lies below the stack pointer, no words are captured. */
static inline void rt_capture_fault_context(struct accd__debug_fault_context *fault_context, const greg_t *registers,
                                            uint64_t end)
{
    const uint64_t sp = (uint64_t)registers[REG_RSP], bytes = end > sp ? end - sp : 0;
    fault_context->at = (struct accd__debug_call_frame){
        .pc = (uintptr_t)registers[REG_RIP] + 1, .sp = sp, .bp = (uintptr_t)registers[REG_RBP]};
    fault_context->low = sp;
    fault_context->n =
        (bytes < sizeof fault_context->words ? bytes : sizeof fault_context->words) / sizeof *fault_context->words;
    memcpy(fault_context->words, (const void *)(uintptr_t)sp, fault_context->n * sizeof *fault_context->words);
}
/* Captures registers, and as many stack words as can be read, in *fault_context. Memory must not be protected. */
void rt_read_fault_context(struct accd__debug_fault_context *fault_context, const greg_t *registers);
/* Returns the address of the fault in the program's own code; if a library has faulted, the return address of the
 * program's call of the library. Unwinds *fault_context to that frame. */
uintptr_t rt_find_program_pc(struct accd__debug_fault_context *fault_context);

#endif
