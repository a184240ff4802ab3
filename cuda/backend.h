/* backend.h - one CUDA device of a context, as its files share it.
 *
 *   driver       entry points of the driver, found at run time
 *   kernels      the kernel that moves pieces, as text
 *   calls        calls of the driver, and what becomes of them
 *   pool         memory that a stream gets and puts back
 *   pinned       page-locked memory of the host, which batches share
 *   memory       what is allocated, and which of its bytes were ever written
 *   streams      a stream for each queue
 *   copies       the calls that carry batches out
 *   parts        what crosses while more of it is made
 *   places       the host's memory of batches
 *   batches      batches that continue in the stream of a queue by themselves
 *   transfer     batches: many small pieces in a few large transfers
 *   launch       kernels made from bodies of compute constructs, compiled by nvrtc
 *   device_cuda  the table for the core
 *
 * Each calls only those above it. */
#ifndef ACCD_CUDA_BACKEND_H
#define ACCD_CUDA_BACKEND_H

#include "device/device.h"
#include "driver.h"

#define ACCD_MOVE_PIECES "accd__move_pieces"
extern const char accd__cuda_kernels[];

/* An allocation of ours. */
struct accd__cuda_memory {
    uint64_t dev, bytes;
    uint64_t written_low,
        written_high; /* all bytes in between were written: their bits wait until they are asked for */
    uint64_t *bitmap; /* of the others, whether they were ever written (accd__cuda_written_bits) */
    bool has_data;    /* something was written: to be seen without looking at all bits */
};

/* A range of the batch, announced in one piece or in several that lie close together. */
struct accd__cuda_run {
    uint64_t dev, bytes;
    struct accd__cuda_memory *memory;
    const char *from; /* sent from there; NULL: staged */
    char *at;         /* its content, after ready */
};

/* Ranges of one direction, in the order in which they were announced. */
struct accd__cuda_run_list {
    struct accd__cuda_run *runs;
    size_t n, capacity;
    size_t cursor;  /* the run that is staged, or fetched, at present */
    size_t reached; /* runs that were staged, or fetched, so far */
};

/* What one copy moves: a run, or several that overlap. */
struct accd__cuda_piece {
    uint64_t dev, bytes;
    struct accd__cuda_memory *memory;
    char *at;
    uint64_t capacity; /* of at, if it is large */
    bool is_borrowed;  /* at is the host program's */
};

struct accd__cuda_pieces {
    struct accd__cuda_piece *at;
    size_t n, capacity;
};

/* Page-locked host memory of one chunk, made when it is first needed. */
struct accd__cuda_pinned {
    char *at;
    bool in_use;
};

/* Host memory of one transfer: small pieces and, behind them, the table that says where they belong. */
struct accd__cuda_chunk {
    char *at;
    uint64_t used;
    size_t first, n;                  /* its pieces, among the small ones */
    bool copied_alone;                /* it has large ones instead */
    struct accd__cuda_pinned *pinned; /* its memory; NULL: ordinary memory */
};

/* Memory of a window of parts. */
struct accd__cuda_slot {
    char *at;
    uint64_t used;
    struct accd__cuda_pinned *pinned; /* NULL: ordinary memory */
    cu_event is_mixed_range;          /* once it was sent; kept from batch to batch */
    uint64_t sent;                    /* as the how-manieth window of the batch it was last; 0: never */
};

/* A row of the table that the kernel moves pieces by has three words; places are equal within a word on both
 * sides. */
enum {
    ACCD_CUDA_CHUNK = 4 << 20,
    ACCD_CUDA_RING = 8,
    ACCD_CUDA_SLOTS = 4,
    ACCD_CUDA_PART = 16, /* parts begin at multiples */
    ACCD_CUDA_GROUP = 1024,
    ACCD_CUDA_WORD = 8,
    ACCD_CUDA_ROW = 3 * sizeof(uint64_t)
};

/* All that a batch copies, in memory of its own on the device: chunks with their tables, large pieces, and
 * the one table of the launch. */
struct accd__cuda_landing_area {
    cu_address at;
    uint64_t bytes, table; /* where that begins */
    struct move_row *rows; /* those of large pieces, which come last in it */
    size_t nlarge, n;
};

/* Work in order. */
struct accd__cuda_stream {
    cu_stream at;
    cu_address scratch; /* of a chunk on the device; 0: none yet */
    uint64_t seen;      /* of allocations in the main stream: it comes behind so many */
};

/* What is announced, issued and waited for together. */
struct accd__cuda_batch {
    struct accd__cuda *cuda;
    struct accd__cuda_stream *stream;
    struct accd__cuda_run_list in, out, parts;
    struct accd__cuda_run receipt;         /* at is the host's memory; no bytes: nothing is received */
    bool mixed;                            /* the batch goes both ways */
    bool is_mixed_range;                   /* and some bytes do */
    bool busy;                             /* the stream has work that is not waited for */
    uint64_t changes;                      /* calls of the batch that change what the host sent before */
    accd_status failed;                    /* of the batch, reported by ready or end */
    struct accd__cuda_pieces small, large; /* in and out together */
    struct accd__cuda_chunk *chunks;
    size_t nchunks, chunks_capacity, in_chunks, in_large; /* those of the way in come first */
    struct accd__cuda_device_copy {
        uint64_t to, from, bytes;
    } * copied; /* within the device */
    size_t ncopied, copied_capacity;
    struct accd__pair *pairs; /* pieces of the way in: begin and end, ascending */
    size_t npieces, pairs_capacity;
    struct accd__cuda_slot slots[ACCD_CUDA_SLOTS], *slot; /* slot: what is filled, NULL: none is */
    size_t nslots;
    uint64_t windows;                /* sent so far */
    struct accd__cuda_pieces filled; /* parts of the present one */
    struct accd__cuda_landing_area landing;
    bool may_tear; /* what it copies changes data in more than one call */

    bool in_stream;   /* its work continues by itself */
    bool is_finished; /* though it is over already */
    cu_event done;    /* when that is over; NULL: it never has */
    struct accd__cuda_batch *next_batch, *next_idle;
};

struct accd__cuda {
    struct cuda_driver driver;
    struct accd__mem *mem;
    cu_device gpu;
    cu_context context;
    struct accd__cuda_stream main; /* memory is allocated and freed here */
    uint64_t allocations;          /* so many times */
    cu_event allocated;
    struct accd__cuda_stream **queues; /* by number, from 1; made when they are first needed */
    size_t nqueues, queues_capacity;
    cu_pool pool; /* NULL: the driver has none */
    cu_module module;
    cu_function mover;
    bool no_mover; /* the driver cannot translate it */
    uint64_t capacity, live;
    bool own_kernels;                    /* of the program: it writes memory without a word */
    uint64_t fail_allocation, fail_copy; /* countdowns, 0: off */
    bool lost;                           /* after a sticky error nothing is asked any more */
    cu_result error;                     /* of the last call that failed */
    char why[sizeof((accd_device_info *)0)->why];

    struct accd__btree memories; /* by device address */
    struct accd__pool memory_pool;
    struct accd__cuda_window {
        uint64_t low, high;
    } * windows; /* addresses that are this device's, in order */
    size_t nwindows, windows_capacity;

    struct accd__cuda_pinned ring[ACCD_CUDA_RING];
    bool no_ring; /* no more memory can be pinned */
    struct {
        char *at;
        uint64_t bytes;
    } spare; /* the largest memory that a piece had: the next batch may want as much */

    struct accd__cuda_kernels *kernels; /* launch.c; NULL: none was asked for */

    bool entered;
    struct accd__cuda_batch default_batch;   /* what does not continue by itself */
    struct accd__cuda_batch *batch;          /* the one that is at work at present */
    struct accd__cuda_batch *batches, *idle; /* of queues */
    struct accd__cuda_group {                /* copies that go out together */
        cu_address to[ACCD_CUDA_GROUP], from[ACCD_CUDA_GROUP];
        size_t bytes[ACCD_CUDA_GROUP];
        size_t n;
    } group;
};

/* Whether the batch continues by itself once it departs. */
static inline bool accd__cuda_is_queued(const struct accd__cuda_batch *batch)
{
    return batch != &batch->cuda->default_batch;
}

/* calls.c */
/* Calls the driver, unless the device is lost; whether it succeeded. */
#define ACCD_CUDA(cuda, symbol, ...) \
    (!(cuda)->lost && accd__cuda_check_result((cuda), (cuda)->driver.symbol(__VA_ARGS__), #symbol))
bool accd__cuda_check_result(struct accd__cuda *cuda, cu_result result, const char *call);
/* Passes on whether something has succeeded: if it has not, the device's content is unknown, and the device is
 * lost. */
bool accd__cuda_require(struct accd__cuda *cuda, bool ok);
/* Waits for a stream. After a failure the outcome of its work is unknown: the device is lost. */
bool accd__cuda_wait(struct accd__cuda *cuda, const struct accd__cuda_stream *stream);
/* The same for what comes before an event. */
bool accd__cuda_wait_event(struct accd__cuda *cuda, cu_event event);
/* The status for the last call that failed. */
accd_status accd__cuda_last_status(const struct accd__cuda *cuda);

/* Makes the device's context the thread's, and the one before it again. */
bool accd__cuda_push_context(struct accd__cuda *cuda);
void accd__cuda_pop_context(struct accd__cuda *cuda);
/* Made when it is first needed. */
bool accd__cuda_new_event(struct accd__cuda *cuda, cu_event *event_p);
/* Whether what was issued before is over; if the device is lost, it is. */
int accd__cuda_is_event_done(struct accd__cuda *cuda, cu_event event);
/* The batch fails, unless it has failed before: reported by ready or end. */
void accd__cuda_batch_fail(struct accd__cuda_batch *batch, accd_status status);
/* Waits for what was issued. */
bool accd__cuda_batch_wait(struct accd__cuda_batch *batch);

/* pool.c; inside enter and leave */
bool accd__cuda_pool_open(struct accd__cuda *cuda);
bool accd__cuda_pool_alloc(struct accd__cuda *cuda, const struct accd__cuda_stream *stream, uint64_t bytes,
                           cu_address *at_p);
void accd__cuda_pool_free(struct accd__cuda *cuda, const struct accd__cuda_stream *stream, cu_address at);

/* memory.c */
accd_status accd__cuda_alloc(void *device, uint64_t bytes, uint64_t *dev_p);
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
void accd__cuda_memory_free(struct accd__cuda *cuda);
/* The allocation around an address, or NULL. */
struct accd__cuda_memory *accd__cuda_memory_at(struct accd__cuda *cuda, uint64_t dev);
/* Of all bytes of an allocation, whether they were ever written. */
uint64_t *accd__cuda_written_bits(struct accd__cuda_memory *memory);
/* A range of it was written. */
void accd__cuda_mark_written(struct accd__cuda_memory *memory, uint64_t dev, uint64_t bytes);
/* Makes the poison real in the content of a range, where nothing was ever written. */
void accd__cuda_poison(struct accd__cuda_memory *memory, uint64_t dev, uint64_t bytes, char *content);

/* transfer.c */
accd_status accd__cuda_begin(void *device, const struct accd__traffic *traffic);
void accd__cuda_announce(void *device, uint64_t dev, uint64_t bytes, bool out);
void accd__cuda_send(void *device, uint64_t dev, const void *host, uint64_t bytes);
void accd__cuda_receive(void *device, uint64_t dev, void *host, uint64_t bytes);
void accd__cuda_announce_parts(void *device, uint64_t dev, uint64_t bytes);
accd_status accd__cuda_ready(void *device);
void *accd__cuda_stage(void *device, uint64_t dev, uint64_t bytes);
const void *accd__cuda_fetch(void *device, uint64_t dev, uint64_t bytes);
void accd__cuda_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes);
accd_status accd__cuda_end(void *device);
accd_status accd__cuda_start_batch(void *device, void **batch_p);
accd_status accd__cuda_finish_batch(void *device, void *batch);

/* pinned.c */
/* Page-locked memory that is free, or NULL: the system pins no more. Pinned when it is first needed. */
struct accd__cuda_pinned *accd__cuda_alloc_pinned(struct accd__cuda *cuda);
/* Memory of small pieces is free for others. */
void accd__cuda_free_chunks(struct accd__cuda_batch *batch);

/* places.c */
/* Gives all that was announced its memory; false: the batch has failed. */
bool accd__cuda_assign_host_memory(struct accd__cuda_batch *batch);
/* All memory of the batch is free for others. */
void accd__cuda_free_host_memory(struct accd__cuda_batch *batch);
void accd__cuda_batch_free(struct accd__cuda_batch *batch);
void accd__cuda_host_memory_free(struct accd__cuda *cuda);

/* parts.c */
void *accd__cuda_stage_part(void *device, uint64_t dev, uint64_t bytes);
void accd__cuda_send_parts(void *device);
/* Memory for the first window, if there are any; back again. */
bool accd__cuda_parts_begin(struct accd__cuda_batch *batch);
void accd__cuda_parts_end(struct accd__cuda_batch *batch);

/* streams.c; inside enter and leave */
/* The stream of a queue, behind all memory that is allocated; NULL: there can be none. */
struct accd__cuda_stream *accd__cuda_stream_of(struct accd__cuda *cuda, unsigned queue);
void accd__cuda_streams_wait(struct accd__cuda *cuda);
void accd__cuda_streams_free(struct accd__cuda *cuda);

/* batches.c; inside enter and leave, but arrived */
/* NULL: no memory. */
struct accd__cuda_batch *accd__cuda_new_batch(struct accd__cuda *cuda, struct accd__cuda_stream *stream);
/* It is over; the usual one is at work again. */
void accd__cuda_batch_recycle(struct accd__cuda_batch *batch);
/* What was issued continues, or is over. */
bool accd__cuda_record_batch_event(struct accd__cuda_batch *batch);
int accd__cuda_is_batch_done(void *device, const void *in_flight);
void accd__cuda_batches_free(struct accd__cuda *cuda);

/* copies.c: calls in the batch's stream; false: one failed. */
bool accd__cuda_copy_within(struct accd__cuda_batch *batch, uint64_t to, uint64_t from, uint64_t bytes);
/* Whether the driver has read the program's memory when its call returns, or a wait follows. */
bool accd__cuda_can_borrow_host_memory(const struct accd__cuda_batch *batch);
/* Issues all copies of one way. */
bool accd__cuda_move_pieces(struct accd__cuda_batch *batch, bool out);
/* Issues the parts of a window, and the event that tells when they are done. */
bool accd__cuda_move_window(struct accd__cuda_batch *batch, const struct accd__cuda_slot *slot);
/* Issues the one that goes straight to the host's memory. */
bool accd__cuda_move_receipt(struct accd__cuda_batch *batch);
/* Issues those of the way in so that what goes over data arrives as a whole, where that can be. */
bool accd__cuda_issue_uploads(struct accd__cuda_batch *batch);
/* Gives back what accd__cuda_issue_uploads took; its work is done. */
void accd__cuda_free_landing_area(struct accd__cuda_batch *batch);

/* launch.c */
int accd__cuda_compiler(void *device, char *what, size_t capacity);
accd_status accd__cuda_launch(void *device, const struct accd__launch *launch, accd_kernel_result *end_p);
int accd__cuda_is_kernel_done(void *device, const void *in_flight);
accd_status accd__cuda_finish_kernel(void *device, void *in_flight, uint64_t again, accd_kernel_result *end_p);
void accd__cuda_settle_kernel(void *device, bool keep);
uint64_t accd__cuda_next_allocation(void *device, uint64_t dev, uint64_t *bytes_p);
void accd__cuda_kernels_free(struct accd__cuda *cuda);

#endif
