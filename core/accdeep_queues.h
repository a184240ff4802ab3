/* accdeep_queues.h - activity queues (OpenACC's async), and what kernels need of device memory. accdeep_core.h includes
 * this header and has the conventions. */
#ifndef ACCDEEP_QUEUES_H
#define ACCDEEP_QUEUES_H

#include "accdeep_constructs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------- activity queues -- */

/* A queue is a list of work of one device. A queue does its work in order. Queues are independent of each other, and of
 * work without a queue (ACC33-async-2). Presence, counters and levels change at the construct, in program order, with
 * any queue (ACC33-2.6.7-4). The queue holds the construct's transfers, the pointers it writes on the device, its
 * kernel, and the device memory it frees. accd_queue_mode decides when this work is done:
 * - in order, the default: at once, at the construct; waits have nothing to do.
 * - delayed: at the wait. Transfers then copy the bytes that host memory holds at the wait.
 * - concurrent: while the program continues, with the result of doing it at the construct. Later work on the same
 *   memory waits for this work. All work is complete at the wait, including copies to the host.
 *
 * A wait fails with the error of the first operation that failed, reported at its construct. The failed operation is
 * then over, and the next wait continues with the one after it. */

/* Sets *queue_p to the number, never 0, of the device's queue with this async value; the first call makes the queue.
 * ACCD_ERROR_NO_DEVICE, ACCD_ERROR_OUT_OF_MEMORY (ACC33-async-1). */
ACCD_API accd_status accd_queue_get(accd_context *context, int device, int64_t async, unsigned *queue_p);
/* Waits until a queue, or with queue = 0 each queue of the device, has done its work. ACCD_ERROR_MISSING_WAIT: the host
 * has freed memory that a queued transfer needs. In delayed mode, a construct that would remove data which a queue
 * still needs returns ACCD_ERROR_MISSING_WAIT, too, and changes nothing. The construct succeeds if it is itself in that
 * queue, or in a queue that waits for that queue (ACC33-async-5). */
ACCD_API accd_status accd_queue_wait(accd_context *context, int device, unsigned queue);
/* Makes later work of `queue` wait for the work that queue `other` of `other_device` has now (ACC33-async-5). */
ACCD_API accd_status accd_queue_wait_for(accd_context *context, int device, unsigned queue, int other_device,
                                         unsigned other);
/* Reports a wait to the observer as an event: queue number `queue` (0: the program) waits for queue `other` of
 * `other_device` (0: all queues of that device). `file`, `line`: source location of the wait. accd_queue_wait_for and
 * accd_queue_wait report nothing, because a program may have other reasons to wait. */
ACCD_API void accd_report_wait(accd_context *context, int device, unsigned queue, int other_device, unsigned other,
                               const char *file, int line);
/* Sets *done_p to 1 if a queue, or with queue = 0 each queue of the device, has done its work; else to 0. The call does
 * not wait. In delayed mode the first call after new work gives 0, and the next one does the work, so polling ends. In
 * concurrent mode the device decides (ACC33-async-5). */
ACCD_API accd_status accd_queue_test(accd_context *context, int device, unsigned queue, int *done_p);

/* Function that the host runs for a queue, with the data `ud`. The queue calls it exactly once with another value than
 * ACCD_CALL_RETAIN; that call ends the use of `ud`. Each ACCD_CALL_RETAIN (a checkpoint is taken or restored) adds one
 * such call. The function returns 0, or another number for a failure (ACCD_ERROR_CALLBACK). It may read and write
 * device memory, but not run constructs. */
typedef enum accd_host_call {
    ACCD_CALL_DISCARD,     /* the work is dropped: only release `ud` */
    ACCD_CALL_RUN,         /* do the work, then release `ud` */
    ACCD_CALL_KERNEL_DONE, /* the device has run the kernel: only release `ud` */
    ACCD_CALL_RETAIN       /* keep `ud` for one more call, and return 0 */
} accd_host_call;
typedef int (*accd_host_fn)(void *ud, accd_host_call call);
/* Runs a function in a queue: in delayed mode at the wait, otherwise at once, after the queue's unfinished work. The
 * queue owns `ud` if the call returns ACCD_OK, or ACCD_ERROR_CALLBACK because this function or one queued before it
 * failed. After other errors the caller still owns `ud`. */
ACCD_API accd_status accd_queue_call(accd_context *context, int device, unsigned queue, accd_host_fn fn, void *ud);
/* Runs the function `fn` as the kernel of an open compute region, in the queue of the region's construct, with the
 * timing and the errors of accd_queue_call. The kernel uses the data that the region names, the targets of their
 * attached pointers, and the data at the n device addresses `devs`, all as they are now. */
ACCD_API accd_status accd_launch_function(accd_region *region, const uint64_t *devs, size_t n, accd_host_fn fn,
                                          void *ud);

typedef struct accd_queue_info {
    int64_t async;  /* async value by which the program names the queue */
    size_t pending; /* number of transfers and kernels not yet done */
} accd_queue_info;
/* Describes in *info_p queue number `queue`, from 1, of a device. Returns 1, or 0 if there is no such queue. */
ACCD_API int accd_queue_get_info(accd_context *context, int device, unsigned queue, accd_queue_info *info_p);

/* ------------------------------------------------------------------- device side of a kernel -- */

/* Writes to `to` (`capacity` bytes) the name of the part of a present object at a device address, "X.a" or "Y[3].n". A
 * longer name is cut. */
ACCD_API void accd_format_name_at(accd_context *context, int device, uint64_t dev, char *to, size_t capacity);
/* Sets [*low_p, *high_p) to the device range of the present object that contains device address `dev`. Returns 1, or 0
 * if there is no such object. */
ACCD_API int accd_device_bounds(accd_context *context, int device, uint64_t dev, uint64_t *low_p, uint64_t *high_p);
/* Sets [*low_p, *high_p) to the range of device addresses in the memory of this process, for kernels that the program
 * runs itself. Returns 1, or 0 if such kernels cannot use the device's memory. */
ACCD_API int accd_device_address_space(accd_context *context, int device, uint64_t *low_p, uint64_t *high_p);
/* Sets [*low_p, *high_p) to the device range of the target of the attached pointer at host address `slot`; the range is
 * empty if the target is unmapped. Returns 1, or 0 if the pointer is not attached, or its device copy does not hold the
 * address `dev`. */
ACCD_API int accd_attached_range(accd_context *context, int device, const void *slot, uint64_t dev, uint64_t *low_p,
                                 uint64_t *high_p);
/* Read and write `bytes` bytes of device memory at `dev`, with the checks of a kernel: accd_device_read copies them to
 * `to`, accd_device_write from `from`. Errors:
 * - ACCD_ERROR_UNINITIALIZED_READ: bytes that were never written, on the simulated device;
 * - ACCD_ERROR_EXCLUDED_MEMBER: bytes of an excluded member;
 * - ACCD_ERROR_HOST_POINTER_ON_DEVICE: not a device address; ACCD_ERROR_OUT_OF_BOUNDS;
 * - ACCD_ERROR_POINTER_CHANGED: a write to an attached pointer (TR14-1.2-06, TR14-1.2-10, TR14-3.1.1-14). */
ACCD_API accd_status accd_device_read(accd_context *context, int device, uint64_t dev, void *to, uint64_t bytes);
ACCD_API accd_status accd_device_write(accd_context *context, int device, uint64_t dev, const void *from,
                                       uint64_t bytes);
/* Returns the number of bytes in the device range [dev, dev + bytes) that were written since their allocation. Returns
 * -1 if the device does not record writes, or the range is not allocated. */
ACCD_API int64_t accd_device_count_written(accd_context *context, int device, uint64_t dev, uint64_t bytes);
/* Kernels that the device runs itself. The text is for the device's compiler, with the entry points accd_body,
 * accd_save and accd_restore (lua/accdeep/backend/cuda). A kernel makes only accesses that accd_device_read and
 * accd_device_write accept. At any other access the kernel stops, and its writes are undone; the caller then interprets
 * the kernel with accd_device_read and accd_device_write, which find the error. */
typedef struct accd_kernel_pointer {
    uint64_t at, low, high; /* device address `at`, and the range [low, high) into which it points */
} accd_kernel_pointer;
typedef struct accd_kernel_slot { /* pointer in device memory that the kernel may follow */
    uint64_t at, bytes;           /* address and size of the pointer; bytes = 0: kernels may change the pointer */
    uint64_t value, low, high;    /* range [low, high) into which the pointer points while it holds `value` */
} accd_kernel_slot;
typedef struct accd_kernel {
    const char *text;                    /* source text of the kernel */
    const accd_kernel_pointer *pointers; /* arguments of the kernel */
    size_t npointers;
    const accd_kernel_slot *slots; /* pointers in device memory that are not attached */
    size_t nslots;
    int writes;   /* true if the kernel writes device memory */
    int parallel; /* true if many threads share the kernel's loop; the kernel then stops if an iteration depends on
                     another one */
    uint64_t max_iterations; /* most loop iterations of one thread; 0: no limit */
    uint64_t retry_reasons;  /* bits of reasons (accd_kernel_result): if a queued kernel with many threads stops for one
                                of them, one thread repeats the kernel */
} accd_kernel;
typedef enum accd_kernel_outcome {
    ACCD_KERNEL_DONE,
    ACCD_KERNEL_STOPPED,  /* the kernel stopped; `reason` and `site` are values that its text defines */
    ACCD_KERNEL_NOT_RUN,  /* the device did not run the kernel; `message` has the reason */
    ACCD_KERNEL_REJECTED, /* the compiler rejected the text; `message` has its log */
    ACCD_KERNEL_QUEUED    /* the kernel is queued, and runs later */
} accd_kernel_outcome;
typedef struct accd_kernel_result {
    accd_kernel_outcome outcome;
    unsigned reason, site; /* ACCD_KERNEL_STOPPED: values that the kernel's text defines */
    const char *message;   /* reason or log, as the outcome says; valid until the next kernel */
    void *in_flight;       /* the device's handle of the running kernel */
} accd_kernel_result;
/* Returns 1 if the device runs kernels given as text, else 0. Writes the name of the device's compiler, or the reason
 * why it has none, to `what` (`capacity` bytes). */
ACCD_API int accd_get_kernel_compiler(accd_context *context, int device, char *what, size_t capacity);
/* Runs a kernel now, and sets *end_p to the outcome. A journal must be open (accd_journal_begin), which can also undo
 * the kernel's writes. ACCD_ERROR_DEVICE, ACCD_ERROR_OUT_OF_MEMORY, ACCD_ERROR_MISUSE. */
ACCD_API accd_status accd_run_kernel(accd_context *context, int device, const accd_kernel *kernel,
                                     accd_kernel_result *end_p);
/* Launches the kernel of an open compute region in concurrent mode. It uses the region's data, the targets of their
 * attached pointers, and the data at the n device addresses `devs`. *end_p says whether the device runs the kernel, and
 * if not, why. With the outcome ACCD_KERNEL_QUEUED the queue owns `fn` and `ud`, otherwise
 * the caller does. After the kernel, the queue calls `fn` with ACCD_CALL_KERNEL_DONE; or, if the kernel stopped on the
 * device, with ACCD_CALL_RUN, and `fn` runs the kernel. */
ACCD_API accd_status accd_launch_kernel(accd_region *region, const uint64_t *devs, size_t n, const accd_kernel *kernel,
                                        accd_host_fn fn, void *ud, accd_kernel_result *end_p);
/* Opens a journal, which records the bytes that accd_device_write and the entries of constructs overwrite. If the rules
 * do not count attachments, the journal also records which pointers the entries attach. ACCD_ERROR_MISUSE: a journal is
 * open already, or the device cannot save its memory. */
ACCD_API accd_status accd_journal_begin(accd_context *context, int device);
/* Closes the journal. commit = 0 undoes the changes that it recorded, and abandons regions that were opened in the
 * meantime (accd_region_abandon). */
ACCD_API void accd_journal_end(accd_context *context, int device, int commit);
/* Returns the number of the context's device to which an address belongs; -1 if it belongs to none. */
ACCD_API int accd_device_at(accd_context *context, uint64_t address);
/* Returns 1 if the range lies in one allocation of device memory, else 0. */
ACCD_API int accd_device_is_allocated(accd_context *context, int device, uint64_t dev, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
