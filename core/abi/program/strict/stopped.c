/* stopped.c - the place in the program of an access inside of a library of the system, as in memcpy. */
#include "stopped.h"
#include "closing.h"

#include "abi/program/base/runtime.h"

#include <sys/uio.h>
#include <unistd.h>

void goacc_stopped_look(struct goacc_stopped *stopped, const greg_t *registers)
{
    enum { PIECES = sizeof stopped->words / GOACC_PAGE + 1 }; /* of pages: all before one that is not there are read */
    const uint64_t sp = (uint64_t)registers[REG_RSP];
    const struct iovec here = {stopped->words, sizeof stopped->words};
    struct iovec there[PIECES];
    uint64_t at = sp;
    for (int i = 0; i < PIECES; i++) {
        const uint64_t next = (at / GOACC_PAGE + 1) * GOACC_PAGE;
        there[i] = (struct iovec){(void *)(uintptr_t)at, next - at};
        at = next;
    }
    const ssize_t got = process_vm_readv(getpid(), &here, 1, there, PIECES, 0);
    goacc_stopped_note(stopped, registers, sp);
    stopped->n = got > 0 ? (size_t)got / sizeof *stopped->words : 0;
}

uintptr_t goacc_stopped_in_program(struct goacc_stopped *stopped)
{
    enum { FRAMES_MOST = 64 };
    if (stopped->at.pc <= GOACC_PAGE &&
        stopped->n) { /* a null pointer was called: the stack ends with the call */
        stopped->at.pc = stopped->words[0];
        stopped->at.sp += sizeof stopped->words[0];
    }
    const uintptr_t pc = stopped->at.pc;
    for (int i = 0; i < FRAMES_MOST && goacc_is_system_place(stopped->at.pc); i++)
        if (!goacc_step_out(stopped))
            return pc;
    return stopped->at.pc;
}
