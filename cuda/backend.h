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

#define ACCD_MOVE_PIECES "accd_move_pieces"
extern const char accd_cuda_kernels[];

/* An allocation of ours. */
struct accd_cuda_memory {
    uint64_t dev, bytes;
    uint64_t full, full_end; /* all bytes in between were written: their bits wait until they are asked for */
    uint64_t *other_bits;    /* of the others, whether they were ever written (accd_cuda_bits) */
    bool used;      /* something was written: to be seen without looking at all bits */
};

/* A range of the batch, announced in one piece or in several that lie close together. */
struct accd_cuda_run {
    uint64_t dev, bytes;
    struct accd_cuda_memory *memory;
    const char *from; /* sent from there; NULL: staged */
    char *at;         /* its content, after ready */
};

/* Ranges of one direction, in the order in which they were announced. */
struct accd_cuda_side {
    struct accd_cuda_run *runs;
    size_t n, room;
    size_t cursor;  /* the run that is staged, or fetched, at present */
    size_t reached; /* runs that were staged, or fetched, so far */
};

/* What one copy moves: a run, or several that overlap. */
struct accd_cuda_piece {
    uint64_t dev, bytes;
    struct accd_cuda_memory *memory;
    char *at;
    uint64_t room; /* of at, if it is large */
    bool lent;     /* at is the host program's */
};

struct accd_cuda_pieces {
    struct accd_cuda_piece *at;
    size_t n, room;
};

/* Page-locked host memory of one chunk, made when it is first needed. */
struct accd_cuda_pinned {
    char *at;
    bool taken;
};

/* Host memory of one transfer: small pieces and, behind them, the table that says where they belong. */
struct accd_cuda_chunk {
    char *at;
    uint64_t used;
    size_t first, n; /* its pieces, among the small ones */
    bool apart;      /* it has large ones instead */
    struct accd_cuda_pinned *pinned; /* its memory; NULL: ordinary memory */
};

/* Memory of a window of parts. */
struct accd_cuda_slot {
    char *at;
    uint64_t used;
    struct accd_cuda_pinned *pinned; /* NULL: ordinary memory */
    cu_event crossed; /* once it was sent; kept from batch to batch */
    uint64_t sent;    /* as the how-manieth window of the batch it was last; 0: never */
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
struct accd_cuda_landing {
    cu_address at;
    uint64_t bytes, table; /* where that begins */
    struct row *rows;      /* those of large pieces, which come last in it */
    size_t nlarge, n;
};

/* Work in order. */
struct accd_cuda_stream {
    cu_stream at;
    cu_address scratch; /* of a chunk on the device; 0: none yet */
    uint64_t seen;      /* of allocations in the main stream: it comes behind so many */
};

/* What is announced, issued and waited for together. */
struct accd_cuda_batch {
    struct accd_cuda *cuda;
    struct accd_cuda_stream *stream;
    struct accd_cuda_side in, out, parts;
    struct accd_cuda_run receipt; /* at is the host's memory; no bytes: nothing is received */
    bool mixed;   /* the batch goes both ways */
    bool crossed; /* and some bytes do */
    bool busy;      /* the stream has work that is not waited for */
    uint64_t changes; /* calls of the batch that change what the host sent before */
    accd_status failed; /* of the batch, reported by ready or end */
    struct accd_cuda_pieces small, large; /* in and out together */
    struct accd_cuda_chunk *chunks;
    size_t nchunks, chunks_room, in_chunks, in_large; /* those of the way in come first */
    struct accd_cuda_copied {
        uint64_t to, from, bytes;
    } * copied; /* within the device */
    size_t ncopied, copied_room;
    struct accd_pair *pairs; /* pieces of the way in: begin and end, ascending */
    size_t npieces, pairs_room;
    struct accd_cuda_slot slots[ACCD_CUDA_SLOTS], *slot; /* slot: what is filled, NULL: none is */
    size_t nslots;
    uint64_t windows; /* sent so far */
    struct accd_cuda_pieces filled; /* parts of the present one */
    struct accd_cuda_landing landing;
    bool torn; /* what it copies changes data in more than one call */

    bool departed; /* its work continues by itself */
    bool arrived;  /* though it is over already */
    cu_event done; /* when that is over; NULL: it never has */
    struct accd_cuda_batch *next_made, *next_idle;
};

struct accd_cuda {
    struct cuda_driver driver;
    struct accd_mem *mem;
    cu_device gpu;
    cu_context context;
    struct accd_cuda_stream main; /* memory is allocated and freed here */
    uint64_t allocations;         /* so many times */
    cu_event allocated;
    struct accd_cuda_stream **queues; /* by number, from 1; made when they are first needed */
    size_t nqueues, queues_room;
    cu_pool pool; /* NULL: the driver has none */
    cu_module module;
    cu_function mover;
    bool no_mover; /* the driver cannot translate it */
    uint64_t capacity, live;
    bool own_kernels; /* of the program: it writes memory without a word */
    uint64_t fail_allocation, fail_copy; /* countdowns, 0: off */
    bool lost;                           /* after a sticky error nothing is asked any more */
    cu_result error;                     /* of the last call that failed */
    char why[sizeof ((accd_device_info *)0)->why];

    struct accd_range memories; /* by device address */
    struct accd_pool memory_pool;
    struct accd_cuda_window {
        uint64_t low, high;
    } * windows; /* addresses that are this device's, in order */
    size_t nwindows, windows_room;

    struct accd_cuda_pinned ring[ACCD_CUDA_RING];
    bool no_ring; /* no more memory can be pinned */
    struct {
        char *at;
        uint64_t bytes;
    } spare; /* the largest memory that a piece had: the next batch may want as much */

    struct accd_cuda_kernels *kernels; /* launch.c; NULL: none was asked for */

    bool entered;
    struct accd_cuda_batch usual; /* what does not continue by itself */
    struct accd_cuda_batch *batch; /* the one that is at work at present */
    struct accd_cuda_batch *made, *idle; /* of queues */
    struct accd_cuda_group { /* copies that go out together */
        cu_address to[ACCD_CUDA_GROUP], from[ACCD_CUDA_GROUP];
        size_t bytes[ACCD_CUDA_GROUP];
        size_t n;
    } group;
};

/* Whether the batch continues by itself once it departs. */
static inline bool accd_cuda_is_queued(const struct accd_cuda_batch *batch)
{
    return batch != &batch->cuda->usual;
}

/* calls.c */
/* Calls the driver, unless the device is lost; whether it succeeded. */
#define ACCD_CUDA(cuda, symbol, ...) \
    (!(cuda)->lost && accd_cuda_done((cuda), (cuda)->driver.symbol(__VA_ARGS__), #symbol))
bool accd_cuda_done(struct accd_cuda *cuda, cu_result result, const char *call);
/* Passes on whether something has succeeded: if it has not, the device's content is unknown, and the device is
 * lost. */
bool accd_cuda_must(struct accd_cuda *cuda, bool ok);
/* Waits for a stream. After a failure the outcome of its work is unknown: the device is lost. */
bool accd_cuda_wait(struct accd_cuda *cuda, const struct accd_cuda_stream *stream);
/* The same for what comes before an event. */
bool accd_cuda_wait_event(struct accd_cuda *cuda, cu_event event);
/* The status for the last call that failed. */
accd_status accd_cuda_status(const struct accd_cuda *cuda);

/* Makes the device's context the thread's, and the one before it again. */
bool accd_cuda_enter(struct accd_cuda *cuda);
void accd_cuda_leave(struct accd_cuda *cuda);
/* Made when it is first needed. */
bool accd_cuda_new_event(struct accd_cuda *cuda, cu_event *event_p);
/* Whether what was issued before is over; if the device is lost, it is. */
int accd_cuda_has_happened(struct accd_cuda *cuda, cu_event event);
/* The batch fails, unless it has failed before: reported by ready or end. */
void accd_cuda_batch_fail(struct accd_cuda_batch *batch, accd_status status);
/* Waits for what was issued. */
bool accd_cuda_batch_wait(struct accd_cuda_batch *batch);

/* pool.c; inside enter and leave */
bool accd_cuda_pool_open(struct accd_cuda *cuda);
bool accd_cuda_get(struct accd_cuda *cuda, const struct accd_cuda_stream *stream, uint64_t bytes,
                   cu_address *at_p);
void accd_cuda_put(struct accd_cuda *cuda, const struct accd_cuda_stream *stream, cu_address at);

/* memory.c */
accd_status accd_cuda_alloc(void *device, uint64_t bytes, uint64_t *dev_p);
accd_status accd_cuda_free(void *device, uint64_t dev);
int accd_cuda_owns(void *device, uint64_t dev);
int accd_cuda_before(void *device, uint64_t dev);
int accd_cuda_allocated(void *device, uint64_t dev, uint64_t bytes);
uint64_t accd_cuda_size_of(void *device, uint64_t dev);
uint64_t accd_cuda_written(void *device, uint64_t dev, uint64_t bytes);
accd_status accd_cuda_save(void *device, uint64_t dev, uint64_t bytes, uint8_t *to);
void accd_cuda_restore(void *device, uint64_t dev, uint64_t bytes, const uint8_t *from);
void accd_cuda_forget(void *device, uint64_t dev, uint64_t bytes);
accd_status accd_cuda_read(void *device, uint64_t dev, void *to, uint64_t bytes);
accd_status accd_cuda_write(void *device, uint64_t dev, const void *from, uint64_t bytes);
void accd_cuda_memory_close(struct accd_cuda *cuda);
/* The allocation around an address, or NULL. */
struct accd_cuda_memory *accd_cuda_memory_at(struct accd_cuda *cuda, uint64_t dev);
/* Of all bytes of an allocation, whether they were ever written. */
uint64_t *accd_cuda_bits(struct accd_cuda_memory *memory);
/* A range of it was written. */
void accd_cuda_mark(struct accd_cuda_memory *memory, uint64_t dev, uint64_t bytes);
/* Makes the poison real in the content of a range, where nothing was ever written. */
void accd_cuda_poison(struct accd_cuda_memory *memory, uint64_t dev, uint64_t bytes, char *content);

/* transfer.c */
accd_status accd_cuda_begin(void *device, const struct accd_traffic *traffic);
void accd_cuda_announce(void *device, uint64_t dev, uint64_t bytes, bool out);
void accd_cuda_send(void *device, uint64_t dev, const void *host, uint64_t bytes);
void accd_cuda_receive(void *device, uint64_t dev, void *host, uint64_t bytes);
void accd_cuda_announce_parts(void *device, uint64_t dev, uint64_t bytes);
accd_status accd_cuda_ready(void *device);
void *accd_cuda_stage(void *device, uint64_t dev, uint64_t bytes);
const void *accd_cuda_fetch(void *device, uint64_t dev, uint64_t bytes);
void accd_cuda_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes);
accd_status accd_cuda_end(void *device);
accd_status accd_cuda_depart(void *device, void **batch_p);
accd_status accd_cuda_arrive(void *device, void *batch);

/* pinned.c */
/* Page-locked memory that is free, or NULL: the system pins no more. Pinned when it is first needed. */
struct accd_cuda_pinned *accd_cuda_take_pinned(struct accd_cuda *cuda);
/* Memory of small pieces is free for others. */
void accd_cuda_give_chunks_back(struct accd_cuda_batch *batch);

/* places.c */
/* Gives all that was announced its memory; false: the batch has failed. */
bool accd_cuda_place(struct accd_cuda_batch *batch);
/* All memory of the batch is free for others. */
void accd_cuda_give_memory_back(struct accd_cuda_batch *batch);
void accd_cuda_batch_close(struct accd_cuda_batch *batch);
void accd_cuda_places_close(struct accd_cuda *cuda);

/* parts.c */
void *accd_cuda_stage_part(void *device, uint64_t dev, uint64_t bytes);
void accd_cuda_send_parts(void *device);
/* Memory for the first window, if there are any; back again. */
bool accd_cuda_parts_open(struct accd_cuda_batch *batch);
void accd_cuda_parts_close(struct accd_cuda_batch *batch);

/* streams.c; inside enter and leave */
/* The stream of a queue, behind all memory that is allocated; NULL: there can be none. */
struct accd_cuda_stream *accd_cuda_stream_of(struct accd_cuda *cuda, unsigned queue);
void accd_cuda_streams_wait(struct accd_cuda *cuda);
void accd_cuda_streams_close(struct accd_cuda *cuda);

/* batches.c; inside enter and leave, but arrived */
/* NULL: no memory. */
struct accd_cuda_batch *accd_cuda_new_batch(struct accd_cuda *cuda, struct accd_cuda_stream *stream);
/* It is over; the usual one is at work again. */
void accd_cuda_batch_over(struct accd_cuda_batch *batch);
/* What was issued continues, or is over. */
bool accd_cuda_mark_departure(struct accd_cuda_batch *batch);
int accd_cuda_arrived(void *device, const void *under_way);
void accd_cuda_batches_close(struct accd_cuda *cuda);

/* copies.c: calls in the batch's stream; false: one failed. */
bool accd_cuda_copy_within(struct accd_cuda_batch *batch, uint64_t to, uint64_t from, uint64_t bytes);
/* Whether the driver has read the program's memory when its call returns, or a wait follows. */
bool accd_cuda_may_lend(const struct accd_cuda_batch *batch);
/* Issues all copies of one way. */
bool accd_cuda_move_pieces(struct accd_cuda_batch *batch, bool out);
/* Issues the parts of a window, and the event that tells when they are done. */
bool accd_cuda_move_window(struct accd_cuda_batch *batch, const struct accd_cuda_slot *slot);
/* Issues the one that goes straight to the host's memory. */
bool accd_cuda_move_receipt(struct accd_cuda_batch *batch);
/* Issues those of the way in so that what goes over data arrives as a whole, where that can be. */
bool accd_cuda_bring(struct accd_cuda_batch *batch);
/* Gives back what accd_cuda_bring took; its work is done. */
void accd_cuda_landed(struct accd_cuda_batch *batch);

/* launch.c */
int accd_cuda_compiler(void *device, char *what, size_t room);
accd_status accd_cuda_launch(void *device, const struct accd_launch *launch, accd_kernel_end *end_p);
int accd_cuda_kernel_arrived(void *device, const void *under_way);
accd_status accd_cuda_kernel_over(void *device, void *under_way, uint64_t again, accd_kernel_end *end_p);
void accd_cuda_conclude(void *device, bool keep);
uint64_t accd_cuda_next(void *device, uint64_t dev, uint64_t *bytes_p);
void accd_cuda_launch_close(struct accd_cuda *cuda);

#endif
