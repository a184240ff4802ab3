/* transfers.c - the transfers of a task: done at once, or on their way in their queue until they are taken up. */
#include "queue/inside.h"

accd_status accd_task_check_host(struct accd_queue *queue, const struct accd_task *task)
{
    accd_context *context = queue->dir->context;
    char text[200];
    for (size_t i = 0; context->config.check_host && i < task->u.transfers.n; i++) {
        const struct accd_transfer *transfer = &task->u.transfers.at[i];
        if (transfer->way == ACCD_OWN || transfer->way == ACCD_MOVED_WITHIN ||
            accd_host_covers(context, transfer->host, transfer->bytes))
            continue;
        accd_host_range known;
        bool told = accd_host_at(context, accd_pointer(transfer->host), &known);
        accd_task_describe(queue, task, text, sizeof text);
        accd_fail(context, ACCD_MISSING_WAIT, R_MISSING_WAIT, "host memory%s%s was freed, but %s",
                  told && *known.info.name ? " of " : "", told ? known.info.name : "", text);
        if (told)
            context->error.other = known.info;
        return ACCD_MISSING_WAIT;
    }
    return ACCD_OK;
}

struct accd_traffic accd_traffic_of(const struct accd_task *task, uint64_t *moved)
{
    struct accd_traffic traffic = {0};
    for (size_t i = 0; i < task->u.transfers.n; i++) {
        const struct accd_transfer *transfer = &task->u.transfers.at[i];
        unsigned way = transfer->way == ACCD_FETCHED ? 1 : transfer->way == ACCD_MOVED_WITHIN ? 2 : 0;
        *(way == 1 ? &traffic.out : way ? &traffic.within : &traffic.in) += 1;
        moved[way] += transfer->way == ACCD_OWN ? 0 : transfer->bytes;
    }
    return traffic;
}

static void count_transfers(struct accd_directory *dir, const struct accd_task *task)
{
    uint64_t moved[3] = {0};
    const struct accd_traffic traffic = accd_traffic_of(task, moved);
    dir->device.stats.transfers[0] += traffic.in;
    dir->device.stats.transfers[1] += traffic.out;
    dir->device.stats.transfers[2] += traffic.within;
    for (unsigned k = 0; k < 3; k++)
        dir->device.stats.moved_bytes[k] += moved[k];
}

/* ----------------------------------------------------------------------------------- at once -- */

/* Whether it goes from where it lies. */
static bool is_sent(const struct accd_directory *dir, const struct accd_transfer *transfer,
                    const struct accd_traffic *traffic)
{
    return dir->device.ops->send && !traffic->out && transfer->way == ACCD_SENT &&
           transfer->bytes >= ACCD_SEND_LEAST;
}

/* Copies what stays within the device, and tells it of the rest. */
static accd_status announce(struct accd_directory *dir, const struct accd_task *task,
                            const struct accd_traffic *traffic)
{
    const accd_backend *ops = dir->device.ops;
    const struct accd_transfer *at = task->u.transfers.at;
    const size_t n = task->u.transfers.n;
    for (size_t i = 0; i < n; i++)
        if (at[i].way == ACCD_MOVED_WITHIN)
            ops->copy(dir->device.handle, at[i].dev, at[i].host, at[i].bytes);
    for (size_t i = 0; i < n && ops->announce; i++)
        if (is_sent(dir, &at[i], traffic))
            ops->send(dir->device.handle, at[i].dev, accd_pointer(at[i].host), at[i].bytes);
        else if (at[i].way != ACCD_MOVED_WITHIN)
            ops->announce(dir->device.handle, at[i].dev, at[i].bytes, at[i].way == ACCD_FETCHED);
    return ops->ready ? ops->ready(dir->device.handle) : ACCD_OK;
}

static void move(struct accd_directory *dir, const struct accd_task *task, const struct accd_traffic *traffic)
{
    const accd_backend *ops = dir->device.ops;
    for (size_t i = 0; i < task->u.transfers.n; i++) {
        const struct accd_transfer *at = &task->u.transfers.at[i];
        const char *from = at->way == ACCD_OWN ? task->u.transfers.kept + at->host : accd_pointer(at->host);
        if (at->way == ACCD_FETCHED)
            memcpy(accd_pointer(at->host), ops->fetch(dir->device.handle, at->dev, at->bytes), at->bytes);
        else if (at->way != ACCD_MOVED_WITHIN && !is_sent(dir, at, traffic))
            memcpy(ops->stage(dir->device.handle, at->dev, at->bytes), from, at->bytes);
    }
}

accd_status accd_transfer_now(struct accd_directory *dir, const struct accd_task *task)
{
    uint64_t moved[3] = {0};
    const struct accd_traffic traffic = accd_traffic_of(task, moved);
    ACCD_TRY(dir->device.ops->begin(dir->device.handle, &traffic));
    ACCD_TRY(announce(dir, task, &traffic));
    move(dir, task, &traffic);
    ACCD_TRY(dir->device.ops->end(dir->device.handle));
    count_transfers(dir, task);
    return ACCD_OK;
}

/* ---------------------------------------------------------------------------- depart, arrive -- */

static uint64_t part_of(const struct accd_transfer *transfer, uint64_t at)
{
    uint64_t left = transfer->bytes - at;
    return left < ACCD_FETCH_PART ? left : ACCD_FETCH_PART;
}

static accd_status depart_fetching(struct accd_directory *dir, struct accd_task *task)
{
    const struct accd_transfer *at = task->u.transfers.at;
    for (size_t i = 0; i < task->u.transfers.n; i++)
        for (uint64_t k = 0; k < at[i].bytes; k += ACCD_FETCH_PART)
            dir->device.ops->announce(dir->device.handle, at[i].dev + k, part_of(&at[i], k), true);
    return dir->device.ops->depart(dir->device.handle, &task->under_way);
}

static accd_status depart_sending(struct accd_directory *dir, struct accd_task *task,
                                  const struct accd_traffic *traffic)
{
    ACCD_TRY(announce(dir, task, traffic));
    move(dir, task, traffic);
    return dir->device.ops->depart(dir->device.handle, &task->under_way);
}

accd_status accd_depart(struct accd_directory *dir, struct accd_task *task, const struct accd_traffic *traffic)
{
    ACCD_TRY(dir->device.ops->begin(dir->device.handle, traffic));
    return traffic->out ? depart_fetching(dir, task) : depart_sending(dir, task, traffic);
}

accd_status accd_task_failed(struct accd_queue *queue, const struct accd_task *task, accd_status status)
{
    struct accd_directory *dir = queue->dir;
    char text[200];
    accd_task_describe(queue, task, text, sizeof text);
    accd_fail(dir->context, status, R_DEVICE_FAILED, "device %d failed to copy: %s", dir->device.number, text);
    return accd_say_why(&dir->device, status);
}

accd_status accd_arrive(struct accd_queue *queue, const struct accd_task *task)
{
    struct accd_directory *dir = queue->dir;
    const accd_backend *ops = dir->device.ops;
    accd_status freed = task->fetches ? accd_task_check_host(queue, task) : ACCD_OK;
    accd_status status = ops->arrive(dir->device.handle, task->under_way);
    for (size_t i = 0; task->fetches && status == ACCD_OK && i < task->u.transfers.n; i++) {
        const struct accd_transfer *at = &task->u.transfers.at[i];
        for (uint64_t k = 0; k < at->bytes; k += ACCD_FETCH_PART) {
            const void *from = ops->fetch(dir->device.handle, at->dev + k, part_of(at, k));
            if (freed == ACCD_OK)
                memcpy(accd_pointer(at->host + k), from, part_of(at, k));
        }
    }
    if (status == ACCD_OK)
        status = ops->end(dir->device.handle);
    if (status == ACCD_OK)
        count_transfers(dir, task);
    return status == ACCD_OK ? freed : accd_task_failed(queue, task, status);
}

struct accd_task *accd_transfers_new(struct accd_directory *dir, size_t n, uint64_t kept)
{
    struct accd_task *task =
        accd_task_new(dir, ACCD_TASK_TRANSFERS, n * sizeof(struct accd_transfer) +
                                          2 * n * sizeof(struct accd_pair) + kept);
    if (!task)
        return NULL;
    task->ranges = (struct accd_pair *)(task + 1);
    task->u.transfers.at = (struct accd_transfer *)(task->ranges + 2 * n);
    task->u.transfers.kept = (char *)(task->u.transfers.at + n);
    return task;
}

void accd_transfers_add(struct accd_task *task, const struct accd_transfer *transfer)
{
    task->u.transfers.at[task->u.transfers.n++] = *transfer;
    task->ranges[task->nranges++] =
        (struct accd_pair){transfer->dev, transfer->dev + transfer->bytes};
    if (transfer->way == ACCD_MOVED_WITHIN)
        task->ranges[task->nranges++] =
            (struct accd_pair){transfer->host, transfer->host + transfer->bytes};
}

void accd_transfers_keep(struct accd_task *task, uint64_t dev, const void *from, uint64_t bytes,
                         uint64_t *used)
{
    memcpy(task->u.transfers.kept + *used, from, bytes);
    if (*used && task->u.transfers.n) { /* the rest of a descriptor goes with its address */
        struct accd_transfer *last = &task->u.transfers.at[task->u.transfers.n - 1];
        if (last->way == ACCD_OWN && last->dev + last->bytes == dev) {
            last->bytes += bytes;
            task->ranges[task->nranges - 1].value += bytes;
            *used += bytes;
            return;
        }
    }
    accd_transfers_add(task, &(struct accd_transfer){dev, *used, bytes, ACCD_OWN});
    *used += bytes;
}
