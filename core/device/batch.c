/* batch.c - transfers that are done together: at once, or begun here and ended when they have arrived. */
#include "device/device.h"

struct accd_traffic accd_batch_traffic(const struct accd_batch *batch, uint64_t *moved)
{
    struct accd_traffic traffic = {0};
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd_transfer *at = &batch->at[i];
        const unsigned kind = at->way == ACCD_FETCHED ? 1 : at->way == ACCD_MOVED_WITHIN ? 2 : 0;
        *(kind == 1 ? &traffic.out : kind ? &traffic.within : &traffic.in) += 1;
        moved[kind] += at->way == ACCD_OWN ? 0 : at->bytes;
    }
    if (batch->bulk)
        batch->bulk_ops->count(batch->bulk, &traffic);
    return traffic;
}

/* Whether a transfer is sent from where its bytes lie. */
static bool is_sent(const struct accd_device *device, const struct accd_transfer *at,
                    const struct accd_traffic *traffic)
{
    return device->ops->send && !traffic->out && at->way == ACCD_SENT && at->bytes >= ACCD_SEND_LEAST;
}

/* Whether all there is to do is to fetch one large range, which goes straight to where it belongs. */
static bool is_received(const struct accd_device *device, const struct accd_batch *batch,
                        const struct accd_traffic *traffic)
{
    return device->ops->receive && batch->n == 1 && batch->at[0].way == ACCD_FETCHED && !batch->store &&
           batch->at[0].bytes >= ACCD_SEND_LEAST && traffic->out == 1 && !traffic->in && !traffic->queue;
}

/* The most bytes that are fetched at a time. */
static uint64_t most_fetched(const struct accd_traffic *traffic)
{
    return traffic->queue ? ACCD_FETCH_PART : UINT64_MAX;
}

static uint64_t at_most(uint64_t bytes, uint64_t most) { return bytes < most ? bytes : most; }

/* Begins, copies what stays within the device, and tells a device to which bytes travel of the rest. */
static accd_status begin(struct accd_device *device, const struct accd_batch *batch,
                         const struct accd_traffic *traffic)
{
    const accd_backend *ops = device->ops;
    const uint64_t most = most_fetched(traffic);
    ACCD_TRY(ops->begin(device->handle, traffic));
    for (size_t i = 0; traffic->within && i < batch->n; i++)
        if (batch->at[i].way == ACCD_MOVED_WITHIN)
            ops->copy(device->handle, batch->at[i].dev, batch->at[i].host, batch->at[i].bytes);
    if (!ops->announce)
        return ACCD_OK;
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd_transfer *at = &batch->at[i];
        if (is_received(device, batch, traffic))
            ops->receive(device->handle, at->dev, accd_pointer(at->host), at->bytes);
        else if (is_sent(device, at, traffic))
            ops->send(device->handle, at->dev, accd_pointer(at->host), at->bytes);
        else if (at->way == ACCD_FETCHED)
            for (uint64_t k = 0; k < at->bytes; k += at_most(at->bytes - k, most))
                ops->announce(device->handle, at->dev + k, at_most(at->bytes - k, most), true);
        else if (at->way != ACCD_MOVED_WITHIN)
            ops->announce(device->handle, at->dev, at->bytes, false);
    }
    if (batch->bulk)
        batch->bulk_ops->announce(batch->bulk, traffic);
    return ACCD_OK;
}

static void move(struct accd_device *device, const struct accd_batch *batch, const struct accd_traffic *traffic)
{
    const accd_backend *ops = device->ops;
    const uint64_t most = most_fetched(traffic);
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd_transfer *at = &batch->at[i];
        if (at->way == ACCD_MOVED_WITHIN || is_sent(device, at, traffic) || is_received(device, batch, traffic))
            continue;
        if (at->way != ACCD_FETCHED)
            memcpy(ops->stage(device->handle, at->dev, at->bytes), accd_pointer(at->host), at->bytes);
        else if (batch->store)
            batch->store(batch->ud, at, ops->fetch(device->handle, at->dev, at->bytes));
        else
            for (uint64_t k = 0, bytes; k < at->bytes; k += bytes) {
                bytes = at_most(at->bytes - k, most);
                memcpy(accd_pointer(at->host + k), ops->fetch(device->handle, at->dev + k, bytes), bytes);
            }
    }
    if (batch->bulk)
        batch->bulk_ops->run(batch->bulk);
}

static accd_status end(struct accd_device *device, const struct accd_batch *batch,
                       const struct accd_traffic *traffic, const uint64_t *moved)
{
    ACCD_TRY(device->ops->end(device->handle));
    if (batch->uncounted)
        return ACCD_OK;
    device->stats.transfers[0] += traffic->in;
    device->stats.transfers[1] += traffic->out;
    device->stats.transfers[2] += traffic->within;
    for (unsigned k = 0; k < 3; k++)
        device->stats.moved_bytes[k] += moved[k];
    return ACCD_OK;
}

accd_status accd_batch_now(struct accd_device *device, const struct accd_batch *batch)
{
    uint64_t moved[3] = {0};
    const struct accd_traffic traffic = accd_batch_traffic(batch, moved);
    if (!traffic.in && !traffic.out && !traffic.within)
        return ACCD_OK;
    ACCD_TRY(begin(device, batch, &traffic));
    if (device->ops->ready)
        ACCD_TRY(device->ops->ready(device->handle));
    move(device, batch, &traffic);
    return end(device, batch, &traffic, moved);
}

accd_status accd_batch_depart(struct accd_device *device, const struct accd_batch *batch,
                              const struct accd_traffic *traffic, void **under_way_p)
{
    ACCD_TRY(begin(device, batch, traffic));
    if (!traffic->out) {
        ACCD_TRY(device->ops->ready(device->handle));
        move(device, batch, traffic);
    }
    return device->ops->depart(device->handle, under_way_p);
}

accd_status accd_batch_arrive(struct accd_device *device, const struct accd_batch *batch, unsigned queue,
                              void *under_way, bool wanted)
{
    uint64_t moved[3] = {0};
    struct accd_traffic traffic = accd_batch_traffic(batch, moved);
    traffic.queue = queue;
    ACCD_TRY(device->ops->arrive(device->handle, under_way));
    if (traffic.out && wanted)
        move(device, batch, &traffic);
    return end(device, batch, &traffic, moved);
}
