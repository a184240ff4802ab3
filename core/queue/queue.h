/* queue.h - activity queues: tasks that asynchronous constructs left to be done, and the device memory that they
 * use.
 *
 * core/ops leaves transfers, events and releases of memory to queues. core/api waits for them. This layer reads tables,
 * and changes nothing in them. queue.c explains tasks, order.c the order of concurrent ones. */
#ifndef ACCD_QUEUE_H
#define ACCD_QUEUE_H

#include "table/table.h"

enum accd__task_kind {
    ACCD_TASK_TRANSFERS,
    ACCD_TASK_KERNEL,
    ACCD_TASK_CALL, /* function of the host */
    ACCD_TASK_EVENT,
    ACCD_TASK_REPORT, /* many events */
    ACCD_TASK_WAIT,   /* waits until another queue has reached a task */
    ACCD_TASK_FREE,
    ACCD_TASK_MARK_UNWRITTEN
};

/* Greatest number of a task's ranges that are indexed one by one; if a task has more, only the hull is indexed. */
enum { ACCD_TASK_INTERVALS = 3 };

/* Task: a piece of work of a queue; queue.c explains it. After the record lie its ranges and copied data. */
struct accd__task {
    struct accd__task *next;
    struct accd__queue *queue;
    struct accd__task *next_wait; /* next task of kind ACCD_TASK_WAIT */
    enum accd__task_kind kind;
    uint64_t number;
    size_t size; /* bytes of the record with the data after it */
    const char *construct_name, *file;
    int line;
    union {
        struct accd__batch batch;
        struct {
            accd_host_fn fn;
            void *ud;
        } call;
        struct {
            struct accd__queue *queue;
            uint64_t number;
            bool done; /* true if a test found that the other queue has done all started work up to task `number` */
        } wait;
        struct {
            uint64_t dev, bytes;
        } memory;
        accd_event event;
        struct {
            void (*emit)(const void *ud);
            void (*drop)(void *ud);
            void *ud;
        } report;
    } u;
    /* Device memory that the task uses: pairs of first address and end, ascending and disjoint. */
    struct accd__pair *ranges;
    size_t nranges;
    /* intervals in env->queues.accesses, while the queue has the task */
    struct accd__interval spans[ACCD_TASK_INTERVALS];
    size_t nspans;
    struct accd__interval host; /* hull of the host memory that the task sends from, or fetches to; empty: none */
    bool fetches;
    uint64_t retry_reasons; /* retry_reasons (accd_kernel) of a kernel that the device runs */
    void *in_flight; /* the device's handle of the started work; NULL: not started, the queue runs the task when it
                        reaches it */
};

/* Activity queue of a device. Its tasks are numbered from 1 in the order of submission. */
struct accd__queue {
    struct accd__device_env *env;
    unsigned number;
    int64_t async;
    struct accd__task *first, **last;
    struct accd__task *waits, **last_wait; /* tasks of kind ACCD_TASK_WAIT, linked by next_wait */
    const struct accd__task *started;      /* last task whose work the device has started, or NULL */
    struct accd__interval busy;            /* interval in env->queues.busy, while there are tasks */
    /* Number of the last task that was appended. */
    uint64_t submitted;
    size_t pending; /* number of tasks in the list that use device memory: transfers and kernels */
    bool tested;    /* true if accd_queue_test tested the queue since its last task was added */
    /* during a search for dependencies, greatest number of the queue's tasks found; 0: none */
    uint64_t dependency_number;
    /* entry of the queue in the set of queues with such tasks, while dependency_number is not 0 */
    struct accd__interval dependency;
    uint64_t query_number; /* number of the last pending query that marked this queue */
    uint64_t implied; /* number up to which the queue's tasks are done before the construct of that query continues */
    const struct accd__task *next_implied; /* first task of kind ACCD_TASK_WAIT after number `implied`; NULL: none */
    /* Queue for which this one waits, found unfinished by the last test; NULL: none ... */
    struct accd__queue *blocked_by;
    uint64_t blocked_at; /* ... and the number of the task that the other queue has not reached */
};

/* Returns true if a status is an error of earlier work of a queue, whose message already names that work. */
static inline bool accd__is_queue_error(accd_status status)
{
    return status == ACCD_ERROR_CALLBACK || status == ACCD_ERROR_MISSING_WAIT;
}

/* Returns true if the device runs work of queues while the program continues (concurrent mode), with the result of
 * program order. */
static inline bool accd__is_concurrent(const struct accd__device_env *env)
{
    return env->context->config.queues == ACCD_QUEUES_CONCURRENT && env->device.ops->start_batch;
}

/* ---------------------------------------------------------------------------------- memory.c -- */

/* Frees the device memory of an object that was removed from the table, or drops its reference to its block. */
void accd__free_object_memory(struct accd__device_env *env, struct accd__object *object);
/* Frees an allocation of `bytes` bytes: at once, or after the tasks that use it. Without memory for a task, the
 * allocation stays until the context is freed. */
void accd__free_device_memory(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Marks a range of a block that stays allocated as never written, at once or after the tasks that use it. */
void accd__mark_unwritten(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Drops the references of `objects` objects to a block, and frees the block and its device memory with the last
 * reference. */
void accd__release_block(struct accd__device_env *env, struct accd__block *block, size_t objects);

/* ----------------------------------------------------------------------------------- alloc.c -- */

/* Allocates device memory. If too little is free, waits for all concurrent queues of the device, which may free some,
 * and tries again. ACCD_ERROR_OUT_OF_DEVICE_MEMORY, or the error of a queue. */
accd_status accd__alloc_device_memory(struct accd__device_env *env, uint64_t bytes, uint64_t *dev_p);

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* Returns ACCD_OK if queue `number` (0: no queue) may get work now. ACCD_ERROR_MISUSE: a construct is under way, a
 * queue runs, or the device has no such queue. */
accd_status accd__check_can_submit(const struct accd__device_env *env, unsigned number);
/* Returns queue `number`, from 1, if it keeps work for later (delayed and concurrent mode); NULL: work is done at once.
 */
struct accd__queue *accd__get_deferring_queue(const struct accd__device_env *env, unsigned number);
/* Returns the queue's async value, or ACCD_SYNCHRONOUS for number 0. */
int64_t accd__queue_async(const struct accd__device_env *env, unsigned number);
/* Cancels the tasks with numbers above `submitted`, except those that free or mark memory or wait; undoes the tasks of
 * a failed construct. */
void accd__queue_cancel_after(struct accd__queue *queue, uint64_t submitted);
/* Cancels all tasks and frees all queues of a device. */
void accd__queues_free(struct accd__device_env *env);
/* Begins a query for a construct of a queue (NULL: no queue): tasks that are done before this construct continues do
 * not count in the following searches. */
void accd__begin_pending_query(struct accd__device_env *env, struct accd__queue *queue);
/* Returns the first task, by queue and number, that uses a byte of a device range and counts in the query; NULL: none.
 */
const struct accd__task *accd__find_pending_task(const struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Returns a description of the first inconsistency of the device's queues; NULL: all are sound. */
const char *accd__queues_check(struct accd__device_env *env);
/* Gives the range of the data of the kernel that runs now which contains a device address, even if the data were
 * unmapped since. Returns false if there is no such range, or no kernel runs. */
bool accd__running_kernel_range(const struct accd__device_env *env, uint64_t dev, uint64_t *low_p, uint64_t *high_p);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Queues the transfers of a batch: copies the list and the bytes of direction CORE_TO_DEVICE, and starts the work if
 * queues are concurrent. Takes ownership of batch->bulk, also on failure. After a failure nothing is queued. */
accd_status accd__queue_batch(struct accd__queue *queue, const struct accd__batch *batch, const char *construct_name,
                              const char *file, int line);
/* Waits for the tasks, if queues are concurrent, that use memory of a batch without a queue, including memory of its
 * bulk. */
accd_status accd__wait_for_batch_conflicts(struct accd__device_env *env, struct accd__batch *batch);
/* Waits for all queues of all devices; returns the first error. */
accd_status accd__wait_for_all_devices(accd_context *context);
/* Waits for all queues of a device; does nothing while a queue runs. Returns the first error. */
accd_status accd__wait_for_all_queues(struct accd__device_env *env);
/* Waits for the tasks that use a device range, except those that precede the construct of accd__begin_pending_query. */
accd_status accd__wait_for_range(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Returns ACCD_ERROR_MISSING_WAIT if a pending task uses the range; if queues are concurrent, waits for it instead.
 * `participle` is the participle in the message, as in "X would be removed"; object = NULL: the message is about device
 * memory. */
accd_status accd__check_pending(struct accd__device_env *env, const struct accd__object *object, uint64_t dev,
                                uint64_t bytes, const char *participle);
/* Runs the tasks that use a device range or will mark it as unwritten, before the range gets other data. */
accd_status accd__finish_pending(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

/* ---------------------------------------------------------------------------------- kernel.c -- */

/* Launches a kernel with tables of the device memory that it may access: that of `task`, or all if task = NULL. *end_p
 * has the outcome. Fails if the device fails. */
accd_status accd__launch_kernel(struct accd__device_env *env, const accd_kernel *kernel, unsigned queue,
                                const struct accd__task *task, accd_kernel_result *end_p);

/* ----------------------------------------------------------------------------------- queue.c -- */

/* Queues an event, which the observer gets when the queue reaches it. Returns false if the caller must report the event
 * now, because queues are concurrent or there is no memory. */
bool accd__queue_event(struct accd__queue *queue, const accd_event *event);
/* Queues a report: `emit` is called with `ud` when the queue reaches it, and `drop` when the task is freed. Takes `ud`
 * and returns true; returns false without memory.
 */
bool accd__queue_report(struct accd__queue *queue, void (*emit)(const void *ud), void (*drop)(void *ud), void *ud);

/* Returns queue `number` if it keeps work for later; NULL: work is done at once, or the number is 0. */
static inline struct accd__queue *accd__get_queue(const struct accd__device_env *env, unsigned number)
{
    return number ? accd__get_deferring_queue(env, number) : NULL;
}

#endif
