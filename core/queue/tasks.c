/* tasks.c - the lists of tasks (pieces of work) of queues, and indices of the memory that tasks use. A construct that
 * frees or moves memory finds the tasks that still use it in the indices, and fails or waits. */
#include "queue/inside.h"

#include <stdio.h>

/* --------------------------------------------------------------------------- device ranges -- */

bool accd__task_merge_ranges(accd_context *context, struct accd__task *task)
{
    enum { FEW = 4 };
    struct accd__pair few[FEW], *spare = few;
    size_t nmerged = 0;
    if (task->nranges > FEW)
        spare = accd__scratch_alloc(&context->scratch, task->nranges * sizeof *spare);
    if (!spare)
        return false;
    const struct accd__pair *sorted = accd__sort_pairs(task->ranges, spare, task->nranges);
    if (sorted != task->ranges)
        memcpy(task->ranges, sorted, task->nranges * sizeof *sorted);
    for (size_t i = 0; i < task->nranges; i++) {
        struct accd__pair *before = nmerged ? &task->ranges[nmerged - 1] : NULL, *next = &task->ranges[i];
        if (before && next->key < before->value)
            before->value = next->value > before->value ? next->value : before->value;
        else
            task->ranges[nmerged++] = *next;
    }
    task->nranges = nmerged;
    return true;
}

/* Returns the first device range of a task that ends after address `dev`; NULL if there is none. */
static const struct accd__pair *first_range_after(const struct accd__task *task, uint64_t dev)
{
    const size_t at = ACCD_UPPER_BOUND(task->ranges, value, task->nranges, dev);
    return at < task->nranges ? &task->ranges[at] : NULL;
}

bool accd__task_uses_range(const struct accd__task *task, uint64_t dev, uint64_t bytes)
{
    const struct accd__pair *range = first_range_after(task, dev);
    return range && range->key < dev + bytes;
}

bool accd__running_kernel_range(const struct accd__device_env *env, uint64_t dev, uint64_t *low_p, uint64_t *high_p)
{
    const struct accd__pair *range = env->queues.running ? first_range_after(env->queues.running, dev) : NULL;
    if (!range || dev < range->key)
        return false;
    *low_p = range->key;
    *high_p = range->value;
    return true;
}

/* --------------------------------------------------------------------------- missing waits -- */

/* Marks, for a pending query, the tasks that are certainly done once `queue` has done task `number`. These are the
 * tasks of `queue` up to `number`, and those of other queues for which they wait. The marks are the members `implied`
 * of queues. The recursion ends, because a queue waits only for tasks that were submitted earlier. */
static void mark_implied(const struct accd__pending_query *query, struct accd__queue *queue, uint64_t number)
{
    assert(number <= queue->submitted);
    if (queue->query_number != query->number) {
        queue->query_number = query->number;
        queue->implied = 0;
        queue->next_implied = queue->waits;
    }
    if (queue->implied < number)
        queue->implied = number;
    const struct accd__task *task;
    while ((task = queue->next_implied) && task->number <= number) {
        queue->next_implied = task->next_wait;
        mark_implied(query, task->u.wait.queue, task->u.wait.number);
    }
}

void accd__begin_pending_query(struct accd__device_env *env, struct accd__queue *queue)
{
    struct accd__pending_query *query = &env->context->pending_query;
    *query = (struct accd__pending_query){
        .number = query->number + 1, .queue = queue, .submitted = queue ? queue->submitted : 0};
}

/* Returns true if the pending query ignores a task, because the task is done before the query's construct continues.
 * The first call for a task of another queue also marks the tasks of all other queues (mark_implied). */
static bool is_implied(const struct accd__task *task)
{
    struct accd__queue *queue = task->queue;
    struct accd__pending_query *query = &queue->env->context->pending_query;
    if (!query->queue)
        return false;
    if (queue == query->queue)
        return task->number <= query->submitted;
    if (!query->marked)
        mark_implied(query, query->queue, query->submitted);
    query->marked = true;
    return queue->query_number == query->number && task->number <= queue->implied;
}

/* Search for tasks that use the device range [dev, dev + bytes). */
struct task_search {
    uint64_t dev, bytes;
    bool forgets;                         /* true: also finds tasks that will mark a part of the range as unwritten */
    bool includes_done;                   /* true: also finds tasks that the pending query ignores */
    const struct accd__task *first;       /* result of find_first_task: first task by queue and task number, or NULL */
    struct accd__interval **dependencies; /* set to which note_user adds tasks */
};

/* Returns true if task `a` comes before task `b`: by queue number, and in one queue by task number. */
static bool comes_before(const struct accd__task *a, const struct accd__task *b)
{
    return a->queue != b->queue ? a->queue->number < b->queue->number : a->number < b->number;
}

/* Called for each task `span->owner` whose indexed memory overlaps the range; `ud` is the search. Stores the task in
 * search->first if it uses the range and comes before the task there. Always returns false, so that the search
 * continues. */
static bool find_first_task(void *ud, const struct accd__interval *span)
{
    struct task_search *search = ud;
    const struct accd__task *task = span->owner;
    if ((!search->first || comes_before(task, search->first)) &&
        accd__task_uses_range(task, search->dev, search->bytes) && (search->includes_done || !is_implied(task)))
        search->first = task;
    return false;
}

/* Called for each task `span->owner` whose indexed memory overlaps the range; `ud` is the search. Adds the task to
 * search->dependencies if it uses the range and the pending query does not ignore it, or if it will mark memory as
 * unwritten and search->forgets is set. Always returns false, so that the search continues. */
static bool note_user(void *ud, const struct accd__interval *span)
{
    struct task_search *search = ud;
    const struct accd__task *task = span->owner;
    const bool selected = accd__task_uses_memory(task)
                              ? accd__task_uses_range(task, search->dev, search->bytes) && !is_implied(task)
                              : search->forgets;
    if (selected)
        accd__note_dependency(search->dependencies, task);
    return false;
}

const struct accd__task *accd__find_pending_task(const struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    struct task_search search = {.dev = dev, .bytes = bytes};
    (void)accd__interval_find_overlap(env->queues.accesses, dev, dev + bytes, find_first_task, &search);
    return search.first;
}

void accd__note_dependency(struct accd__interval **dependencies, const struct accd__task *task)
{
    assert(task->number > 0);
    struct accd__queue *queue = task->queue;
    if (!queue->dependency_number) {
        const uint64_t key = (uint64_t)queue->env->device.number << 32 | queue->number;
        queue->dependency = (struct accd__interval){.low = key, .high = key + 1, .owner = queue};
        accd__interval_insert(dependencies, &queue->dependency);
    }
    if (task->number > queue->dependency_number)
        queue->dependency_number = task->number;
}

void accd__note_users(struct accd__device_env *env, uint64_t dev, uint64_t bytes, bool forgets,
                      struct accd__interval **dependencies)
{
    struct task_search search = {.dev = dev, .bytes = bytes, .forgets = forgets, .dependencies = dependencies};
    (void)accd__interval_find_overlap(env->queues.accesses, dev, dev + bytes, note_user, &search);
}

struct accd__queue *accd__next_busy_queue(const struct accd__device_env *env, uint64_t number)
{
    const struct accd__interval *next = accd__interval_find_overlap(env->queues.busy, number, UINT64_MAX, NULL, NULL);
    return next ? next->owner : NULL;
}

struct accd__queue *accd__last_queue_using(const struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    if (env->queues.releasing && env->queues.releasing->first)
        return env->queues.releasing;
    struct task_search search = {.dev = dev, .bytes = bytes, .includes_done = true};
    (void)accd__interval_find_overlap(env->queues.accesses, dev, dev + bytes, find_first_task, &search);
    return search.first ? search.first->queue : NULL;
}

/* Adds the device range [low, high), which a task uses, to the index env->queues.accesses. */
static void add_interval(struct accd__task *task, uint64_t low, uint64_t high)
{
    struct accd__interval *span = &task->spans[task->nspans++];
    assert(task->nspans <= ACCD_TASK_INTERVALS && low <= high);
    *span = (struct accd__interval){.low = low, .high = high, .owner = task};
    accd__interval_insert(&task->queue->env->queues.accesses, span);
}

/* Returns true if the host memory of a task is indexed: the task uses some, and queues are concurrent. */
static bool uses_host(const struct accd__queue *queue, const struct accd__task *task)
{
    return task->host.low < task->host.high && accd__is_concurrent(queue->env);
}

/* Adds a task of `queue` to the indices. Its device memory is added to env->queues.accesses: each range or, if there
 * are more than ACCD_TASK_INTERVALS, one range around all. Its host memory is added to context->host_users. */
static void index_task(struct accd__queue *queue, struct accd__task *task)
{
    const struct accd__pair *ranges = task->ranges;
    task->queue = queue;
    task->nspans = 0;
    if (task->kind == ACCD_TASK_MARK_UNWRITTEN)
        add_interval(task, task->u.memory.dev, task->u.memory.dev + task->u.memory.bytes);
    else if (task->nranges > ACCD_TASK_INTERVALS)
        add_interval(task, ranges[0].key, ranges[task->nranges - 1].value);
    for (size_t i = 0; task->nranges <= ACCD_TASK_INTERVALS && i < task->nranges; i++)
        add_interval(task, ranges[i].key, ranges[i].value);
    if (uses_host(queue, task)) {
        task->host.owner = task;
        accd__interval_insert(&queue->env->context->host_users[task->fetches], &task->host);
    }
}

/* Removes the device and host memory of a task from the indices. */
static void unindex_task(struct accd__queue *queue, struct accd__task *task)
{
    while (task->nspans)
        accd__interval_remove(&queue->env->queues.accesses, &task->spans[--task->nspans]);
    if (uses_host(queue, task))
        accd__interval_remove(&queue->env->context->host_users[task->fetches], &task->host);
}

void accd__task_describe(const struct accd__queue *queue, const struct accd__task *task, char *to, size_t capacity)
{
    char name[32] = "the default queue", place[120] = "";
    if (queue->async >= 0)
        snprintf(name, sizeof name, "queue %lld", (long long)queue->async);
    if (task->file)
        snprintf(place, sizeof place, " of %s:%d", task->file, task->line);
    snprintf(to, capacity, "%s has not done the %s%s yet", name, task->construct_name ? task->construct_name : "work",
             place);
}

const char *accd__queues_check(struct accd__device_env *env)
{
    size_t n = 0;
    for (size_t i = 0; i < env->queues.n; i++) {
        const struct accd__queue *queue = env->queues.at[i];
        uint64_t number = 0;
        size_t pending = 0;
        const struct accd__task *after = queue->waits, *started = NULL;
        for (const struct accd__task *task = queue->first; task; task = task->next, n++) {
            if (task->number <= number || task->number > queue->submitted)
                return "a queue is out of order";
            number = task->number;
            if (task->kind == ACCD_TASK_WAIT && task != after)
                return "a queue has lost one of its wait tasks";
            if (task->kind == ACCD_TASK_WAIT)
                after = after->next_wait;
            started = task->in_flight ? task : started;
            pending += accd__task_uses_memory(task);
            for (size_t k = 0; k < task->nranges; k++)
                if (!env->device.ops->is_allocated(env->device.handle, task->ranges[k].key,
                                                   task->ranges[k].value - task->ranges[k].key))
                    return "a queue has to use device memory that is not allocated";
        }
        if (pending != queue->pending)
            return "a queue counts wrong";
        if (after || started != queue->started || queue->dependency_number ||
            !queue->first != (accd__next_busy_queue(env, queue->number) != queue))
            return "a queue has lost its tasks";
    }
    return n == env->queues.ntasks ? NULL : "the number of tasks is wrong";
}

accd_status accd__check_can_submit(const struct accd__device_env *env, unsigned number)
{
    accd_context *context = env->context;
    ACCD_TRY(accd__check_not_busy(context));
    if (context->runs_queue)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE,
                               "a queue is at work; what it calls cannot change data");
    if (number > env->queues.n)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "device %d has no queue of number %u",
                               env->device.number, number);
    return ACCD_OK;
}

struct accd__queue *accd__get_deferring_queue(const struct accd__device_env *env, unsigned number)
{
    assert(number > 0 && number <= env->queues.n);
    bool defers = env->context->config.queues == ACCD_QUEUES_DELAYED || accd__is_concurrent(env);
    return defers ? env->queues.at[number - 1] : NULL;
}

int64_t accd__queue_async(const struct accd__device_env *env, unsigned number)
{
    assert(number <= env->queues.n);
    return number ? env->queues.at[number - 1]->async : ACCD_SYNCHRONOUS;
}

struct accd__task *accd__task_new(struct accd__device_env *env, enum accd__task_kind kind, size_t more)
{
    struct accd__task *task = accd__mem_alloc_zeroed(&env->context->mem, sizeof *task + more);
    if (task) {
        task->kind = kind;
        task->size = sizeof *task + more;
    }
    return task;
}

void accd__task_append(struct accd__queue *queue, struct accd__task *task)
{
    struct accd__device_env *env = queue->env;
    if (!queue->first) {
        queue->busy =
            (struct accd__interval){.low = queue->number, .high = (uint64_t)queue->number + 1, .owner = queue};
        accd__interval_insert(&env->queues.busy, &queue->busy);
    }
    task->next = task->next_wait = NULL;
    task->number = ++queue->submitted;
    *queue->last = task;
    queue->last = &task->next;
    if (task->kind == ACCD_TASK_WAIT) {
        *queue->last_wait = task;
        queue->last_wait = &task->next_wait;
    }
    if (task->in_flight)
        queue->started = task;
    queue->pending += accd__task_uses_memory(task);
    queue->copies += accd__task_may_copy_to_host(task);
    queue->tested = false;
    index_task(queue, task);
    env->queues.ntasks++;
    env->slow_path_reasons++;
}

struct accd__task *accd__task_remove(struct accd__queue *queue, struct accd__task **at)
{
    struct accd__device_env *env = queue->env;
    struct accd__task *task = *at;
    assert(task && env->queues.ntasks > 0);
    *at = task->next;
    if (queue->last == &task->next)
        queue->last = at;
    if (task->kind == ACCD_TASK_WAIT) { /* waits are removed in order, so this is the first one in queue->waits */
        queue->waits = task->next_wait;
        if (queue->last_wait == &task->next_wait)
            queue->last_wait = &queue->waits;
    }
    if (task == queue->started)
        queue->started = NULL;
    queue->pending -= accd__task_uses_memory(task);
    queue->copies -= accd__task_may_copy_to_host(task);
    unindex_task(queue, task);
    if (!queue->first)
        accd__interval_remove(&env->queues.busy, &queue->busy);
    env->queues.ntasks--;
    env->slow_path_reasons--;
    return task;
}

/* Waits for the work of a task that the device has started, and discards the results: undoes a kernel, drops the bytes
 * that a batch fetched. */
static void abandon_task(const struct accd__queue *queue, const struct accd__task *task)
{
    const struct accd__device_env *env = queue->env;
    assert(task->in_flight);
    if (task->kind == ACCD_TASK_KERNEL)
        (void)env->device.ops->finish_kernel(env->device.handle, task->in_flight, 0, NULL);
    else if (env->device.ops->finish_batch(env->device.handle, task->in_flight) == ACCD_OK)
        (void)env->device.ops->end_batch(env->device.handle);
}

void accd__task_free(struct accd__device_env *env, struct accd__task *task)
{
    const struct accd__batch *batch = task->kind == ACCD_TASK_TRANSFERS ? &task->u.batch : NULL;
    if (batch && batch->bulk)
        batch->bulk_ops->drop(batch->bulk);
    if (task->kind == ACCD_TASK_REPORT)
        task->u.report.drop(task->u.report.ud);
    accd__mem_free(&env->context->mem, task, task->size);
}

void accd__task_cancel(struct accd__queue *queue, struct accd__task *task)
{
    struct accd__device_env *env = queue->env;
    if (task->in_flight)
        abandon_task(queue, task);
    if (task->kind == ACCD_TASK_KERNEL || task->kind == ACCD_TASK_CALL)
        (void)task->u.call.fn(task->u.call.ud, ACCD_CALL_DISCARD);
    accd__task_free(env, task);
}

void accd__queues_free(struct accd__device_env *env)
{
    struct accd__mem *mem = &env->context->mem;
    for (size_t i = 0; i < env->queues.n; i++) {
        while (env->queues.at[i]->first)
            accd__task_cancel(env->queues.at[i], accd__task_remove(env->queues.at[i], &env->queues.at[i]->first));
        accd__mem_free(mem, env->queues.at[i], sizeof *env->queues.at[i]);
    }
    accd__mem_free(mem, env->queues.at, env->queues.capacity * sizeof env->queues.at[0]);
    env->queues.n = 0;
}

void accd__queue_cancel_after(struct accd__queue *queue, uint64_t submitted)
{
    const struct accd__task *started = NULL;
    for (struct accd__task **at = &queue->first; *at;) {
        const struct accd__task *task = *at;
        bool survives = task->number <= submitted || task->kind == ACCD_TASK_FREE ||
                        task->kind == ACCD_TASK_MARK_UNWRITTEN || task->kind == ACCD_TASK_WAIT;
        started = survives && task->in_flight ? task : started;
        if (survives)
            at = &(*at)->next;
        else
            accd__task_cancel(queue, accd__task_remove(queue, at));
    }
    queue->started = started;
}
