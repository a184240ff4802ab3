/* batch.c - executes batches of transfers through the functions of a backend: at once (accd__run_batch), or started in
 * a queue and finished later. core/ops and core/queue call it. */
#include "device/device.h"

/* Returns the numbers of copies of a batch. Adds the bytes of its listed transfers to moved[0] (to the device),
 * moved[1] (to the host) and moved[2] (within the device), except those that the core computed, such as pointers. */
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

/* Returns true if the device sends the transfer `at` directly from host memory, without staging (a copy into memory of
 * the backend). That is so if the backend has `send`, the transfer is large and not computed by the core, and its batch
 * fetches nothing. */
static bool is_sent_directly(const struct accd__device *device, const struct accd__transfer *at,
                             const struct accd__traffic *traffic)
{
    return device->ops->send && !traffic->out && at->direction == ACCD_TRANSFER_TO_DEVICE &&
           at->bytes >= ACCD_MIN_DIRECT_SEND;
}

/* Returns true if the device receives the only transfer of a batch directly into host memory. That is so if the backend
 * has `receive`, and the batch only fetches one large range, without a `store` callback or a queue. */
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

/* Begins a batch, and copies within the device. If the backend has `announce`, also starts direct transfers (send,
 * receive), and announces the others and the bulk. On failure returns the status of the device. */
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

/* Does the listed transfers of a batch that are neither direct nor within the device: stages or fetches their bytes.
 * Then runs the bulk (transfers that no list enumerates). The device must be ready. */
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
            memcpy(ops->stage(device->handle, at->dev, at->bytes,
                              at->direction == ACCD_TRANSFER_TO_DEVICE ? accd__pointer(at->host) : NULL),
                   accd__pointer(at->host), at->bytes);
        else if (batch->store)
            batch->store(batch->ud, at, ops->fetch(device->handle, at->dev, at->bytes, NULL));
        else
            for (uint64_t k = 0, bytes; k < at->bytes; k += bytes) {
                bytes = min_bytes(at->bytes - k, max_bytes);
                memcpy(accd__pointer(at->host + k),
                       ops->fetch(device->handle, at->dev + k, bytes, accd__pointer(at->host + k)), bytes);
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
    if (!device->ops->has_no_bytes)
        move_transfers(device, batch, &traffic);
    return end_batch(device, batch, &traffic, moved);
}

/* Starts a batch in the queue traffic->queue of the device, and sets *under_way_p to its handle. The bytes to send have
 * then been copied from host memory. On failure returns the status of the device. */
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

/* Waits for a batch that was started in `queue` with the handle in_flight. Copies the fetched bytes to host memory if
 * `stores_data`; otherwise drops them. Counts the batch in the statistics. On failure returns the status of the device.
 */
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
