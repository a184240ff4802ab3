/* queue.c - the API of activity queues: makes queues, waits for them and tests them; adds tasks for events, functions
 * and kernels.
 *
 * A queue is a list of tasks. A task has everything that it needs, except the bytes of host memory, which are read and
 * written when the task runs:
 *
 *     queue 1   first -> [transfers 1] -> [kernel 2] -> [wait 3] -> [event 4] -> [free 5]     submitted = 5
 *                                                           | until task 2 of
 *     queue 2   first -> [transfers 2] -> [kernel 3]     <--'                                 submitted = 3
 *
 * Invariants (accd__queues_check tests them):
 * - Numbers of tasks ascend, up to `submitted`. Tasks of kind ACCD_TASK_WAIT are also linked by next_wait.
 * - The device memory that a task uses stays allocated until the task is done.
 * - Each task counts once in env->queues.ntasks and in env->slow_path_reasons.
 *
 * Life of a task. A construct makes it (accd__queue_batch, queue_kernel) and appends it. In delayed mode the task runs
 * at the wait, as late as the rules allow, so that a missing wait shows. In concurrent mode the device starts the task
 * at the construct (order.c), and the wait finishes it. run.c runs tasks, each completely or not at all. */
#include "accdeep_internal.h"
#include "accdeep_queues.h"
#include "queue/inside.h"
#include "table/find.h"
#include "table/label.h"
#include "table/objects.h"

#include <stdio.h>

/* ----------------------------------------------------------------------------------- queues -- */

accd_status accd_queue_get(accd_context *context, int device, int64_t async, unsigned *queue_p)
{
    ACCD_ON_DEVICE(env, context, device);
    struct accd__mem *mem = &context->mem;
    ACCD_REQUIRE_ARGUMENT(context, queue_p);
    if (async == ACCD_SYNCHRONOUS)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "no queue has the async value %lld",
                               (long long)async);
    const uint64_t key = (uint64_t)async - (uint64_t)ACCD_SYNCHRONOUS - 1; /* keys must be less than UINT64_MAX */
    struct accd__queue *queue = accd__btree_floor(&env->queues.by_async, key);
    if (queue && queue->async == async) {
        *queue_p = queue->number;
        return ACCD_OK;
    }
    queue = NULL;
    if (ACCD_GROW(mem, env->queues.at, env->queues.capacity, env->queues.n + 1) &&
        accd__btree_reserve(&env->queues.by_async, 1))
        queue = accd__mem_alloc_zeroed(mem, sizeof *queue);
    if (!queue)
        return accd__report_out_of_memory(context, "for a queue");
    queue->env = env;
    queue->number = (unsigned)env->queues.n + 1;
    queue->async = async;
    queue->last = &queue->first;
    queue->last_wait = &queue->waits;
    env->queues.at[env->queues.n++] = queue;
    accd__btree_insert(&env->queues.by_async, key, queue);
    *queue_p = (unsigned)env->queues.n;
    return ACCD_OK;
}

bool accd__queue_event(struct accd__queue *queue, const accd_event *event)
{
    assert(event->name);
    size_t bytes = strlen(event->name) + 1;
    bool now =
        accd__is_concurrent(queue->env); /* concurrent mode: the work has already started, so report the event now */
    struct accd__task *task = now ? NULL : accd__task_new(queue->env, ACCD_TASK_EVENT, bytes);
    if (!task)
        return false;
    task->u.event = *event;
    task->u.event.file = accd__intern_name(queue->env->context, event->file);
    task->u.event.name = memcpy(task + 1, event->name, bytes);
    accd__task_append(queue, task);
    return true;
}

bool accd__queue_report(struct accd__queue *queue, void (*emit)(const void *ud), void (*drop)(void *ud), void *ud)
{
    struct accd__task *task = accd__task_new(queue->env, ACCD_TASK_REPORT, 0);
    if (!task)
        return false;
    task->u.report.emit = emit;
    task->u.report.drop = drop;
    task->u.report.ud = ud;
    accd__task_append(queue, task);
    return true;
}

/* -------------------------------------------------------------------------------- interface -- */

accd_status accd_queue_wait(accd_context *context, int device, unsigned number)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_TRY(accd__check_can_submit(env, number));
    if (number)
        return accd__queue_run_until(env->queues.at[number - 1], env->queues.at[number - 1]->submitted);
    const struct accd__interval *last = accd__interval_find_last_below(env->queues.busy, UINT64_MAX);
    while (last) { /* the highest number first: a queue that lacks a wait for another one then runs too early, which
                      shows */
        struct accd__queue *queue = last->owner;
        ACCD_TRY(accd__queue_run_until(queue, queue->submitted));
        last = accd__interval_find_last_below(env->queues.busy, queue->number);
    }
    return ACCD_OK;
}

/* Returns true if a queue counts as not done, and marks it as tested. In concurrent mode it is not done while it has
 * unfinished work. In delayed mode it is not done if it has tasks, and was not tested since the last one was added. */
static bool is_not_done(struct accd__queue *queue)
{
    const bool not_done =
        accd__is_concurrent(queue->env) ? !accd__is_queue_done(queue) : queue->first && !queue->tested;
    queue->tested = true;
    return not_done;
}

/* Sets *done_p to 1 if queue `number` (0: each queue of the device) is done, else to 0. If it is done, also runs its
 * tasks, and returns their first error. Decides ACC33-async-5. */
accd_status accd_queue_test(accd_context *context, int device, unsigned number, int *done_p)
{
    ACCD_ON_DEVICE(env, context, device);
    bool not_done = false;
    ACCD_REQUIRE_ARGUMENT(context, done_p);
    ACCD_TRY(accd__check_can_submit(env, number));
    struct accd__queue *queue = number ? env->queues.at[number - 1] : accd__next_busy_queue(env, 0);
    for (; queue; queue = number ? NULL : accd__next_busy_queue(env, queue->number + 1))
        not_done |= is_not_done(queue);
    if (!not_done)
        ACCD_TRY(accd_queue_wait(context, device, number));
    *done_p = !not_done;
    return ACCD_OK;
}

/* Appends a task to queue `number` that waits for the tasks that queue `other` of `other_device` has now. Does nothing
 * if `other` has no tasks, if either number is 0, if queues do their work at once, or if both queues are the same.
 * Decides ACC33-async-3. */
accd_status accd_queue_wait_for(accd_context *context, int device, unsigned number, int other_device, unsigned other)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_ON_DEVICE(other_env, context, other_device);
    ACCD_TRY(accd__check_can_submit(env, number));
    ACCD_TRY(accd__check_can_submit(other_env, other));
    struct accd__queue *queue = accd__get_queue(env, number);
    struct accd__queue *source = accd__get_queue(other_env, other);
    if (!queue || !source || queue == source || !source->first)
        return ACCD_OK;
    struct accd__task *task = accd__task_new(env, ACCD_TASK_WAIT, 0);
    if (!task)
        return accd__report_out_of_memory(context, "to wait in a queue");
    task->u.wait.queue = source;
    task->u.wait.number = source->submitted;
    accd__task_append(queue, task);
    return ACCD_OK;
}

void accd_report_wait(accd_context *context, int device, unsigned number, int other_device, unsigned other,
                      const char *file, int line)
{
    const struct accd__device_env *env = context ? accd__find_device_env(context, device) : NULL;
    const struct accd__device_env *other_env = accd__find_device_env(context, other_device);
    if (!env || !other_env || !context->config.on_event || number > env->queues.n || other > other_env->queues.n)
        return;
    char name[40] = "all queues";
    if (other)
        snprintf(name, sizeof name, "queue %lld", (long long)other_env->queues.at[other - 1]->async);
    const accd_event event = {
        .op = ACCD_OP_WAIT,
        .device = other_device,
        .name = name,
        .rule = accd__rule_id(context->config.rules, R_WAIT),
        .file = accd__intern_name(context, file),
        .line = line,
        .async = accd__queue_async(env, number),
    };
    context->config.on_event(context->config.event_ud, &event);
}

/* Runs all tasks of queue `number` (0: none), and then the function `fn`. Returns the first error of a task;
 * ACCD_ERROR_CALLBACK if this function or one of the queue failed. On success and with ACCD_ERROR_CALLBACK, `fn` has
 * released `ud`; after other errors the caller still owns it. */
static accd_status call_at_once(struct accd__device_env *env, unsigned number, accd_host_fn fn, void *ud)
{
    struct accd__queue *queue = accd__get_queue(env, number);
    accd_status status = queue ? accd__queue_run_until(queue, queue->submitted) : ACCD_OK;
    if (status == ACCD_ERROR_CALLBACK)
        (void)fn(ud, ACCD_CALL_DISCARD);
    if (status != ACCD_OK)
        return status;
    return fn(ud, ACCD_CALL_RUN)
               ? accd__set_error(env->context, ACCD_ERROR_CALLBACK, R_QUEUE, "a function of a queue failed")
               : ACCD_OK;
}

accd_status accd_queue_call(accd_context *context, int device, unsigned number, accd_host_fn fn, void *ud)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_REQUIRE_ARGUMENT(context, fn);
    ACCD_TRY(accd__check_can_submit(env, number));
    struct accd__queue *queue = accd__get_queue(env, number);
    if (!queue || accd__is_concurrent(env))
        return call_at_once(env, number, fn, ud);
    struct accd__task *task = accd__task_new(env, ACCD_TASK_CALL, 0);
    if (!task)
        return accd__report_out_of_memory(context, "to leave a function to a queue");
    task->u.call.fn = fn;
    task->u.call.ud = ud;
    accd__task_append(queue, task);
    return ACCD_OK;
}

/* Set of the objects that a kernel may use. Objects in the set are marked with ACCD_OBJECT_VISITED. */
struct reached_objects {
    struct accd__object **at;
    size_t n, capacity;
};

/* Adds an object to the set, unless the set has it. Returns true, or false without memory. */
static bool add_reached_object(struct reached_objects *reached, struct accd__mem *mem, struct accd__object *object)
{
    assert(object);
    if (object->size & ACCD_OBJECT_VISITED)
        return true;
    if (!ACCD_GROW(mem, reached->at, reached->capacity, reached->n + 1))
        return false;
    object->size |= ACCD_OBJECT_VISITED;
    reached->at[reached->n++] = object;
    return true;
}

/* Adds the targets of all attached pointers in the objects of the set, including the objects that this function adds.
 * Fails without memory. */
static accd_status add_attached_targets(struct reached_objects *reached, struct accd__device_env *env)
{
    for (size_t i = 0; i < reached->n; i++) {
        const uint64_t low = reached->at[i]->host, high = accd__object_end(reached->at[i]);
        struct accd__btree_cursor cursor;
        struct accd__attachment *attach;
        ACCD_TRY(accd__first_attachment(env, low, high, &cursor, &attach));
        for (; attach; attach = accd__next_attachment(&cursor, high)) {
            struct accd__object *object = NULL;
            if (attach->base)
                ACCD_TRY(accd__find_object(env, attach->base, &object));
            if (object && !add_reached_object(reached, &env->context->mem, object))
                return accd__report_plan_out_of_memory(env->context);
        }
    }
    return ACCD_OK;
}

/* Clears the marks of the objects in the set, and frees its array. */
static void free_reached(struct reached_objects *reached, struct accd__mem *mem)
{
    for (size_t i = 0; i < reached->n; i++)
        reached->at[i]->size &= ~ACCD_OBJECT_VISITED;
    accd__mem_free(mem, reached->at, reached->capacity * sizeof reached->at[0]);
}

/* Returns a task for a kernel of a region, with the host function `fn` and its argument `ud`. The kernel uses the
 * reached objects and, for each of the n device addresses `devs` that is in no object, the allocation that begins
 * there. NULL: no memory. */
static struct accd__task *new_kernel_task(const accd_region *region, const struct reached_objects *reached,
                                          const uint64_t *devs, size_t n, accd_host_fn fn, void *ud)
{
    accd_context *context = region->context;
    struct accd__device_env *env = region->env;
    struct accd__task *task = accd__task_new(env, ACCD_TASK_KERNEL, (reached->n + n) * sizeof(struct accd__pair));
    if (!task)
        return NULL;
    task->u.call.fn = fn;
    task->u.call.ud = ud;
    task->ranges = (struct accd__pair *)(task + 1);
    task->construct_name =
        accd__intern_name(context, accd__construct_name(&(accd_construct){.kind = region->kind, .name = region->name}));
    task->file = accd__intern_name(context, region->file);
    task->line = region->line;
    for (size_t i = 0; i < reached->n; i++) {
        const struct accd__object *object = reached->at[i];
        task->ranges[task->nranges++] = (struct accd__pair){object->dev, object->dev + accd__object_bytes(object)};
    }
    for (size_t i = 0; i < n; i++) {
        struct accd__object *object = NULL;
        (void)accd__find_object_by_dev(env, devs[i], &object); /* cannot fail: find_kernel_data did the same */
        const uint64_t bytes = object ? 0 : env->device.ops->size_of(env->device.handle, devs[i]);
        if (bytes)
            task->ranges[task->nranges++] = (struct accd__pair){devs[i], devs[i] + bytes};
    }
    if (accd__task_merge_ranges(context, task))
        return task;
    accd__mem_free(&context->mem, task, task->size);
    return NULL;
}

/* Adds to *reached the objects that a kernel of a region uses. These are the objects that the region's clauses name,
 * those at the n device addresses `devs`, and the targets of attached pointers in all these. Fails without memory. */
static accd_status find_kernel_data(const accd_region *region, const uint64_t *devs, size_t n,
                                    struct reached_objects *reached)
{
    struct accd__mem *mem = &region->context->mem;
    bool ok = true;
    for (size_t i = 0; i < region->nrequests && ok; i++)
        ok = !region->requests[i].object || add_reached_object(reached, mem, region->requests[i].object);
    for (size_t i = 0; i < n && ok; i++) {
        struct accd__object *object;
        ACCD_TRY(accd__find_object_by_dev(region->env, devs[i], &object));
        ok = !object || add_reached_object(reached, mem, object);
    }
    return ok ? add_attached_targets(reached, region->env) : accd__report_plan_out_of_memory(region->context);
}

/* Adds a kernel of a region to the region's queue. `devs`: n device addresses of further data that the kernel uses.
 * With end_p = NULL, the host function `fn` (argument `ud`) runs the kernel at the wait. Otherwise the device is to run
 * kernel->text, and *end_p has the outcome; only with ACCD_KERNEL_QUEUED does the queue get a task. Fails without
 * memory, with the error of an earlier task, or if the device fails. */
static accd_status queue_kernel(accd_region *region, const uint64_t *devs, size_t n, const accd_kernel *kernel,
                                accd_host_fn fn, void *ud, accd_kernel_result *end_p)
{
    struct accd__device_env *env = region->env;
    struct accd__queue *queue = accd__get_queue(env, region->queue);
    struct reached_objects reached = {0};
    accd_status status = find_kernel_data(region, devs, n, &reached);
    struct accd__task *task = status == ACCD_OK ? new_kernel_task(region, &reached, devs, n, fn, ud) : NULL;
    if (status == ACCD_OK && !task)
        status = accd__report_plan_out_of_memory(region->context);
    free_reached(&reached, &region->context->mem);
    accd__scratch_reset(&region->context->scratch);
    if (status == ACCD_OK && end_p)
        status = accd__wait_for_conflicts(region->context, queue, NULL, task);
    if (status == ACCD_OK && end_p)
        status = accd__launch_kernel(env, kernel, queue->number, task, end_p);
    if (status == ACCD_OK && end_p) {
        task->in_flight = end_p->outcome == ACCD_KERNEL_QUEUED ? end_p->in_flight : NULL;
        task->retry_reasons = kernel->retry_reasons;
    }
    if (status == ACCD_OK && (!end_p || task->in_flight))
        accd__task_append(queue, task);
    else if (task)
        accd__mem_free(&env->context->mem, task, task->size);
    return status;
}

accd_status accd_launch_function(accd_region *region, const uint64_t *devs, size_t n, accd_host_fn fn, void *ud)
{
    if (!region)
        return ACCD_ERROR_MISUSE;
    struct accd__device_env *env = region->env;
    ACCD_REQUIRE_ARGUMENT(region->context, fn);
    ACCD_REQUIRE_ARGUMENT(region->context, devs || !n);
    ACCD_TRY(accd__check_can_submit(env, region->queue));
    if (!accd__get_queue(env, region->queue) || accd__is_concurrent(env))
        return call_at_once(env, region->queue, fn, ud);
    return queue_kernel(region, devs, n, NULL, fn, ud, NULL);
}

accd_status accd_launch_kernel(accd_region *region, const uint64_t *devs, size_t n, const accd_kernel *kernel,
                               accd_host_fn fn, void *ud, accd_kernel_result *end_p)
{
    if (!region)
        return ACCD_ERROR_MISUSE;
    struct accd__device_env *env = region->env;
    ACCD_REQUIRE_ARGUMENT(region->context, kernel);
    ACCD_REQUIRE_ARGUMENT(region->context, fn);
    ACCD_REQUIRE_ARGUMENT(region->context, end_p);
    ACCD_REQUIRE_ARGUMENT(region->context, devs || !n);
    ACCD_TRY(accd__check_can_submit(env, region->queue));
    *end_p = (accd_kernel_result){.outcome = ACCD_KERNEL_NOT_RUN, .message = "its queue does not run kernels"};
    if (!accd__get_queue(env, region->queue) || !accd__is_concurrent(env) || !env->device.ops->launch)
        return ACCD_OK;
    return queue_kernel(region, devs, n, kernel, fn, ud, end_p);
}

int accd__queue_get_tasks(accd_context *context, int device, unsigned number, uint64_t *first_p, uint64_t *last_p)
{
    const struct accd__device_env *env = accd__find_device_env(context, device);
    assert(env && number && number <= env->queues.n);
    const struct accd__queue *queue = env->queues.at[number - 1];
    *last_p = queue->submitted;
    *first_p = queue->first ? queue->first->number : queue->submitted + 1;
    return queue->first != NULL;
}

accd_status accd__queue_run_tasks(accd_context *context, int device, unsigned number, uint64_t last)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_TRY(accd__check_can_submit(env, number));
    assert(number);
    return accd__queue_run_until(env->queues.at[number - 1], last);
}

/* Returns the number of the last task of a queue that copies to the host and may write one of the `bytes` bytes at
 * `host`; 0: there is none. */
static uint64_t find_last_copy(const struct accd__queue *queue, uint64_t host, uint64_t bytes)
{
    uint64_t last = 0;
    for (const struct accd__task *task = queue->copies ? queue->first : NULL; task; task = task->next)
        if (accd__task_may_copy_to_host(task) &&
            (task->u.batch.bulk || (task->host.low < host + bytes && host < task->host.high)))
            last = task->number;
    return last;
}

accd_status accd__queue_finish_copies(accd_context *context, int device, const void *host, uint64_t bytes)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_TRY(accd__check_can_submit(env, 0));
    struct accd__queue *queue = accd__next_busy_queue(env, 0);
    for (; queue; queue = accd__next_busy_queue(env, queue->number + 1))
        ACCD_TRY(accd__queue_run_until(queue, find_last_copy(queue, accd__address(host), bytes)));
    return ACCD_OK;
}

void accd__queue_set_captures(accd_context *context, int (*captures)(uint64_t host, uint64_t bytes))
{
    context->captures = captures;
}

int accd_queue_get_info(accd_context *context, int device, unsigned number, accd_queue_info *info_p)
{
    const struct accd__device_env *env = accd__find_device_env(context, device);
    if (!env || !info_p || !number || number > env->queues.n)
        return 0;
    *info_p = (accd_queue_info){env->queues.at[number - 1]->async, env->queues.at[number - 1]->pending};
    return 1;
}
