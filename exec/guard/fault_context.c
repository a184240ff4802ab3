/* fault_context.c - finds the program's own code that makes an access, also if a library of the system makes it for the
 * program, as memcpy does. */
#include "fault_context.h"
#include "protection_map.h"

#include "base/runtime.h"
#include "diag/symbolize.h"

#include <sys/uio.h>
#include <unistd.h>

/* Stores registers and as many stack words as a system call can read in *fault_context. */
void rt_read_fault_context(struct accd__debug_fault_context *fault_context, const greg_t *registers)
{
    enum {
        PIECES = sizeof fault_context->words / RT_PAGE_SIZE + 1
        /* Number of pages that the words may lie on. Each page is a piece of the read of its own, so that the
         * pages before an unmapped one are read. */
    };
    const uint64_t sp = (uint64_t)registers[REG_RSP];
    const struct iovec local = {fault_context->words, sizeof fault_context->words};
    struct iovec remote[PIECES];
    uint64_t at = sp;
    for (int i = 0; i < PIECES; i++) {
        const uint64_t next = (at / RT_PAGE_SIZE + 1) * RT_PAGE_SIZE;
        remote[i] = (struct iovec){(void *)(uintptr_t)at, next - at};
        at = next;
    }
    const ssize_t nread = process_vm_readv(getpid(), &local, 1, remote, PIECES, 0);
    rt_capture_fault_context(fault_context, registers, sp);
    fault_context->n = nread > 0 ? (size_t)nread / sizeof *fault_context->words : 0;
}

/* Unwinds *fault_context through code of the system, at most FRAMES_MOST frames, and returns the address
 * reached in the program. Returns the address of the fault if the stack cannot be unwound to the program. */
uintptr_t rt_find_program_pc(struct accd__debug_fault_context *fault_context)
{
    enum { FRAMES_MOST = 64 };
    if (fault_context->at.pc <= RT_PAGE_SIZE &&
        /* A null pointer was called, so the return address is the first word of the stack. */
        fault_context->n) {
        fault_context->at.pc = fault_context->words[0];
        fault_context->at.sp += sizeof fault_context->words[0];
    }
    const uintptr_t pc = fault_context->at.pc;
    for (int i = 0; i < FRAMES_MOST && rt_is_system_code(fault_context->at.pc); i++)
        if (!rt_unwind_frame(fault_context))
            return pc;
    return fault_context->at.pc;
}
