/* accdeep_directory.h - data environments for runtimes: the small ABI of document DIR (Figure 4),
 * one call for each directive and clause.
 *
 *     accd_stacks_new_dataE(stacks, 0);          #pragma acc data copyin(b[0:n]) copy(a[0:n])
 *     accd_stacks_read_pragma(stacks);           {
 *     accd_stacks_pragma_copyin(stacks, b, 0, n, sizeof b[0]);
 *     accd_stacks_pragma_copy(stacks, a, 0, n, sizeof a[0]);
 *     accd_stacks_write_pragma(stacks);
 *     ...                                            ...
 *     accd_stacks_end_dataE(stacks, 0);          }
 *
 * Names are the document's behind the prefix accd_stacks_, and clause parameters are the document's.
 * What the document leaves open is decided here: a handle comes first instead of a global, everything
 * returns a status, calls that mean a device name it, and `present`, the two clauses of section 6 and non-nested environments have calls of their own.
 *
 * A stack for each device: the newest environment of a device is its current one. Clauses are
 * collected between accd_stacks_read_pragma and accd_stacks_write_pragma, which carries them out at
 * once, as one construct of the core: data of one base address, and data whose ranges intersect, then
 * lie in one block of the device at their true distances (DIR-4.2-08, DIR-4.2-10). Between two devices nothing is
 * shared; the same host data may be on several.
 *
 * A call that fails changes nothing: not the device, not the environments, not the clauses read so
 * far. accd_stacks_error says why. A handle is used by one thread at a time. Bytes are bytes,
 * lengths and first elements count elements, addresses of devices are uint64_t as in
 * accdeep_core.h; with the backend "direct" they can be cast to pointers that kernels of this
 * process follow.
 */
#ifndef ACCDEEP_DIRECTORY_H
#define ACCDEEP_DIRECTORY_H

#include "accdeep_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------- handles -- */

/* A stack of data environments for each device (DIR-4.1-01). */
typedef struct accd_stacks accd_stacks;

/* Opens the devices of a configuration, which is copied; NULL: one simulated device. Without rules
 * it gets the profile "directory". The caller closes it. What accd_context_open returns. */
ACCD_API accd_status accd_stacks_open(accd_stacks **stacks_p, const accd_context_config *config);
/* Frees it with its context and all device memory. Nothing is copied to the host. */
ACCD_API void accd_stacks_close(accd_stacks *stacks);
/* The context below, for everything else: events, inspection, memory of devices. It belongs to the
 * handle; environments that are opened and closed through it directly are not seen here. NULL for NULL. */
ACCD_API accd_context *accd_stacks_context(accd_stacks *stacks);
/* The error of the last call below that failed; valid until the next one. Its item is the number of
 * the clause since accd_stacks_read_pragma, from 0, or SIZE_MAX. Never NULL: of a handle that is NULL it
 * says so. */
ACCD_API const accd_error *accd_stacks_error(const accd_stacks *stacks);

/* ----------------------------------------------------------------------- data environments -- */

/* All of these: ACCD_MISUSE for a handle that is NULL, and for calls out of order (DIR-ABI-02):
 * accd_stacks_new_dataE, accd_stacks_read_pragma, clauses, accd_stacks_write_pragma, and nothing
 * else between. */

/* Begins a directive that opens a data environment on a device, on top of its stack.
 * ACCD_NO_DEVICE. */
ACCD_API accd_status accd_stacks_new_dataE(accd_stacks *stacks, int device);
/* Its clauses follow. */
ACCD_API accd_status accd_stacks_read_pragma(accd_stacks *stacks);
/* All clauses are read: fuses, allocates, copies, and makes the environment the current one of its
 * device. Fails as a whole, and the clauses stay as they are: they may be written again when there
 * is more memory, or given up. ACCD_PARTIAL_OVERLAP for data of which only a part is present,
 * and for data that intersect another clause's while neither holds the other (DIR-4.2-03), ACCD_NOT_PRESENT,
 * ACCD_PARTIALLY_PRESENT, ACCD_OUT_OF_DEVICE_MEMORY, ACCD_DEVICE_ERROR, ACCD_OUT_OF_MEMORY. */
ACCD_API accd_status accd_stacks_write_pragma(accd_stacks *stacks);
/* Closes the current environment of a device: copies to the host what its own clauses ask for,
 * moves what was fused back to its place, frees what it allocated (DIR-4.3-01 to DIR-4.3-04).
 * ACCD_NO_DEVICE, ACCD_REGION_NESTING: none is open (DIR-4.3-06), ACCD_DEVICE_ERROR,
 * ACCD_OUT_OF_MEMORY. */
ACCD_API accd_status accd_stacks_end_dataE(accd_stacks *stacks, int device);

/* For unwinding. Forgets a directive that was begun and not yet written, with its clauses, if there
 * is one. NULL is accepted. */
ACCD_API void accd_stacks_drop_pragma(accd_stacks *stacks);
/* Closes the current environment of a device without moving or writing anything to the host; within
 * the device, what was fused goes back to its place. ACCD_NO_DEVICE, ACCD_REGION_NESTING. */
ACCD_API accd_status accd_stacks_drop_dataE(accd_stacks *stacks, int device);

/* ---------------------------------------------------------------------------------- clauses -- */

/* Elements first .. first + length - 1, of so many bytes each, of what begins at base: base is the
 * host address of element 0, whether that is mapped or not, and data of one base are kept at their
 * distances. Nothing is read from there before accd_stacks_write_pragma. Without elements a clause does
 * nothing. The bytes must stay allocated until the environment is closed.
 *
 * Each: ACCD_INVALID_SECTION for a negative length, elements of no bytes, bounds that do not fit
 * into memory; ACCD_NULL_POINTER for a null base, unless the rules ignore those;
 * ACCD_OUT_OF_MEMORY. */
#define ACCD_CLAUSE(name)                                                           \
    ACCD_API accd_status name(accd_stacks *stacks, const void *base, int64_t first, \
                              int64_t length, uint64_t size)
/* Data that are present already stay as they are, at both ends, whatever the clause says; but they
 * are fused with others of its base, and found where its base puts them. */
ACCD_CLAUSE(accd_stacks_pragma_copy);    /* sent when the environment opens, fetched when it closes */
ACCD_CLAUSE(accd_stacks_pragma_copyin);  /* sent */
ACCD_CLAUSE(accd_stacks_pragma_copyout); /* allocated, fetched */
ACCD_CLAUSE(accd_stacks_pragma_create);  /* allocated */
/* The same. Data that are present as a whole are not even looked at again (DIR-4.2-02). */
ACCD_CLAUSE(accd_stacks_pragma_pcopy);
ACCD_CLAUSE(accd_stacks_pragma_pcopyin);
ACCD_CLAUSE(accd_stacks_pragma_pcopyout);
ACCD_CLAUSE(accd_stacks_pragma_pcreate);
/* The data must be there: ACCD_NOT_PRESENT, ACCD_PARTIALLY_PRESENT from accd_stacks_write_pragma. Not in the
 * document's table (DIR-ABI-01). */
ACCD_CLAUSE(accd_stacks_pragma_present);
/* Data of which a part is present: the rest is sent, and all of it lies in one block (DIR-6-03). */
ACCD_CLAUSE(accd_stacks_pragma_present_and_copyin);
/* The same, but all of it is sent, the part that is present, too (DIR-6-04). */
ACCD_CLAUSE(accd_stacks_pragma_update_and_copy);
#undef ACCD_CLAUSE

/* ------------------------------------------------------------ environments that do not nest -- */

/* Section 6 wants environments whose end is not bound to that of others, like `enter data` and
 * `exit data`, and gives no calls. Ours are directives with the same clauses between accd_stacks_read_pragma
 * and accd_stacks_write_pragma. Their data belong to the floor above the current level and outlive it
 * (DIR-6-02, DIR-6-05).
 *
 * accd_stacks_begin_data: what the clauses name stays until an end names it. accd_stacks_end_data:
 * gives back exactly what accd_stacks_begin_data opened, whatever its base: ACCD_NOT_PRESENT,
 * ACCD_PARTIALLY_PRESENT otherwise
 * (DIR-6-01). The clause of the end decides what is fetched: copy, copyout and their p kinds fetch,
 * the others do not, so that an end that repeats the clauses of the beginning does what they say.
 * Both: ACCD_NO_DEVICE, and for accd_stacks_pragma_present in between ACCD_MISUSE. */
ACCD_API accd_status accd_stacks_begin_data(accd_stacks *stacks, int device);
ACCD_API accd_status accd_stacks_end_data(accd_stacks *stacks, int device);

/* --------------------------------------------------------------- inside of an environment -- */

/* Moves elements between the host and where they lie now, in whichever environment they came.
 * direction is ACCD_UPDATE_DEVICE, to the device, or ACCD_UPDATE_SELF, to the host. Every byte must
 * be present (DIR-ABI-03): ACCD_NOT_PRESENT, ACCD_PARTIALLY_PRESENT. Also ACCD_NO_DEVICE, and
 * errors of clauses. */
ACCD_API accd_status accd_stacks_pragma_update(accd_stacks *stacks, int device, accd_action direction,
                                               const void *base, int64_t first, int64_t length,
                                               uint64_t size);
/* The device address of a host address in the current environment of a device. It holds until an
 * environment or data of the device are opened or closed, nested or not: fusion moves data (DIR-4.1-05).
 * ACCD_NO_DEVICE, ACCD_NOT_PRESENT. */
ACCD_API accd_status accd_stacks_device_address(accd_stacks *stacks, int device, const void *host,
                                                uint64_t *dev_p);

#ifdef __cplusplus
}
#endif
#endif
