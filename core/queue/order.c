/* order.c - queues whose work goes on by itself while the program does: a task starts at its construct, and
 * the queue keeps it until somebody waits.
 *
 * All is as if it had been done in program order. What starts, in a queue or without one, waits first for what
 * is under way and uses the same memory; what a queue's stream orders anyway does not. A construct whose
 * transfers cannot start fails as it would without a queue, and what starts reads the host's memory at its
 * construct. What is fetched reaches the host's memory at the wait. Only what fetches the results of a kernel of
 * its queue does not start: the kernel may yet be undone, and the wait does it. */
#include "queue/inside.h"

/* -------------------------------------------------------------------------- what comes first -- */

static bool meet_on_device(const struct accd_task *a, const struct accd_task *b)
{
    const struct accd_task *few = a->nranges < b->nranges ? a : b, *many = few == a ? b : a;
    for (size_t i = 0; i < few->nranges; i++)
        if (accd_task_uses(many, few->ranges[i].key, few->ranges[i].value - few->ranges[i].key))
            return true;
    return false;
}

static bool meet_on_host(const struct accd_task *a, const struct accd_task *b)
{
    return a->host_low < b->host_end && b->host_low < a->host_end;
}

/* Whether what a task leaves on the device is not known before it is over: transfers that are under way are in
 * order with others of their queue. */
static bool is_open(const struct accd_task *task)
{
    return task->kind == ACCD_TASK_KERNEL || !task->under_way;
}

/* Whether a task must be over first. What a queue fetches reaches the host in order. Devices share the host's
 * memory. */
static bool comes_first(const struct accd_task *next, const struct accd_task *task, bool same_queue)
{
    if ((!same_queue || is_open(task)) && meet_on_device(next, task))
        return true;
    bool on_host = same_queue ? task->fetches && !next->fetches : task->fetches || next->fetches;
    return on_host && meet_on_host(next, task);
}

static accd_status order_behind(struct accd_queue *other, const struct accd_queue *queue,
                                const struct accd_task *next)
{
    uint64_t last = 0;
    for (const struct accd_task *task = other->users; task; task = task->next_user)
        last = comes_first(next, task, other == queue) ? task->number : last;
    return last ? accd_queue_reach(other, last) : ACCD_OK;
}

/* What is about to move data waits for all queues but one, or all. queue: its own, or NULL. A queue that is at
 * work itself comes behind its own. */
static accd_status order(accd_context *context, const struct accd_queue *queue, const struct accd_queue *but,
                         const struct accd_task *next)
{
    for (int d = 0; d < context->ndirs && !context->working; d++)
        for (size_t i = 0; i < context->dirs[d].nqueues; i++)
            if (context->dirs[d].queues[i] != but)
                ACCD_TRY(order_behind(context->dirs[d].queues[i], queue, next));
    return ACCD_OK;
}

accd_status accd_order_all(struct accd_directory *dir)
{
    for (size_t i = 0; i < dir->nqueues && !dir->context->working; i++)
        ACCD_TRY(accd_queue_reach(dir->queues[i], dir->queues[i]->asked));
    return ACCD_OK;
}

static bool anything_is_left(const accd_context *context)
{
    for (int d = 0; d < context->ndirs; d++)
        if (context->dirs[d].ntasks)
            return true;
    return false;
}

accd_status accd_order_everything(accd_context *context)
{
    for (int d = 0; d < context->ndirs; d++)
        ACCD_TRY(accd_order_all(&context->dirs[d]));
    return ACCD_OK;
}

accd_status accd_order_batch(struct accd_directory *dir, const struct accd_batch *batch)
{
    accd_context *context = dir->context;
    struct accd_pair few[2];
    struct accd_task task = {.ranges = few}; /* as if the batch were one */
    if (!accd_is_concurrent(dir) || !anything_is_left(context))
        return ACCD_OK;
    if (batch->bulk)
        return accd_order_everything(context);
    if (batch->n > 1)
        task.ranges = accd_scratch_take(&context->scratch, 2 * batch->n * sizeof task.ranges[0]);
    if (task.ranges)
        accd_task_use(&task, batch);
    if (!task.ranges || !accd_task_settle(context, &task))
        return accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory to put transfers in order");
    return order(context, NULL, NULL, &task);
}

accd_status accd_order_kernel(struct accd_queue *queue, const struct accd_task *task)
{
    return order(queue->dir->context, queue, NULL, task);
}

accd_status accd_order_range(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (!dir->context->working)
        accd_find_users(dir, dev, bytes, false);
    for (size_t i = 0; i < dir->nqueues && !dir->context->working; i++)
        ACCD_TRY(accd_queue_reach(dir->queues[i], dir->queues[i]->found));
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- start, over -- */

/* Whether a queue does not know yet what a task is to fetch. */
static bool has_open(const struct accd_queue *queue, const struct accd_task *task)
{
    bool open = false;
    for (const struct accd_task *user = queue->users; user && !open; user = user->next_user)
        open = is_open(user) && meet_on_device(task, user);
    return open;
}

/* Waits as above for a task that is not in its queue yet; then it starts, if it can go on by itself, or is done. */
static accd_status start(struct accd_queue *queue, struct accd_task *task, bool *done_p)
{
    struct accd_directory *dir = queue->dir;
    uint64_t moved[3] = {0};
    struct accd_traffic traffic = accd_batch_traffic(&task->u.batch, moved);
    traffic.queue = queue->number;
    bool both_ways = traffic.out && (traffic.in || traffic.within);
    bool left = traffic.out && !both_ways && has_open(queue, task);
    ACCD_TRY(order(dir->context, queue, left ? queue : NULL, task));
    if (left)
        return ACCD_OK;
    *done_p = both_ways || (traffic.out && (task->u.batch.bulk || moved[1] > dir->device.ops->fetch_most));
    if (*done_p)
        ACCD_TRY(accd_queue_reach(queue, queue->asked));
    accd_status status = *done_p ? accd_batch_now(&dir->device, &task->u.batch)
                                 : accd_batch_depart(&dir->device, &task->u.batch, &traffic, &task->under_way);
    return status == ACCD_OK ? ACCD_OK : accd_copy_failed(&dir->device, status);
}

bool accd_has_arrived(struct accd_queue *queue, uint64_t number)
{
    const struct accd_directory *dir = queue->dir;
    const struct accd_task *last = NULL, *task;
    while ((task = accd_next_known(queue, number))) {
        last = task->under_way ? task : last;
        if (task->kind == ACCD_TASK_AFTER && !accd_has_arrived(task->u.after.queue, task->u.after.number))
            return false;
    }
    if (last && last->kind == ACCD_TASK_KERNEL)
        return dir->device.ops->kernel_arrived(dir->device.handle, last->under_way);
    return !last || dir->device.ops->arrived(dir->device.handle, last->under_way);
}

accd_status accd_batch_leave(struct accd_queue *queue, const struct accd_batch *batch, const char *what,
                             const char *file, int line)
{
    accd_context *context = queue->dir->context;
    struct accd_task *task = accd_task_of(queue->dir, batch);
    bool done = false;
    if (!task && batch->bulk)
        batch->bulk_ops->drop(batch->bulk);
    if (!task)
        return accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory to leave transfers to a queue");
    task->what = accd_keep_name(context, what);
    task->file = accd_keep_name(context, file);
    task->line = line;
    accd_status status = accd_is_concurrent(queue->dir) ? start(queue, task, &done) : ACCD_OK;
    if (status != ACCD_OK || done)
        accd_task_drop(queue, task);
    else
        accd_task_append(queue, task);
    return status;
}

accd_status accd_pending_settle(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    accd_pending_begin(dir, NULL);
    accd_find_users(dir, dev, bytes, true);
    for (size_t i = 0; i < dir->nqueues; i++)
        ACCD_TRY(accd_queue_reach(dir->queues[i], dir->queues[i]->found));
    return ACCD_OK;
}

accd_status accd_pending_check(struct accd_directory *dir, uint64_t dev, uint64_t bytes,
                               const char *what)
{
    if (accd_is_concurrent(dir))
        return accd_order_range(dir, dev, bytes);
    const struct accd_task *task = accd_pending_at(dir, dev, bytes);
    char text[200];
    if (!task)
        return ACCD_OK;
    accd_task_describe(task->queue, task, text, sizeof text);
    return accd_fail(dir->context, ACCD_MISSING_WAIT, R_MISSING_WAIT, "%s, but %s", what, text);
}
