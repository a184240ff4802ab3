/* run.c - runs the tasks of queues when the program, or a construct that uses the same memory, waits for them. */
#include "accdeep_checkpoints.h"
#include "queue/inside.h"

/* -------------------------------------------------------------------------------- transfers -- */

/* Returns true if a transfer of a batch uses host memory that is not live (registered, and not freed), and sets *host_p
 * to an address of that transfer. Returns false if all host memory of the batch is live. */
static bool find_freed_host(accd_context *context, const struct accd__batch *batch, uint64_t *host_p)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd__transfer *at = &batch->at[i];
        *host_p = at->host;
        if ((at->direction == ACCD_TRANSFER_TO_DEVICE || at->direction == ACCD_TRANSFER_TO_HOST) &&
            !accd__is_live_host_range(context, at->host, at->bytes))
            return true;
    }
    return batch->bulk && batch->bulk_ops->find_freed_host(batch->bulk, host_p);
}

/* Returns ACCD_ERROR_MISSING_WAIT, and sets the last error, if host memory of the transfers of a task was freed.
 * Otherwise, and always without config.check_host, returns ACCD_OK. */
static accd_status check_host_memory(struct accd__queue *queue, const struct accd__task *task)
{
    accd_context *context = queue->env->context;
    char text[200];
    uint64_t host;
    if (!context->config.check_host || !find_freed_host(context, &task->u.batch, &host))
        return ACCD_OK;
    accd_host_range freed_range;
    bool has_range = accd_host_at(context, accd__pointer(host), &freed_range);
    accd__task_describe(queue, task, text, sizeof text);
    accd__set_error(context, ACCD_ERROR_MISSING_WAIT, R_MISSING_WAIT, "host memory%s%s was freed, but %s",
                    has_range && *freed_range.info.name ? " of " : "", has_range ? freed_range.info.name : "", text);
    if (has_range)
        context->error.other = freed_range.info;
    return ACCD_ERROR_MISSING_WAIT;
}

/* Does the transfers of a task, or finishes them if the device has started them. Returns the error of the device, or
 * ACCD_ERROR_MISSING_WAIT if host memory that is still needed was freed. */
static accd_status run_transfers(struct accd__queue *queue, const struct accd__task *task)
{
    struct accd__device_env *env = queue->env;
    const bool sends = task->in_flight && !task->fetches;
    accd_status host_status = sends ? ACCD_OK : check_host_memory(queue, task), status = ACCD_OK;
    if (task->in_flight)
        status =
            accd__finish_batch(&env->device, &task->u.batch, queue->number, task->in_flight, host_status == ACCD_OK);
    else if (host_status == ACCD_OK)
        status = accd__run_batch(&env->device, &task->u.batch);
    if (status == ACCD_OK)
        return host_status;
    char text[200];
    accd__task_describe(queue, task, text, sizeof text);
    accd__set_error(env->context, status, R_DEVICE_FAILED, "device %d failed to copy: %s", env->device.number, text);
    return accd__append_driver_error(&env->device, status);
}

/* ---------------------------------------------------------------------------- tasks in order -- */

/* Calls the host function of a task with `reason`; the function may not run constructs. Returns ACCD_ERROR_CALLBACK if
 * the function failed. */
static accd_status call_function(struct accd__device_env *env, const struct accd__task *task, accd_host_call reason)
{
    accd_context *context = env->context;
    assert(task->u.call.fn);
    const bool busy = context->busy; /* true if a construct waits for the queue */
    env->queues.running = task;
    context->runs_queue = true;
    context->busy = false;
    int failed = task->u.call.fn(task->u.call.ud, reason);
    context->busy = busy;
    context->runs_queue = false;
    env->queues.running = NULL;
    return failed ? accd__set_error(env->context, ACCD_ERROR_CALLBACK, R_QUEUE, "a function of a queue failed")
                  : ACCD_OK;
}

/* Finishes a task of kind KERNEL or CALL: waits for a kernel that the device has started, and calls the task's host
 * function. The function gets ACCD_CALL_KERNEL_DONE if the device has run the kernel, and otherwise ACCD_CALL_RUN.
 * Returns the error of the device, after which the function gets ACCD_CALL_DISCARD, or that of the function. */
static accd_status finish_kernel_call(struct accd__device_env *env, const struct accd__task *task)
{
    accd_kernel_result end = {.outcome = ACCD_KERNEL_NOT_RUN};
    if (task->in_flight) {
        accd_status status =
            env->device.ops->finish_kernel(env->device.handle, task->in_flight, task->retry_reasons, &end);
        if (status != ACCD_OK) {
            (void)task->u.call.fn(task->u.call.ud, ACCD_CALL_DISCARD);
            return accd__check_device_status(&env->device, status, "in a kernel");
        }
    }
    return call_function(env, task, end.outcome == ACCD_KERNEL_DONE ? ACCD_CALL_KERNEL_DONE : ACCD_CALL_RUN);
}

/* Runs a task of kind FREE or MARK_UNWRITTEN: frees the task's device memory, or marks it as unwritten, and frees the
 * task. If a queue still uses the memory, appends the task to that queue instead. */
static void release_memory(struct accd__queue *queue, struct accd__task *task)
{
    assert(task->kind == ACCD_TASK_FREE || task->kind == ACCD_TASK_MARK_UNWRITTEN);
    struct accd__device_env *env = queue->env;
    struct accd__queue *other = accd__last_queue_using(env, task->u.memory.dev, task->u.memory.bytes);
    if (other) {
        accd__task_append(other, task);
        return;
    }
    if (task->kind == ACCD_TASK_FREE)
        accd__free_device_memory(env, task->u.memory.dev, task->u.memory.bytes);
    else
        accd__mark_unwritten(env, task->u.memory.dev, task->u.memory.bytes);
    accd__task_cancel(queue, task);
}

/* Runs a task that was removed from its queue, and frees it; a task that releases memory may move to another queue
 * instead. Returns the error of the task. */
static accd_status run_task(struct accd__queue *queue, struct accd__task *task)
{
    struct accd__device_env *env = queue->env;
    const accd_context_config *config = &env->context->config;
    accd_status status = ACCD_OK;
    if (task->kind == ACCD_TASK_FREE || task->kind == ACCD_TASK_MARK_UNWRITTEN) {
        release_memory(queue, task);
        return ACCD_OK;
    }
    if (task->kind == ACCD_TASK_TRANSFERS)
        status = run_transfers(queue, task);
    else if (task->kind == ACCD_TASK_EVENT && config->on_event)
        config->on_event(config->event_ud, &task->u.event);
    else if (task->kind == ACCD_TASK_REPORT)
        task->u.report.emit(task->u.report.ud);
    else if (task->kind == ACCD_TASK_KERNEL || task->kind == ACCD_TASK_CALL)
        status = finish_kernel_call(env, task);
    accd__task_free(env, task);
    return status;
}

/* Runs the tasks of a queue up to task `number`, in order, and returns the first error. The recursion ends, because a
 * queue waits only for tasks that were submitted earlier. */
accd_status accd__queue_run_until(struct accd__queue *queue, uint64_t number)
{
    while (queue->first && queue->first->number <= number) {
        const struct accd__task *first = queue->first;
        if (first->kind == ACCD_TASK_WAIT)
            ACCD_TRY(accd__queue_run_until(first->u.wait.queue, first->u.wait.number));
        ACCD_TRY(run_task(queue, accd__task_remove(queue, &queue->first)));
    }
    return ACCD_OK;
}

accd_status accd__run_noted_queues(struct accd__interval **dependencies)
{
    assert(dependencies);
    accd_status status = ACCD_OK;
    while (*dependencies) {
        struct accd__interval *first = accd__interval_find_overlap(*dependencies, 0, UINT64_MAX, NULL, NULL);
        struct accd__queue *queue = first->owner;
        const uint64_t number = queue->dependency_number;
        accd__interval_remove(dependencies, first);
        queue->dependency_number = 0;
        if (status == ACCD_OK)
            status = accd__queue_run_until(queue, number);
    }
    return status;
}
