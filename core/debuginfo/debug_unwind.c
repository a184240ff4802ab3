/* debug_unwind.c - finds the caller of a function that was stopped, by the unwinding rules of its file. */
#include "debug.h"

#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <assert.h>
#include <stdlib.h>

enum { RBP = 6, RSP = 7 }; /* DWARF's numbers of the frame pointer and stack pointer registers */

/* Sets *to to the word at `address` in the copied stack; returns false if it is outside of the copy, or not aligned. */
static bool get_stack_word(const struct accd__debug_fault_context *stopped, uint64_t address, uintptr_t *to)
{
    assert(stopped->n <= ACCD__DEBUG_FAULT_STACK_WORDS);
    const uint64_t offset = address - stopped->low;
    if (offset % sizeof *to || offset / sizeof *to >= stopped->n)
        return false;
    *to = stopped->words[offset / sizeof *to];
    return true;
}

/* Returns the value of the caller's register rbp, by the unwinding rules `frame` and the CFA (stack pointer before the
 * call). The caller may use rbp for any value. 0: not known, because the rule is not supported or the word is not in
 * the copied stack. */
static uintptr_t get_caller_frame_pointer(const struct accd__debug_info *debug, Dwarf_Frame *frame, uint64_t cfa,
                                          const struct accd__debug_fault_context *stopped)
{
    Dwarf_Op memory[3], *ops;
    uintptr_t frame_pointer;
    size_t n;
    if (debug->dw.dwarf_frame_register(frame, RBP, memory, &ops, &n) != 0)
        return 0;
    if (!n)
        return ops ? 0 : stopped->at.bp;
    const bool added = n == 2 && ops[1].atom == DW_OP_plus_uconst;
    return ops[0].atom == DW_OP_call_frame_cfa && (n == 1 || added) &&
                   get_stack_word(stopped, cfa + (added ? ops[1].number : 0), &frame_pointer)
               ? frame_pointer
               : 0;
}

/* Replaces stopped->at by the call in the caller of the stopped function, and returns true. Returns false, without a
 * change, if there are no unwinding rules, or the return address is outside of the copied stack. Also returns false if
 * the CFA (stack pointer before the call) is not relative to rsp or rbp, or not above the stack pointer. */
bool accd__debug_unwind_frame(struct accd__debug_info *debug, struct accd__debug_fault_context *stopped)
{
    const struct accd__debug_module *module = accd__find_module(debug, stopped->at.pc - 1);
    Dwarf_Frame *frame = module ? accd__find_frame(debug, module, stopped->at.pc) : NULL;
    struct accd__debug_call_frame caller;
    Dwarf_Op *ops;
    size_t n;
    bool is_found = false;
    if (frame && debug->dw.dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1 && ops->atom == DW_OP_bregx &&
        (ops->number == RSP || (ops->number == RBP && stopped->at.bp))) {
        caller.sp = (ops->number == RSP ? stopped->at.sp : stopped->at.bp) + ops->number2;
        caller.bp = get_caller_frame_pointer(debug, frame, caller.sp, stopped);
        is_found = caller.sp > stopped->at.sp && get_stack_word(stopped, caller.sp - sizeof caller.pc, &caller.pc);
    }
    free(frame);
    if (is_found)
        stopped->at = caller;
    return is_found;
}

#else

bool accd__debug_unwind_frame(struct accd__debug_info *debug, struct accd__debug_fault_context *stopped)
{
    (void)debug, (void)stopped;
    return false;
}

#endif
