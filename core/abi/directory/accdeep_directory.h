/* accdeep_directory.h - data environments for runtimes: the small ABI of document DIR (Figure 4), with one call for
 * each directive and clause.
 *
 *     accd_stacks_new_dataE(stacks, 0);          #pragma acc data copyin(b[0:n]) copy(a[0:n])
 *     accd_stacks_read_pragma(stacks);           {
 *     accd_stacks_pragma_copyin(stacks, b, 0, n, sizeof b[0]);
 *     accd_stacks_pragma_copy(stacks, a, 0, n, sizeof a[0]);
 *     accd_stacks_write_pragma(stacks);
 *     ...                                            ...
 *     accd_stacks_end_dataE(stacks, 0);          }
 *
 * The names after the prefix accd_stacks_, and the parameters of clauses, are the document's. This header decides what
 * the document leaves open. A handle comes first instead of a global. Each call returns a status. Calls about a device
 * take its number. `present`, the two clauses of section 6 and non-nested environments have calls of their own.
 *
 * Each device has a stack of environments; the newest one is its current environment. Clauses are collected between
 * accd_stacks_read_pragma and accd_stacks_write_pragma, which executes them as one construct of the core. Data of one
 * base address, and data whose ranges intersect, then share one block of the device, at their true distances
 * (DIR-4.2-08, DIR-4.2-10). Devices share nothing; the same host data may be on several devices.
 *
 * A call that fails changes nothing: neither the device, nor the environments, nor the collected clauses.
 * accd_stacks_error gives the reason. One thread at a time uses a handle. Sizes are in bytes; lengths and first
 * elements count elements. Device addresses are uint64_t, as in accdeep_core.h. With the backend "direct" they can be
 * cast to pointers that kernels of this process follow.
 */
#ifndef ACCDEEP_DIRECTORY_H
#define ACCDEEP_DIRECTORY_H

#include "accdeep_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------- handles -- */

/* Handle: a stack of data environments for each device (DIR-4.1-01). */
typedef struct accd_stacks accd_stacks;

/* Opens the devices of a configuration, which is copied; NULL: one simulated device. Without rules the profile is
 * "directory". The caller frees the handle. Errors are those of accd_context_new. */
ACCD_API accd_status accd_stacks_new(accd_stacks **stacks_p, const accd_context_config *config);
/* Frees the handle, its context and all device memory. Nothing is copied to the host. NULL does nothing. */
ACCD_API void accd_stacks_free(accd_stacks *stacks);
/* Returns the core's context of the handle, for uses that have no function here: events, inspection, memory of
 * devices. The context belongs to the handle. The handle does not see environments that are opened or closed through
 * the context. Returns NULL for NULL. */
ACCD_API accd_context *accd_stacks_context(accd_stacks *stacks);
/* Returns the error of the last call below that failed; valid until the next call that fails. The error's member
 * `item` is the number of the clause since accd_stacks_read_pragma, from 0; SIZE_MAX: no single clause. Never NULL,
 * even if the handle is NULL. */
ACCD_API const accd_error *accd_stacks_error(const accd_stacks *stacks);

/* ----------------------------------------------------------------------- data environments -- */

/* These calls return ACCD_ERROR_MISUSE for a handle that is NULL, and if they are out of order (DIR-ABI-02). The order
 * is accd_stacks_new_dataE, accd_stacks_read_pragma, clauses, accd_stacks_write_pragma, without other calls between. */

/* Begins a directive that opens a data environment on top of the stack of a device. ACCD_ERROR_NO_DEVICE
 * (DIR-4.1-01). */
ACCD_API accd_status accd_stacks_new_dataE(accd_stacks *stacks, int device);
/* Begins the clauses of the directive that was begun. Clause functions may be called from now on. */
ACCD_API accd_status accd_stacks_read_pragma(accd_stacks *stacks);
/* Ends the clauses, and executes the directive: fuses, allocates, copies, and makes the environment the current one of
 * its device. If a clause fails, nothing is done, and the clauses are kept: they may be written again, for example when
 * more memory is free, or dropped. ACCD_ERROR_PARTIAL_OVERLAP: partially present data, or data that intersect another
 * clause's while neither contains the other (DIR-4.2-03). ACCD_ERROR_NOT_PRESENT, ACCD_ERROR_PARTIALLY_PRESENT,
 * ACCD_ERROR_OUT_OF_DEVICE_MEMORY, ACCD_ERROR_DEVICE, ACCD_ERROR_OUT_OF_MEMORY. */
ACCD_API accd_status accd_stacks_write_pragma(accd_stacks *stacks);
/* Closes the current environment of a device. Its clauses decide which data are copied to the host; fused data are
 * moved back to their places, and memory of the environment is freed (DIR-4.3-01 to DIR-4.3-04). ACCD_ERROR_NO_DEVICE;
 * ACCD_ERROR_REGION_NESTING: no environment is open (DIR-4.3-06); ACCD_ERROR_DEVICE, ACCD_ERROR_OUT_OF_MEMORY. */
ACCD_API accd_status accd_stacks_end_dataE(accd_stacks *stacks, int device);

/* Forgets the directive that was begun and not yet written, with its clauses, if there is one. Meant for code that
 * gives up after an error. NULL is accepted. */
ACCD_API void accd_stacks_drop_pragma(accd_stacks *stacks);
/* Closes the current environment of a device without copying to the host. Meant for code that gives up after an
 * error. On the device, fused data are moved back to their places. ACCD_ERROR_NO_DEVICE, ACCD_ERROR_REGION_NESTING. */
ACCD_API accd_status accd_stacks_drop_dataE(accd_stacks *stacks, int device);

/* ---------------------------------------------------------------------------------- clauses -- */

/* Adds a clause about elements first .. first + length - 1, of size bytes each, of the array at base. base is the host
 * address of element 0, mapped or not; data of one base keep their distances. A clause reads no host memory before
 * accd_stacks_write_pragma. With length 0 it does nothing. The memory must stay allocated until the environment is
 * closed.
 *
 * Errors of each clause. ACCD_ERROR_INVALID_SECTION: a negative length, elements of 0 bytes, bounds outside of the
 * address space. ACCD_ERROR_NULL_POINTER: a null base, unless the rules ignore it. ACCD_ERROR_OUT_OF_MEMORY. */
#define ACCD_CLAUSE(name) \
    ACCD_API accd_status name(accd_stacks *stacks, const void *base, int64_t first, int64_t length, uint64_t size)
/* These clauses copy nothing, at the start or at the end, if their data are present. But such data are fused with other
 * data of their base, and are found at their distance from the base. */
ACCD_CLAUSE(accd_stacks_pragma_copy);    /* copied to the device at the start, to the host at the end */
ACCD_CLAUSE(accd_stacks_pragma_copyin);  /* copied to the device at the start, not back */
ACCD_CLAUSE(accd_stacks_pragma_copyout); /* allocated at the start, copied to the host at the end */
ACCD_CLAUSE(accd_stacks_pragma_create);  /* allocated at the start, and never copied */
/* These clauses do what copy, copyin, copyout and create do, but data that are wholly present are not checked again
 * (DIR-4.2-02). */
ACCD_CLAUSE(accd_stacks_pragma_pcopy);
ACCD_CLAUSE(accd_stacks_pragma_pcopyin);
ACCD_CLAUSE(accd_stacks_pragma_pcopyout);
ACCD_CLAUSE(accd_stacks_pragma_pcreate);
/* Requires present data: else accd_stacks_write_pragma returns ACCD_ERROR_NOT_PRESENT or ACCD_ERROR_PARTIALLY_PRESENT.
 * Not in the document's table (DIR-ABI-01). */
ACCD_CLAUSE(accd_stacks_pragma_present);
/* Copies the absent part of partially present data to the device; both parts then share one block (DIR-6-03). */
ACCD_CLAUSE(accd_stacks_pragma_present_and_copyin);
/* Copies all of the data to the device, also the part that was present; all lie in one block (DIR-6-04). */
ACCD_CLAUSE(accd_stacks_pragma_update_and_copy);
#undef ACCD_CLAUSE

/* ------------------------------------------------------------ environments that do not nest -- */

/* Section 6 asks for environments that may end in any order, like `enter data` and `exit data`, and defines no calls.
 * Here they are directives with the same clauses between accd_stacks_read_pragma and accd_stacks_write_pragma. Their
 * data belong to the base level of the current environment: a list of data that outlive the environment (DIR-6-02,
 * DIR-6-05).
 *
 * accd_stacks_begin_data: data of the clauses stay until an end names them. accd_stacks_end_data: unmaps exactly what
 * accd_stacks_begin_data mapped, of any base; else ACCD_ERROR_NOT_PRESENT, ACCD_ERROR_PARTIALLY_PRESENT (DIR-6-01). The
 * clause of the end decides what is copied to the host: copy, copyout, and their p forms copy; others do not. So an end
 * that repeats the clauses of the beginning has their usual effect. Both: ACCD_ERROR_NO_DEVICE. With
 * accd_stacks_pragma_present: ACCD_ERROR_MISUSE. */
ACCD_API accd_status accd_stacks_begin_data(accd_stacks *stacks, int device);
ACCD_API accd_status accd_stacks_end_data(accd_stacks *stacks, int device);

/* --------------------------------------------------------------- inside of an environment -- */

/* Copies present elements, whichever environment mapped them. direction is ACCD_ACTION_UPDATE_DEVICE, to the
 * device, or ACCD_ACTION_UPDATE_SELF, to the host. Every byte must be present (DIR-ABI-03): ACCD_ERROR_NOT_PRESENT,
 * ACCD_ERROR_PARTIALLY_PRESENT. Also ACCD_ERROR_NO_DEVICE, and errors of clauses. */
ACCD_API accd_status accd_stacks_pragma_update(accd_stacks *stacks, int device, accd_action direction, const void *base,
                                               int64_t first, int64_t length, uint64_t size);
/* Sets *dev_p to the device address of a host address in the current environment of a device. It is valid until an
 * environment or data of the device are opened or closed, nested or not, because fusion moves data (DIR-4.1-05).
 * ACCD_ERROR_NO_DEVICE, ACCD_ERROR_NOT_PRESENT. */
ACCD_API accd_status accd_stacks_device_address(accd_stacks *stacks, int device, const void *host, uint64_t *dev_p);

#ifdef __cplusplus
}
#endif
#endif
