/* accdeep_internal.h - what accdeep's own runtimes, bindings and tests need of the core beyond its public interface. It
 * is not installed; its functions may change with each version. */
#ifndef ACCDEEP_INTERNAL_H
#define ACCDEEP_INTERNAL_H

#include "accdeep_memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the configuration `from`, of any version of this header, to `to`, which has the size of this library's
 * version. ACCD_ERROR_MISUSE: `from` is shorter than the configuration of the first version, or has nonzero members
 * that this library does not know. */
ACCD_API accd_status accd__context_config_copy(accd_context_config *to, const accd_context_config *from);

/* Makes a context follow a copy of `rules`, which must be valid, from now on. Its state must have been made under rules
 * with the same knob `fusion`. A checkpoint restores the rules of its save. */
ACCD_API void accd__context_set_rules(accd_context *context, const accd_rules *rules);

/* ----------------------------------------------------------------------------- device memory -- */

/* Sets [*low_p, *high_p) to the address range of the device's own metadata about its memory, which the program must not
 * use. Returns 1, or 0 if there is no such range. */
ACCD_API int accd__device_metadata_range(accd_context *context, int device, uint64_t *low_p, uint64_t *high_p);
/* Returns the address of a byte of a "guarded" device that was written outside an allocation; returns 0 if there is no
 * such byte. The byte lies between the allocation and its guard page, or at most 64 bytes beyond the allocation's other
 * end. *block_p receives the beginning of the allocation. */
ACCD_API uint64_t accd__device_find_overrun(accd_context *context, int device, uint64_t *block_p);
/* Turns guard pages for later small allocations of a "guarded" device on (1, the default) or off (0). */
ACCD_API void accd__device_set_guards(accd_context *context, int device, int on);
/* Returns 1 if a device address lies in an excluded member of a present object, and describes the member in *info_p;
 * otherwise 0. A member is excluded if the mapping of its type leaves it out. */
ACCD_API int accd__excluded_at(accd_context *context, int device, uint64_t dev, accd_object_info *info_p);
/* Copies as accd_copy_to_device and accd_copy_from_device do, from or to host memory that need not be registered. */
ACCD_API accd_status accd__copy_unregistered(accd_context *context, int device, accd_direction direction, uint64_t to,
                                             uint64_t from, uint64_t bytes);

/* Functions that are called for operations on a device's memory: `alloc` after it, the others before. send and fetch:
 * transfers to the device and to the host. Addresses of a device that lies in this process are readable. host: the data
 * on the host, or the first data of an allocation; 0 or NULL: the bytes belong to no data, or the core computed them.
 */
typedef struct accd__memory_observer {
    void (*alloc)(uint64_t dev, uint64_t host, uint64_t bytes);
    void (*free)(uint64_t dev, uint64_t bytes);
    void (*send)(uint64_t dev, const void *host, uint64_t bytes);
    void (*fetch)(uint64_t dev, const void *host, uint64_t bytes);
} accd__memory_observer;
/* Returns a backend like `backend` that calls the functions of `observer`, which must not be changed later. A process
 * has one such backend: a second call replaces the first. Not for devices that transfer without staging ("cuda"). */
ACCD_API const accd_backend *accd__observe_memory(const accd_backend *backend, const accd__memory_observer *observer);

/* -------------------------------------------------------------------- order of queued work -- */

/* Stores the numbers of the first task of queue `number` that is not done, and of the last task. Returns 0 if all tasks
 * are done, otherwise 1. The queue must exist. */
ACCD_API int accd__queue_get_tasks(accd_context *context, int device, unsigned number, uint64_t *first_p,
                                   uint64_t *last_p);
/* Runs the tasks of queue `number` up to the task `last`, and the tasks of other queues for which they wait. Fails as
 * accd_queue_wait does. */
ACCD_API accd_status accd__queue_run_tasks(accd_context *context, int device, unsigned number, uint64_t last);
/* Runs the queued copies to the host that may write one of the `bytes` bytes at `host`, and all tasks before them in
 * their queues. Fails as accd_queue_wait does. */
ACCD_API accd_status accd__queue_finish_copies(accd_context *context, int device, const void *host, uint64_t bytes);
/* Sets the function that tells of a queued copy to the device whether its bytes are read at the construct (1), as host
 * memory may be gone later. Otherwise (0; captures NULL) they are read when the queue does the copy. With such a
 * function a construct that finds too little device memory waits for all queues of the device, and tries again. */
ACCD_API void accd__queue_set_captures(accd_context *context, int (*captures)(uint64_t host, uint64_t bytes));

/* ------------------------------------------------------------------- invariants and digests -- */

/* Checks all invariants, for tests. Returns NULL if all hold; otherwise a sentence about the first violation, in a
 * string that the context owns. Costs O(n log n). */
ACCD_API const char *accd__check_invariants(accd_context *context);
/* Returns a hash of present objects, attachments, levels and device bytes, with all addresses. Equal states have equal
 * hashes. Returns 0 without memory. */
ACCD_API uint64_t accd__state_digest(accd_context *context);

/* Hashes of the parts of a device's state. They do not depend on addresses: running the same program in another process
 * gives equal hashes. Only host memory of accd_host_register counts; its ranges are numbered in the order of
 * registration. An eight-byte word that holds an address in such a range, or the address of its end, is hashed as range
 * number and offset. A device address of present data is hashed by the host range and offset of these data. All other
 * device addresses have one common hash, except in `rest`, which hashes addresses of memory in use as offsets. */
typedef struct accd__digest_set {
    uint64_t host;     /* bytes of live registered host memory */
    uint64_t present;  /* ranges of present objects */
    uint64_t values;   /* bytes of present data on the device, and which bytes were written; independent of how the data
                          are divided into objects */
    uint64_t counters; /* reference counters; attached pointers with their targets and counters */
    uint64_t rest; /* further state on which later constructs depend: open regions, tuples of fusion (clauses whose data
                      share a block), flags of objects, work of queues, bytes of device memory without host data; also
                      the amount of device memory in use, but only if it exceeds half of the device's */
} accd__digest_set;
/* Sets *digests_p to the hashes of a device's state. `numbers` has n numbers that the first n ranges get in place of 1
 * to n; NULL: ranges keep their numbers. Exchanging two numbers gives the hashes of the program in which these two
 * ranges have exchanged their names. ACCD_ERROR_MISUSE: a construct or a kernel is under way. */
ACCD_API accd_status accd__state_digests(accd_context *context, int device, const uint32_t *numbers, size_t n,
                                         accd__digest_set *digests_p);

/* ----------------------------------------------------------------- tests of failure handling -- */

/* Makes the n-th device allocation from now on fail (1: the next one); n = 0: no allocation fails. Simulated devices
 * only. */
ACCD_API void accd__inject_allocation_failure(accd_context *context, int device, uint64_t n);
/* Makes the n-th copy from now on fail (1: the next one); n = 0: no copy fails. Simulated devices only. */
ACCD_API void accd__inject_copy_failure(accd_context *context, int device, uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
