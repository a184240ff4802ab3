/* errors.h - errors that end the program, and reports about the current call. */
#ifndef RT_ERRORS_H
#define RT_ERRORS_H

#include "base/runtime.h"
#include "diagnostics.h"

/* Reports a jump out of the kernel of `construct`, noticed in a call at `pc`, and ends the program. */
_Noreturn void rt_report_jump_out_of_kernel(uintptr_t construct, uintptr_t pc);
/* Reports an error with this code, at the current call if there is one, and ends the program. */
_Noreturn void rt_fatal(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports an error about the object with this name, and ends the program. */
_Noreturn void rt_fatal_about(const char *code, const char *object, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports the core's last error and ends the program. */
_Noreturn void rt_fail_with_core_error(void);
/* Ends the program with a report of the core's last error unless `status` is ACCD_OK. */
static inline void rt_check_status(accd_status status)
{
    if (__builtin_expect(status != ACCD_OK, 0))
        rt_fail_with_core_error();
}
/* Writes `bytes` bytes from host memory to the device address `dev`, and calls the hook `write`. Ends the program
 * on failure. */
static inline void rt_write_device(int device, uint64_t dev, const void *from, uint64_t bytes)
{
    assert(rt.context);
    rt_check_status(accd_copy_to_device(rt.context, device, dev, from, bytes));
    RT_CALL_HOOKS(write, device, dev, from, bytes);
}
/* Reports that the directive or routine at `site` is called inside a compute region ("target"), and ends the program.
 * If the program has jumped out of the thread's kernel, reports this as the reason instead. */
_Noreturn void rt_reject_nested_call(const struct rt_site *site, const char *region);
_Noreturn void rt_exit_with_error(void); /* ends the program with status 1; called within a call or a kernel */
/* Reports that the current call is an update without data, because gcc leaves out variables of declare directives. */
void rt_report_empty_update(void);
/* Returns the number, from 1 to at most 64, of a call that rt_report_empty_update has reported and whose directive
 * names `variable`, and stores its location; 0: there is none. */
size_t rt_find_empty_update(const char *variable, struct rt_related_location *location);
/* Reports that data mapped at `pc` were on the stack of a function that has returned. */
void rt_report_returned_variable(uintptr_t pc);

#endif
