/* accdeep_checkpoints.h - registered host memory; saving and restoring the state of a context; invariants, digests
 * and statistics of a state; failures injected by tests. accdeep_core.h includes this header. */
#ifndef ACCDEEP_CHECKPOINTS_H
#define ACCDEEP_CHECKPOINTS_H

#include "accdeep_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------- registered host memory -- */

/* Registers a range of host memory under the name of `label`. With config.check_host, a section outside of all
 * registered ranges fails with ACCD_ERROR_OUT_OF_BOUNDS, which names the nearest range, and none of its bytes are read
 * (TR14-1.1-02). */
ACCD_API accd_status accd_host_register(accd_context *context, const void *start, uint64_t bytes,
                                        const accd_label *label);
/* Sets the state of the registered range that begins at `start`. live = 1: usable; 0: freed, but still known to
 * messages; -1: no longer registered. */
ACCD_API void accd_host_set_state(accd_context *context, const void *start, int live);
typedef struct accd_host_range {
    accd_object_info info;
    int live;
} accd_host_range;
/* Describes the registered range that contains an address. Returns 1, or 0 if there is no such range. */
ACCD_API int accd_host_at(accd_context *context, const void *address, accd_host_range *range_p);

/* Gives start and size of the live registered range that contains an address. Returns 1, or 0 if there is no such
 * range. */
ACCD_API int accd_host_bounds(accd_context *context, const void *address, uint64_t *start_p, uint64_t *bytes_p);

/* ------------------------------------------------------------------------------ checkpoints -- */

/* Saved state of a context: tables, devices, regions, queues, and the bytes of live registered host memory. Labels and
 * programs are not saved. */
typedef struct accd_checkpoint accd_checkpoint;
/* Saves the state of a context in a new checkpoint, which the caller frees before closing the context.
 * ACCD_ERROR_MISUSE: a construct or a kernel is running, or the context was opened without config.checkpoints. */
ACCD_API accd_status accd_checkpoint_new(accd_context *context, accd_checkpoint **checkpoint_p);
/* Restores the saved state; checkpoints can be restored any number of times, in any order. Regions and bounds that
 * ended after the save become valid again; those made after it become invalid. Host memory that was registered and live
 * must still exist. The observer of events does not change. ACCD_ERROR_MISUSE: a construct or a kernel is running. */
ACCD_API accd_status accd_checkpoint_restore(accd_checkpoint *checkpoint);
/* Frees a checkpoint; NULL does nothing. */
ACCD_API void accd_checkpoint_free(accd_checkpoint *checkpoint);

/* ------------------------------------------------------------------- invariants and digests -- */

/* Checks all invariants, for tests. Returns NULL if all hold; otherwise a sentence about the first violation, in a
 * string that the context owns. Costs O(n log n). */
ACCD_API const char *accd_check_invariants(accd_context *context);
/* Returns a hash of present objects, attachments, levels and device bytes: equal states have equal hashes. */
ACCD_API uint64_t accd_state_digest(accd_context *context);

/* Hashes of the parts of a device's state. They do not depend on addresses: running the same program in another process
 * gives equal hashes. Only host memory of accd_host_register counts; its ranges are numbered in the order of
 * registration. An eight-byte word that holds an address in such a range, or the address of its end, is hashed as range
 * number and offset. A device address of present data is hashed by the host range and offset of these data. All other
 * device addresses have one common hash, except in `rest`, which hashes addresses of memory in use as offsets. */
typedef struct accd_digest_set {
    uint64_t host;     /* bytes of live registered host memory */
    uint64_t present;  /* ranges of present objects */
    uint64_t values;   /* bytes of present data on the device, and which bytes were written; independent of how the data
                          are divided into objects */
    uint64_t counters; /* reference counters; attached pointers with their targets and counters */
    uint64_t rest; /* state that decides what a later construct does: open regions, tuples, flags of objects, work of
                      queues, the amount of device memory in use if it exceeds half of the device, bytes of device
                      memory without host data */
} accd_digest_set;
/* Computes the digests of a device's state. `numbers` has n numbers that the first n ranges get in place of 1 to n;
 * NULL: ranges keep their numbers. Exchanging two numbers gives the hashes of the program in which these two ranges
 * have exchanged their names. ACCD_ERROR_MISUSE: a construct or a kernel is under way. */
ACCD_API accd_status accd_state_digests(accd_context *context, int device, const uint32_t *numbers, size_t n,
                                        accd_digest_set *digests_p);

/* ------------------------------------------------------------------------------- statistics -- */

typedef struct accd_stats {
    uint64_t live_bytes, live_allocations; /* allocations of device memory in use */
    uint64_t objects, attachments;         /* numbers of present objects and attached pointers */
    uint64_t allocations, frees;           /* numbers of allocations and frees since the context was opened */
    uint64_t transfers[3], moved_bytes[3]; /* numbers and bytes of transfers: [0] host to device, [1] device to host,
                                              [2] within the device */
} accd_stats;
/* Writes the statistics of a device to *stats_p; for an invalid device number, all members become 0. */
ACCD_API void accd_get_stats(accd_context *context, int device, accd_stats *stats_p);

/* ----------------------------------------------------------------- tests of failure handling -- */

/* Makes the n-th device allocation from now on fail; n = 0: no allocation fails. Simulated devices only. */
ACCD_API void accd_inject_allocation_failure(accd_context *context, int device, uint64_t n);
/* Makes the n-th copy from now on fail; n = 0: no copy fails. Simulated devices only. */
ACCD_API void accd_inject_copy_failure(accd_context *context, int device, uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
