/* order.c - queues whose work continues by itself while the program does: a task starts at its construct, and
 * the queue keeps it until the program waits.
 *
 * All is as if it had been done in program order. What starts, in a queue or without one, waits first for what
 * is under way and uses the same memory; what a queue's stream orders anyway does not. A construct whose
 * transfers cannot start fails as it would without a queue, and what starts reads the host's memory at its
 * construct. What is fetched reaches the host's memory at the wait. Only what fetches the results of a kernel of
 * its queue does not start: the kernel may yet be undone, and the wait does it. */
#include "queue/inside.h"
#include "table/name.h"

/* -------------------------------------------------------------------------- what comes first -- */

static bool meet_on_device(const struct accd_task *a, const struct accd_task *b)
{
    const struct accd_task *few = a->nranges < b->nranges ? a : b, *many = few == a ? b : a;
    for (size_t i = 0; i < few->nranges; i++)
        if (accd_task_uses(many, few->ranges[i].key, few->ranges[i].value - few->ranges[i].key))
            return true;
    return false;
}

/* Whether what a task leaves on the device is not known before it is over: transfers that are under way are in
 * order with others of their queue. */
static bool is_open(const struct accd_task *task)
{
    return task->kind == ACCD_TASK_KERNEL || !task->under_way;
}

/* What looks for tasks that come before the next one. */
struct search {
    const struct accd_task *next;
    const struct accd_queue *queue, *but; /* its own, or NULL; one that is left out, or NULL */
    struct accd_span *met;
};

static bool is_user(const struct search *search, const struct accd_task *task)
{
    return accd_task_is_user(task) && task->queue != search->but && task->number > task->queue->found;
}

static bool note_on_device(void *ud, const struct accd_span *span)
{
    struct search *search = ud;
    const struct accd_task *task = span->owner;
    if (is_user(search, task) && (task->queue != search->queue || is_open(task)) && meet_on_device(search->next, task))
        accd_meet(&search->met, task);
    return false;
}

/* What a queue fetches reaches the host in order. */
static bool note_on_host(void *ud, const struct accd_span *span)
{
    struct search *search = ud;
    const struct accd_task *task = span->owner;
    if (is_user(search, task) && (task->queue != search->queue || !search->next->fetches))
        accd_meet(&search->met, task);
    return false;
}

static bool is_own_open(void *ud, const struct accd_span *span)
{
    const struct search *search = ud;
    const struct accd_task *task = span->owner;
    return accd_task_is_user(task) && task->queue == search->queue && is_open(task) &&
           meet_on_device(search->next, task);
}

/* The first task on a device that is meant, of those that may use the memory of the next one; false: there is none. */
static bool any_on_device(const struct accd_directory *dir, bool (*meant)(void *ud, const struct accd_span *span),
                          struct search *search)
{
    const struct accd_task *next = search->next;
    const struct accd_pair *ranges = next->ranges;
    bool found = false;
    if (next->nranges > ACCD_TASK_SPANS)
        return accd_span_first(dir->queues.uses, ranges[0].key, ranges[next->nranges - 1].value, meant,
                               search);
    for (size_t i = 0; i < next->nranges && !found; i++)
        found = accd_span_first(dir->queues.uses, ranges[i].key, ranges[i].value, meant, search);
    return found;
}

/* Devices share the host's memory: what sends comes behind what fetches there, what fetches behind all.
 * Decides ACC33-async-2. */
accd_status accd_order_task(const accd_context *context, const struct accd_queue *queue,
                            const struct accd_queue *but, const struct accd_task *next)
{
    struct search search = {.next = next, .queue = queue, .but = but};
    for (int d = 0; d < context->ndirs && !context->working; d++)
        (void)any_on_device(&context->dirs[d], note_on_device, &search);
    for (int fetch = !next->fetches; fetch < 2 && !context->working; fetch++)
        (void)accd_span_first(context->host_uses[fetch], next->host.low, next->host.high, note_on_host, &search);
    return accd_reach_met(&search.met);
}

accd_status accd_order_all(struct accd_directory *dir)
{
    struct accd_queue *queue = dir->context->working ? NULL : accd_next_busy(dir, 0);
    for (; queue; queue = accd_next_busy(dir, queue->number + 1))
        ACCD_TRY(accd_queue_reach(queue, queue->asked));
    return ACCD_OK;
}

static bool anything_is_left(const accd_context *context)
{
    for (int d = 0; d < context->ndirs; d++)
        if (context->dirs[d].queues.ntasks)
            return true;
    return false;
}

accd_status accd_order_everything(accd_context *context)
{
    for (int d = 0; d < context->ndirs; d++)
        ACCD_TRY(accd_order_all(&context->dirs[d]));
    return ACCD_OK;
}

static void use_host(struct accd_task *task, uint64_t low, uint64_t end)
{
    struct accd_span *host = &task->host;
    const bool none = host->low == host->high;
    host->low = none || low < host->low ? low : host->low;
    host->high = none || end > host->high ? end : host->high;
}

/* The memory a batch uses becomes a task's, whose ranges have room. */
static void use_memory(struct accd_task *task, const struct accd_batch *batch)
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

accd_status accd_order_batch(struct accd_directory *dir, struct accd_batch *batch)
{
    accd_context *context = dir->context;
    struct accd_pair few[2];
    struct accd_task task = {.ranges = few}; /* as if the batch were one */
    if (!accd_is_concurrent(dir) || !anything_is_left(context))
        return ACCD_OK;
    if (batch->bulk)
        ACCD_TRY(batch->bulk_ops->uses(batch));
    if (batch->n > 1 || batch->nuses)
        task.ranges = accd_scratch_take(&context->scratch, (2 * batch->n + batch->nuses) * sizeof task.ranges[0]);
    if (task.ranges)
        use_memory(&task, batch);
    if (!task.ranges || !accd_task_join_ranges(context, &task))
        return accd_out_of_memory(context, "to put transfers in order");
    return accd_order_task(context, NULL, NULL, &task);
}

accd_status accd_order_range(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    struct accd_span *met = NULL;
    if (!dir->context->working)
        accd_meet_users(dir, dev, bytes, false, &met);
    return accd_reach_met(&met);
}

/* ------------------------------------------------------------------------------- start, over -- */

/* Whether a queue does not know yet what a task is to fetch. */
static bool has_open(const struct accd_queue *queue, const struct accd_task *task)
{
    struct search search = {.next = task, .queue = queue};
    return any_on_device(queue->dir, is_own_open, &search);
}

/* Waits as above for a task that is not in its queue yet; then it starts, if it can continue by itself, or is done. */
static accd_status start(struct accd_queue *queue, struct accd_task *task, bool *done_p)
{
    struct accd_directory *dir = queue->dir;
    uint64_t moved[3] = {0};
    struct accd_traffic traffic = accd_batch_traffic(&task->u.batch, moved);
    traffic.queue = queue->number;
    bool both_ways = traffic.out && (traffic.in || traffic.within);
    bool left = traffic.out && !both_ways && has_open(queue, task);
    ACCD_TRY(accd_order_task(dir->context, queue, left ? queue : NULL, task));
    if (left)
        return ACCD_OK;
    *done_p = both_ways || (traffic.out && (task->u.batch.bulk || moved[1] > dir->device.ops->fetch_most));
    if (*done_p)
        ACCD_TRY(accd_queue_reach(queue, queue->asked));
    accd_status status = *done_p ? accd_batch_now(&dir->device, &task->u.batch)
                                 : accd_batch_depart(&dir->device, &task->u.batch, &traffic, &task->under_way);
    return status == ACCD_OK ? ACCD_OK : accd_copy_failed(&dir->device, status);
}

/* Whether what a queue itself has started is over, up to a task. */
static bool is_own_over(const struct accd_queue *queue, uint64_t number)
{
    const struct accd_directory *dir = queue->dir;
    const struct accd_task *last = queue->started;
    if (last && last->number > number) { /* later tasks are started, too */
        last = NULL;
        for (const struct accd_task *task = queue->first; task && task->number <= number; task = task->next)
            last = task->under_way ? task : last;
    }
    if (last && last->kind == ACCD_TASK_KERNEL)
        return dir->device.ops->kernel_arrived(dir->device.handle, last->under_way);
    return !last || dir->device.ops->arrived(dir->device.handle, last->under_way);
}

/* Whether a queue has got to a task; otherwise what holds it up is noted in the one that is tested. */
static bool has_got_to(struct accd_queue *queue, uint64_t number, struct accd_queue *tested)
{
    if (!is_own_over(queue, number)) {
        tested->held_by = queue != tested ? queue : NULL;
        tested->held_at = number;
        return false;
    }
    for (struct accd_task *task = queue->afters; task && task->number <= number; task = task->next_after) {
        task->u.after.over = task->u.after.over || has_got_to(task->u.after.queue, task->u.after.number, tested);
        if (!task->u.after.over)
            return false;
    }
    return true;
}

bool accd_has_arrived(struct accd_queue *queue)
{
    if (queue->held_by && !is_own_over(queue->held_by, queue->held_at))
        return false;
    queue->held_by = NULL;
    return has_got_to(queue, queue->asked, queue);
}

/* A task that does what a batch does, with a list of its own. NULL: no memory. */
static struct accd_task *task_of(struct accd_directory *dir, const struct accd_batch *batch)
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
    use_memory(task, batch);
    if (accd_task_join_ranges(dir->context, task))
        return task;
    accd_mem_free(&dir->context->mem, task, task->size);
    return NULL;
}

accd_status accd_batch_leave(struct accd_queue *queue, const struct accd_batch *batch, const char *what,
                             const char *file, int line)
{
    accd_context *context = queue->dir->context;
    struct accd_task *task = task_of(queue->dir, batch);
    bool done = false;
    if (!task && batch->bulk)
        batch->bulk_ops->drop(batch->bulk);
    if (!task)
        return accd_out_of_memory(context, "to leave transfers to a queue");
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

accd_status accd_pending_finish(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    struct accd_span *met = NULL;
    accd_pending_begin(dir, NULL);
    accd_meet_users(dir, dev, bytes, true, &met);
    return accd_reach_met(&met);
}

/* Decides ACC33-async-4. */
accd_status accd_pending_check(struct accd_directory *dir, const struct accd_object *object, uint64_t dev,
                               uint64_t bytes, const char *what)
{
    if (accd_is_concurrent(dir))
        return accd_order_range(dir, dev, bytes);
    const struct accd_task *task = accd_pending_at(dir, dev, bytes);
    char text[200];
    if (!task)
        return ACCD_OK;
    accd_task_describe(task->queue, task, text, sizeof text);
    accd_fail(dir->context, ACCD_MISSING_WAIT, R_MISSING_WAIT, "%s would be %s, but %s",
              object ? ACCD_ASKED : "the device memory", what, text);
    if (object)
        accd_describe_object(dir, object, &dir->context->error.asked);
    return accd_name_asked(dir->context);
}
