/* backend.h - state of one CUDA device of a context, and the functions that the files of cuda/ share.
 *
 * The files, each of which calls only those above it:
 *
 *     driver         entry points of the driver, found at run time
 *     kernels        the kernel that moves pieces, as text
 *     calls          calls of the driver, their errors, the current context
 *     pool           device memory of a stream
 *     pinned         page-locked host memory, a ring that all batches share
 *     memory         allocations, and which of their bytes were ever written
 *     streams        a stream for each queue
 *     copies         driver calls that execute a batch
 *     parts          uploads that begin while the core still fills later parts
 *     staging        host memory of batches
 *     batches        batches of queues, which continue in their stream
 *     transfer       batches: many small pieces in a few large transfers
 *     launch         kernels made from bodies of compute constructs, compiled by nvrtc
 *     device_cuda    the table of functions for the core
 *
 * "In" is the direction to the device, "out" the direction to the host. A function that returns false on failure has
 * stored the driver's error in cuda->error and cuda->why. */
#ifndef ACCD_CUDA_BACKEND_H
#define ACCD_CUDA_BACKEND_H

#include "device/device.h"
#include "driver.h"

/* Name of the kernel that moves pieces, and the text of its module (kernels.c). */
#define ACCD_MOVE_PIECES "accd__move_pieces"
extern const char accd__cuda_kernels[];

/* Allocation of device memory. */
struct accd__cuda_memory {
    uint64_t dev, bytes;
    /* offsets between which all bytes were written; `bitmap` does not have the bits of these bytes yet */
    uint64_t written_low, written_high;
    /* bitmap with a bit for each byte outside of that range: 1 if the byte was ever written (accd__cuda_written_bits)
     */
    uint64_t *bitmap;
    bool has_data; /* some byte of the allocation was written; saves a search of the bitmap */
};

/* Run: a range of device memory in a batch, which the core has announced as a whole, or as several ranges that lie
 * close together. */
struct accd__cuda_run {
    uint64_t dev, bytes;
    struct accd__cuda_memory *memory;
    const char *from; /* upload from memory of the host program: its source; NULL for every other run */
    char *at;         /* host memory of the content, set by accd__cuda_ready */
};

/* Runs of one direction, in the order in which they were announced. */
struct accd__cuda_run_list {
    struct accd__cuda_run *runs;
    size_t n, capacity;
    size_t cursor;  /* index of the run that the core fills (stages) or reads (fetches) at present */
    size_t reached; /* number of runs that the core has begun to fill or read */
};

/* Piece: a range of device memory that one copy moves: a run, or several runs that overlap. Its host memory is at
 * `at`. */
struct accd__cuda_piece {
    uint64_t dev, bytes;
    struct accd__cuda_memory *memory;
    char *at;
    uint64_t capacity; /* bytes allocated at `at`; used only if the piece is large and owns this memory */
    bool is_borrowed;  /* `at` belongs to the host program or to a chunk */
};

/* Growing array of pieces. */
struct accd__cuda_pieces {
    struct accd__cuda_piece *at;
    size_t n, capacity;
};

/* Page-locked host memory for one chunk, allocated when it is first needed. */
struct accd__cuda_pinned {
    char *at;
    bool in_use;
};

/* Chunk: host memory of one transfer. Small pieces lie in a chunk, followed by a table of their device addresses. */
struct accd__cuda_chunk {
    char *at;
    uint64_t used;
    size_t first, n;                  /* index of the chunk's first piece in batch->small, and number of its pieces */
    bool holds_large;                 /* the chunk holds large pieces, which are copied one by one */
    struct accd__cuda_pinned *pinned; /* page-locked memory that `at` is in; NULL: ordinary memory */
};

/* Slot: host memory of a window. The core fills a window with parts of large uploads while earlier windows are copied
 * (parts.c). */
struct accd__cuda_slot {
    char *at;
    uint64_t used;
    struct accd__cuda_pinned *pinned; /* page-locked memory that `at` is in; NULL: ordinary memory */
    cu_event sent_event; /* event after the last copy of the window; the event lives as long as the batch */
    uint64_t sent;       /* number, in the batch, of the window sent last from this slot; 0: none was sent */
};

/* Sizes in bytes, and limits of numbers. Both addresses of a copied piece are equal modulo ACCD_CUDA_WORD, so that
 * the kernel that moves pieces can move whole words. */
enum {
    ACCD_CUDA_CHUNK = 4 << 20,           /* bytes of a chunk (host memory of a transfer), and of a window of parts */
    ACCD_CUDA_RING = 8,                  /* number of page-locked chunks of a device */
    ACCD_CUDA_SLOTS = 4,                 /* number of windows of a batch */
    ACCD_CUDA_PART = 16,                 /* alignment of parts of uploads in their window, in bytes */
    ACCD_CUDA_GROUP = 1024,              /* copies that one driver call issues at most */
    ACCD_CUDA_WORD = 8,                  /* bytes that a thread of the kernel moves at once */
    ACCD_CUDA_ROW = 3 * sizeof(uint64_t) /* bytes of a row of the kernel's table: to, from, bytes */
};

/* Landing area: device memory to which all uploads of a batch are copied first, so that one kernel launch then
 * changes the data:
 *
 *     | chunk, its table | ... | large piece | ... | rows of all chunks | rows of large pieces |
 *     at                                           at + table */
struct accd__cuda_landing_area {
    cu_address at;
    uint64_t bytes, table; /* size of the area; offset of the rows in the area */
    struct move_row *rows; /* host copy of the rows of large pieces; a row is a copy that the kernel makes */
    size_t nlarge, n;      /* number of rows of large pieces; number of all rows */
};

/* Stream of the driver, and scratch memory for work in this stream. */
struct accd__cuda_stream {
    cu_stream at;
    cu_address scratch;   /* device memory that chunks cross, one at a time; 0: not allocated yet */
    uint64_t allocations; /* number of allocations in the main stream that this stream has waited for */
};

/* Batch: transfers that are announced, issued and waited for together. */
struct accd__cuda_batch {
    struct accd__cuda *cuda;
    struct accd__cuda_stream *stream;
    struct accd__cuda_run_list in, out, parts;
    struct accd__cuda_run receipt;         /* download straight to the host program's memory at `at`; 0 bytes: none */
    bool mixed;                            /* the batch has both uploads and downloads */
    bool is_mixed_range;                   /* some bytes are both uploaded and downloaded */
    bool busy;                             /* the stream has work of the batch for which no wait has been made yet */
    uint64_t changes;                      /* number of driver calls issued so far that upload data of the core */
    accd_status failed;                    /* first error of the batch, which ready or end reports; ACCD_OK: none */
    struct accd__cuda_pieces small, large; /* small and large pieces of both directions; pieces of uploads come first */
    struct accd__cuda_chunk *chunks;
    /* number and capacity of the chunks; numbers of chunks and of large pieces of uploads, which come before those of
     * downloads */
    size_t nchunks, chunks_capacity, in_chunks, in_large;
    struct accd__cuda_device_copy {
        uint64_t to, from, bytes;
    } * copied; /* copies within the device */
    size_t ncopied, copied_capacity;
    struct accd__pair *pairs; /* begin and end of each uploaded piece, ascending; set when host memory is assigned */
    size_t npieces, pairs_capacity;
    /* memory of the windows; `slot`: the window that is being filled, NULL: none */
    struct accd__cuda_slot slots[ACCD_CUDA_SLOTS], *slot;
    size_t nslots;
    uint64_t windows;                /* number of windows whose copies were issued so far */
    struct accd__cuda_pieces filled; /* parts in the window being filled */
    struct accd__cuda_landing_area landing;
    bool may_tear; /* the uploads may change existing data in more than one call, so that a failure may leave a part of
                      them changed */

    bool in_stream;   /* the batch continues in its stream without the core */
    bool is_finished; /* the batch is in_stream, and its work has ended already */
    cu_event done;    /* event after the batch's work in its stream; NULL: never recorded */
    /* next batches in the list of all batches of queues, and in the list of idle ones */
    struct accd__cuda_batch *next_batch, *next_idle;
};

/* State of one CUDA device of a context. */
struct accd__cuda {
    struct cuda_driver driver;
    struct accd__mem *mem;
    cu_device gpu;
    cu_context context;
    struct accd__cuda_stream main; /* main stream, in which memory is allocated and freed */
    uint64_t allocations;          /* number of allocations of device memory made so far */
    cu_event allocated; /* event in the main stream, after the allocations that a queue's stream must wait for */
    /* streams of queues, by number of the queue from 1; each is created at its first use */
    struct accd__cuda_stream **queues;
    size_t nqueues, queues_capacity;
    cu_pool pool;            /* pool of device memory; NULL: the driver has none */
    cu_module module;        /* module of the mover; NULL: not loaded yet */
    cu_function mover;       /* the mover: the kernel that moves pieces (kernels.cu) */
    bool no_mover;           /* the driver could not translate the mover, so that pieces are copied one by one */
    uint64_t capacity, live; /* capacity: limit of allocated bytes, 0: no limit; live: bytes allocated */
    /* kernels of the program write device memory unnoticed, so that all of it counts as written */
    bool own_kernels;
    uint64_t fail_allocation, fail_copy; /* countdowns of tests to injected failures; 0: none */
    bool is_lost;    /* the content of the device is unknown after an error; the driver is no longer called */
    cu_result error; /* result of the last call that failed */
    char why[sizeof((accd_device_info *)0)->why]; /* text of the last failure; empty: none in this call of the core */

    struct accd__btree memories; /* allocations, by device address */
    struct accd__pool memory_pool;
    struct accd__cuda_window {
        uint64_t low, high;
    } * windows; /* address ranges that belong to this device, disjoint and ascending */
    size_t nwindows, windows_capacity;

    struct accd__cuda_pinned ring[ACCD_CUDA_RING];
    bool no_ring; /* page-locking has failed, so that no page-locked chunk is allocated any more */
    struct {
        char *at;
        uint64_t bytes;
    } spare; /* largest block that a large piece had, cached for the next batch */

    struct accd__cuda_kernels *kernels; /* state of launch.c; NULL: no compute construct has launched a kernel */

    bool entered;                                    /* the device's context is the thread's current one */
    struct accd__cuda_batch default_batch;           /* batch of work that does not belong to a queue */
    struct accd__cuda_batch *batch;                  /* batch that the core is filling or finishing */
    struct accd__cuda_batch *batches, *idle_batches; /* list of all batches of queues; list of the idle batches */
    struct accd__cuda_group {                        /* copies that wait to be issued by one driver call */
        cu_address to[ACCD_CUDA_GROUP], from[ACCD_CUDA_GROUP];
        size_t bytes[ACCD_CUDA_GROUP];
        size_t n;
    } group;
};

/* Returns true if the batch belongs to a queue, so that it may continue in the queue's stream. */
static inline bool accd__cuda_is_queued(const struct accd__cuda_batch *batch)
{
    return batch != &batch->cuda->default_batch;
}

/* calls.c */
/* Calls the function `symbol` of the driver, unless the device is lost. True if the call succeeded; a lost device is a
 * failure that stores no new error. */
#define ACCD_CUDA(cuda, symbol, ...) \
    (!(cuda)->is_lost && accd__cuda_check_result((cuda), (cuda)->driver.symbol(__VA_ARGS__), #symbol))
/* Returns true if `result` is CU_OK. Otherwise stores the error and the name `call` of the driver function, and returns
 * false. A sticky error (see ACCD_CUDA_RESULTS) makes the device lost. */
bool accd__cuda_check_result(struct accd__cuda *cuda, cu_result result, const char *call);
/* Marks the device as lost if `ok`, the success of a step, is false, because the device's content is then unknown.
 * Returns `ok`. */
bool accd__cuda_require(struct accd__cuda *cuda, bool ok);
/* Waits for the work in `stream`. On failure returns false, and the device is lost, because the outcome of the work is
 * unknown. */
bool accd__cuda_wait(struct accd__cuda *cuda, const struct accd__cuda_stream *stream);
/* Waits for the work before `event`. On failure returns false, and the device is lost, because the outcome of the work
 * is unknown. */
bool accd__cuda_wait_event(struct accd__cuda *cuda, cu_event event);
/* Returns the status for the driver call that failed last: ACCD_ERROR_OUT_OF_DEVICE_MEMORY or ACCD_ERROR_DEVICE. */
accd_status accd__cuda_last_status(const struct accd__cuda *cuda);

/* Makes the context of the device the current one of the thread; returns false on failure. accd__cuda_pop_context may
 * be called in any case. */
bool accd__cuda_push_context(struct accd__cuda *cuda);
/* Restores the context that was current before accd__cuda_push_context. Does nothing if accd__cuda_push_context failed.
 */
void accd__cuda_pop_context(struct accd__cuda *cuda);
/* Creates the event at *event_p, unless it exists. Returns false on failure. */
bool accd__cuda_new_event(struct accd__cuda *cuda, cu_event *event_p);
/* Returns 1 if the work before `event` has ended, or if that cannot be queried (the device is lost, or its context
 * cannot be made current); otherwise 0. */
int accd__cuda_is_event_done(struct accd__cuda *cuda, cu_event event);
/* Marks the batch as failed with the error `status`, unless the batch has failed before. accd__cuda_ready or
 * accd__cuda_end returns the error. */
void accd__cuda_batch_fail(struct accd__cuda_batch *batch, accd_status status);
/* Waits for the work that the batch has issued to its stream; does nothing if the batch has issued none. Returns
 * false on failure; the device is then lost. */
bool accd__cuda_batch_wait(struct accd__cuda_batch *batch);

/* pool.c; the device's context is current */
/* Creates the pool of device memory. If the driver has no pools, cuda->pool stays NULL, and the result is true.
 * Returns false on failure. */
bool accd__cuda_pool_open(struct accd__cuda *cuda);
/* Sets *at_p to `bytes` bytes of device memory for work in `stream`; returns false on failure. */
bool accd__cuda_pool_alloc(struct accd__cuda *cuda, const struct accd__cuda_stream *stream, uint64_t bytes,
                           cu_address *at_p);
/* Frees device memory once the stream's earlier work has ended. A failure is only stored in cuda->why. */
void accd__cuda_pool_free(struct accd__cuda *cuda, const struct accd__cuda_stream *stream, cu_address at);

/* memory.c */
/* Functions of the table accd__backend_cuda; core/device/device.h has their contracts. */
accd_status accd__cuda_alloc(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p);
accd_status accd__cuda_free(void *device, uint64_t dev);
int accd__cuda_owns(void *device, uint64_t dev);
int accd__cuda_is_before(void *device, uint64_t dev);
int accd__cuda_is_allocated(void *device, uint64_t dev, uint64_t bytes);
uint64_t accd__cuda_allocation_size(void *device, uint64_t dev);
uint64_t accd__cuda_written(void *device, uint64_t dev, uint64_t bytes);
accd_status accd__cuda_save(void *device, uint64_t dev, uint64_t bytes, uint8_t *to);
void accd__cuda_restore(void *device, uint64_t dev, uint64_t bytes, const uint8_t *from);
void accd__cuda_mark_unwritten(void *device, uint64_t dev, uint64_t bytes);
accd_status accd__cuda_read(void *device, uint64_t dev, void *to, uint64_t bytes);
accd_status accd__cuda_write(void *device, uint64_t dev, const void *from, uint64_t bytes);
/* Frees all allocations of the device and their records. */
void accd__cuda_memory_free(struct accd__cuda *cuda);
/* Returns the allocation that contains the device address `dev`; NULL: no allocation does. */
struct accd__cuda_memory *accd__cuda_memory_at(struct accd__cuda *cuda, uint64_t dev);
/* Completes the bitmap of an allocation and returns the bitmap: bit i is set if byte i was ever written. */
uint64_t *accd__cuda_written_bits(struct accd__cuda_memory *memory);
/* Records that the range, which lies in the allocation `memory`, was written. */
void accd__cuda_mark_written(struct accd__cuda_memory *memory, uint64_t dev, uint64_t bytes);
/* Overwrites with poison the bytes of `content`, a host copy of the range, that were never written on the device. */
void accd__cuda_poison(struct accd__cuda_memory *memory, uint64_t dev, uint64_t bytes, char *content);

/* transfer.c: functions of the table accd__backend_cuda; core/device/device.h has their contracts. */
accd_status accd__cuda_begin(void *device, const struct accd__traffic *traffic);
void accd__cuda_announce(void *device, uint64_t dev, uint64_t bytes, bool out);
void accd__cuda_send(void *device, uint64_t dev, const void *host, uint64_t bytes);
void accd__cuda_receive(void *device, uint64_t dev, void *host, uint64_t bytes);
void accd__cuda_announce_parts(void *device, uint64_t dev, uint64_t bytes);
accd_status accd__cuda_ready(void *device);
void *accd__cuda_stage(void *device, uint64_t dev, uint64_t bytes, const void *host);
const void *accd__cuda_fetch(void *device, uint64_t dev, uint64_t bytes, const void *host);
void accd__cuda_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes);
accd_status accd__cuda_end(void *device);
accd_status accd__cuda_start_batch(void *device, void **batch_p);
accd_status accd__cuda_finish_batch(void *device, void *batch);

/* pinned.c */
/* Returns a free page-locked chunk, marked as in use. NULL: all chunks are in use, or the system locks no more pages.
 */
struct accd__cuda_pinned *accd__cuda_alloc_pinned(struct accd__cuda *cuda);
/* Releases the chunks of a batch: page-locked ones for other batches, ordinary ones to the allocator. */
void accd__cuda_free_chunks(struct accd__cuda_batch *batch);

/* staging.c */
/* Assigns host memory to all runs (ranges that were announced). Returns false if the batch has failed in this call or
 * before it; batch->failed has the status. */
bool accd__cuda_assign_host_memory(struct accd__cuda_batch *batch);
/* Releases all host memory of the batch for other batches, and empties its lists. */
void accd__cuda_free_host_memory(struct accd__cuda_batch *batch);
/* Frees everything that the batch owns, but not the batch itself. */
void accd__cuda_batch_free(struct accd__cuda_batch *batch);
/* Frees the page-locked chunks and the spare block of the device. */
void accd__cuda_host_memory_free(struct accd__cuda *cuda);

/* parts.c: functions of the table accd__backend_cuda; core/device/device.h has their contracts. */
void *accd__cuda_stage_part(void *device, uint64_t dev, uint64_t bytes);
void accd__cuda_send_parts(void *device);
/* Allocates host memory for the first window, if parts were announced. Returns false if there is no memory, or no
 * event can be created. */
bool accd__cuda_parts_begin(struct accd__cuda_batch *batch);
/* Releases the host memory of the windows (blocks of parts) of the batch for other batches. */
void accd__cuda_parts_end(struct accd__cuda_batch *batch);

/* streams.c; the device's context is current */
/* Makes the stream of queue `queue` (from 1) wait for all allocations so far, and returns the stream; NULL on failure.
 */
struct accd__cuda_stream *accd__cuda_stream_of(struct accd__cuda *cuda, unsigned queue);
/* Waits for the work in all streams; on failure the device is lost. */
void accd__cuda_streams_wait(struct accd__cuda *cuda);
/* Destroys all streams and the event `allocated`. */
void accd__cuda_streams_free(struct accd__cuda *cuda);

/* batches.c; the device's context is current, except in accd__cuda_is_batch_done */
/* Returns an idle or new batch whose work goes to `stream`; NULL: no memory. */
struct accd__cuda_batch *accd__cuda_new_batch(struct accd__cuda *cuda, struct accd__cuda_stream *stream);
/* Ends a batch: a batch of a queue becomes idle, and the default batch is current again. */
void accd__cuda_batch_recycle(struct accd__cuda_batch *batch);
/* Leaves the batch to its stream, with an event after its work. If the event cannot be recorded, waits for the work
 * instead. Returns false if the wait fails, too. */
bool accd__cuda_record_batch_event(struct accd__cuda_batch *batch);
/* Function of the table accd__backend_cuda; core/device/device.h has its contract. */
int accd__cuda_is_batch_done(void *device, const void *in_flight);
/* Frees all batches with what they own, and the scratch memory of the streams. */
void accd__cuda_batches_free(struct accd__cuda *cuda);

/* copies.c: functions that issue calls in the batch's stream, without a wait; they return false if a call failed */
/* Copies bytes within the device; the ranges may overlap. */
bool accd__cuda_copy_within(struct accd__cuda_batch *batch, uint64_t to, uint64_t from, uint64_t bytes);
/* Returns true if memory of the host program can be the source of an upload. It can be if the driver has read the
 * memory when the call returns, or if a wait for the upload follows. */
bool accd__cuda_can_borrow_host_memory(const struct accd__cuda_batch *batch);
/* Issues the copies of all pieces of one direction; `out`: from the device to the host. */
bool accd__cuda_move_pieces(struct accd__cuda_batch *batch, bool out);
/* Issues the copies of the parts in the window whose memory is `slot`, and the event after them. */
bool accd__cuda_move_window(struct accd__cuda_batch *batch, const struct accd__cuda_slot *slot);
/* Issues the copy of the receipt (a download straight to the host program's memory), if there is one. */
bool accd__cuda_move_receipt(struct accd__cuda_batch *batch);
/* Issues the uploads of the batch. Uploads that overwrite data change them in one kernel launch, if that is possible;
 * otherwise sets batch->may_tear. */
bool accd__cuda_issue_uploads(struct accd__cuda_batch *batch);
/* Frees the landing area of accd__cuda_issue_uploads, if there is one; its work must have ended. */
void accd__cuda_free_landing_area(struct accd__cuda_batch *batch);

/* launch.c */
/* Functions of the table accd__backend_cuda; core/device/device.h has their contracts. */
int accd__cuda_compiler(void *device, char *text, size_t capacity);
accd_status accd__cuda_launch(void *device, const struct accd__launch *launch, accd_kernel_result *end_p);
int accd__cuda_is_kernel_done(void *device, const void *in_flight);
accd_status accd__cuda_finish_kernel(void *device, void *in_flight, uint64_t again, accd_kernel_result *end_p);
void accd__cuda_settle_kernel(void *device, bool keep);
uint64_t accd__cuda_next_allocation(void *device, uint64_t dev, uint64_t *bytes_p);
/* Frees all modules and launches. The device's context must be current. */
void accd__cuda_kernels_free(struct accd__cuda *cuda);

#endif
