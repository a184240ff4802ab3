/* transfer.c - batches. What a construct moves is announced first, so that all memory is there before
 * anything is filled; then a million small pieces and their pointers are packed into chunks, and each
 * chunk crosses in one transfer and is taken apart (put together, on the way back) on the device.
 * Driver calls grow with bytes / chunk, not with pieces.
 *
 * What comes back is complete before the first byte reaches the host's memory, unless it is one large range
 * alone. What goes over data that are there, in more than one call, crosses to a place of its own first: the one
 * launch that takes it apart is all or nothing. */
#include "backend.h"
#include "device/written.h"

enum { GAP = 256 }; /* bytes fetched for nothing, rather than beginning another piece */

static struct accd_cuda_batch *batch_of(void *device)
{
    const struct accd_cuda *cuda = device;
    return cuda->batch;
}

/* --------------------------------------------------------------------------------- announced -- */

accd_status accd_cuda_begin(void *device, const struct accd_traffic *traffic)
{
    struct accd_cuda *cuda = device;
    uint64_t copies = traffic->in + traffic->out + traffic->within;
    if (!cuda->lost)
        cuda->why[0] = 0;
    if (cuda->fail_copy && cuda->fail_copy <= copies) {
        cuda->fail_copy = 0;
        return ACCD_DEVICE_ERROR;
    }
    if (cuda->fail_copy)
        cuda->fail_copy -= copies;
    struct accd_cuda_batch *batch = &cuda->usual;
    bool ok = accd_cuda_enter(cuda);
    if (ok && traffic->queue) {
        struct accd_cuda_stream *stream = accd_cuda_stream_of(cuda, traffic->queue);
        ok = stream && (batch = accd_cuda_new_batch(cuda, stream)) != NULL;
    }
    if (!ok) {
        accd_cuda_leave(cuda);
        return *cuda->why ? accd_cuda_status(cuda) : ACCD_OUT_OF_MEMORY;
    }
    batch->mixed = traffic->in && traffic->out;
    batch->failed = ACCD_OK;
    cuda->batch = batch;
    return ACCD_OK;
}

/* Whether what is announced belongs to the last run: it lies in it or, by as much as gap, behind it. */
static bool joins(const struct accd_cuda_batch *batch, struct accd_cuda_run *run, uint64_t dev, uint64_t bytes,
                  uint64_t gap)
{
    uint64_t end = run->dev + run->bytes;
    uint64_t most = accd_cuda_is_queued(batch) ? ACCD_CUDA_CHUNK / 2 : UINT64_MAX; /* it lies in a chunk */
    if (dev + bytes - run->dev > most)
        return false;
    if (run->from || dev < run->dev || dev > end + gap ||
        dev + bytes > run->memory->dev + run->memory->bytes)
        return false;
    if (dev + bytes > end)
        run->bytes = dev + bytes - run->dev;
    return true;
}

static void add_run(struct accd_cuda_batch *batch, struct accd_cuda_side *side, uint64_t dev,
                    uint64_t bytes, const char *from)
{
    struct accd_cuda_memory *memory = accd_cuda_memory_at(batch->cuda, dev);
    if (!memory) {
        accd_cuda_batch_fail(batch, ACCD_DEVICE_ERROR);
        return;
    }
    if (!ACCD_GROW(batch->cuda->mem, side->runs, side->room, side->n + 1)) {
        accd_cuda_batch_fail(batch, ACCD_OUT_OF_MEMORY);
        return;
    }
    side->runs[side->n++] = (struct accd_cuda_run){
        .dev = dev, .bytes = bytes, .memory = memory, .from = from};
}

void accd_cuda_announce(void *device, uint64_t dev, uint64_t bytes, bool out)
{
    struct accd_cuda_batch *batch = batch_of(device);
    struct accd_cuda_side *side = out ? &batch->out : &batch->in;
    bool separate = batch->mixed && !out; /* what is fetched may ask for each by itself */
    if (batch->failed != ACCD_OK || !bytes)
        return;
    uint64_t gap = out && !accd_cuda_is_queued(batch) ? GAP : 0; /* what was never written would hold a queue up */
    if (side->n && !separate && joins(batch, &side->runs[side->n - 1], dev, bytes, gap))
        return;
    add_run(batch, side, dev, bytes, NULL);
}

void accd_cuda_send(void *device, uint64_t dev, const void *host, uint64_t bytes)
{
    struct accd_cuda_batch *batch = batch_of(device);
    if (batch->failed == ACCD_OK)
        add_run(batch, &batch->in, dev, bytes, host);
}

void accd_cuda_announce_parts(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd_cuda_batch *batch = batch_of(device);
    struct accd_cuda_side *parts = &batch->parts;
    if (batch->failed == ACCD_OK && !(parts->n && joins(batch, &parts->runs[parts->n - 1], dev, bytes, 0)))
        add_run(batch, parts, dev, bytes, NULL);
}

void accd_cuda_receive(void *device, uint64_t dev, void *host, uint64_t bytes)
{
    struct accd_cuda_batch *batch = batch_of(device);
    struct accd_cuda_memory *memory = accd_cuda_memory_at(batch->cuda, dev);
    if (!memory)
        accd_cuda_batch_fail(batch, ACCD_DEVICE_ERROR);
    else if (batch->failed == ACCD_OK)
        batch->receipt =
            (struct accd_cuda_run){.dev = dev, .bytes = bytes, .memory = memory, .at = host};
}

/* ------------------------------------------------------------------------- within the device -- */

void accd_cuda_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct accd_cuda_batch *batch = batch_of(device);
    if (batch->failed != ACCD_OK)
        return;
    if (!ACCD_GROW(batch->cuda->mem, batch->copied, batch->copied_room, batch->ncopied + 1)) {
        accd_cuda_batch_fail(batch, ACCD_OUT_OF_MEMORY);
        return;
    }
    batch->copied[batch->ncopied++] = (struct accd_cuda_copied){to, from, bytes};
    if (!accd_cuda_copy_within(batch, to, from, bytes))
        accd_cuda_batch_fail(batch, accd_cuda_status(batch->cuda));
}

/* Once copies within the device are done: what they copied was written as far as it was there. */
static void mark_copied(struct accd_cuda_batch *batch)
{
    for (size_t i = 0; i < batch->ncopied; i++) {
        const struct accd_cuda_copied *copied = &batch->copied[i];
        struct accd_cuda_memory *to = accd_cuda_memory_at(batch->cuda, copied->to);
        struct accd_cuda_memory *from = accd_cuda_memory_at(batch->cuda, copied->from);
        if (to && from) {
            to->used = true;
            accd_written_copy(accd_cuda_bits(to), copied->to - to->dev, accd_cuda_bits(from),
                              copied->from - from->dev, copied->bytes);
        }
    }
    batch->ncopied = 0;
}

/* ------------------------------------------------------------------------------ stage, fetch -- */

/* The batch is over. What was issued may still use its memory, so it is waited for. */
static accd_status finish(struct accd_cuda_batch *batch, accd_status status)
{
    (void)accd_cuda_batch_wait(batch);
    accd_cuda_landed(batch);
    accd_cuda_give_memory_back(batch);
    accd_cuda_batch_over(batch);
    accd_cuda_leave(batch->cuda);
    return status;
}

/* Of what has come: bytes that were never written are noise. */
static void poison(const struct accd_cuda_run *run)
{
    accd_cuda_poison(run->memory, run->dev, run->bytes, run->at);
}

accd_status accd_cuda_ready(void *device)
{
    struct accd_cuda_batch *batch = batch_of(device);
    if (accd_cuda_place(batch) && batch->out.n) {
        if (!accd_cuda_move_pieces(batch, true) || !accd_cuda_batch_wait(batch))
            accd_cuda_batch_fail(batch, accd_cuda_status(batch->cuda));
        else
            mark_copied(batch);
    }
    if (batch->failed != ACCD_OK)
        return finish(batch, batch->failed);
    for (size_t i = 0; i < batch->out.n; i++)
        poison(&batch->out.runs[i]);
    return ACCD_OK;
}

/* The place of a range in its run: ranges come in the order in which they were announced. */
static char *place_of(struct accd_cuda_side *side, uint64_t dev, uint64_t bytes)
{
    static char none[1];
    if (!bytes)
        return none;
    for (;; side->cursor++) {
        const struct accd_cuda_run *run = &side->runs[side->cursor];
        side->reached = side->cursor + 1;
        if (dev >= run->dev && dev + bytes <= run->dev + run->bytes)
            return run->at + (dev - run->dev);
    }
}

void *accd_cuda_stage(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd_cuda_batch *batch = batch_of(device);
    return place_of(&batch->in, dev, bytes);
}

/* The batch may have staged a part of it before: that is what the device holds then. */
static void overlay(const struct accd_cuda_batch *batch, uint64_t dev, uint64_t bytes, char *to)
{
    const struct accd_cuda_side *in = &batch->in;
    for (size_t i = 0; i < in->reached; i++) {
        const struct accd_cuda_run *run = &in->runs[i];
        uint64_t low = dev > run->dev ? dev : run->dev;
        uint64_t high = dev + bytes < run->dev + run->bytes ? dev + bytes : run->dev + run->bytes;
        if (low < high)
            memcpy(to + (low - dev), run->at + (low - run->dev), high - low);
    }
}

const void *accd_cuda_fetch(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd_cuda_batch *batch = batch_of(device);
    char *at = place_of(&batch->out, dev, bytes);
    if (batch->crossed)
        overlay(batch, dev, bytes, at);
    return at;
}

/* What did not come as a whole, over data that were there: on a device that is not lost, or in the host's
 * memory, from one that is lost on the way. */
static void say_if_torn(const struct accd_cuda_batch *batch)
{
    static const char torn[] = "; a part of it may have arrived";
    struct accd_cuda *cuda = batch->cuda;
    if (cuda->lost ? batch->receipt.bytes != 0 : batch->torn && batch->changes)
        strncat(cuda->why, torn, sizeof cuda->why - strlen(cuda->why) - 1);
}

static void mark_written(const struct accd_cuda_side *side)
{
    for (size_t i = 0; i < side->n; i++) {
        const struct accd_cuda_run *run = &side->runs[i];
        accd_cuda_mark(run->memory, run->dev, run->bytes);
    }
}

/* What was copied is known as written. A batch that continues by itself says so when it departs: what comes
 * behind it in its stream finds it, and everybody else waits. */
static void mark_brought(struct accd_cuda_batch *batch)
{
    mark_copied(batch);
    mark_written(&batch->in);
    mark_written(&batch->parts);
}

accd_status accd_cuda_end(void *device)
{
    struct accd_cuda_batch *batch = batch_of(device);
    if (batch->failed == ACCD_OK && !batch->departed) {
        if (accd_cuda_bring(batch) && accd_cuda_move_receipt(batch) && accd_cuda_batch_wait(batch)) {
            mark_brought(batch);
            if (batch->receipt.bytes)
                poison(&batch->receipt);
        } else {
            say_if_torn(batch);
            accd_cuda_batch_fail(batch, accd_cuda_status(batch->cuda));
        }
    }
    return finish(batch, batch->failed);
}

/* ---------------------------------------------------------------------------- depart, arrive -- */

/* Whether some of what is fetched was never written: which bytes is only known now. */
static bool fetches_noise(const struct accd_cuda_batch *batch)
{
    bool noise = false;
    for (size_t i = 0; i < batch->out.n && !noise; i++) {
        const struct accd_cuda_run *run = &batch->out.runs[i];
        noise = accd_cuda_written(batch->cuda, run->dev, run->bytes) < run->bytes;
    }
    return noise;
}

static bool depart(struct accd_cuda_batch *batch)
{
    bool out = batch->out.n > 0;
    if (!(out ? accd_cuda_move_pieces(batch, true) : accd_cuda_bring(batch)) ||
        !accd_cuda_mark_departure(batch))
        return false;
    bool noise = out && fetches_noise(batch);
    if (noise && !batch->arrived && !accd_cuda_wait_event(batch->cuda, batch->done))
        return false;
    batch->arrived |= noise;
    for (size_t i = 0; noise && i < batch->out.n; i++)
        poison(&batch->out.runs[i]);
    if (!out)
        mark_brought(batch);
    return true;
}

accd_status accd_cuda_depart(void *device, void **batch_p)
{
    struct accd_cuda_batch *batch = batch_of(device);
    if (batch->out.n)
        (void)accd_cuda_place(batch);
    if (batch->failed == ACCD_OK && !depart(batch)) {
        say_if_torn(batch);
        accd_cuda_batch_fail(batch, accd_cuda_status(batch->cuda));
    }
    if (batch->failed != ACCD_OK)
        return finish(batch, batch->failed);
    batch->cuda->batch = &batch->cuda->usual;
    accd_cuda_leave(batch->cuda);
    *batch_p = batch;
    return ACCD_OK;
}

accd_status accd_cuda_arrive(void *device, void *under_way)
{
    struct accd_cuda *cuda = device;
    struct accd_cuda_batch *batch = under_way;
    cuda->batch = batch;
    if (!cuda->lost)
        cuda->why[0] = 0;
    if (!accd_cuda_must(cuda, accd_cuda_enter(cuda)) || (!batch->arrived && !accd_cuda_wait_event(cuda, batch->done)))
        return finish(batch, accd_cuda_status(cuda));
    return ACCD_OK;
}
