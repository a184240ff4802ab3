/* accdeep_checkpoints.h - registered host memory; saving and restoring the state of a context; invariants, digests
 * and statistics of a state; failures injected by tests. accdeep_core.h includes this header. */
#ifndef ACCDEEP_CHECKPOINTS_H
#define ACCDEEP_CHECKPOINTS_H

#include "accdeep_core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------- registered host memory -- */

/* Registers host memory. With config.check_host, a section outside of all registered ranges is
 * ACCD_ERROR_OUT_OF_BOUNDS, with the name of the nearest range; nothing is read there (TR14-1.1-02). */
ACCD_API accd_status accd_host_register(accd_context *context, const void *start, uint64_t bytes,
                                        const accd_label *label);
/* Sets the state of the range that begins at start. live = 0: freed, but kept for messages; -1: removed. */
ACCD_API void accd_host_set_state(accd_context *context, const void *start, int live);
typedef struct accd_host_range {
    accd_object_info info;
    int live;
} accd_host_range;
/* Describes the registered range with an address. Returns 0 if there is none. */
ACCD_API int accd_host_at(accd_context *context, const void *address, accd_host_range *range_p);

/* Gives start and size of the live registered range with an address. Returns 0 if there is none. */
ACCD_API int accd_host_bounds(accd_context *context, const void *address, uint64_t *start_p, uint64_t *bytes_p);

/* ------------------------------------------------------------------------------ checkpoints -- */

/* Saved state of a context: its tables, devices, regions and queues, and the bytes of registered host memory that is
 * live. Labels and programs are no part of it. */
typedef struct accd_checkpoint accd_checkpoint;
/* Saves the state. The caller frees the checkpoint, before the context is closed. ACCD_ERROR_MISUSE: a construct or a
 * kernel is under way, or the context was opened without config.checkpoints. */
ACCD_API accd_status accd_checkpoint_new(accd_context *context, accd_checkpoint **checkpoint_p);
/* Restores the saved state; any number of times, in any order. Regions and bounds that ended since become valid again,
 * and those that were made since become invalid. Host memory that was registered and live must still exist. The
 * observer of events does not change. ACCD_ERROR_MISUSE: as above. */
ACCD_API accd_status accd_checkpoint_restore(accd_checkpoint *checkpoint);
ACCD_API void accd_checkpoint_free(accd_checkpoint *checkpoint);

/* ------------------------------------------------------------------- invariants and digests -- */

/* Checks all invariants, for tests. Returns NULL if they hold; otherwise a sentence about the first violation, which
 * the context owns. Costs O(n log n). */
ACCD_API const char *accd_check_invariants(accd_context *context);
/* Returns a hash of present objects, attachments, levels and device bytes: equal states have equal hashes. */
ACCD_API uint64_t accd_state_digest(accd_context *context);

/* Hashes of the parts of a device's state. They do not depend on addresses: running the same program in another process
 * gives equal hashes. Host memory is that of accd_host_register, and its ranges are numbered in the order of
 * registration. A word of eight bytes that is the address of a byte of such a range, or of its end, counts as that
 * number and an offset. So does the address of a byte of present data on a device. Other device addresses count as one;
 * in rest those of memory that is in use are offsets. */
typedef struct accd_digest_set {
    uint64_t host;    /* bytes of live registered host memory */
    uint64_t present; /* ranges of present objects */
    uint64_t values;  /* bytes of present data on the device, and which were written; independent of their division into
                         objects */
    uint64_t counters; /* reference counters; attached pointers with their targets and counters */
    uint64_t
        rest; /* state that decides what a later construct does: open regions, tuples, flags of objects, work of queues,
                 device memory in use if that is more than half of it, bytes of device memory without host data */
} accd_digest_set;
/* Computes the digests of a device's state. numbers: n numbers for the first ranges, in place of 1 to n; NULL: none.
 * Two exchanged numbers give the hashes of the program in which these ranges have exchanged their names.
 * ACCD_ERROR_MISUSE: a construct or a kernel is under way. */
ACCD_API accd_status accd_state_digests(accd_context *context, int device, const uint32_t *numbers, size_t n,
                                        accd_digest_set *digests_p);

/* ------------------------------------------------------------------------------- statistics -- */

typedef struct accd_stats {
    uint64_t live_bytes, live_allocations; /* allocations of device memory in use */
    uint64_t objects, attachments;         /* numbers of present objects and attached pointers */
    uint64_t allocations, frees;           /* numbers since the context was opened */
    uint64_t transfers[3], moved_bytes[3]; /* [0] h2d, [1] d2h, [2] d2d */
} accd_stats;
/* Writes the statistics of a device; all are 0 for an invalid device number. */
ACCD_API void accd_get_stats(accd_context *context, int device, accd_stats *stats_p);

/* ----------------------------------------------------------------- tests of failure handling -- */

/* Makes the n-th device allocation, or copy, from now on fail; 0: none. Simulated device only. */
ACCD_API void accd_inject_allocation_failure(accd_context *context, int device, uint64_t n);
ACCD_API void accd_inject_copy_failure(accd_context *context, int device, uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
