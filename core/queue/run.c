/* run.c - what queues do when the program waits: their tasks, one after the other. */
#include "queue/inside.h"

/* -------------------------------------------------------------------------------- transfers -- */

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
    bool is_known = accd_host_at(context, accd_pointer(host), &known);
    accd_task_describe(queue, task, text, sizeof text);
    accd_fail(context, ACCD_MISSING_WAIT, R_MISSING_WAIT, "host memory%s%s was freed, but %s",
              is_known && *known.info.name ? " of " : "", is_known ? known.info.name : "", text);
    if (is_known)
        context->error.other = known.info;
    return ACCD_MISSING_WAIT;
}

/* Does the transfers of a task, or takes up those that have gone on by themselves. */
static accd_status do_transfers(struct accd_queue *queue, const struct accd_task *task)
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

/* ---------------------------------------------------------------------------- tasks in order -- */

static accd_status call(struct accd_directory *dir, const struct accd_task *task, accd_call how)
{
    accd_context *context = dir->context;
    const bool busy = context->busy; /* a construct may wait for it */
    dir->queues.running = task;
    context->working = true;
    context->busy = false;
    int failed = task->u.call.fn(task->u.call.ud, how);
    context->busy = busy;
    context->working = false;
    dir->queues.running = NULL;
    return failed ? accd_fail(dir->context, ACCD_CALLBACK, R_QUEUE, "a function of a queue failed") : ACCD_OK;
}

/* Runs a function, unless it is that of a kernel which the device has run. */
static accd_status end_call(struct accd_directory *dir, const struct accd_task *task)
{
    accd_kernel_end end = {.how = ACCD_KERNEL_NOT_RUN};
    if (task->under_way) {
        accd_status status = dir->device.ops->kernel_over(dir->device.handle, task->under_way, task->again, &end);
        if (status != ACCD_OK) {
            (void)task->u.call.fn(task->u.call.ud, ACCD_DISCARD);
            return accd_device_result(&dir->device, status, "in a kernel");
        }
    }
    return call(dir, task, end.how == ACCD_KERNEL_DONE ? ACCD_WAS_RUN : ACCD_RUN);
}

/* Memory that another task still uses is freed after that task. Takes the task. */
static void give_back(struct accd_queue *queue, struct accd_task *task)
{
    struct accd_directory *dir = queue->dir;
    struct accd_queue *other = accd_last_user(dir, task->u.memory.dev, task->u.memory.bytes);
    if (other) {
        accd_task_append(other, task);
        return;
    }
    if (task->kind == ACCD_TASK_FREE)
        accd_free_memory(dir, task->u.memory.dev, task->u.memory.bytes);
    else
        accd_forget_bytes(dir, task->u.memory.dev, task->u.memory.bytes);
    accd_task_drop(queue, task);
}

static accd_status perform(struct accd_queue *queue, struct accd_task *task)
{
    struct accd_directory *dir = queue->dir;
    const accd_context_config *config = &dir->context->config;
    accd_status status = ACCD_OK;
    if (task->kind == ACCD_TASK_FREE || task->kind == ACCD_TASK_FORGET) {
        give_back(queue, task);
        return ACCD_OK;
    }
    if (task->kind == ACCD_TASK_TRANSFERS)
        status = do_transfers(queue, task);
    else if (task->kind == ACCD_TASK_EVENT && config->on_event)
        config->on_event(config->event_ud, &task->u.event);
    else if (task->kind == ACCD_TASK_REPORT)
        task->u.report.tell(task->u.report.ud);
    else if (task->kind == ACCD_TASK_KERNEL || task->kind == ACCD_TASK_CALL)
        status = end_call(dir, task);
    accd_task_free(dir, task);
    return status;
}

/* Queues wait for what others were asked for before: these never wait for each other. */
accd_status accd_queue_reach(struct accd_queue *queue, uint64_t number)
{
    while (queue->first && queue->first->number <= number) {
        const struct accd_task *first = queue->first;
        if (first->kind == ACCD_TASK_AFTER)
            ACCD_TRY(accd_queue_reach(first->u.after.queue, first->u.after.number));
        ACCD_TRY(perform(queue, accd_task_take(queue, &queue->first)));
    }
    return ACCD_OK;
}

accd_status accd_reach_met(struct accd_span **met)
{
    accd_status status = ACCD_OK;
    while (*met) {
        struct accd_span *first = accd_span_first(*met, 0, UINT64_MAX, NULL, NULL);
        struct accd_queue *queue = first->owner;
        const uint64_t number = queue->found;
        accd_span_take(met, first);
        queue->found = 0;
        if (status == ACCD_OK)
            status = accd_queue_reach(queue, number);
    }
    return status;
}
