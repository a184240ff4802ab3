/* device.h - the interface between the core and a device: accd_backend (a backend), a table of functions for each kind
 * of device.
 *
 * core/queue, core/plan and core/ops call the functions, mostly through batch.c; sim.c and cuda implement them. A
 * device (struct accd__device) is a handle of its backend with statistics. It does not know which data lie in its
 * memory. */
#ifndef ACCD_DEVICE_H
#define ACCD_DEVICE_H

#include "accdeep_checkpoints.h"
#include "accdeep_queues.h"
#include "base/base.h"

/* Numbers of copies that a batch will make to the device (in), to the host (out) and within the device. queue: number
 * of the queue of an asynchronous batch; 0: the batch is complete when end_batch returns. */
struct accd__traffic {
    uint64_t in, out, within;
    unsigned queue;
};

/* Flags of a kernel's range. OBJECT: the range is a present object. EXCLUDES: the clause of that object excludes
 * members. */
enum { ACCD_KERNEL_RANGE_OBJECT = 1, ACCD_KERNEL_RANGE_EXCLUDES = 2 };
/* Range of device memory [low, high) that a kernel may access. */
struct accd__kernel_range {
    uint64_t low, high;
    uint64_t flags; /* ACCD_KERNEL_RANGE_* */
};
/* Arguments of a launch: a kernel, and the memory that it may access. */
struct accd__launch {
    const accd_kernel *kernel;
    const struct accd__kernel_range *ranges; /* array, ascending */
    size_t nranges;
    const accd_kernel_slot *slots; /* array, ascending */
    size_t nslots;
    unsigned queue; /* number of the queue; 0: none */
};

/* Table of functions for one kind of device. `device` is the handle that open returned. Optional functions may be NULL;
 * "together" means all of a group or none. */
struct accd_backend {
    const char *name;
    bool has_no_bytes;    /* true if device memory has addresses only: batches move nothing */
    uint64_t small_bytes; /* objects of fewer bytes, mapped by one construct, share an allocation; 0: objects never
                             share one */
    /* Opens device `number` of the machine with its records in `mem`, and closes a device (required). Opening fails
     * with ACCD_ERROR_NO_DEVICE or ACCD_ERROR_OUT_OF_MEMORY. */
    accd_status (*open)(void **device_p, int number, const accd_context_config *config, struct accd__mem *mem);
    void (*close)(void *device);
    /* Allocates memory (required). bytes > 0; the address is a multiple of 16. host: first data for which the memory
     * is allocated; 0: none. Fails with ACCD_ERROR_OUT_OF_DEVICE_MEMORY. */
    accd_status (*alloc)(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p);
    /* Frees the allocation that begins at `dev` (required). ACCD_ERROR_MISUSE: none begins there. */
    accd_status (*free)(void *device, uint64_t dev);
    /* Begins and ends a batch of transfers (required). If begin_batch, ready or end_batch fails, none of the batch's
     * bytes have reached host memory, and the batch is over. Errors: ACCD_ERROR_DEVICE,
     * ACCD_ERROR_OUT_OF_DEVICE_MEMORY, ACCD_ERROR_OUT_OF_MEMORY. The order of calls is begin_batch, copy, announce,
     * ready, stage and fetch, end_batch. */
    accd_status (*begin_batch)(void *device, const struct accd__traffic *traffic);
    accd_status (*end_batch)(void *device);
    /* announce tells the device that a range will be fetched (`out`) or staged; ready then prepares the device
     * (optional, together; for devices with memory of their own). All ranges are announced before ready, and staged or
     * fetched after it, in the same order. Failures of announcements are returned by ready. */
    void (*announce)(void *device, uint64_t dev, uint64_t bytes, bool out);
    accd_status (*ready)(void *device);
    /* Sends a range directly from host memory, which is unchanged until end_batch (optional, with announce; in batches
     * that fetch nothing). The range is neither announced nor staged. */
    void (*send)(void *device, uint64_t dev, const void *host, uint64_t bytes);
    /* Receives a range directly into host memory (optional, with announce; the only transfer of its batch). If the
     * batch fails, a part of the bytes may have arrived, which last_error then mentions. */
    void (*receive)(void *device, uint64_t dev, void *host, uint64_t bytes);
    /* Announces a range of unused device memory that the caller fills in parts after ready (optional, together with the
     * next two; with announce; in batches that fetch nothing). Filling one part overlaps the transfer of another part.
     * end_batch reports a failure, and the parts are then dropped. */
    void (*announce_parts)(void *device, uint64_t dev, uint64_t bytes);
    /* Returns memory for the part of `bytes` bytes at `dev`, which the caller fills before send_parts. Never fails. */
    void *(*stage_part)(void *device, uint64_t dev, uint64_t bytes);
    /* Transfers all parts staged so far, which the caller has filled; the memory of stage_part is then invalid. */
    void (*send_parts)(void *device);
    uint64_t part_bytes; /* greatest sum of the bytes of parts, each rounded up to a multiple of 16, between two calls
                            of send_parts */
    /* Returns memory that the caller fills, and that becomes the device's content of the range when the batch ends
     * (required; inside a batch). One thread calls stage; several threads may fill the memory. host: the bytes that
     * the caller will copy; NULL: not known. */
    void *(*stage)(void *device, uint64_t dev, uint64_t bytes, const void *host);
    /* Returns the device's content of the range, valid until the batch ends (required; inside a batch). host: the
     * memory to which the caller will copy it; NULL: not known. */
    const void *(*fetch)(void *device, uint64_t dev, uint64_t bytes, const void *host);
    /* Copies within the device (required; inside a batch). The ranges may overlap. */
    void (*copy)(void *device, uint64_t to, uint64_t from, uint64_t bytes);
    /* Runs batches asynchronously in a queue (optional, together); such a batch sends or fetches, not both. start_batch
     * replaces end_batch or, if the batch fetches, ready; the device then runs the batch in the order of its queue.
     * is_batch_done tells, without waiting, whether it has run. finish_batch waits for the batch, and the caller
     * continues with fetch and end_batch. If a function fails, the batch is over. Fetched ranges have at most
     * ACCD_MAX_FETCH_PART bytes. */
    uint64_t fetch_most; /* greatest number of bytes that one such batch fetches */
    accd_status (*start_batch)(void *device, void **batch_p);
    int (*is_batch_done)(void *device, const void *batch);
    accd_status (*finish_batch)(void *device, void *batch);
    /* Reads or writes for a kernel (required). The range lies in allocated memory. */
    accd_status (*read)(void *device, uint64_t dev, void *to, uint64_t bytes);
    accd_status (*write)(void *device, uint64_t dev, const void *from, uint64_t bytes);
    /* Returns true if the address lies in the address space of the device, allocated or not (required). */
    int (*owns)(void *device, uint64_t dev);
    /* Returns true if the address lies shortly before this device's memory (optional). A pointer to element 0 of an
     * array may hold such an address if only a later section is mapped. Called for addresses outside of known host
     * memory. */
    int (*is_before)(void *device, uint64_t dev);
    /* Returns true if the whole range lies in one allocation (required). */
    int (*is_allocated)(void *device, uint64_t dev, uint64_t bytes);
    /* Returns the bytes of the allocation that begins at the address; 0 if no allocation begins there (required). */
    uint64_t (*size_of)(void *device, uint64_t dev);
    /* Sets [*low_p, *high_p) to the range of this process's memory that has all device addresses (optional). */
    void (*address_range)(void *device, uint64_t *low_p, uint64_t *high_p);
    /* Sets [*low_p, *high_p) to the host memory with the backend's own tables of allocations (with address_range). */
    void (*metadata_range)(void *device, uint64_t *low_p, uint64_t *high_p);
    /* Returns the address of a byte that was written outside an allocation, and the beginning of that allocation; 0:
     * none (optional). */
    uint64_t (*find_overrun)(void *device, uint64_t *block_p);
    /* Turns guard pages for later small allocations on or off (with find_overrun). */
    void (*set_guards)(void *device, int on);
    /* Returns how many bytes of the range were ever written (optional). */
    uint64_t (*count_written)(void *device, uint64_t dev, uint64_t bytes);
    /* Saves the content and the written bits (set for each byte that was ever written) of a range to `to`, or restores
     * them (optional, together). They take bytes + (bytes + 7) / 8 bytes. A device whose restore fails is unusable. */
    accd_status (*save)(void *device, uint64_t dev, uint64_t bytes, uint8_t *to);
    void (*restore)(void *device, uint64_t dev, uint64_t bytes, const uint8_t *from);
    /* Saves, or restores, the whole state of the device (optional, together), except the memory given to open.
     * Checkpoints save that memory separately, and restore it after the state. state_restore returns the bytes of the
     * state that it read.
     */
    uint64_t (*state_bytes)(void *device);
    void (*state_save)(void *device, uint8_t *to);
    uint64_t (*state_restore)(void *device, const uint8_t *from);
    /* Returns the address that offsets are relative to, when device addresses of different processes are compared
     * (optional). */
    uint64_t (*base_address)(void *device);
    /* Marks the range as never written, although it stays allocated (optional). */
    void (*mark_unwritten)(void *device, uint64_t dev, uint64_t bytes);
    /* Makes the `allocation`-th allocation and the `copy`-th copy from now on fail, for tests (optional). 0: none
     * fails; UINT64_MAX: keeps the present setting. */
    void (*inject_failure)(void *device, uint64_t allocation, uint64_t copy);
    /* Returns the driver's message about the last failure; "" if it has none (optional). */
    const char *(*last_error)(void *device);
    /* Runs kernels given as text (accd_run_kernel; optional, together). get_compiler writes the compiler's name, or why
     * there is none, to `text`, and returns true if there is one. settle_kernel keeps (`keep`) or undoes the writes of
     * a finished kernel, before another kernel is launched. */
    int (*get_compiler)(void *device, char *text, size_t bytes);
    accd_status (*launch)(void *device, const struct accd__launch *launch, accd_kernel_result *end_p);
    void (*settle_kernel)(void *device, bool keep);
    /* is_kernel_done tells if a kernel that launch left running in a queue has ended (with start_batch). finish_kernel
     * waits for the kernel, which then has finished completely, or changed nothing. `again` has a bit for each stop
     * reason for which one thread repeats the kernel. end_p = NULL: the writes are undone. */
    int (*is_kernel_done)(void *device, const void *in_flight);
    accd_status (*finish_kernel)(void *device, void *in_flight, uint64_t again, accd_kernel_result *end_p);
    /* Returns the address of the first allocation at or after an address, and its size in *bytes_p; 0: none (optional).
     */
    uint64_t (*next_allocation)(void *device, uint64_t dev, uint64_t *bytes_p);
    /* Describes device `number` of this machine in *info_p (optional). ACCD_ERROR_NO_DEVICE: info_p->why has the
     * reason. */
    accd_status (*get_info)(unsigned number, accd_device_info *info_p);
};

/* Value of accd_backend.small_bytes for backends whose objects may share allocations. */
enum { ACCD_SMALL_OBJECT = 32 << 10 };
/* MIN_DIRECT_SEND: least bytes of a transfer that is sent from, or received into, host memory directly. MAX_FETCH_PART:
 * greatest bytes of one fetch in a queue; larger ones are cut into parts. */
enum { ACCD_MIN_DIRECT_SEND = 32 << 10, ACCD_MAX_FETCH_PART = 1 << 20 };

/* Device of a context. */
struct accd__device {
    accd_context *context;
    struct accd__device *next; /* next device of the context */
    int number;
    const accd_backend *ops;
    void *handle;     /* handle for the functions of ops; NULL: not opened */
    accd_stats stats; /* statistics of allocations, frees and transfers so far */
};

/* A transfer between the host and the device, or within it. */
struct accd__transfer {
    uint64_t dev, host,
        bytes; /* `host`: host address or, for a transfer within the device, device address of the source */
    enum {
        ACCD_TRANSFER_TO_DEVICE,
        ACCD_TRANSFER_CORE_TO_DEVICE,
        ACCD_TRANSFER_TO_HOST,
        ACCD_TRANSFER_WITHIN_DEVICE
    } direction; /* CORE_TO_DEVICE sends bytes that the core has computed, such as pointers; they are not data of the
                    program */
};

/* Bulk: transfers of whole columns of sections of a deep structure, which no list enumerates; core/ops/bulk.c
 * implements bulks. */
struct accd__bulk;
struct accd__batch;
/* Functions of a bulk. The first three do for the bulk's transfers what batch.c does for listed ones. count adds their
 * numbers to `traffic`, announce announces them, and run stages or fetches their bytes. */
struct accd__bulk_ops {
    void (*count)(const struct accd__bulk *bulk, struct accd__traffic *traffic);
    void (*announce)(struct accd__bulk *bulk, const struct accd__traffic *traffic);
    void (*run)(struct accd__bulk *bulk);
    /* Sets batch->accesses and naccesses to the ranges of device memory that the batch's bulk uses, and extends
     * batch->host_low and host_end. Fails without memory. */
    accd_status (*list_accesses)(struct accd__batch *batch);
    /* Returns true if host memory that a queued bulk needs was freed, and sets *host_p to an address in that memory. */
    bool (*find_freed_host)(const struct accd__bulk *bulk, uint64_t *host_p);
    /* Frees a bulk that a queue owns, with the memory that belongs to it. */
    void (*drop)(struct accd__bulk *bulk);
};

/* Batch: transfers that are done together, completely or not at all. */
struct accd__batch {
    const struct accd__transfer *at;
    size_t n;
    struct accd__bulk *bulk; /* further transfers after the list, or NULL */
    const struct accd__bulk_ops *bulk_ops;
    /* Ranges of device memory that the bulk uses, once bulk_ops->list_accesses has listed them; else NULL. */
    const struct accd__pair *accesses;
    size_t naccesses;
    uint64_t host_low, host_end; /* hull of the host memory that the batch sends from, or fetches to */
    /* Callback that stores the fetched bytes `from` of the transfer `at`; NULL: fetched bytes are copied to host
     * memory. Never set in asynchronous batches. */
    void (*store)(void *ud, const struct accd__transfer *at, const char *from);
    void *ud;
    bool uncounted; /* true if the batch does not count in the statistics */
};

extern const accd_backend accd__backend_sim, accd__backend_direct, accd__backend_guarded, accd__backend_guarded_end,
    accd__backend_guarded_begin, accd__backend_guarded_again, accd__backend_unbacked, accd__backend_cuda;

/* ---------------------------------------------------------------------------------- device.c -- */

/* Appends the driver's message, if there is one, to the message of the last error; returns `status`. */
accd_status accd__append_driver_error(struct accd__device *device, accd_status status);
/* Returns `status`, the result of a call to the device. Unless it is ACCD_OK, sets the last error to "device 0 failed"
 * with `operation` ("in a kernel") and the driver's message. */
accd_status accd__check_device_status(struct accd__device *device, accd_status status, const char *operation);
/* Sets the last error for failed transfers of a construct; returns `status`. */
accd_status accd__report_copy_failure(struct accd__device *device, accd_status status);

/* ----------------------------------------------------------------------------------- batch.c -- */

/* Returns the numbers of copies of a batch. Adds the bytes of its listed transfers of program data to moved[0] (to the
 * device), moved[1] (to the host) and moved[2] (within the device). */
struct accd__traffic accd__count_batch_traffic(const struct accd__batch *batch, uint64_t *moved);
/* Does all transfers of a batch now. Returns the status of the device; after an error, none of the bytes have reached
 * host memory. */
accd_status accd__run_batch(struct accd__device *device, const struct accd__batch *batch);
/* Starts a batch in the device's queue traffic->queue, and sets *under_way_p to the handle for accd__finish_batch. On
 * failure returns the status of the device, and nothing is under way. */
accd_status accd__start_batch(struct accd__device *device, const struct accd__batch *batch,
                              const struct accd__traffic *traffic, void **under_way_p);
/* Waits for a batch that was started in `queue` with the handle in_flight. Copies the fetched bytes to host memory if
 * `stores_data`; otherwise drops them. On failure returns the status of the device. */
accd_status accd__finish_batch(struct accd__device *device, const struct accd__batch *batch, unsigned queue,
                               void *in_flight, bool stores_data);

#endif
