/* tasks.c - what queues have not done yet: tasks in their order, and by the device memory they are about, so that
 * what frees or moves the memory fails, or waits. */
#include "queue/inside.h"

#include <stdio.h>

/* --------------------------------------------------------------------------- device ranges -- */

bool accd_task_join_ranges(accd_context *context, struct accd_task *task)
{
    enum { FEW = 4 };
    struct accd_pair few[FEW], *spare = few;
    size_t kept = 0;
    if (task->nranges > FEW)
        spare = accd_scratch_take(&context->scratch, task->nranges * sizeof *spare);
    if (!spare)
        return false;
    const struct accd_pair *sorted = accd_sort_pairs(task->ranges, spare, task->nranges);
    if (sorted != task->ranges)
        memcpy(task->ranges, sorted, task->nranges * sizeof *sorted);
    for (size_t i = 0; i < task->nranges; i++) {
        struct accd_pair *before = kept ? &task->ranges[kept - 1] : NULL, *next = &task->ranges[i];
        if (before && next->key < before->value)
            before->value = next->value > before->value ? next->value : before->value;
        else
            task->ranges[kept++] = *next;
    }
    task->nranges = kept;
    return true;
}

/* The first range of a task that ends behind an address, or NULL. */
static const struct accd_pair *range_behind(const struct accd_task *task, uint64_t dev)
{
    const size_t at = ACCD_FIRST_ABOVE(task->ranges, value, task->nranges, dev);
    return at < task->nranges ? &task->ranges[at] : NULL;
}

bool accd_task_uses(const struct accd_task *task, uint64_t dev, uint64_t bytes)
{
    const struct accd_pair *range = range_behind(task, dev);
    return range && range->key < dev + bytes;
}

bool accd_running_range(const struct accd_directory *dir, uint64_t dev, uint64_t *low_p, uint64_t *high_p)
{
    const struct accd_pair *range = dir->queues.running ? range_behind(dir->queues.running, dev) : NULL;
    if (!range || dev < range->key)
        return false;
    *low_p = range->key;
    *high_p = range->value;
    return true;
}

/* --------------------------------------------------------------------------- missing waits -- */

/* Marks what is done when a queue has got to a task: it waits for other queues on its way, which never wait for
 * later ones of its own. */
static void mark_done(const struct accd_look *look, struct accd_queue *queue, uint64_t number)
{
    if (queue->looked != look->number) {
        queue->looked = look->number;
        queue->known = 0;
        queue->next_known = queue->afters;
    }
    if (queue->known < number)
        queue->known = number;
    const struct accd_task *task;
    while ((task = queue->next_known) && task->number <= number) {
        queue->next_known = task->next_after;
        mark_done(look, task->u.after.queue, task->u.after.number);
    }
}

void accd_pending_begin(struct accd_directory *dir, struct accd_queue *queue)
{
    struct accd_look *look = &dir->context->look;
    *look = (struct accd_look){.number = look->number + 1, .queue = queue, .asked = queue ? queue->asked : 0};
}

/* Whether a task is done before the construct continues. Others are marked when the first one is met. */
static bool is_known(const struct accd_task *task)
{
    struct accd_queue *queue = task->queue;
    struct accd_look *look = &queue->dir->context->look;
    if (!look->queue)
        return false;
    if (queue == look->queue)
        return task->number <= look->asked;
    if (!look->marked)
        mark_done(look, look->queue, look->asked);
    look->marked = true;
    return queue->looked == look->number && task->number <= queue->known;
}

/* What looks for tasks by a range. */
struct search {
    uint64_t dev, bytes;
    bool forgets, known; /* tasks that are to forget some of it are meant, too; and those that are known */
    const struct accd_task *first; /* by queue and number */
    struct accd_span **met;
};

static bool comes_before(const struct accd_task *a, const struct accd_task *b)
{
    return a->queue != b->queue ? a->queue->number < b->queue->number : a->number < b->number;
}

static bool note_first(void *ud, const struct accd_span *span)
{
    struct search *search = ud;
    const struct accd_task *task = span->owner;
    if ((!search->first || comes_before(task, search->first)) &&
        accd_task_uses(task, search->dev, search->bytes) && (search->known || !is_known(task)))
        search->first = task;
    return false;
}

static bool note_met(void *ud, const struct accd_span *span)
{
    struct search *search = ud;
    const struct accd_task *task = span->owner;
    const bool meant = accd_task_is_user(task)
                           ? accd_task_uses(task, search->dev, search->bytes) && !is_known(task)
                           : search->forgets;
    if (meant)
        accd_meet(search->met, task);
    return false;
}

const struct accd_task *accd_pending_at(const struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    struct search search = {.dev = dev, .bytes = bytes};
    (void)accd_span_first(dir->queues.uses, dev, dev + bytes, note_first, &search);
    return search.first;
}

void accd_meet(struct accd_span **met, const struct accd_task *task)
{
    struct accd_queue *queue = task->queue;
    if (!queue->found) {
        const uint64_t key = (uint64_t)queue->dir->device.number << 32 | queue->number;
        queue->met = (struct accd_span){.low = key, .high = key + 1, .owner = queue};
        accd_span_put(met, &queue->met);
    }
    if (task->number > queue->found)
        queue->found = task->number;
}

void accd_meet_users(struct accd_directory *dir, uint64_t dev, uint64_t bytes, bool forgets, struct accd_span **met)
{
    struct search search = {.dev = dev, .bytes = bytes, .forgets = forgets, .met = met};
    (void)accd_span_first(dir->queues.uses, dev, dev + bytes, note_met, &search);
}

struct accd_queue *accd_next_busy(const struct accd_directory *dir, uint64_t number)
{
    const struct accd_span *next = accd_span_first(dir->queues.busy, number, UINT64_MAX, NULL, NULL);
    return next ? next->owner : NULL;
}

struct accd_queue *accd_last_user(const struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (dir->queues.giving && dir->queues.giving->first)
        return dir->queues.giving;
    struct search search = {.dev = dev, .bytes = bytes, .known = true};
    (void)accd_span_first(dir->queues.uses, dev, dev + bytes, note_first, &search);
    return search.first ? search.first->queue : NULL;
}

static void enlist(struct accd_task *task, uint64_t low, uint64_t high)
{
    struct accd_span *span = &task->spans[task->nspans++];
    *span = (struct accd_span){.low = low, .high = high, .owner = task};
    accd_span_put(&task->queue->dir->queues.uses, span);
}

/* Whether others wait for what a task does with the host's memory. */
static bool uses_host(const struct accd_queue *queue, const struct accd_task *task)
{
    return task->host.low < task->host.high && accd_is_concurrent(queue->dir);
}

static void enlist_task(struct accd_queue *queue, struct accd_task *task)
{
    const struct accd_pair *ranges = task->ranges;
    task->queue = queue;
    task->nspans = 0;
    if (task->kind == ACCD_TASK_FORGET)
        enlist(task, task->u.memory.dev, task->u.memory.dev + task->u.memory.bytes);
    else if (task->nranges > ACCD_TASK_SPANS)
        enlist(task, ranges[0].key, ranges[task->nranges - 1].value);
    for (size_t i = 0; task->nranges <= ACCD_TASK_SPANS && i < task->nranges; i++)
        enlist(task, ranges[i].key, ranges[i].value);
    if (uses_host(queue, task)) {
        task->host.owner = task;
        accd_span_put(&queue->dir->context->host_uses[task->fetches], &task->host);
    }
}

static void strike(struct accd_queue *queue, struct accd_task *task)
{
    while (task->nspans)
        accd_span_take(&queue->dir->queues.uses, &task->spans[--task->nspans]);
    if (uses_host(queue, task))
        accd_span_take(&queue->dir->context->host_uses[task->fetches], &task->host);
}

void accd_task_describe(const struct accd_queue *queue, const struct accd_task *task, char *to, size_t room)
{
    char name[32] = "the default queue", place[120] = "";
    if (queue->async >= 0)
        snprintf(name, sizeof name, "queue %lld", (long long)queue->async);
    if (task->file)
        snprintf(place, sizeof place, " of %s:%d", task->file, task->line);
    snprintf(to, room, "%s has not done the %s%s yet", name, task->what ? task->what : "work", place);
}

const char *accd_queues_check(struct accd_directory *dir)
{
    size_t n = 0;
    for (size_t i = 0; i < dir->queues.n; i++) {
        const struct accd_queue *queue = dir->queues.at[i];
        uint64_t number = 0;
        size_t pending = 0;
        const struct accd_task *after = queue->afters, *started = NULL;
        for (const struct accd_task *task = queue->first; task; task = task->next, n++) {
            if (task->number <= number || task->number > queue->asked)
                return "a queue is out of order";
            number = task->number;
            if (task->kind == ACCD_TASK_AFTER && task != after)
                return "a queue has lost what it comes behind";
            if (task->kind == ACCD_TASK_AFTER)
                after = after->next_after;
            started = task->under_way ? task : started;
            pending += accd_task_is_user(task);
            for (size_t k = 0; k < task->nranges; k++)
                if (!dir->device.ops->allocated(dir->device.handle, task->ranges[k].key,
                                         task->ranges[k].value - task->ranges[k].key))
                    return "a queue has to use device memory that is not allocated";
        }
        if (pending != queue->pending)
            return "a queue counts wrong";
        if (after || started != queue->started || queue->found || !queue->first != (accd_next_busy(dir, queue->number) != queue))
            return "a queue has lost its tasks";
    }
    return n == dir->queues.ntasks ? NULL : "the number of tasks is wrong";
}

accd_status accd_may_ask(const struct accd_directory *dir, unsigned number)
{
    accd_context *context = dir->context;
    ACCD_TRY(accd_idle(context));
    if (context->working)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE,
                         "a queue is at work; what it calls cannot change data");
    if (number > dir->queues.n)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "device %d has no queue of number %u",
                         dir->device.number, number);
    return ACCD_OK;
}

struct accd_queue *accd_working_queue(const struct accd_directory *dir, unsigned number)
{
    bool works = dir->context->config.queues == ACCD_QUEUES_DELAYED || accd_is_concurrent(dir);
    return works ? dir->queues.at[number - 1] : NULL;
}

int64_t accd_async_of(const struct accd_directory *dir, unsigned number)
{
    return number ? dir->queues.at[number - 1]->async : ACCD_SYNCHRONOUS;
}

struct accd_task *accd_task_new(struct accd_directory *dir, enum accd_task_kind kind, size_t more)
{
    struct accd_task *task = accd_mem_zero(&dir->context->mem, sizeof *task + more);
    if (task) {
        task->kind = kind;
        task->size = sizeof *task + more;
    }
    return task;
}

void accd_task_append(struct accd_queue *queue, struct accd_task *task)
{
    struct accd_directory *dir = queue->dir;
    if (!queue->first) {
        queue->busy = (struct accd_span){.low = queue->number, .high = (uint64_t)queue->number + 1, .owner = queue};
        accd_span_put(&dir->queues.busy, &queue->busy);
    }
    task->next = task->next_after = NULL;
    task->number = ++queue->asked;
    *queue->last = task;
    queue->last = &task->next;
    if (task->kind == ACCD_TASK_AFTER) {
        *queue->last_after = task;
        queue->last_after = &task->next_after;
    }
    if (task->under_way)
        queue->started = task;
    queue->pending += accd_task_is_user(task);
    queue->tested = false;
    enlist_task(queue, task);
    dir->queues.ntasks++;
    dir->eventful++;
}

struct accd_task *accd_task_take(struct accd_queue *queue, struct accd_task **at)
{
    struct accd_directory *dir = queue->dir;
    struct accd_task *task = *at;
    *at = task->next;
    if (queue->last == &task->next)
        queue->last = at;
    if (task->kind == ACCD_TASK_AFTER) { /* the first one: none is cut off */
        queue->afters = task->next_after;
        if (queue->last_after == &task->next_after)
            queue->last_after = &queue->afters;
    }
    if (task == queue->started)
        queue->started = NULL;
    queue->pending -= accd_task_is_user(task);
    strike(queue, task);
    if (!queue->first)
        accd_span_take(&dir->queues.busy, &queue->busy);
    dir->queues.ntasks--;
    dir->eventful--;
    return task;
}

static void give_up(const struct accd_queue *queue, const struct accd_task *task)
{
    const struct accd_directory *dir = queue->dir;
    if (task->kind == ACCD_TASK_KERNEL)
        (void)dir->device.ops->kernel_over(dir->device.handle, task->under_way, 0, NULL);
    else if (dir->device.ops->arrive(dir->device.handle, task->under_way) == ACCD_OK)
        (void)dir->device.ops->end(dir->device.handle);
}

void accd_task_free(struct accd_directory *dir, struct accd_task *task)
{
    const struct accd_batch *batch = task->kind == ACCD_TASK_TRANSFERS ? &task->u.batch : NULL;
    if (batch && batch->bulk)
        batch->bulk_ops->drop(batch->bulk);
    if (task->kind == ACCD_TASK_REPORT)
        task->u.report.drop(task->u.report.ud);
    accd_mem_free(&dir->context->mem, task, task->size);
}

void accd_task_drop(struct accd_queue *queue, struct accd_task *task)
{
    struct accd_directory *dir = queue->dir;
    if (task->under_way)
        give_up(queue, task);
    if (task->kind == ACCD_TASK_KERNEL || task->kind == ACCD_TASK_CALL)
        (void)task->u.call.fn(task->u.call.ud, ACCD_DISCARD);
    accd_task_free(dir, task);
}

void accd_queues_close(struct accd_directory *dir)
{
    struct accd_mem *mem = &dir->context->mem;
    for (size_t i = 0; i < dir->queues.n; i++) {
        while (dir->queues.at[i]->first)
            accd_task_drop(dir->queues.at[i], accd_task_take(dir->queues.at[i], &dir->queues.at[i]->first));
        accd_mem_free(mem, dir->queues.at[i], sizeof *dir->queues.at[i]);
    }
    accd_mem_free(mem, dir->queues.at, dir->queues.room * sizeof dir->queues.at[0]);
    dir->queues.n = 0;
}

void accd_queue_cut(struct accd_queue *queue, uint64_t asked)
{
    const struct accd_task *started = NULL;
    for (struct accd_task **at = &queue->first; *at;) {
        const struct accd_task *task = *at;
        bool stays = task->number <= asked || task->kind == ACCD_TASK_FREE ||
                     task->kind == ACCD_TASK_FORGET || task->kind == ACCD_TASK_AFTER;
        started = stays && task->under_way ? task : started;
        if (stays)
            at = &(*at)->next;
        else
            accd_task_drop(queue, accd_task_take(queue, at));
    }
    queue->started = started;
}
