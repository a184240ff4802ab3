/* transfers.c - the transfers of a task: done at once, or on their way in their queue until they are taken up. */
#include "queue/inside.h"

/* An address in host memory that transfers need, and that was freed since. */
static bool has_lost(accd_context *context, const struct accd_batch *batch, uint64_t *host_p)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd_transfer *at = &batch->at[i];
        *host_p = at->host;
        if ((at->way == ACCD_SENT || at->way == ACCD_FETCHED) && !accd_host_covers(context, at->host, at->bytes))
            return true;
    }
    return batch->bulk && batch->bulk_ops->lost(batch->bulk, host_p);
}

static accd_status check_host(struct accd_queue *queue, const struct accd_task *task)
{
    accd_context *context = queue->dir->context;
    char text[200];
    uint64_t host;
    if (!context->config.check_host || !has_lost(context, &task->u.batch, &host))
        return ACCD_OK;
    accd_host_range known;
    bool told = accd_host_at(context, accd_pointer(host), &known);
    accd_task_describe(queue, task, text, sizeof text);
    accd_fail(context, ACCD_MISSING_WAIT, R_MISSING_WAIT, "host memory%s%s was freed, but %s",
              told && *known.info.name ? " of " : "", told ? known.info.name : "", text);
    if (told)
        context->error.other = known.info;
    return ACCD_MISSING_WAIT;
}

accd_status accd_transfers_do(struct accd_queue *queue, const struct accd_task *task)
{
    struct accd_directory *dir = queue->dir;
    const bool sends = task->under_way && !task->fetches;
    accd_status freed = sends ? ACCD_OK : check_host(queue, task), status = ACCD_OK;
    if (task->under_way)
        status = accd_batch_arrive(&dir->device, &task->u.batch, queue->number, task->under_way, freed == ACCD_OK);
    else if (freed == ACCD_OK)
        status = accd_batch_now(&dir->device, &task->u.batch);
    if (status == ACCD_OK)
        return freed;
    char text[200];
    accd_task_describe(queue, task, text, sizeof text);
    accd_fail(dir->context, status, R_DEVICE_FAILED, "device %d failed to copy: %s", dir->device.number, text);
    return accd_say_why(&dir->device, status);
}

static void use_host(struct accd_task *task, uint64_t low, uint64_t end)
{
    struct accd_span *host = &task->host;
    const bool none = host->low == host->high;
    host->low = none || low < host->low ? low : host->low;
    host->high = none || end > host->high ? end : host->high;
}

void accd_task_use(struct accd_task *task, const struct accd_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd_transfer *at = &batch->at[i];
        task->ranges[task->nranges++] = (struct accd_pair){at->dev, at->dev + at->bytes};
        if (at->way == ACCD_MOVED_WITHIN)
            task->ranges[task->nranges++] = (struct accd_pair){at->host, at->host + at->bytes};
        else if (at->way != ACCD_OWN)
            use_host(task, at->host, at->host + at->bytes);
    }
    for (size_t i = 0; i < batch->nuses; i++)
        task->ranges[task->nranges++] = batch->uses[i];
    if (batch->nuses)
        use_host(task, batch->host_low, batch->host_end);
    uint64_t moved[3] = {0};
    task->fetches = accd_batch_traffic(batch, moved).out;
}

struct accd_task *accd_task_of(struct accd_directory *dir, const struct accd_batch *batch)
{
    uint64_t own = 0;
    for (size_t i = 0; i < batch->n; i++)
        own += batch->at[i].way == ACCD_OWN ? batch->at[i].bytes : 0;
    const size_t nranges = 2 * batch->n + batch->nuses;
    const size_t lists = batch->n * sizeof batch->at[0] + nranges * sizeof(struct accd_pair);
    struct accd_task *task = accd_task_new(dir, ACCD_TASK_TRANSFERS, lists + own);
    if (!task)
        return NULL;
    task->ranges = (struct accd_pair *)(task + 1);
    struct accd_transfer *at = (struct accd_transfer *)(task->ranges + nranges);
    char *kept = (char *)(at + batch->n);
    task->u.batch = *batch;
    task->u.batch.at = at;
    task->u.batch.uses = NULL;
    task->u.batch.nuses = 0;
    for (size_t i = 0; i < batch->n; i++) {
        at[i] = batch->at[i];
        if (at[i].way != ACCD_OWN)
            continue;
        memcpy(kept, accd_pointer(at[i].host), at[i].bytes);
        at[i].host = accd_address(kept);
        kept += at[i].bytes;
    }
    accd_task_use(task, batch);
    if (accd_task_join_ranges(dir->context, task))
        return task;
    accd_mem_free(&dir->context->mem, task, task->size);
    return NULL;
}
