/* order.c - concurrent queues: the device starts a task (piece of work of a queue) at its construct, and the queue
 * keeps the task until the program waits.
 *
 * The result is the same as if all tasks were done in program order. Input: a batch (list of transfers) or a task that
 * is about to start. Output: it was started, done at once, or left for the wait. core/ops calls accd__queue_batch for
 * the transfers of each construct.
 *
 *     construct --> accd__wait_for_conflicts --> start_task --> runs on the device --> wait: accd__finish_batch
 *                    tasks of other streams       in the stream                         fetched bytes reach the host
 *                    that use the same memory     of its queue
 *
 * - Before a task starts, all tasks that use the same memory are finished, except those that the device's stream of its
 *   own queue orders anyway.
 * - A construct whose transfers cannot start fails as it would without a queue. A task that copies to the device has
 *   read host memory once it is started.
 * - Bytes that a task fetches (copies to the host) reach host memory at the wait.
 * - A task that fetches the results of a kernel of its own queue does not start, because the kernel may still be
 *   undone; the task is done at the wait. */
#include "queue/inside.h"
#include "table/label.h"
#include "table/name.h"

/* -------------------------------------------------------------------------- conflicts -- */

/* Returns true if two tasks use a common byte of device memory. Searches the task with more ranges for each range of
 * the other task. */
static bool share_device_memory(const struct accd__task *a, const struct accd__task *b)
{
    const struct accd__task *few = a->nranges < b->nranges ? a : b, *many = few == a ? b : a;
    for (size_t i = 0; i < few->nranges; i++)
        if (accd__task_uses_range(many, few->ranges[i].key, few->ranges[i].value - few->ranges[i].key))
            return true;
    return false;
}

/* Returns true if later work of the same queue cannot rely on the task's result before the task is over. This holds for
 * a kernel, which may be undone, and for a task that is not started. It does not hold for started transfers, because
 * the device does them before later transfers of their queue. */
static bool is_result_unknown(const struct accd__task *task)
{
    return task->kind == ACCD_TASK_KERNEL || !task->in_flight;
}

/* Search for the tasks that must be done before the task `next` starts. */
struct conflict_search {
    const struct accd__task *next;              /* task that is about to start */
    const struct accd__queue *queue, *excluded; /* queue of `next`, or NULL; queue whose tasks are ignored, or NULL */
    struct accd__interval *dependencies;        /* set of the tasks found (accd__note_dependency) */
};

/* Returns true if the search must examine a task. It must be a transfer or kernel, and not of the excluded queue. The
 * dependencies found so far must have no later task of its queue, which would imply it. */
static bool may_conflict(const struct conflict_search *search, const struct accd__task *task)
{
    return accd__task_uses_memory(task) && task->queue != search->excluded &&
           task->number > task->queue->dependency_number;
}

/* Called for each task `span->owner` whose indexed device memory overlaps that of the next task; `ud` is the search.
 * Adds the task to the dependencies if both share device memory and their queues do not order them. Always returns
 * false, so that the search continues. */
static bool note_device_conflict(void *ud, const struct accd__interval *span)
{
    struct conflict_search *search = ud;
    const struct accd__task *task = span->owner;
    if (may_conflict(search, task) && (task->queue != search->queue || is_result_unknown(task)) &&
        share_device_memory(search->next, task))
        accd__note_dependency(&search->dependencies, task);
    return false;
}

/* Called for each task `span->owner` whose host memory overlaps that of the next task; `ud` is the search. Adds the
 * task to the dependencies, unless both fetch in the same queue, whose fetches reach the host in order. Always returns
 * false, so that the search continues. */
static bool note_host_conflict(void *ud, const struct accd__interval *span)
{
    struct conflict_search *search = ud;
    const struct accd__task *task = span->owner;
    if (may_conflict(search, task) && (task->queue != search->queue || !search->next->fetches))
        accd__note_dependency(&search->dependencies, task);
    return false;
}

/* Returns true if the task `span->owner` belongs to search->queue and shares device memory with search->next, and later
 * work cannot yet rely on its result (is_result_unknown). `ud` is the search. */
static bool is_own_unfinished(void *ud, const struct accd__interval *span)
{
    const struct conflict_search *search = ud;
    const struct accd__task *task = span->owner;
    return accd__task_uses_memory(task) && task->queue == search->queue && is_result_unknown(task) &&
           share_device_memory(search->next, task);
}

/* Calls accept(search, span) for the tasks of a device whose indexed memory overlaps that of search->next, until a call
 * returns true. Returns true if one did. */
static bool find_on_device(const struct accd__device_env *env,
                           bool (*accept)(void *ud, const struct accd__interval *span), struct conflict_search *search)
{
    const struct accd__task *next = search->next;
    const struct accd__pair *ranges = next->ranges;
    bool found = false;
    if (next->nranges > ACCD_TASK_INTERVALS)
        return accd__interval_find_overlap(env->queues.accesses, ranges[0].key, ranges[next->nranges - 1].value, accept,
                                           search);
    for (size_t i = 0; i < next->nranges && !found; i++)
        found = accd__interval_find_overlap(env->queues.accesses, ranges[i].key, ranges[i].value, accept, search);
    return found;
}

/* Waits for the tasks that conflict with `next`: those that use the same device memory, and those on any device that
 * use the same host memory. A task that copies to the device waits only for tasks that fetch to that host memory; a
 * task that fetches also waits for tasks that read it. Decides ACC33-async-2. */
accd_status accd__wait_for_conflicts(const accd_context *context, const struct accd__queue *queue,
                                     const struct accd__queue *excluded, const struct accd__task *next)
{
    struct conflict_search search = {.next = next, .queue = queue, .excluded = excluded};
    for (int d = 0; d < context->nenvs && !context->runs_queue; d++)
        (void)find_on_device(&context->envs[d], note_device_conflict, &search);
    for (int is_fetch = !next->fetches; is_fetch < 2 && !context->runs_queue; is_fetch++)
        (void)accd__interval_find_overlap(context->host_users[is_fetch], next->host.low, next->host.high,
                                          note_host_conflict, &search);
    return accd__run_noted_queues(&search.dependencies);
}

accd_status accd__wait_for_all_queues(struct accd__device_env *env)
{
    struct accd__queue *queue = env->context->runs_queue ? NULL : accd__next_busy_queue(env, 0);
    for (; queue; queue = accd__next_busy_queue(env, queue->number + 1))
        ACCD_TRY(accd__queue_run_until(queue, queue->submitted));
    return ACCD_OK;
}

/* Returns true if some queue of some device has tasks. */
static bool has_pending_tasks(const accd_context *context)
{
    for (int d = 0; d < context->nenvs; d++)
        if (context->envs[d].queues.ntasks)
            return true;
    return false;
}

accd_status accd__wait_for_all_devices(accd_context *context)
{
    for (int d = 0; d < context->nenvs; d++)
        ACCD_TRY(accd__wait_for_all_queues(&context->envs[d]));
    return ACCD_OK;
}

/* Extends task->host, the range around all host memory that the task uses, to include [low, end). */
static void extend_host_range(struct accd__task *task, uint64_t low, uint64_t end)
{
    struct accd__interval *host = &task->host;
    const bool none = host->low == host->high;
    host->low = none || low < host->low ? low : host->low;
    host->high = none || end > host->high ? end : host->high;
}

/* Adds the device memory of a batch to task->ranges, which has space for it, and the batch's host memory to task->host.
 * Sets task->fetches. */
static void add_batch_memory(struct accd__task *task, const struct accd__batch *batch)
{
    assert(task->ranges || !batch->n);
    for (size_t i = 0; i < batch->n; i++) {
        const struct accd__transfer *at = &batch->at[i];
        task->ranges[task->nranges++] = (struct accd__pair){at->dev, at->dev + at->bytes};
        if (at->direction == ACCD_TRANSFER_WITHIN_DEVICE)
            task->ranges[task->nranges++] = (struct accd__pair){at->host, at->host + at->bytes};
        else if (at->direction != ACCD_TRANSFER_CORE_TO_DEVICE)
            extend_host_range(task, at->host, at->host + at->bytes);
    }
    for (size_t i = 0; i < batch->naccesses; i++)
        task->ranges[task->nranges++] = batch->accesses[i];
    if (batch->naccesses)
        extend_host_range(task, batch->host_low, batch->host_end);
    uint64_t moved[3] = {0};
    task->fetches = accd__count_batch_traffic(batch, moved).out;
}

accd_status accd__wait_for_batch_conflicts(struct accd__device_env *env, struct accd__batch *batch)
{
    accd_context *context = env->context;
    struct accd__pair few[2];
    struct accd__task task = {.ranges = few}; /* describes the batch as if it were a task */
    if (!accd__is_concurrent(env) || !has_pending_tasks(context))
        return ACCD_OK;
    if (batch->bulk)
        ACCD_TRY(batch->bulk_ops->list_accesses(batch));
    if (batch->n > 1 || batch->naccesses)
        task.ranges = accd__scratch_alloc(&context->scratch, (2 * batch->n + batch->naccesses) * sizeof task.ranges[0]);
    if (task.ranges)
        add_batch_memory(&task, batch);
    if (!task.ranges || !accd__task_merge_ranges(context, &task))
        return accd__report_out_of_memory(context, "to put transfers in order");
    return accd__wait_for_conflicts(context, NULL, NULL, &task);
}

accd_status accd__wait_for_range(struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    struct accd__interval *dependencies = NULL;
    if (!env->context->runs_queue)
        accd__note_users(env, dev, bytes, false, &dependencies);
    return accd__run_noted_queues(&dependencies);
}

/* ------------------------------------------------------------------------------- start, over -- */

/* Returns true if a task, about to start in `queue`, uses device memory of a kernel or of a transfer not yet started in
 * the same queue. */
static bool reads_unfinished_result(const struct accd__queue *queue, const struct accd__task *task)
{
    struct conflict_search search = {.next = task, .queue = queue};
    return find_on_device(queue->env, is_own_unfinished, &search);
}

/* Waits for the tasks that conflict with `task`, which is not yet in `queue`. Then starts the task, or leaves it for
 * the wait if it fetches results that are not final. If the device cannot run it asynchronously, does it at once and
 * sets *done_p. Returns the error of an earlier task, or of the transfers. */
static accd_status start_task(struct accd__queue *queue, struct accd__task *task, bool *done_p)
{
    assert(task->kind == ACCD_TASK_TRANSFERS);
    struct accd__device_env *env = queue->env;
    uint64_t moved[3] = {0};
    struct accd__traffic traffic = accd__count_batch_traffic(&task->u.batch, moved);
    traffic.queue = queue->number;
    bool is_bidirectional = traffic.out && (traffic.in || traffic.within);
    bool is_deferred = traffic.out && !is_bidirectional && reads_unfinished_result(queue, task);
    ACCD_TRY(accd__wait_for_conflicts(env->context, queue, is_deferred ? queue : NULL, task));
    if (is_deferred)
        return ACCD_OK;
    *done_p = is_bidirectional || (traffic.out && (task->u.batch.bulk || moved[1] > env->device.ops->fetch_most));
    if (*done_p)
        ACCD_TRY(accd__queue_run_until(queue, queue->submitted));
    accd_status status = *done_p ? accd__run_batch(&env->device, &task->u.batch)
                                 : accd__start_batch(&env->device, &task->u.batch, &traffic, &task->in_flight);
    return status == ACCD_OK ? ACCD_OK : accd__report_copy_failure(&env->device, status);
}

/* Returns true if all work that the device has started for a queue, up to task `number`, is over. Does not test the
 * other queues for which the queue waits. */
static bool is_queue_started_done(const struct accd__queue *queue, uint64_t number)
{
    const struct accd__device_env *env = queue->env;
    const struct accd__task *last = queue->started;
    if (last && last->number > number) { /* a later task has started, too: look for the last one up to `number` */
        last = NULL;
        for (const struct accd__task *task = queue->first; task && task->number <= number; task = task->next)
            last = task->in_flight ? task : last;
    }
    if (last && last->kind == ACCD_TASK_KERNEL)
        return env->device.ops->is_kernel_done(env->device.handle, last->in_flight);
    return !last || env->device.ops->is_batch_done(env->device.handle, last->in_flight);
}

/* Returns true if the started work of a queue up to task `number` is over, and also that of the other queues for which
 * its tasks up to `number` wait. Marks the waits that are over. If another queue is not finished, stores that queue in
 * tested->blocked_by and the task's number in tested->blocked_at; `tested` is the queue that the program tests. */
static bool has_reached_task(struct accd__queue *queue, uint64_t number, struct accd__queue *tested)
{
    if (!is_queue_started_done(queue, number)) {
        tested->blocked_by = queue != tested ? queue : NULL;
        tested->blocked_at = number;
        return false;
    }
    for (struct accd__task *task = queue->waits; task && task->number <= number; task = task->next_wait) {
        task->u.wait.done = task->u.wait.done || has_reached_task(task->u.wait.queue, task->u.wait.number, tested);
        if (!task->u.wait.done)
            return false;
    }
    return true;
}

bool accd__is_queue_done(struct accd__queue *queue)
{
    if (queue->blocked_by && !is_queue_started_done(queue->blocked_by, queue->blocked_at))
        return false;
    queue->blocked_by = NULL;
    return has_reached_task(queue, queue->submitted, queue);
}

/* Returns true if the task of a transfer gets a copy of the transfer's bytes: they come from the core's own memory
 * (ACCD_TRANSFER_CORE_TO_DEVICE), or the context's function `captures` says so. */
static bool is_captured(const accd_context *context, const struct accd__transfer *transfer)
{
    return transfer->direction == ACCD_TRANSFER_CORE_TO_DEVICE ||
           (transfer->direction == ACCD_TRANSFER_TO_DEVICE && context->captures &&
            context->captures(transfer->host, transfer->bytes));
}

/* Returns a task for the transfers of a batch, with copies of the list and of captured bytes (is_captured); NULL: no
 * memory. */
static struct accd__task *new_transfer_task(struct accd__device_env *env, const struct accd__batch *batch)
{
    uint64_t own = 0;
    for (size_t i = 0; i < batch->n; i++)
        own += is_captured(env->context, &batch->at[i]) ? batch->at[i].bytes : 0;
    const size_t nranges = 2 * batch->n + batch->naccesses;
    const size_t lists = batch->n * sizeof batch->at[0] + nranges * sizeof(struct accd__pair);
    struct accd__task *task = accd__task_new(env, ACCD_TASK_TRANSFERS, lists + own);
    if (!task)
        return NULL;
    task->ranges = (struct accd__pair *)(task + 1);
    struct accd__transfer *at = (struct accd__transfer *)(task->ranges + nranges);
    char *own_copy = (char *)(at + batch->n);
    task->u.batch = *batch;
    task->u.batch.at = at;
    task->u.batch.accesses = NULL;
    task->u.batch.naccesses = 0;
    for (size_t i = 0; i < batch->n; i++) {
        at[i] = batch->at[i];
        if (!is_captured(env->context, &at[i]))
            continue;
        memcpy(own_copy, accd__pointer(at[i].host), at[i].bytes);
        at[i].direction = ACCD_TRANSFER_CORE_TO_DEVICE;
        at[i].host = accd__address(own_copy);
        own_copy += at[i].bytes;
    }
    add_batch_memory(task, batch);
    if (accd__task_merge_ranges(env->context, task))
        return task;
    accd__mem_free(&env->context->mem, task, task->size);
    return NULL;
}

accd_status accd__queue_batch(struct accd__queue *queue, const struct accd__batch *batch, const char *construct_name,
                              const char *file, int line)
{
    assert(queue->last);
    accd_context *context = queue->env->context;
    struct accd__task *task = new_transfer_task(queue->env, batch);
    bool done = false;
    if (!task && batch->bulk)
        batch->bulk_ops->drop(batch->bulk);
    if (!task)
        return accd__report_out_of_memory(context, "to leave transfers to a queue");
    task->construct_name = accd__intern_name(context, construct_name);
    task->file = accd__intern_name(context, file);
    task->line = line;
    accd_status status = accd__is_concurrent(queue->env) ? start_task(queue, task, &done) : ACCD_OK;
    if (status != ACCD_OK || done)
        accd__task_cancel(queue, task);
    else
        accd__task_append(queue, task);
    return status;
}

accd_status accd__finish_pending(struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    struct accd__interval *dependencies = NULL;
    accd__begin_pending_query(env, NULL);
    accd__note_users(env, dev, bytes, true, &dependencies);
    return accd__run_noted_queues(&dependencies);
}

/* Returns ACCD_ERROR_MISSING_WAIT if a task that the pending query does not ignore uses the device range. The message
 * says that `object` (NULL: the device memory) would be `participle`. In concurrent mode waits for such tasks instead.
 * Decides ACC33-async-4. */
accd_status accd__check_pending(struct accd__device_env *env, const struct accd__object *object, uint64_t dev,
                                uint64_t bytes, const char *participle)
{
    if (accd__is_concurrent(env))
        return accd__wait_for_range(env, dev, bytes);
    const struct accd__task *task = accd__find_pending_task(env, dev, bytes);
    char text[200];
    if (!task)
        return ACCD_OK;
    accd__task_describe(task->queue, task, text, sizeof text);
    accd__set_error(env->context, ACCD_ERROR_MISSING_WAIT, R_MISSING_WAIT, "%s would be %s, but %s",
                    object ? ACCD_NAME_PLACEHOLDER : "the device memory", participle, text);
    if (object)
        accd__describe_object(env, object, &env->context->error.asked);
    return accd__insert_object_name(env->context);
}
