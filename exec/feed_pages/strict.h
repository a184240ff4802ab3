/* strict.h - strict runs: protection of device memory, guarded kernels, and final checks. */
#ifndef RT_STRICT_H
#define RT_STRICT_H

#include "base/runtime.h"

#include <signal.h>
#include <ucontext.h>

void rt_unprotect_devices(void); /* opens device memory to the host at the start of a call */
/* Protects device memory at the end of a call. sampling: decision whether the call was checked. */
void rt_protect_devices(enum rt_sampling sampling);
void rt_unprotect_devices_until_next_call(void); /* opens device memory until the next call ends */
/* Opens device memory until the next call ends and returns true, if MPI makes the current access; else false. */
bool rt_unprotect_devices_for_mpi(void);
/* Reports that a kernel uses `value`, which is not an address, as a pointer. pc: address of the access in the program;
 * region: for example "the compute region". */
void rt_report_wild_pointer(const struct rt_site *site, uint64_t value, uintptr_t pc, const char *actor);
/* Handles a fault of a kernel that is not guarded: reports the fault, ends the program, and does not return.
 * Returns if the thread runs no such kernel, or has left it by a jump. */
void rt_handle_unguarded_fault(const siginfo_t *info, const ucontext_t *context);
/* Runs a kernel with the page guard, which protects the host's memory. Reports a kernel's host access, and
 * ends the program. */
void rt_run_guarded_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel);
/* Reports a finished kernel that wrote to the gaps between data on the device, and ends the program. */
void rt_check_device_gaps(int device);
/* Reports variables of a compute construct that may be meant to be firstprivate: small present ones, in
 * copyin clauses, whose values differ on host and device. */
void rt_check_private_scalars(const struct rt_thread *self, const accd_item *items, size_t nitems);
void rt_strict_finish(void); /* runs the final checks of strict and instrumented runs */

#endif
