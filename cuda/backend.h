/* backend.h - one CUDA device of a context, as its files share it.
 *
 *   driver       entry points of the driver, found at run time
 *   memory       what is allocated, and which of its bytes were ever written
 *   transfer     batches: many small pieces in a few large transfers
 *   kernels      the kernel that moves pieces, as text
 *   launch       kernels made from bodies of compute constructs, compiled by nvrtc
 *   device_cuda  the table for the core
 */
#ifndef ACCD_CUDA_BACKEND_H
#define ACCD_CUDA_BACKEND_H

#include "device.h"
#include "driver.h"
#include "mem.h"
#include "range.h"

#include <stdbool.h>

#define ACCD_MOVE_PIECES "accd_move_pieces"
extern const char accd_cuda_kernels[];

/* An allocation of ours. */
struct accd_cuda_memory {
    uint64_t dev, bytes;
    uint64_t *bits; /* of its bytes, whether they were ever written */
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
    bool lent; /* at is the host program's */
};

/* Host memory of one transfer: small pieces and, behind them, the table that says where they belong. */
struct accd_cuda_chunk {
    char *at;
    uint64_t used;
    size_t first, n; /* its pieces, among the small ones */
    bool pinned;
};

enum { ACCD_CUDA_RING = 8, ACCD_CUDA_GROUP = 1024 };

struct accd_cuda {
    struct cuda_driver driver;
    struct accd_mem *mem;
    cu_device gpu;
    cu_context context;
    cu_stream stream;
    cu_pool pool; /* NULL: the driver has none */
    cu_module module;
    cu_function mover;
    bool no_mover; /* the driver cannot translate it */
    uint64_t capacity, live;
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

    char *ring[ACCD_CUDA_RING]; /* pinned, of one chunk each; made when they are needed */
    bool no_ring;
    cu_address scratch;         /* of a chunk on the device */

    struct accd_cuda_kernels *kernels; /* launch.c; NULL: none was asked for */

    struct accd_cuda_side in, out;
    bool mixed;   /* the batch goes both ways */
    bool crossed; /* and some bytes do */
    bool entered;
    bool busy;      /* the stream has work that is not waited for */
    uint64_t changes; /* calls of the batch that change what the host sent before */
    accd_status failed; /* of the batch, told by ready or end */
    struct accd_cuda_piece *small, *large; /* in and out together */
    size_t nsmall, small_room, nlarge, large_room;
    struct accd_cuda_chunk *chunks;
    size_t nchunks, chunks_room, in_chunks, in_large; /* those of the way in come first */
    struct accd_cuda_copied {
        uint64_t to, from, bytes;
    } * copied; /* within the device */
    size_t ncopied, copied_room;
    struct accd_pair *pairs; /* pieces of the way in: begin and end, ascending */
    size_t npieces, pairs_room;
    struct accd_cuda_group { /* copies that go out together */
        cu_address to[ACCD_CUDA_GROUP], from[ACCD_CUDA_GROUP];
        size_t bytes[ACCD_CUDA_GROUP];
        size_t n;
    } group;
};

/* Calls the driver, unless the device is lost; whether it succeeded. */
#define ACCD_CUDA(cuda, symbol, ...) \
    (!(cuda)->lost && accd_cuda_done((cuda), (cuda)->driver.symbol(__VA_ARGS__), #symbol))
bool accd_cuda_done(struct accd_cuda *cuda, cu_result result, const char *call);
/* Says so in what happened last; nothing is asked of the device any more. */
void accd_cuda_lose(struct accd_cuda *cuda);
/* Waits for the stream. What became of its work nobody knows after a failure: the device is lost. */
bool accd_cuda_wait(struct accd_cuda *cuda);
/* The status for the last call that failed. */
accd_status accd_cuda_status(const struct accd_cuda *cuda);

/* Makes the device's context the thread's, and the one before it again. */
bool accd_cuda_enter(struct accd_cuda *cuda);
void accd_cuda_leave(struct accd_cuda *cuda);

/* memory.c; inside enter and leave */
bool accd_cuda_get(struct accd_cuda *cuda, uint64_t bytes, cu_address *at_p);
void accd_cuda_put(struct accd_cuda *cuda, cu_address at);
accd_status accd_cuda_alloc(void *device, uint64_t bytes, uint64_t *dev_p);
accd_status accd_cuda_free(void *device, uint64_t dev);
int accd_cuda_owns(void *device, uint64_t dev);
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

/* transfer.c */
accd_status accd_cuda_begin(void *device, const struct accd_traffic *traffic);
void accd_cuda_announce(void *device, uint64_t dev, uint64_t bytes, bool out);
void accd_cuda_send(void *device, uint64_t dev, const void *host, uint64_t bytes);
accd_status accd_cuda_ready(void *device);
void *accd_cuda_stage(void *device, uint64_t dev, uint64_t bytes);
const void *accd_cuda_fetch(void *device, uint64_t dev, uint64_t bytes);
void accd_cuda_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes);
accd_status accd_cuda_end(void *device);
void accd_cuda_transfer_close(struct accd_cuda *cuda);

/* launch.c */
int accd_cuda_compiler(void *device, char *what, size_t room);
accd_status accd_cuda_launch(void *device, const struct accd_launch *launch, accd_kernel_end *end_p);
void accd_cuda_settle(void *device, bool keep);
uint64_t accd_cuda_next(void *device, uint64_t dev, uint64_t *bytes_p);
void accd_cuda_launch_close(struct accd_cuda *cuda);

#endif
