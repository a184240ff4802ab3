/* batch.c - executes batches of transfers through the functions of a backend: at once (accd__run_batch), or started in
 * a queue and finished later. core/ops and core/queue call it. */
#include "device/device.h"

/* Returns the numbers of copies of a batch, and adds their bytes to `moved`. Transfers of the core's own bytes add
 * none. */
struct accd__traffic accd__count_batch_traffic(const struct accd__batch *batch, uint64_t *moved)
{
    struct accd__traffic traffic = {0};
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd__transfer *at = &batch->at[i];
        const unsigned kind = at->direction == ACCD_TRANSFER_TO_HOST         ? 1
                              : at->direction == ACCD_TRANSFER_WITHIN_DEVICE ? 2
                                                                             : 0;
        *(kind == 1 ? &traffic.out : kind ? &traffic.within : &traffic.in) += 1;
        moved[kind] += at->direction == ACCD_TRANSFER_CORE_TO_DEVICE ? 0 : at->bytes;
    }
    if (batch->bulk)
        batch->bulk_ops->count(batch->bulk, &traffic);
    return traffic;
}

/* Returns true if the device sends a transfer directly from host memory, without staging (a copy into memory of the
 * device): it is large, and its batch fetches nothing. */
static bool is_sent_directly(const struct accd__device *device, const struct accd__transfer *at,
                             const struct accd__traffic *traffic)
{
    return device->ops->send && !traffic->out && at->direction == ACCD_TRANSFER_TO_DEVICE &&
           at->bytes >= ACCD_MIN_DIRECT_SEND;
}

/* Returns true if the batch only fetches one large range at once, which the device writes to host memory directly. */
static bool is_received_directly(const struct accd__device *device, const struct accd__batch *batch,
                                 const struct accd__traffic *traffic)
{
    return device->ops->receive && batch->n == 1 && batch->at[0].direction == ACCD_TRANSFER_TO_HOST && !batch->store &&
           batch->at[0].bytes >= ACCD_MIN_DIRECT_SEND && traffic->out == 1 && !traffic->in && !traffic->queue;
}

/* Returns the greatest number of bytes of one fetch: ACCD_MAX_FETCH_PART in a queue, otherwise without limit. */
static uint64_t max_fetch_bytes(const struct accd__traffic *traffic)
{
    return traffic->queue ? ACCD_MAX_FETCH_PART : UINT64_MAX;
}

/* Returns the smaller one of two numbers of bytes. */
static uint64_t min_bytes(uint64_t bytes, uint64_t max_bytes)
{
    return bytes < max_bytes ? bytes : max_bytes;
}

/* Begins a batch, copies within the device, and, if the device has `announce`, announces the other transfers or starts
 * direct ones. On failure returns the status of the device. */
static accd_status begin_batch(struct accd__device *device, const struct accd__batch *batch,
                               const struct accd__traffic *traffic)
{
    const accd_backend *ops = device->ops;
    const uint64_t max_bytes = max_fetch_bytes(traffic);
    ACCD_TRY(ops->begin_batch(device->handle, traffic));
    for (size_t i = 0; traffic->within && i < batch->n; i++)
        if (batch->at[i].direction == ACCD_TRANSFER_WITHIN_DEVICE)
            ops->copy(device->handle, batch->at[i].dev, batch->at[i].host, batch->at[i].bytes);
    if (!ops->announce)
        return ACCD_OK;
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd__transfer *at = &batch->at[i];
        if (is_received_directly(device, batch, traffic))
            ops->receive(device->handle, at->dev, accd__pointer(at->host), at->bytes);
        else if (is_sent_directly(device, at, traffic))
            ops->send(device->handle, at->dev, accd__pointer(at->host), at->bytes);
        else if (at->direction == ACCD_TRANSFER_TO_HOST)
            for (uint64_t k = 0; k < at->bytes; k += min_bytes(at->bytes - k, max_bytes))
                ops->announce(device->handle, at->dev + k, min_bytes(at->bytes - k, max_bytes), true);
        else if (at->direction != ACCD_TRANSFER_WITHIN_DEVICE)
            ops->announce(device->handle, at->dev, at->bytes, false);
    }
    if (batch->bulk)
        batch->bulk_ops->announce(batch->bulk, traffic);
    return ACCD_OK;
}

/* Stages or fetches all transfers that are neither direct nor within the device; then runs the bulk. The device must be
 * ready. */
static void move_transfers(struct accd__device *device, const struct accd__batch *batch,
                           const struct accd__traffic *traffic)
{
    const accd_backend *ops = device->ops;
    const uint64_t max_bytes = max_fetch_bytes(traffic);
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd__transfer *at = &batch->at[i];
        if (at->direction == ACCD_TRANSFER_WITHIN_DEVICE || is_sent_directly(device, at, traffic) ||
            is_received_directly(device, batch, traffic))
            continue;
        if (at->direction != ACCD_TRANSFER_TO_HOST)
            memcpy(ops->stage(device->handle, at->dev, at->bytes), accd__pointer(at->host), at->bytes);
        else if (batch->store)
            batch->store(batch->ud, at, ops->fetch(device->handle, at->dev, at->bytes));
        else
            for (uint64_t k = 0, bytes; k < at->bytes; k += bytes) {
                bytes = min_bytes(at->bytes - k, max_bytes);
                memcpy(accd__pointer(at->host + k), ops->fetch(device->handle, at->dev + k, bytes), bytes);
            }
    }
    if (batch->bulk)
        batch->bulk_ops->run(batch->bulk);
}

/* Ends a batch and, unless it is uncounted, adds its `traffic` and `moved` bytes to the statistics. If the device
 * fails, counts nothing and returns the device's status. */
static accd_status end_batch(struct accd__device *device, const struct accd__batch *batch,
                             const struct accd__traffic *traffic, const uint64_t *moved)
{
    ACCD_TRY(device->ops->end_batch(device->handle));
    if (batch->uncounted)
        return ACCD_OK;
    device->stats.transfers[0] += traffic->in;
    device->stats.transfers[1] += traffic->out;
    device->stats.transfers[2] += traffic->within;
    for (unsigned k = 0; k < 3; k++)
        device->stats.moved_bytes[k] += moved[k];
    return ACCD_OK;
}

/* Does all transfers of a batch now; an empty batch does nothing. On failure returns the status of the device. */
accd_status accd__run_batch(struct accd__device *device, const struct accd__batch *batch)
{
    assert(!batch->n || batch->at);
    uint64_t moved[3] = {0};
    const struct accd__traffic traffic = accd__count_batch_traffic(batch, moved);
    if (!traffic.in && !traffic.out && !traffic.within)
        return ACCD_OK;
    ACCD_TRY(begin_batch(device, batch, &traffic));
    if (device->ops->ready)
        ACCD_TRY(device->ops->ready(device->handle));
    move_transfers(device, batch, &traffic);
    return end_batch(device, batch, &traffic, moved);
}

/* Starts a batch in a queue of the device; a batch that sends has left host memory afterwards. On failure returns the
 * status of the device. */
accd_status accd__start_batch(struct accd__device *device, const struct accd__batch *batch,
                              const struct accd__traffic *traffic, void **under_way_p)
{
    assert(device->ops->start_batch);
    ACCD_TRY(begin_batch(device, batch, traffic));
    if (!traffic->out) {
        ACCD_TRY(device->ops->ready(device->handle));
        move_transfers(device, batch, traffic);
    }
    return device->ops->start_batch(device->handle, under_way_p);
}

/* Waits for a started batch, and stores what it has fetched if `stores_data`. */
accd_status accd__finish_batch(struct accd__device *device, const struct accd__batch *batch, unsigned queue,
                               void *in_flight, bool stores_data)
{
    assert(device->ops->finish_batch);
    uint64_t moved[3] = {0};
    struct accd__traffic traffic = accd__count_batch_traffic(batch, moved);
    traffic.queue = queue;
    ACCD_TRY(device->ops->finish_batch(device->handle, in_flight));
    if (traffic.out && stores_data)
        move_transfers(device, batch, &traffic);
    return end_batch(device, batch, &traffic, moved);
}
