/* fault_context.h - registers and stack of the code that a fault has stopped. */
#ifndef RT_FAULT_CONTEXT_H
#define RT_FAULT_CONTEXT_H

#include "debuginfo/debug.h"

#include <string.h>
#include <sys/ucontext.h>

/* Captures registers and stack words in *stopped, inside of a signal handler. The stack must be readable up to the
 * address `end`. If `end` lies below the stack pointer, no words are captured. */
static inline void rt_capture_fault_context(struct accd__debug_fault_context *stopped, const greg_t *registers,
                                            uint64_t end)
{
    const uint64_t sp = (uint64_t)registers[REG_RSP], bytes = end > sp ? end - sp : 0;
    stopped->at = (struct accd__debug_call_frame){
        .pc = (uintptr_t)registers[REG_RIP] + 1, .sp = sp, .bp = (uintptr_t)registers[REG_RBP]};
    stopped->low = sp;
    stopped->n = (bytes < sizeof stopped->words ? bytes : sizeof stopped->words) / sizeof *stopped->words;
    memcpy(stopped->words, (const void *)(uintptr_t)sp, stopped->n * sizeof *stopped->words);
}
/* Captures registers, and as many stack words as can be read, in *stopped. Memory must not be protected. */
void rt_read_fault_context(struct accd__debug_fault_context *stopped, const greg_t *registers);
/* Returns the address of the fault in the program's own code; if a library has faulted, the return address of the
 * program's call of the library. Unwinds *stopped to that frame. */
uintptr_t rt_find_program_pc(struct accd__debug_fault_context *stopped);

#endif
