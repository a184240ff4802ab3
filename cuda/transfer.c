/* transfer.c - batches of transfers: the functions that the core calls for each construct.
 *
 * A construct announces all its transfers first, so that all memory is allocated before the core fills any. A million
 * small pieces are packed into chunks. Each chunk crosses in one transfer, and a kernel on the device distributes its
 * pieces, or collects them. The number of driver calls grows with bytes / chunk, not with pieces.
 *
 *     begin              opens the batch of a queue, or the default batch
 *     announce, send     record the device ranges as runs, in the order of the later calls of stage and fetch
 *     copy               issues a copy within the device
 *     ready              assigns host memory to the runs (staging.c); issues the downloads and waits for them
 *     stage, fetch       give the core the host memory of a run: to write an upload's bytes, or to read a download's
 *     end                issues the uploads (copies.c) and waits for them; their bytes then count as written
 *
 * In a queue, start_batch replaces end (or ready, for downloads): the batch continues in its stream. finish_batch waits
 * for it; then fetch and end follow.
 *
 * All downloads are complete before the first byte reaches the host's data, except for a single large range (receive).
 * Uploads that overwrite data with more than one call cross to a landing area first; one kernel launch then changes the
 * data as a whole. */
#include "device/written.h"
#include "backend.h"

#include <assert.h>

enum { MAX_GAP = 256 }; /* gap in bytes up to which two downloads are fetched as one run */

/* Returns the batch that the core is filling or finishing. */
static struct accd__cuda_batch *current_batch(void *device)
{
    const struct accd__cuda *cuda = device;
    return cuda->batch;
}

/* --------------------------------------------------------------------------------- announced -- */

/* Begins a batch: the default batch, or for a queue (traffic->queue) an idle or new batch in the queue's stream.
 * Makes the device's context current until the batch ends or is started. Fails if a copy is to fail by injection, if
 * the driver fails, or without memory; no batch has then begun. */
accd_status accd__cuda_begin(void *device, const struct accd__traffic *traffic)
{
    struct accd__cuda *cuda = device;
    uint64_t copies = traffic->in + traffic->out + traffic->within;
    if (!cuda->is_lost)
        cuda->why[0] = 0;
    if (cuda->fail_copy && cuda->fail_copy <= copies) {
        cuda->fail_copy = 0;
        return ACCD_ERROR_DEVICE;
    }
    if (cuda->fail_copy)
        cuda->fail_copy -= copies;
    struct accd__cuda_batch *batch = &cuda->default_batch;
    bool ok = accd__cuda_push_context(cuda);
    if (ok && traffic->queue) {
        struct accd__cuda_stream *stream = accd__cuda_stream_of(cuda, traffic->queue);
        ok = stream && (batch = accd__cuda_new_batch(cuda, stream)) != NULL;
    }
    if (!ok) {
        accd__cuda_pop_context(cuda);
        return *cuda->why ? accd__cuda_last_status(cuda) : ACCD_ERROR_OUT_OF_MEMORY;
    }
    batch->mixed = traffic->in && traffic->out;
    batch->failed = ACCD_OK;
    cuda->batch = batch;
    return ACCD_OK;
}

/* Adds a range to `run`, the last run of its list, and returns true. The range must begin in the run, or at most
 * `gap` bytes after it, and lie in the same allocation. Otherwise, or if the run has a source in host memory or would
 * become too long, returns false: the range needs a run of its own. */
static bool extend_last_run(const struct accd__cuda_batch *batch, struct accd__cuda_run *run, uint64_t dev,
                            uint64_t bytes, uint64_t gap)
{
    uint64_t end = run->dev + run->bytes;
    /* runs of queues must fit into a page-locked chunk, because the driver copies asynchronously only to such memory */
    uint64_t most = accd__cuda_is_queued(batch) ? ACCD_CUDA_CHUNK / 2 : UINT64_MAX;
    if (dev + bytes - run->dev > most)
        return false;
    if (run->from || dev < run->dev || dev > end + gap || dev + bytes > run->memory->dev + run->memory->bytes)
        return false;
    if (dev + bytes > end)
        run->bytes = dev + bytes - run->dev;
    return true;
}

/* Appends a run (record of an announced device range) for the `bytes` bytes at `dev` to the list `side`: uploads,
 * downloads, or uploads in parts. `from`: memory of the host program with the bytes of an upload. NULL: the
 * core itself writes the bytes of the upload, or reads those of the download. Without memory, or for
 * a range outside of all allocations, marks the batch as failed. */
static void add_run(struct accd__cuda_batch *batch, struct accd__cuda_run_list *side, uint64_t dev, uint64_t bytes,
                    const char *from)
{
    struct accd__cuda_memory *memory = accd__cuda_memory_at(batch->cuda, dev);
    if (!memory) {
        accd__cuda_batch_fail(batch, ACCD_ERROR_DEVICE);
        return;
    }
    if (!ACCD_GROW(batch->cuda->mem, side->runs, side->capacity, side->n + 1)) {
        accd__cuda_batch_fail(batch, ACCD_ERROR_OUT_OF_MEMORY);
        return;
    }
    side->runs[side->n++] = (struct accd__cuda_run){.dev = dev, .bytes = bytes, .memory = memory, .from = from};
}

/* Announces a range that the core will write (stage) for an upload or, with `out`, read (fetch) after a download:
 * extends the last run or adds one. accd__cuda_ready returns failures. */
void accd__cuda_announce(void *device, uint64_t dev, uint64_t bytes, bool out)
{
    struct accd__cuda_batch *batch = current_batch(device);
    struct accd__cuda_run_list *side = out ? &batch->out : &batch->in;
    bool is_separate =
        batch->mixed &&
        !out; /* each upload then is a run of its own, so that overlaps with downloads are found exactly */
    if (batch->failed != ACCD_OK || !bytes)
        return;
    uint64_t gap =
        out && !accd__cuda_is_queued(batch) ? MAX_GAP : 0; /* a queue allows no gaps, because they may hold bytes that
                                                              were never written, and its batch would wait */
    if (side->n && !is_separate && extend_last_run(batch, &side->runs[side->n - 1], dev, bytes, gap))
        return;
    add_run(batch, side, dev, bytes, NULL);
}

/* Announces an upload whose bytes come from memory of the host program, at `host`. */
void accd__cuda_send(void *device, uint64_t dev, const void *host, uint64_t bytes)
{
    struct accd__cuda_batch *batch = current_batch(device);
    if (batch->failed == ACCD_OK)
        add_run(batch, &batch->in, dev, bytes, host);
}

/* Announces a range of unused device memory whose content will be uploaded in parts, by accd__cuda_stage_part. */
void accd__cuda_announce_parts(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd__cuda_batch *batch = current_batch(device);
    struct accd__cuda_run_list *parts = &batch->parts;
    if (batch->failed == ACCD_OK && !(parts->n && extend_last_run(batch, &parts->runs[parts->n - 1], dev, bytes, 0)))
        add_run(batch, parts, dev, bytes, NULL);
}

/* Announces the only download of a batch, the receipt, which goes straight to memory of the host program at `host`. */
void accd__cuda_receive(void *device, uint64_t dev, void *host, uint64_t bytes)
{
    struct accd__cuda_batch *batch = current_batch(device);
    struct accd__cuda_memory *memory = accd__cuda_memory_at(batch->cuda, dev);
    if (!memory)
        accd__cuda_batch_fail(batch, ACCD_ERROR_DEVICE);
    else if (batch->failed == ACCD_OK)
        batch->receipt = (struct accd__cuda_run){.dev = dev, .bytes = bytes, .memory = memory, .at = host};
}

/* ----------------------------------------------------------------------- copies on the device -- */

/* Issues a copy within the device. accd__cuda_ready or accd__cuda_end returns failures. */
void accd__cuda_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct accd__cuda_batch *batch = current_batch(device);
    if (batch->failed != ACCD_OK)
        return;
    if (!ACCD_GROW(batch->cuda->mem, batch->copied, batch->copied_capacity, batch->ncopied + 1)) {
        accd__cuda_batch_fail(batch, ACCD_ERROR_OUT_OF_MEMORY);
        return;
    }
    batch->copied[batch->ncopied++] = (struct accd__cuda_device_copy){to, from, bytes};
    if (!accd__cuda_copy_within(batch, to, from, bytes))
        accd__cuda_batch_fail(batch, accd__cuda_last_status(batch->cuda));
}

/* Copies the written bits (which bytes were ever written) for the batch's copies within the device, which have ended.
 */
static void mark_device_copies(struct accd__cuda_batch *batch)
{
    for (size_t i = 0; i < batch->ncopied; i++) {
        const struct accd__cuda_device_copy *copied = &batch->copied[i];
        struct accd__cuda_memory *to = accd__cuda_memory_at(batch->cuda, copied->to);
        struct accd__cuda_memory *from = accd__cuda_memory_at(batch->cuda, copied->from);
        if (to && from) {
            to->has_data = true;
            accd__written_copy(accd__cuda_written_bits(to), copied->to - to->dev, accd__cuda_written_bits(from),
                               copied->from - from->dev, copied->bytes);
        }
    }
    batch->ncopied = 0;
}

/* ------------------------------------------------------------------------------ stage, fetch -- */

/* Ends a batch: waits for its work, frees its memory, and makes the default batch and the former context current.
 * Returns `status`. */
static accd_status end_batch(struct accd__cuda_batch *batch, accd_status status)
{
    (void)accd__cuda_batch_wait(batch);
    accd__cuda_free_landing_area(batch);
    accd__cuda_free_host_memory(batch);
    accd__cuda_batch_recycle(batch);
    accd__cuda_pop_context(batch->cuda);
    return status;
}

/* Poisons, in the host memory of a downloaded run (announced range), the bytes that were never written on the device.
 */
static void poison_run(const struct accd__cuda_run *run)
{
    accd__cuda_poison(run->memory, run->dev, run->bytes, run->at);
}

/* Assigns host memory to all announced ranges, and completes the downloads. On failure the batch is over. */
accd_status accd__cuda_ready(void *device)
{
    struct accd__cuda_batch *batch = current_batch(device);
    if (accd__cuda_assign_host_memory(batch) && batch->out.n) {
        if (!accd__cuda_move_pieces(batch, true) || !accd__cuda_batch_wait(batch))
            accd__cuda_batch_fail(batch, accd__cuda_last_status(batch->cuda));
        else
            mark_device_copies(batch);
    }
    if (batch->failed != ACCD_OK)
        return end_batch(batch, batch->failed);
    for (size_t i = 0; i < batch->out.n; i++)
        poison_run(&batch->out.runs[i]);
    return ACCD_OK;
}

/* Returns the host memory of a range in the run of the list `side` that contains it; any address if `bytes` is 0.
 * Requires that successive calls give the ranges in the order in which they were announced. */
static char *range_in_run(struct accd__cuda_run_list *side, uint64_t dev, uint64_t bytes)
{
    static char empty[1];
    if (!bytes)
        return empty;
    for (;; side->cursor++) {
        assert(side->cursor < side->n);
        const struct accd__cuda_run *run = &side->runs[side->cursor];
        side->reached = side->cursor + 1;
        if (dev >= run->dev && dev + bytes <= run->dev + run->bytes)
            return run->at + (dev - run->dev);
    }
}

/* Returns the host memory from which an announced range will be uploaded. */
void *accd__cuda_stage(void *device, uint64_t dev, uint64_t bytes, const void *host)
{
    (void)host;
    struct accd__cuda_batch *batch = current_batch(device);
    return range_in_run(&batch->in, dev, bytes);
}

/* Copies to `to`, the downloaded content of a range, the bytes of the range that the core has written for uploads of
 * the same batch. The device will hold these bytes once the batch ends. */
static void overlay_staged(const struct accd__cuda_batch *batch, uint64_t dev, uint64_t bytes, char *to)
{
    const struct accd__cuda_run_list *in = &batch->in;
    for (size_t i = 0; i < in->reached; i++) {
        const struct accd__cuda_run *run = &in->runs[i];
        uint64_t low = dev > run->dev ? dev : run->dev;
        uint64_t high = dev + bytes < run->dev + run->bytes ? dev + bytes : run->dev + run->bytes;
        if (low < high)
            memcpy(to + (low - dev), run->at + (low - run->dev), high - low);
    }
}

/* Returns the downloaded content of an announced range, replaced where the core has already written bytes for uploads
 * of this batch. */
const void *accd__cuda_fetch(void *device, uint64_t dev, uint64_t bytes, const void *host)
{
    (void)host;
    struct accd__cuda_batch *batch = current_batch(device);
    char *at = range_in_run(&batch->out, dev, bytes);
    if (batch->is_mixed_range)
        overlay_staged(batch, dev, bytes, at);
    return at;
}

/* Adds to the text of a failure that a part of the data may have arrived, if that is possible. On a lost device it is
 * possible for a receipt (a download straight to memory of the program). On any other device it is possible for
 * uploads that overwrite data in several calls. */
static void append_torn_notice(const struct accd__cuda_batch *batch)
{
    static const char may_tear[] = "; a part of it may have arrived";
    struct accd__cuda *cuda = batch->cuda;
    if (cuda->is_lost ? batch->receipt.bytes != 0 : batch->may_tear && batch->changes)
        strncat(cuda->why, may_tear, sizeof cuda->why - strlen(cuda->why) - 1);
}

/* Records that the bytes of all runs of a list were written. */
static void mark_written(const struct accd__cuda_run_list *side)
{
    for (size_t i = 0; i < side->n; i++) {
        const struct accd__cuda_run *run = &side->runs[i];
        accd__cuda_mark_written(run->memory, run->dev, run->bytes);
    }
}

/* Records that uploaded bytes were written. A batch of a queue does so when it starts: later work of its stream finds
 * the data, and all other work waits for the batch. */
static void mark_uploaded(struct accd__cuda_batch *batch)
{
    mark_device_copies(batch);
    mark_written(&batch->in);
    mark_written(&batch->parts);
}

/* Issues the uploads and the receipt of the batch, waits for them, and ends the batch. */
accd_status accd__cuda_end(void *device)
{
    struct accd__cuda_batch *batch = current_batch(device);
    if (batch->failed == ACCD_OK && !batch->in_stream) {
        if (accd__cuda_issue_uploads(batch) && accd__cuda_move_receipt(batch) && accd__cuda_batch_wait(batch)) {
            mark_uploaded(batch);
            if (batch->receipt.bytes)
                poison_run(&batch->receipt);
        } else {
            append_torn_notice(batch);
            accd__cuda_batch_fail(batch, accd__cuda_last_status(batch->cuda));
        }
    }
    return end_batch(batch, batch->failed);
}

/* ----------------------------------------------------------------------------- start, finish -- */

/* Returns true if some downloaded bytes were never written on the device. Must be called when the batch starts,
 * because later work may write them. */
static bool fetches_unwritten(const struct accd__cuda_batch *batch)
{
    bool has_unwritten = false;
    for (size_t i = 0; i < batch->out.n && !has_unwritten; i++) {
        const struct accd__cuda_run *run = &batch->out.runs[i];
        has_unwritten = accd__cuda_written(batch->cuda, run->dev, run->bytes) < run->bytes;
    }
    return has_unwritten;
}

/* Issues the work of a batch, and leaves the batch to its stream. Waits for the work if unwritten bytes must be
 * poisoned, because later work may change which bytes these are. Returns false on failure. */
static bool start_in_stream(struct accd__cuda_batch *batch)
{
    bool out = batch->out.n > 0;
    if (!(out ? accd__cuda_move_pieces(batch, true) : accd__cuda_issue_uploads(batch)) ||
        !accd__cuda_record_batch_event(batch))
        return false;
    bool has_unwritten = out && fetches_unwritten(batch);
    if (has_unwritten && !batch->is_finished && !accd__cuda_wait_event(batch->cuda, batch->done))
        return false;
    batch->is_finished |= has_unwritten;
    for (size_t i = 0; has_unwritten && i < batch->out.n; i++)
        poison_run(&batch->out.runs[i]);
    if (!out)
        mark_uploaded(batch);
    return true;
}

/* Starts a batch of a queue and sets *batch_p to it; the caller continues with the default batch. On failure the batch
 * is over. */
accd_status accd__cuda_start_batch(void *device, void **batch_p)
{
    struct accd__cuda_batch *batch = current_batch(device);
    if (batch->out.n)
        (void)accd__cuda_assign_host_memory(batch);
    if (batch->failed == ACCD_OK && !start_in_stream(batch)) {
        append_torn_notice(batch);
        accd__cuda_batch_fail(batch, accd__cuda_last_status(batch->cuda));
    }
    if (batch->failed != ACCD_OK)
        return end_batch(batch, batch->failed);
    batch->cuda->batch = &batch->cuda->default_batch;
    accd__cuda_pop_context(batch->cuda);
    *batch_p = batch;
    return ACCD_OK;
}

/* Waits for a started batch and makes it current, for fetch and end. On failure the batch is over. */
accd_status accd__cuda_finish_batch(void *device, void *in_flight)
{
    struct accd__cuda *cuda = device;
    struct accd__cuda_batch *batch = in_flight;
    assert(accd__cuda_is_queued(batch));
    cuda->batch = batch;
    if (!cuda->is_lost)
        cuda->why[0] = 0;
    if (!accd__cuda_require(cuda, accd__cuda_push_context(cuda)) ||
        (!batch->is_finished && !accd__cuda_wait_event(cuda, batch->done)))
        return end_batch(batch, accd__cuda_last_status(cuda));
    return ACCD_OK;
}
