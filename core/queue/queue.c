/* queue.c - activity queues: transfers, kernels and device memory that asynchronous constructs left to be
 * done, in order, when somebody waits.
 *
 * A task holds all it needs but the bytes of the host's memory, which are read and written when it is done:
 * as late as the rules allow, so that a missing wait shows. It is done as a whole or not at all. */
#include "core.h"

#include <stdio.h>

/* ----------------------------------------------------------------------------------- queues -- */

struct accd_queue *accd_working_queue(const struct accd_directory *dir, unsigned number)
{
    bool works = dir->context->config.queues == ACCD_QUEUES_DELAYED || accd_is_concurrent(dir);
    return works ? dir->queues[number - 1] : NULL;
}

int64_t accd_async_of(const struct accd_directory *dir, unsigned number)
{
    return number ? dir->queues[number - 1]->async : ACCD_SYNCHRONOUS;
}

accd_status accd_queue(accd_context *context, int device, int64_t async, unsigned *queue_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir)
        return accd_no_device(context);
    struct accd_mem *mem = &context->mem;
    ACCD_GIVEN(context, queue_p);
    if (async == ACCD_SYNCHRONOUS)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "no queue has the async value %lld", (long long)async);
    const uint64_t key = (uint64_t)async - (uint64_t)ACCD_SYNCHRONOUS - 1; /* less than UINT64_MAX */
    struct accd_queue *queue = accd_range_floor(&dir->by_async, key);
    if (queue && queue->async == async) {
        *queue_p = queue->number;
        return ACCD_OK;
    }
    queue = NULL;
    if (accd_mem_grow(mem, (void **)&dir->queues, &dir->queues_room, dir->nqueues + 1,
                      sizeof dir->queues[0]) &&
        accd_range_reserve(&dir->by_async, 1))
        queue = accd_mem_zero(mem, sizeof *queue);
    if (!queue)
        return accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory for a queue");
    queue->dir = dir;
    queue->number = (unsigned)dir->nqueues + 1;
    queue->async = async;
    queue->last = &queue->first;
    queue->last_user = &queue->users;
    dir->queues[dir->nqueues++] = queue;
    accd_range_insert(&dir->by_async, key, queue);
    *queue_p = (unsigned)dir->nqueues;
    return ACCD_OK;
}

static struct accd_task *new_task(struct accd_directory *dir, enum accd_task_kind kind, size_t more)
{
    struct accd_task *task = accd_mem_zero(&dir->context->mem, sizeof *task + more);
    if (task) {
        task->kind = kind;
        task->size = sizeof *task + more;
    }
    return task;
}

static void append(struct accd_queue *queue, struct accd_task *task)
{
    task->next = task->next_user = NULL;
    task->number = ++queue->asked;
    *queue->last = task;
    queue->last = &task->next;
    if (accd_task_is_user(task)) {
        *queue->last_user = task;
        queue->last_user = &task->next_user;
        queue->pending++;
    }
    queue->tested = false;
    accd_task_enlist(queue, task);
    queue->dir->ntasks++;
}

/* Takes the task at a place out of the queue. */
static struct accd_task *take(struct accd_queue *queue, struct accd_task **at)
{
    struct accd_task *task = *at;
    *at = task->next;
    if (queue->last == &task->next)
        queue->last = at;
    if (accd_task_is_user(task)) {
        struct accd_task **user = &queue->users;
        while (*user != task) /* the first one, unless the queue is cut */
            user = &(*user)->next_user;
        *user = task->next_user;
        if (queue->last_user == &task->next_user)
            queue->last_user = user;
        queue->pending--;
    }
    accd_task_strike(queue, task);
    queue->dir->ntasks--;
    return task;
}

/* What has started must be over; nothing of it reaches the host. */
static void drop(struct accd_queue *queue, struct accd_task *task)
{
    struct accd_directory *dir = queue->dir;
    if (task->under_way)
        accd_give_up(queue, task);
    if (task->kind == ACCD_TASK_KERNEL || task->kind == ACCD_TASK_CALL)
        (void)task->u.call.fn(task->u.call.ud, ACCD_LET_GO);
    accd_mem_free(&dir->context->mem, task, task->size);
}

void accd_queues_close(struct accd_directory *dir)
{
    struct accd_mem *mem = &dir->context->mem;
    for (size_t i = 0; i < dir->nqueues; i++) {
        while (dir->queues[i]->first)
            drop(dir->queues[i], take(dir->queues[i], &dir->queues[i]->first));
        accd_mem_free(mem, dir->queues[i], sizeof *dir->queues[i]);
    }
    accd_mem_free(mem, dir->queues, dir->queues_room * sizeof dir->queues[0]);
    dir->nqueues = 0;
}

void accd_queue_cut(struct accd_queue *queue, uint64_t asked)
{
    for (struct accd_task **at = &queue->first; *at;) {
        const struct accd_task *task = *at;
        bool stays = task->number <= asked || task->kind == ACCD_TASK_FREE ||
                     task->kind == ACCD_TASK_FORGET || task->kind == ACCD_TASK_AFTER;
        if (stays)
            at = &(*at)->next;
        else
            drop(queue, take(queue, at));
    }
}

/* Names belong to constructs, which may be gone when their work is done. NULL: there is none, or no memory. */
static const char *keep_name(accd_context *context, const char *name)
{
    struct accd_name *kept = context->names;
    while (name && kept && strcmp(kept->text, name) != 0)
        kept = kept->next;
    if (!name || kept)
        return name ? kept->text : NULL;
    kept = accd_mem_new(&context->mem, sizeof *kept);
    if (!kept)
        return NULL;
    kept->text = accd_mem_string(&context->mem, name);
    if (!kept->text) {
        accd_mem_free(&context->mem, kept, sizeof *kept);
        return NULL;
    }
    kept->next = context->names;
    context->names = kept;
    return kept->text;
}

void accd_names_close(accd_context *context)
{
    while (context->names) {
        struct accd_name *name = context->names;
        context->names = name->next;
        accd_mem_free(&context->mem, name->text, strlen(name->text) + 1);
        accd_mem_free(&context->mem, name, sizeof *name);
    }
}

/* ------------------------------------------------------------------------------------ tasks -- */

static const char *kind_name(const accd_construct *construct)
{
    static const char *const names[] = {"data region", "compute construct", "enter data",
                                        "exit data", "update"};
    return construct->name ? construct->name : names[construct->kind];
}

static struct accd_task *transfers_of(struct accd_directory *dir, size_t n, uint64_t kept)
{
    struct accd_task *task =
        new_task(dir, ACCD_TASK_TRANSFERS, n * sizeof(struct accd_transfer) +
                                          2 * n * sizeof(struct accd_pair) + kept);
    if (!task)
        return NULL;
    task->ranges = (struct accd_pair *)(task + 1);
    task->u.transfers.at = (struct accd_transfer *)(task->ranges + 2 * n);
    task->u.transfers.kept = (char *)(task->u.transfers.at + n);
    return task;
}

static void add_transfer(struct accd_task *task, const struct accd_transfer *transfer)
{
    task->u.transfers.at[task->u.transfers.n++] = *transfer;
    task->ranges[task->nranges++] =
        (struct accd_pair){transfer->dev, transfer->dev + transfer->bytes};
    if (transfer->way == ACCD_MOVED_WITHIN)
        task->ranges[task->nranges++] =
            (struct accd_pair){transfer->host, transfer->host + transfer->bytes};
}

static void add_kept(struct accd_task *task, uint64_t dev, const void *from, uint64_t bytes,
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
    add_transfer(task, &(struct accd_transfer){dev, *used, bytes, ACCD_OWN});
    *used += bytes;
}

/* Leaves transfers to their queue. Takes the task. */
static accd_status add_transfers(struct accd_queue *queue, struct accd_task *task)
{
    bool done = false;
    accd_status status = accd_is_concurrent(queue->dir) ? accd_start(queue, task, &done) : ACCD_OK;
    if (status != ACCD_OK || done)
        drop(queue, task);
    else
        append(queue, task);
    return status;
}

accd_status accd_queue_plan(struct accd_plan *plan)
{
    struct accd_directory *dir = plan->dir;
    const struct accd_fusion *fusion = plan->fusion;
    size_t ncopies = fusion ? fusion->ncopies : 0;
    size_t n = 2 * ncopies + plan->nmoves + 2 * plan->nrests + plan->nwords;
    uint64_t kept = plan->nwords * sizeof(uint64_t), used = 0;
    for (size_t i = 0; i < plan->nrests; i++)
        kept += sizeof(uint64_t) + plan->rests[i].bytes;
    struct accd_task *task = transfers_of(dir, n, kept);
    struct accd_pair *spare = accd_scratch_take(&plan->context->scratch, 2 * n * sizeof *spare);
    if (!task || !spare) {
        if (task)
            drop(plan->queue, task);
        return accd_fail(plan->context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY,
                         "no memory to leave transfers to a queue");
    }
    for (size_t i = 0; i < ncopies; i++)
        add_transfer(task, &(struct accd_transfer){fusion->copies[i].to, fusion->copies[i].from,
                                              fusion->copies[i].bytes, ACCD_MOVED_WITHIN});
    for (size_t i = 0; i < plan->nmoves; i++)
        add_transfer(task, &(struct accd_transfer){plan->moves[i].dev, plan->moves[i].host,
                                              plan->moves[i].bytes,
                                              plan->moves[i].out ? ACCD_FETCHED : ACCD_SENT});
    for (size_t i = 0; i < plan->nrests; i++) {
        const struct accd_rest *rest = &plan->rests[i];
        add_kept(task, rest->dev, &rest->value, sizeof rest->value, &used);
        add_kept(task, rest->dev + sizeof rest->value, rest->from, rest->bytes, &used);
    }
    for (size_t i = 0; i < plan->nwords; i++)
        add_kept(task, plan->words[i].dev, &plan->words[i].value, plan->words[i].bytes, &used);
    accd_task_settle(task, spare);
    task->what = keep_name(plan->context, kind_name(plan->construct));
    task->file = keep_name(plan->context, plan->construct->file);
    task->line = plan->construct->line;
    accd_status status = ACCD_OK;
    if (task->u.transfers.n)
        status = add_transfers(plan->queue, task);
    else
        drop(plan->queue, task);
    if (status == ACCD_OK)
        dir->giving = plan->queue; /* from here on nothing fails */
    return status;
}

accd_status accd_queue_copy(struct accd_queue *queue, accd_way way, uint64_t to, uint64_t from,
                            uint64_t bytes, const char *file, int line)
{
    struct accd_directory *dir = queue->dir;
    struct accd_task *task = transfers_of(dir, 1, 0);
    struct accd_pair spare[2];
    if (!task)
        return accd_fail(dir->context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY,
                         "no memory to leave a copy to a queue");
    bool out = way == ACCD_FROM_DEVICE;
    add_transfer(task, &(struct accd_transfer){out ? from : to, out ? to : from, bytes,
                                          out                          ? ACCD_FETCHED
                                          : way == ACCD_WITHIN_DEVICE ? ACCD_MOVED_WITHIN
                                                                       : ACCD_SENT});
    accd_task_settle(task, spare);
    task->what = "copy";
    task->file = keep_name(dir->context, file);
    task->line = line;
    return add_transfers(queue, task);
}

bool accd_queue_event(struct accd_queue *queue, const accd_event *event)
{
    size_t bytes = strlen(event->name) + 1;
    bool now = accd_is_concurrent(queue->dir); /* it has started at least */
    struct accd_task *task = now ? NULL : new_task(queue->dir, ACCD_TASK_EVENT, bytes);
    if (!task)
        return false;
    task->u.event = *event;
    task->u.event.file = keep_name(queue->dir->context, event->file);
    task->u.event.name = memcpy(task + 1, event->name, bytes);
    append(queue, task);
    return true;
}

/* The queue behind whose tasks a range of device memory is free, or NULL. */
static struct accd_queue *last_user(const struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    return dir->giving && dir->giving->first ? dir->giving : accd_first_user(dir, dev, bytes);
}

static bool leave_memory(struct accd_directory *dir, enum accd_task_kind kind, uint64_t dev,
                         uint64_t bytes)
{
    struct accd_queue *queue = last_user(dir, dev, bytes);
    if (!queue)
        return false;
    struct accd_task *task = new_task(dir, kind, 0);
    if (!task) /* then it goes with the context */
        return true;
    task->u.memory.dev = dev;
    task->u.memory.bytes = bytes;
    append(queue, task);
    return true;
}

bool accd_queue_free(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    return leave_memory(dir, ACCD_TASK_FREE, dev, bytes);
}

bool accd_queue_forget(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    return leave_memory(dir, ACCD_TASK_FORGET, dev, bytes);
}

/* -------------------------------------------------------------------------------- doing them -- */

static accd_status do_transfers(struct accd_queue *queue, const struct accd_task *task)
{
    if (task->under_way)
        return accd_arrive(queue, task);
    ACCD_TRY(accd_task_check_host(queue, task));
    accd_status status = accd_transfer_now(queue->dir, task);
    return status == ACCD_OK ? ACCD_OK : accd_task_failed(queue, task, status);
}

static accd_status call(struct accd_directory *dir, const struct accd_task *task, accd_call how)
{
    accd_context *context = dir->context;
    const bool busy = context->busy; /* a construct may wait for it */
    dir->running = task;
    context->working = true;
    context->busy = false;
    int failed = task->u.call.fn(task->u.call.ud, how);
    context->busy = busy;
    context->working = false;
    dir->running = NULL;
    return failed ? accd_fail(dir->context, ACCD_CALLBACK, R_QUEUE, "a function of a queue failed")
                  : ACCD_OK;
}

/* Runs a function, unless it is that of a kernel which the device has run. */
static accd_status end_call(struct accd_directory *dir, const struct accd_task *task)
{
    accd_kernel_end end = {.how = ACCD_KERNEL_NOT_RUN};
    if (task->under_way) {
        accd_status status = dir->ops->kernel_over(dir->device, task->under_way, task->again, &end);
        if (status != ACCD_OK) {
            (void)task->u.call.fn(task->u.call.ud, ACCD_LET_GO);
            return accd_kernel_failed(dir, status);
        }
    }
    return call(dir, task, end.how == ACCD_KERNEL_DONE ? ACCD_WAS_RUN : ACCD_RUN);
}

/* Memory that somebody else still uses goes behind that. Takes the task. */
static void give_back(struct accd_queue *queue, struct accd_task *task)
{
    struct accd_directory *dir = queue->dir;
    struct accd_queue *other = last_user(dir, task->u.memory.dev, task->u.memory.bytes);
    if (other) {
        append(other, task);
        return;
    }
    if (task->kind == ACCD_TASK_FREE)
        accd_free_memory(dir, task->u.memory.dev, task->u.memory.bytes);
    else
        accd_forget_bytes(dir, task->u.memory.dev, task->u.memory.bytes);
    drop(queue, task);
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
    else if (task->kind == ACCD_TASK_KERNEL || task->kind == ACCD_TASK_CALL)
        status = end_call(dir, task);
    accd_mem_free(&dir->context->mem, task, task->size);
    return status;
}

/* Queues wait for what others were asked for before: these never wait for each other. */
accd_status accd_queue_reach(struct accd_queue *queue, uint64_t number)
{
    while (queue->first && queue->first->number <= number) {
        const struct accd_task *first = queue->first;
        if (first->kind == ACCD_TASK_AFTER)
            ACCD_TRY(accd_queue_reach(first->u.after.queue, first->u.after.number));
        ACCD_TRY(perform(queue, take(queue, &queue->first)));
    }
    return ACCD_OK;
}

accd_status accd_pending_settle(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    accd_pending_begin(dir, NULL);
    accd_find_users(dir, dev, bytes, true);
    for (size_t i = 0; i < dir->nqueues; i++)
        ACCD_TRY(accd_queue_reach(dir->queues[i], dir->queues[i]->found));
    return ACCD_OK;
}

/* -------------------------------------------------------------------------------- interface -- */

accd_status accd_queue_wait(accd_context *context, int device, unsigned number)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir)
        return accd_no_device(context);
    ACCD_TRY(accd_may_ask(dir, number));
    for (size_t i = dir->nqueues; i-- > 0;) /* what uses others' results first: a missing wait shows */
        if (!number || i == number - 1)
            ACCD_TRY(accd_queue_reach(dir->queues[i], dir->queues[i]->asked));
    return ACCD_OK;
}

accd_status accd_queue_test(accd_context *context, int device, unsigned number, int *done_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    bool early = false;
    if (!dir)
        return accd_no_device(context);
    ACCD_GIVEN(context, done_p);
    ACCD_TRY(accd_may_ask(dir, number));
    accd_pending_begin(dir, NULL);
    for (size_t i = 0; i < dir->nqueues; i++) {
        struct accd_queue *queue = dir->queues[i];
        if (number && i != number - 1)
            continue;
        early |= accd_is_concurrent(dir) ? !accd_has_arrived(queue, queue->asked)
                                         : queue->first && !queue->tested;
        queue->tested = true;
    }
    if (!early)
        ACCD_TRY(accd_queue_wait(context, device, number));
    *done_p = !early;
    return ACCD_OK;
}

accd_status accd_queue_after(accd_context *context, int device, unsigned number, int other_device,
                             unsigned other)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_directory *others = accd_directory_of(context, other_device);
    if (!dir || !others)
        return accd_no_device(context);
    ACCD_TRY(accd_may_ask(dir, number));
    ACCD_TRY(accd_may_ask(others, other));
    struct accd_queue *queue = accd_queue_of(dir, number);
    struct accd_queue *before = accd_queue_of(others, other);
    if (!queue || !before || queue == before || !before->first)
        return ACCD_OK;
    struct accd_task *task = new_task(dir, ACCD_TASK_AFTER, 0);
    if (!task)
        return accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory to wait in a queue");
    task->u.after.queue = before;
    task->u.after.number = before->asked;
    append(queue, task);
    return ACCD_OK;
}

/* Runs a function, behind what its queue has under way. Takes ud if it, or one before it, fails. */
static accd_status call_now(struct accd_directory *dir, unsigned number, accd_host_fn fn, void *ud)
{
    struct accd_queue *queue = accd_queue_of(dir, number);
    accd_status status = queue ? accd_queue_reach(queue, queue->asked) : ACCD_OK;
    if (status == ACCD_CALLBACK)
        (void)fn(ud, ACCD_LET_GO);
    if (status != ACCD_OK)
        return status;
    return fn(ud, ACCD_RUN) ? accd_fail(dir->context, ACCD_CALLBACK, R_QUEUE, "a function of a queue failed")
                            : ACCD_OK;
}

accd_status accd_queue_call(accd_context *context, int device, unsigned number, accd_host_fn fn,
                            void *ud)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir)
        return accd_no_device(context);
    ACCD_GIVEN(context, fn);
    ACCD_TRY(accd_may_ask(dir, number));
    struct accd_queue *queue = accd_queue_of(dir, number);
    if (!queue || accd_is_concurrent(dir))
        return call_now(dir, number, fn, ud);
    struct accd_task *task = new_task(dir, ACCD_TASK_CALL, 0);
    if (!task)
        return accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY,
                         "no memory to leave a function to a queue");
    task->u.call.fn = fn;
    task->u.call.ud = ud;
    append(queue, task);
    return ACCD_OK;
}

/* A task for a kernel that uses these data, and allocations that begin at these addresses. */
static struct accd_task *kernel_task(const accd_region *region, const struct accd_reached *reached,
                                     const uint64_t *devs, size_t n, accd_host_fn fn, void *ud)
{
    accd_context *context = region->context;
    struct accd_directory *dir = region->dir;
    struct accd_pair *spare =
        accd_scratch_take(&context->scratch, (reached->n + n + 1) * sizeof *spare);
    struct accd_task *task =
        spare ? new_task(dir, ACCD_TASK_KERNEL, (reached->n + n) * sizeof(struct accd_pair)) : NULL;
    if (!task)
        return NULL;
    task->u.call.fn = fn;
    task->u.call.ud = ud;
    task->ranges = (struct accd_pair *)(task + 1);
    task->what = keep_name(
        context, kind_name(&(accd_construct){.kind = region->kind, .name = region->name}));
    task->file = keep_name(context, region->file);
    task->line = region->line;
    for (size_t i = 0; i < reached->n; i++) {
        const struct accd_object *object = reached->at[i];
        task->ranges[task->nranges++] =
            (struct accd_pair){object->dev, object->dev + accd_object_bytes(object)};
    }
    for (size_t i = 0; i < n; i++) {
        struct accd_object *object = NULL;
        (void)accd_find_device(dir, devs[i], &object); /* has been done before: it succeeds */
        const uint64_t bytes = object ? 0 : dir->ops->size_of(dir->device, devs[i]);
        if (bytes)
            task->ranges[task->nranges++] = (struct accd_pair){devs[i], devs[i] + bytes};
    }
    accd_task_settle(task, spare);
    return task;
}

/* The data that a kernel uses. */
static accd_status reach_data(const accd_region *region, const uint64_t *devs, size_t n,
                              struct accd_reached *reached)
{
    struct accd_mem *mem = &region->context->mem;
    bool ok = true;
    for (size_t i = 0; i < region->nclaims && ok; i++)
        ok = !region->claims[i].object ||
             accd_reached_add(reached, mem, region->claims[i].object);
    for (size_t i = 0; i < n && ok; i++) {
        struct accd_object *object;
        ACCD_TRY(accd_find_device(region->dir, devs[i], &object));
        ok = !object || accd_reached_add(reached, mem, object);
    }
    return ok ? accd_reached_follow(reached, region->dir) : accd_plan_no_memory(region->context);
}

/* end_p: NULL, or the kernel is given as text, and is run by the device or not at all. */
static accd_status add_kernel(accd_region *region, const uint64_t *devs, size_t n,
                              const accd_kernel *kernel, accd_host_fn fn, void *ud,
                              accd_kernel_end *end_p)
{
    struct accd_directory *dir = region->dir;
    struct accd_queue *queue = accd_queue_of(dir, region->queue);
    struct accd_reached reached = {0};
    accd_status status = reach_data(region, devs, n, &reached);
    struct accd_task *task =
        status == ACCD_OK ? kernel_task(region, &reached, devs, n, fn, ud) : NULL;
    if (status == ACCD_OK && !task)
        status = accd_plan_no_memory(region->context);
    accd_reached_close(&reached, &region->context->mem);
    accd_scratch_reset(&region->context->scratch);
    if (status == ACCD_OK && end_p)
        status = accd_order_kernel(queue, task);
    if (status == ACCD_OK && end_p)
        status = accd_kernel_start(queue, kernel, task, end_p);
    if (status == ACCD_OK && (!end_p || task->under_way))
        append(queue, task);
    else if (task)
        accd_mem_free(&dir->context->mem, task, task->size);
    return status;
}

accd_status accd_launch(accd_region *region, const uint64_t *devs, size_t n, accd_host_fn fn, void *ud)
{
    if (!region)
        return ACCD_MISUSE;
    struct accd_directory *dir = region->dir;
    ACCD_GIVEN(region->context, fn);
    ACCD_GIVEN(region->context, devs || !n);
    ACCD_TRY(accd_may_ask(dir, region->queue));
    if (!accd_queue_of(dir, region->queue) || accd_is_concurrent(dir))
        return call_now(dir, region->queue, fn, ud);
    return add_kernel(region, devs, n, NULL, fn, ud, NULL);
}

accd_status accd_launch_kernel(accd_region *region, const uint64_t *devs, size_t n,
                               const accd_kernel *kernel, accd_host_fn fn, void *ud,
                               accd_kernel_end *end_p)
{
    if (!region)
        return ACCD_MISUSE;
    struct accd_directory *dir = region->dir;
    ACCD_GIVEN(region->context, kernel);
    ACCD_GIVEN(region->context, fn);
    ACCD_GIVEN(region->context, end_p);
    ACCD_GIVEN(region->context, devs || !n);
    ACCD_TRY(accd_may_ask(dir, region->queue));
    *end_p = (accd_kernel_end){.how = ACCD_KERNEL_NOT_RUN, .said = "its queue does not run kernels"};
    if (!accd_queue_of(dir, region->queue) || !accd_is_concurrent(dir) || !dir->ops->launch)
        return ACCD_OK;
    return add_kernel(region, devs, n, kernel, fn, ud, end_p);
}

int accd_queue_at(accd_context *context, int device, unsigned number, accd_queue_info *info_p)
{
    const struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir || !info_p || !number || number > dir->nqueues)
        return 0;
    *info_p = (accd_queue_info){dir->queues[number - 1]->async, dir->queues[number - 1]->pending};
    return 1;
}
