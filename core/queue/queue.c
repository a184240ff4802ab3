/* queue.c - activity queues: transfers, kernels and device memory that asynchronous constructs left to be
 * done, in order, when the program waits.
 *
 * A task holds all it needs but the bytes of the host's memory, which are read and written when it is done:
 * as late as the rules allow, so that a missing wait shows. It is done as a whole or not at all. */
#include "queue/inside.h"

#include <stdio.h>

/* ----------------------------------------------------------------------------------- queues -- */

accd_status accd_queue(accd_context *context, int device, int64_t async, unsigned *queue_p)
{
    ACCD_ON_DEVICE(dir, context, device);
    struct accd_mem *mem = &context->mem;
    ACCD_GIVEN(context, queue_p);
    if (async == ACCD_SYNCHRONOUS)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "no queue has the async value %lld", (long long)async);
    const uint64_t key = (uint64_t)async - (uint64_t)ACCD_SYNCHRONOUS - 1; /* less than UINT64_MAX */
    struct accd_queue *queue = accd_range_floor(&dir->queues.by_async, key);
    if (queue && queue->async == async) {
        *queue_p = queue->number;
        return ACCD_OK;
    }
    queue = NULL;
    if (ACCD_GROW(mem, dir->queues.at, dir->queues.room, dir->queues.n + 1) &&
        accd_range_reserve(&dir->queues.by_async, 1))
        queue = accd_mem_zero(mem, sizeof *queue);
    if (!queue)
        return accd_out_of_memory(context, "for a queue");
    queue->dir = dir;
    queue->number = (unsigned)dir->queues.n + 1;
    queue->async = async;
    queue->last = &queue->first;
    queue->last_after = &queue->afters;
    dir->queues.at[dir->queues.n++] = queue;
    accd_range_insert(&dir->queues.by_async, key, queue);
    *queue_p = (unsigned)dir->queues.n;
    return ACCD_OK;
}

bool accd_queue_event(struct accd_queue *queue, const accd_event *event)
{
    size_t bytes = strlen(event->name) + 1;
    bool now = accd_is_concurrent(queue->dir); /* it has started at least */
    struct accd_task *task = now ? NULL : accd_task_new(queue->dir, ACCD_TASK_EVENT, bytes);
    if (!task)
        return false;
    task->u.event = *event;
    task->u.event.file = accd_keep_name(queue->dir->context, event->file);
    task->u.event.name = memcpy(task + 1, event->name, bytes);
    accd_task_append(queue, task);
    return true;
}

bool accd_queue_report(struct accd_queue *queue, void (*tell)(const void *ud), void (*drop)(void *ud),
                       void *ud)
{
    struct accd_task *task = accd_task_new(queue->dir, ACCD_TASK_REPORT, 0);
    if (!task)
        return false;
    task->u.report.tell = tell;
    task->u.report.drop = drop;
    task->u.report.ud = ud;
    accd_task_append(queue, task);
    return true;
}

/* -------------------------------------------------------------------------------- interface -- */

accd_status accd_queue_wait(accd_context *context, int device, unsigned number)
{
    ACCD_ON_DEVICE(dir, context, device);
    ACCD_TRY(accd_may_ask(dir, number));
    if (number)
        return accd_queue_reach(dir->queues.at[number - 1], dir->queues.at[number - 1]->asked);
    const struct accd_span *last = accd_span_last(dir->queues.busy, UINT64_MAX);
    while (last) { /* what uses others' results first: a missing wait shows */
        struct accd_queue *queue = last->owner;
        ACCD_TRY(accd_queue_reach(queue, queue->asked));
        last = accd_span_last(dir->queues.busy, queue->number);
    }
    return ACCD_OK;
}

/* Whether a queue is not done, or its work does not continue by itself and no wait has asked yet. */
static bool is_early(struct accd_queue *queue)
{
    const bool early =
        accd_is_concurrent(queue->dir) ? !accd_has_arrived(queue) : queue->first && !queue->tested;
    queue->tested = true;
    return early;
}

/* Decides ACC33-async-5. */
accd_status accd_queue_test(accd_context *context, int device, unsigned number, int *done_p)
{
    ACCD_ON_DEVICE(dir, context, device);
    bool early = false;
    ACCD_GIVEN(context, done_p);
    ACCD_TRY(accd_may_ask(dir, number));
    struct accd_queue *queue = number ? dir->queues.at[number - 1] : accd_next_busy(dir, 0);
    for (; queue; queue = number ? NULL : accd_next_busy(dir, queue->number + 1))
        early |= is_early(queue);
    if (!early)
        ACCD_TRY(accd_queue_wait(context, device, number));
    *done_p = !early;
    return ACCD_OK;
}

/* Decides ACC33-async-3. */
accd_status accd_queue_after(accd_context *context, int device, unsigned number, int other_device,
                             unsigned other)
{
    ACCD_ON_DEVICE(dir, context, device);
    ACCD_ON_DEVICE(others, context, other_device);
    ACCD_TRY(accd_may_ask(dir, number));
    ACCD_TRY(accd_may_ask(others, other));
    struct accd_queue *queue = accd_queue_of(dir, number);
    struct accd_queue *before = accd_queue_of(others, other);
    if (!queue || !before || queue == before || !before->first)
        return ACCD_OK;
    struct accd_task *task = accd_task_new(dir, ACCD_TASK_AFTER, 0);
    if (!task)
        return accd_out_of_memory(context, "to wait in a queue");
    task->u.after.queue = before;
    task->u.after.number = before->asked;
    accd_task_append(queue, task);
    return ACCD_OK;
}

void accd_waited(accd_context *context, int device, unsigned number, int other_device, unsigned other,
                 const char *file, int line)
{
    const struct accd_directory *dir = context ? accd_directory_of(context, device) : NULL;
    const struct accd_directory *others = accd_directory_of(context, other_device);
    if (!dir || !others || !context->config.on_event || number > dir->queues.n || other > others->queues.n)
        return;
    char name[40] = "all queues";
    if (other)
        snprintf(name, sizeof name, "queue %lld", (long long)others->queues.at[other - 1]->async);
    const accd_event event = {
        .op = ACCD_OP_WAIT,
        .device = other_device,
        .name = name,
        .rule = accd_rule_id(context->config.rules, R_WAIT),
        .file = accd_keep_name(context, file),
        .line = line,
        .async = accd_async_of(dir, number),
    };
    context->config.on_event(context->config.event_ud, &event);
}

/* Runs a function, behind what its queue has under way. Takes ud if it, or one before it, fails. */
static accd_status call_now(struct accd_directory *dir, unsigned number, accd_host_fn fn, void *ud)
{
    struct accd_queue *queue = accd_queue_of(dir, number);
    accd_status status = queue ? accd_queue_reach(queue, queue->asked) : ACCD_OK;
    if (status == ACCD_CALLBACK)
        (void)fn(ud, ACCD_DISCARD);
    if (status != ACCD_OK)
        return status;
    return fn(ud, ACCD_RUN) ? accd_fail(dir->context, ACCD_CALLBACK, R_QUEUE, "a function of a queue failed")
                            : ACCD_OK;
}

accd_status accd_queue_call(accd_context *context, int device, unsigned number, accd_host_fn fn, void *ud)
{
    ACCD_ON_DEVICE(dir, context, device);
    ACCD_GIVEN(context, fn);
    ACCD_TRY(accd_may_ask(dir, number));
    struct accd_queue *queue = accd_queue_of(dir, number);
    if (!queue || accd_is_concurrent(dir))
        return call_now(dir, number, fn, ud);
    struct accd_task *task = accd_task_new(dir, ACCD_TASK_CALL, 0);
    if (!task)
        return accd_out_of_memory(context, "to leave a function to a queue");
    task->u.call.fn = fn;
    task->u.call.ud = ud;
    accd_task_append(queue, task);
    return ACCD_OK;
}

/* Data that a kernel may use, without repetition. */
struct reached {
    struct accd_object **at;
    size_t n, room;
};

/* Adds what is not there yet. False: no memory. */
static bool add_reached(struct reached *reached, struct accd_mem *mem, struct accd_object *object)
{
    if (object->size & ACCD_OBJECT_TOUCHED)
        return true;
    if (!ACCD_GROW(mem, reached->at, reached->room, reached->n + 1))
        return false;
    object->size |= ACCD_OBJECT_TOUCHED;
    reached->at[reached->n++] = object;
    return true;
}

/* Adds what attached pointers point to from there. */
static accd_status follow_reached(struct reached *reached, struct accd_directory *dir)
{
    for (size_t i = 0; i < reached->n; i++) {
        const uint64_t low = reached->at[i]->host, high = accd_object_end(reached->at[i]);
        struct accd_range_cursor cursor;
        struct accd_attach *attach;
        ACCD_TRY(accd_first_attach(dir, low, high, &cursor, &attach));
        for (; attach; attach = accd_next_attach(&cursor, high)) {
            struct accd_object *object = NULL;
            if (attach->base)
                ACCD_TRY(accd_find(dir, attach->base, &object));
            if (object && !add_reached(reached, &dir->context->mem, object))
                return accd_plan_no_memory(dir->context);
        }
    }
    return ACCD_OK;
}

static void close_reached(struct reached *reached, struct accd_mem *mem)
{
    for (size_t i = 0; i < reached->n; i++)
        reached->at[i]->size &= ~ACCD_OBJECT_TOUCHED;
    accd_mem_free(mem, reached->at, reached->room * sizeof reached->at[0]);
}

/* A task for a kernel that uses these data, and allocations that begin at these addresses. */
static struct accd_task *kernel_task(const accd_region *region, const struct reached *reached,
                                     const uint64_t *devs, size_t n, accd_host_fn fn, void *ud)
{
    accd_context *context = region->context;
    struct accd_directory *dir = region->dir;
    struct accd_task *task =
        accd_task_new(dir, ACCD_TASK_KERNEL, (reached->n + n) * sizeof(struct accd_pair));
    if (!task)
        return NULL;
    task->u.call.fn = fn;
    task->u.call.ud = ud;
    task->ranges = (struct accd_pair *)(task + 1);
    task->what = accd_keep_name(
        context, accd_construct_name(&(accd_construct){.kind = region->kind, .name = region->name}));
    task->file = accd_keep_name(context, region->file);
    task->line = region->line;
    for (size_t i = 0; i < reached->n; i++) {
        const struct accd_object *object = reached->at[i];
        task->ranges[task->nranges++] =
            (struct accd_pair){object->dev, object->dev + accd_object_bytes(object)};
    }
    for (size_t i = 0; i < n; i++) {
        struct accd_object *object = NULL;
        (void)accd_find_device(dir, devs[i], &object); /* has been done before: it succeeds */
        const uint64_t bytes = object ? 0 : dir->device.ops->size_of(dir->device.handle, devs[i]);
        if (bytes)
            task->ranges[task->nranges++] = (struct accd_pair){devs[i], devs[i] + bytes};
    }
    if (accd_task_join_ranges(context, task))
        return task;
    accd_mem_free(&context->mem, task, task->size);
    return NULL;
}

/* The data that a kernel uses. */
static accd_status reach_data(const accd_region *region, const uint64_t *devs, size_t n,
                              struct reached *reached)
{
    struct accd_mem *mem = &region->context->mem;
    bool ok = true;
    for (size_t i = 0; i < region->nclaims && ok; i++)
        ok = !region->claims[i].object || add_reached(reached, mem, region->claims[i].object);
    for (size_t i = 0; i < n && ok; i++) {
        struct accd_object *object;
        ACCD_TRY(accd_find_device(region->dir, devs[i], &object));
        ok = !object || add_reached(reached, mem, object);
    }
    return ok ? follow_reached(reached, region->dir) : accd_plan_no_memory(region->context);
}

/* end_p: NULL, or the kernel is given as text, and is run by the device or not at all. */
static accd_status add_kernel(accd_region *region, const uint64_t *devs, size_t n,
                              const accd_kernel *kernel, accd_host_fn fn, void *ud,
                              accd_kernel_end *end_p)
{
    struct accd_directory *dir = region->dir;
    struct accd_queue *queue = accd_queue_of(dir, region->queue);
    struct reached reached = {0};
    accd_status status = reach_data(region, devs, n, &reached);
    struct accd_task *task = status == ACCD_OK ? kernel_task(region, &reached, devs, n, fn, ud) : NULL;
    if (status == ACCD_OK && !task)
        status = accd_plan_no_memory(region->context);
    close_reached(&reached, &region->context->mem);
    accd_scratch_reset(&region->context->scratch);
    if (status == ACCD_OK && end_p)
        status = accd_order_task(region->context, queue, NULL, task);
    if (status == ACCD_OK && end_p)
        status = accd_kernel_launch(dir, kernel, queue->number, task, end_p);
    if (status == ACCD_OK && end_p) {
        task->under_way = end_p->how == ACCD_KERNEL_UNDER_WAY ? end_p->under_way : NULL;
        task->again = kernel->again;
    }
    if (status == ACCD_OK && (!end_p || task->under_way))
        accd_task_append(queue, task);
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
    if (!accd_queue_of(dir, region->queue) || !accd_is_concurrent(dir) || !dir->device.ops->launch)
        return ACCD_OK;
    return add_kernel(region, devs, n, kernel, fn, ud, end_p);
}

int accd_queue_at(accd_context *context, int device, unsigned number, accd_queue_info *info_p)
{
    const struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir || !info_p || !number || number > dir->queues.n)
        return 0;
    *info_p = (accd_queue_info){dir->queues.at[number - 1]->async, dir->queues.at[number - 1]->pending};
    return 1;
}
