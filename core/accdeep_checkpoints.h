/* accdeep_checkpoints.h - registered host memory; saving and restoring the state of a context; statistics.
 * accdeep_core.h includes this header. */
#ifndef ACCDEEP_CHECKPOINTS_H
#define ACCDEEP_CHECKPOINTS_H

#include "accdeep_programs.h"

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
 * messages; -1: no longer registered. Does nothing if no range begins there. */
ACCD_API void accd_host_set_state(accd_context *context, const void *start, int live);
typedef struct accd_host_range {
    accd_object_info info;
    int live;
} accd_host_range;
/* Describes in *range_p the registered range, live or freed, that contains an address. Returns 1, or 0 if there is no
 * such range. */
ACCD_API int accd_host_at(accd_context *context, const void *address, accd_host_range *range_p);

/* Sets *start_p and *bytes_p to the live registered range that contains an address. Returns 1, or 0 if there is no such
 * range. */
ACCD_API int accd_host_bounds(accd_context *context, const void *address, uint64_t *start_p, uint64_t *bytes_p);

/* ------------------------------------------------------------------------------ checkpoints -- */

/* Saved state of a context: tables, devices, regions, queues, and the bytes of live registered host memory. Labels and
 * programs are not saved. */
typedef struct accd_checkpoint accd_checkpoint;
/* Saves the state of a context in a new checkpoint, *checkpoint_p, which the caller frees before closing the context.
 * ACCD_ERROR_MISUSE: a construct or a kernel is running, or the context was opened without config.checkpoints. */
ACCD_API accd_status accd_checkpoint_new(accd_context *context, accd_checkpoint **checkpoint_p);
/* Restores the state of the context at the save; a checkpoint can be restored any number of times, in any order.
 * Regions and bounds that ended after the save become valid again; those made after it become invalid. Host memory that
 * was registered and live at the save must still exist. The observer of events does not change. ACCD_ERROR_MISUSE: a
 * construct or a kernel is running. */
ACCD_API accd_status accd_checkpoint_restore(accd_checkpoint *checkpoint);
/* Frees a checkpoint; NULL does nothing. */
ACCD_API void accd_checkpoint_free(accd_checkpoint *checkpoint);

/* ------------------------------------------------------------------------------- statistics -- */

typedef struct accd_stats {
    uint64_t live_bytes, live_allocations; /* device memory in use: bytes and number of allocations */
    uint64_t objects, attachments;         /* numbers of present objects and attached pointers */
    uint64_t allocations, frees;           /* numbers of allocations and frees since the context was opened */
    uint64_t transfers[3], moved_bytes[3]; /* numbers and bytes of transfers: [0] host to device, [1] device to host,
                                              [2] within the device */
} accd_stats;
/* Writes the statistics of a device to *stats_p; for an invalid device number, all members become 0. */
ACCD_API void accd_get_stats(accd_context *context, int device, accd_stats *stats_p);

#ifdef __cplusplus
}
#endif

#endif
