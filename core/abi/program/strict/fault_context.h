/* fault_context.h - kernels that were stopped by an access inside of a library of the system. */
#ifndef RT_FAULT_CONTEXT_H
#define RT_FAULT_CONTEXT_H

#include "debuginfo/debug.h"

#include <string.h>
#include <sys/ucontext.h>

/* Inside a signal handler: what the kernel has left on a stack that can be read up to end. */
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
/* The same where the stack may end anywhere; no memory is closed. */
void rt_read_fault_context(struct accd__debug_fault_context *stopped, const greg_t *registers);
/* The place of the access in the program's own code: of the access itself, or of the call of the library. */
uintptr_t rt_find_program_pc(struct accd__debug_fault_context *stopped);

#endif
