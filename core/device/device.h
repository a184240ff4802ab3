/* device.h - what the core asks of a device: one table of functions for each kind of device, of which the simulated
 * one is here. A device is what the driver opened, with what it was asked for; it knows of no data in its memory. */
#ifndef ACCD_DEVICE_H
#define ACCD_DEVICE_H

#include "base/base.h"

/* The number of copies a batch will make, announced before the first one. queue: the queue that the batch departs
 * in; 0: the batch is done at its end. */
struct accd__traffic {
    uint64_t in, out, within;
    unsigned queue;
};

/* A kernel, and what it may touch. */
enum { ACCD_KERNEL_RANGE_OBJECT = 1, ACCD_KERNEL_RANGE_EXCLUDES = 2 };
struct accd__kernel_range {
    uint64_t low, high;
    uint64_t flags; /* it is a present object; it has members that are excluded */
};
struct accd__launch {
    const accd_kernel *kernel;
    const struct accd__kernel_range *ranges; /* ascending */
    size_t nranges;
    const accd_kernel_slot *slots; /* ascending */
    size_t nslots;
    unsigned queue; /* 0: none */
};

struct accd_backend {
    const char *name;
    uint64_t small_bytes; /* objects of fewer bytes that a construct maps share an allocation */
    /* Required. ACCD_ERROR_NO_DEVICE, ACCD_ERROR_OUT_OF_MEMORY. */
    accd_status (*open)(void **device_p, int number, const accd_context_config *config, struct accd__mem *mem);
    void (*close)(void *device);
    /* Required. bytes > 0; the address is a multiple of 16. ACCD_ERROR_OUT_OF_DEVICE_MEMORY. */
    accd_status (*alloc)(void *device, uint64_t bytes, uint64_t *dev_p);
    /* Required. ACCD_ERROR_MISUSE if it is not an allocated address. */
    accd_status (*free)(void *device, uint64_t dev);
    /* Required. A batch is done as a whole or, if begin, ready or end fails, not at all: nothing of
     * it may have reached the host's memory. After a failure the batch is over.
     * ACCD_ERROR_DEVICE, ACCD_ERROR_OUT_OF_DEVICE_MEMORY, ACCD_ERROR_OUT_OF_MEMORY.
     * The order is begin, copies, what is announced, ready, stages and fetches, end. */
    accd_status (*begin_batch)(void *device, const struct accd__traffic *traffic);
    accd_status (*end_batch)(void *device);
    /* Optional, together, for devices to which bytes travel: every range that is staged (fetched,
     * with out) after ready is announced before it, in the same order. What fails, fails in ready. */
    void (*announce)(void *device, uint64_t dev, uint64_t bytes, bool out);
    accd_status (*ready)(void *device);
    /* Optional, with announce, in batches that fetch nothing: the range becomes what the host's
     * memory holds until end. It is announced by this, and not staged. */
    void (*send)(void *device, uint64_t dev, const void *host, uint64_t bytes);
    /* The same the other way, in a batch that moves nothing else: the host's memory becomes what the device
     * holds, and is not fetched. Of this only, a part may have arrived when the batch fails; why says so. */
    void (*receive)(void *device, uint64_t dev, void *host, uint64_t bytes);
    /* Optional, together, with announce, in batches that fetch nothing: a range of memory that has not
     * been used yet is announced, and comes in parts after ready. What is filled while another part crosses costs
     * no time. A failure is reported by end, and of what came in parts nothing is kept then. */
    void (*announce_parts)(void *device, uint64_t dev, uint64_t bytes);
    /* Memory for a part, which the caller fills as that of stage. Never fails. */
    void *(*stage_part)(void *device, uint64_t dev, uint64_t bytes);
    /* All parts are filled that were staged so far: they cross now, and their memory is gone. */
    void (*send_parts)(void *device);
    uint64_t part_bytes; /* most bytes of parts in between, each counted as a multiple of 16 */
    /* Required, inside a batch, by one thread. Memory that the caller fills, with several threads if
     * it likes, and that is the device's content of the range when the batch ends. */
    void *(*stage)(void *device, uint64_t dev, uint64_t bytes);
    /* Required, inside a batch: the device's content, valid until the batch ends. */
    const void *(*fetch)(void *device, uint64_t dev, uint64_t bytes);
    /* Required, inside a batch; ranges may overlap. */
    void (*copy)(void *device, uint64_t to, uint64_t from, uint64_t bytes);
    /* Optional, together: batches of a queue, which send or fetch, not both. depart comes in place of end, or,
     * where the batch fetches, in place of ready: then it continues by itself, in order with others of its queue,
     * while there are other batches. arrive waits for it and continues with it: with fetch, and end. If it fails,
     * the batch is over. Ranges that are fetched have at most ACCD_MAX_FETCH_PART bytes. */
    uint64_t fetch_most; /* bytes that one batch fetches so */
    accd_status (*start_batch)(void *device, void **batch_p);
    int (*is_batch_done)(void *device, const void *batch);
    accd_status (*finish_batch)(void *device, void *batch);
    /* Required: accesses of a kernel. The range lies in allocated memory. */
    accd_status (*read)(void *device, uint64_t dev, void *to, uint64_t bytes);
    accd_status (*write)(void *device, uint64_t dev, const void *from, uint64_t bytes);
    /* Required: whether the address can be one of this device's, allocated or not. */
    int (*owns)(void *device, uint64_t dev);
    /* Optional: whether it lies close in front of this device's memory, where no memory of the process need be: the
     * base of a section that begins behind it. Asked of addresses that are no known memory of the host. */
    int (*is_before)(void *device, uint64_t dev);
    /* Required: whether the whole range lies in one allocation. */
    int (*is_allocated)(void *device, uint64_t dev, uint64_t bytes);
    /* Required: bytes of the allocation that begins at the address, 0 if none does. */
    uint64_t (*size_of)(void *device, uint64_t dev);
    /* Optional: the range of this process's memory in which all device addresses lie. */
    void (*address_range)(void *device, uint64_t *low_p, uint64_t *high_p);
    /* With space: where the backend keeps what it knows of its allocations. */
    void (*metadata_range)(void *device, uint64_t *low_p, uint64_t *high_p);
    /* Optional: the address of a byte that was written beside an allocation, and where the allocation begins; 0:
     * there is none. */
    uint64_t (*find_overrun)(void *device, uint64_t *block_p);
    /* With overrun: whether small allocations are guarded from now on. */
    void (*set_guards)(void *device, int on);
    /* Optional: how many bytes of the range were ever written. */
    uint64_t (*count_written)(void *device, uint64_t dev, uint64_t bytes);
    /* Optional: content together with what was written; room is bytes + (bytes + 7) / 8. A device that
     * fails to restore is lost. */
    accd_status (*save)(void *device, uint64_t dev, uint64_t bytes, uint8_t *to);
    void (*restore)(void *device, uint64_t dev, uint64_t bytes, const uint8_t *from);
    /* Optional, together: all that the device holds, and how it is allocated, but for what lies in the memory that
     * open was given. Checkpoints save that memory, too, and put it back after the state, whose bytes restore
     * returns. */
    uint64_t (*state_bytes)(void *device);
    void (*state_save)(void *device, uint8_t *to);
    uint64_t (*state_restore)(void *device, const uint8_t *from);
    /* Optional: the address that offsets are counted from where addresses of different processes are compared. */
    uint64_t (*base_address)(void *device);
    /* Optional: the range holds nothing any more, although its allocation lives on. */
    void (*mark_unwritten)(void *device, uint64_t dev, uint64_t bytes);
    /* Optional, for tests: the n-th allocation, the n-th copy from now fails; 0: none does,
     * UINT64_MAX: as before. */
    void (*inject_failure)(void *device, uint64_t allocation, uint64_t copy);
    /* Optional: what the driver said about the last failure; "" if it said nothing. */
    const char *(*last_error)(void *device);
    /* Optional, together: kernels given as text (accd_run_kernel). What one that is done has written is
     * kept, or undone, by conclude; none is launched before that. */
    int (*get_compiler)(void *device, char *what, size_t bytes);
    accd_status (*launch)(void *device, const struct accd__launch *launch, accd_kernel_result *end_p);
    void (*settle_kernel)(void *device, bool keep);
    /* With depart: a kernel of a queue, which launch leaves under way. It is over when it has done all, or
     * nothing; what uses the same memory waits for that. again: bits of the reasons to stop that one thread may
     * not meet. end_p: NULL, and what it has done is put back. */
    int (*is_kernel_done)(void *device, const void *in_flight);
    accd_status (*finish_kernel)(void *device, void *in_flight, uint64_t again, accd_kernel_result *end_p);
    /* Also without kernels: the first allocation at or behind an address; 0: there is none. */
    uint64_t (*next_allocation)(void *device, uint64_t dev, uint64_t *bytes_p);
    /* Optional: the number-th device of this machine. ACCD_ERROR_NO_DEVICE: info_p->why says why not. */
    accd_status (*get_info)(unsigned number, accd_device_info *info_p);
};

/* Of backends whose objects need not lie alone. */
enum { ACCD_SMALL_OBJECT = 32 << 10 };
/* Moves of at least so many bytes are sent from where they lie, if the backend can. */
enum { ACCD_MIN_DIRECT_SEND = 32 << 10, ACCD_MAX_FETCH_PART = 1 << 20 };

/* A device of a context. */
struct accd__device {
    accd_context *context;
    struct accd__device *next; /* of the same context */
    int number;
    const accd_backend *ops;
    void *handle;     /* what its functions are called with; NULL: it was not opened */
    accd_stats stats; /* what it was asked for */
};

/* A transfer between the host and the device, or within it. */
struct accd__transfer {
    uint64_t dev, host, bytes; /* host: MOVED_WITHIN, the device address the bytes come from */
    enum {
        ACCD_TRANSFER_TO_DEVICE,
        ACCD_TRANSFER_CORE_TO_DEVICE,
        ACCD_TRANSFER_TO_HOST,
        ACCD_TRANSFER_WITHIN_DEVICE
    } direction; /* OWN: sends bytes of the core's own, which
                  * are no data of the program */
};

/* Transfers of columns, which no list names one by one. */
struct accd__bulk;
struct accd__batch;
struct accd__bulk_ops {
    void (*count)(const struct accd__bulk *bulk, struct accd__traffic *traffic);
    void (*announce)(struct accd__bulk *bulk, const struct accd__traffic *traffic);
    void (*run)(struct accd__bulk *bulk);
    /* Lists the memory that the bulk of a batch uses. */
    accd_status (*uses)(struct accd__batch *batch);
    /* Of one that a queue keeps: whether host memory it needs was freed, with an address there; the end of it. */
    bool (*find_freed_host)(const struct accd__bulk *bulk, uint64_t *host_p);
    void (*drop)(struct accd__bulk *bulk);
};

/* Transfers that are done together, as a whole or not at all. */
struct accd__batch {
    const struct accd__transfer *at;
    size_t n;
    struct accd__bulk *bulk; /* further transfers behind the list, or NULL */
    const struct accd__bulk_ops *bulk_ops;
    const struct accd__pair *uses; /* once listed: device memory the bulk uses, from and to ... */
    size_t nuses;
    uint64_t host_low, host_end; /* ... and host memory in which all lies that it sends from, or fetches to */
    /* Where fetched bytes are not just copied to the host's memory; or NULL. Never of a batch that departs. */
    void (*store)(void *ud, const struct accd__transfer *at, const char *from);
    void *ud;
    bool uncounted; /* the statistics leave the batch out */
};

extern const accd_backend accd__backend_sim, accd__backend_direct, accd__backend_guarded, accd__backend_guarded_end,
    accd__backend_guarded_begin, accd__backend_guarded_again, accd__backend_cuda;

/* ---------------------------------------------------------------------------------- device.c -- */

/* Adds to the last error what the device's driver said, if it said anything; returns the status. */
accd_status accd__append_driver_error(struct accd__device *device, accd_status status);
/* What a device answered. A failure is reported, "device 0 failed in a kernel", with what its driver said. */
accd_status accd__check_device_status(struct accd__device *device, accd_status status, const char *what);
/* The error of a construct's transfers. */
accd_status accd__report_copy_failure(struct accd__device *device, accd_status status);

/* ----------------------------------------------------------------------------------- batch.c -- */

/* What a batch does: copies and, added to moved by kind, bytes of the program's data. */
struct accd__traffic accd__count_batch_traffic(const struct accd__batch *batch, uint64_t *moved);
accd_status accd__run_batch(struct accd__device *device, const struct accd__batch *batch);
/* In a queue (traffic says which) the batch continues by itself, one way or the other. */
accd_status accd__start_batch(struct accd__device *device, const struct accd__batch *batch,
                              const struct accd__traffic *traffic, void **under_way_p);
/* Waits for it; what it fetches reaches the host, if that is wanted. */
accd_status accd__finish_batch(struct accd__device *device, const struct accd__batch *batch, unsigned queue,
                               void *in_flight, bool wanted);

#endif
