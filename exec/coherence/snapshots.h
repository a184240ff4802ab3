/* snapshots.h - finds stale data by copies of mapped data. */
#ifndef RT_SNAPSHOTS_H
#define RT_SNAPSHOTS_H

#include "base/runtime.h"

/* Hooks before a construct; after a region was opened; before a region ends (`kernel`: the region has run a
 * kernel). */
void rt_snapshot_before_construct(const struct rt_thread *self, accd_construct_kind kind, const accd_item *items,
                                  size_t nitems);
void rt_snapshot_enter_region(const struct rt_thread *self, const accd_item *items, size_t nitems);
void rt_snapshot_leave_region(struct rt_thread *self, bool kernel);
/* Hook before a routine copies between the two sides of a present object, the transfer `event`. */
void rt_snapshot_before_transfer(const accd_event *event);
/* Hook before the runtime unmaps data that no directive unmaps. */
void rt_snapshot_before_unmap(int device, uint64_t host, uint64_t bytes);
void rt_snapshot_event(const accd_event *event);
/* True if the transfer of `event`, which has just been made, changed a byte of its target, or if the old
 * bytes are not known. Called before rt_snapshot_event gets the event. */
bool rt_is_changing_transfer(const accd_event *event);
/* Checks the declared variables that a finished kernel uses, before rt_snapshot_leave_region. */
void rt_snapshot_check_declared(int device, const struct rt_kernel *kernel);
/* Hook `map_declared` of strict runs, for a declared variable that is mapped: `initial`, its value at the
 * program's start, becomes the host's snapshot. NULL: the variable is unmapped, and its object is removed. */
void rt_snapshot_set_initial(int device, const char *host, const char *initial, uint64_t bytes);
/* Records a write by the runtime (hook `write`) to device memory at `dev`, so that no kernel is held
 * responsible. host: source of the bytes; if it is the host address of the data, both sides agree from now
 * on. */
void rt_snapshot_device_write(int device, uint64_t dev, const void *host, uint64_t bytes);
void rt_snapshot_finish(void);
/* Returns true if all n bytes (n is not 0) hold poison, the value of device memory that was never written. */
static inline bool rt_is_poisoned(const void *bytes, uint64_t n)
{
    const unsigned char *first = bytes;
    assert(n);
    return *first == ACCD_POISON && !memcmp(first, first + 1, n - 1);
}

#endif
