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

/* Greatest number of ranges of a task that are indexed one by one; of more, only the hull is indexed. */
enum { ACCD_TASK_INTERVALS = 3 };

struct accd__task {
    struct accd__task *next;
    struct accd__queue *queue;
    struct accd__task *next_wait; /* next task of kind ACCD_TASK_WAIT */
    enum accd__task_kind kind;
    uint64_t number;
    size_t size; /* bytes of its memory */
    const char *what, *file;
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
            bool done; /* true if everything that the other queue has started up to that task is done */
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
    struct accd__pair *ranges; /* device memory that it uses: pairs of first address and end, ascending and disjoint */
    size_t nranges;
    struct accd__interval spans[ACCD_TASK_INTERVALS]; /* intervals in env->queues.uses, while the queue has the task */
    size_t nspans;
    struct accd__interval host; /* hull of the host memory that it sends from, or fetches to */
    bool fetches;
    uint64_t retry_reasons; /* retry_reasons of a running kernel: see accd_kernel */
    void *in_flight; /* the device's handle, if it runs by itself; NULL: the queue runs it when it reaches the task */
};

/* Queue. Its tasks have the numbers from 1, in the order of submission. */
struct accd__queue {
    struct accd__device_env *env;
    unsigned number;
    int64_t async;
    struct accd__task *first, **last;
    struct accd__task *waits, **last_wait; /* tasks of kind ACCD_TASK_WAIT */
    const struct accd__task *started;      /* last task that runs by itself, or NULL */
    struct accd__interval busy;            /* interval in env->queues.busy, while there are tasks */
    uint64_t submitted;
    size_t pending;              /* number of tasks that use device memory: transfers and kernels */
    bool tested;                 /* true if it was tested since its last task was added */
    uint64_t noted_number;       /* during a search for dependencies: greatest number of its tasks found; 0: none */
    struct accd__interval noted; /* ... and its interval in the set of such queues */
    uint64_t query_number;       /* number of the last query that marked this queue ... */
    uint64_t implied;            /* ... and the number up to which its tasks are done before the construct continues */
    const struct accd__task *next_implied; /* first task of kind ACCD_TASK_WAIT after that number */
    struct accd__queue *blocked_by;        /* queue, another one, that the last test found unfinished ... */
    uint64_t blocked_at;                   /* ... and the number of the task that it has not reached; NULL: none */
};

/* Returns true for errors of earlier work of a queue, which are already reported. */
static inline bool accd__is_queue_error(accd_status status)
{
    return status == ACCD_ERROR_CALLBACK || status == ACCD_ERROR_MISSING_WAIT;
}

/* Returns true if the work of queues runs by itself, with the result of doing it in program order. */
static inline bool accd__is_concurrent(const struct accd__device_env *env)
{
    return env->context->config.queues == ACCD_QUEUES_CONCURRENT && env->device.ops->start_batch;
}

/* ---------------------------------------------------------------------------------- memory.c -- */

/* Frees the device memory of an object that was removed from the table, or drops its reference to its block. */
void accd__free_object_memory(struct accd__device_env *env, struct accd__object *object);
/* Frees an allocation: at once, or after the tasks that use it. */
void accd__free_device_memory(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Marks a range as never written, in a block that stays allocated; after the tasks that use it. */
void accd__mark_unwritten(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Drops references of `objects` objects to a block, and frees it with the last one. */
void accd__release_block(struct accd__device_env *env, struct accd__block *block, size_t objects);

/* ----------------------------------------------------------------------------------- alloc.c -- */

/* Allocates device memory. If there is none left, waits for queues that will free some, and tries again. */
accd_status accd__alloc_device_memory(struct accd__device_env *env, uint64_t bytes, uint64_t *dev_p);

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* Returns ACCD_ERROR_MISUSE while a construct is under way or a queue runs, or if the device has no queue of this
 * number. */
accd_status accd__check_can_submit(const struct accd__device_env *env, unsigned number);
/* Returns the queue that keeps work for later; NULL: work is done at once. number > 0. */
struct accd__queue *accd__get_deferring_queue(const struct accd__device_env *env, unsigned number);
/* Returns the queue's async value, or ACCD_SYNCHRONOUS for number 0. */
int64_t accd__queue_async(const struct accd__device_env *env, unsigned number);
/* Cancels the tasks submitted after a number, except those that free memory or wait. Undoes a construct that failed. */
void accd__queue_cancel_after(struct accd__queue *queue, uint64_t submitted);
/* Cancels all tasks and frees all queues of a device. */
void accd__queues_free(struct accd__device_env *env);
/* Begins a search for a construct of this queue (NULL: none). accd__find_pending_task then returns the first task that
 * uses a device range and is not done before that construct, or NULL. */
void accd__begin_pending_query(struct accd__device_env *env, struct accd__queue *queue);
const struct accd__task *accd__find_pending_task(const struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Returns a description of the first inconsistency of the queues, or NULL. */
const char *accd__queues_check(struct accd__device_env *env);
/* Gives the range of the running kernel's data that contains a device address, even if they were unmapped since.
 * Returns false if there is none. */
bool accd__running_kernel_range(const struct accd__device_env *env, uint64_t dev, uint64_t *low_p, uint64_t *high_p);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Leaves transfers to a queue, which copies the list and the core's own bytes. Takes the bulk, also on failure. After a
 * failure nothing is queued. */
accd_status accd__queue_batch(struct accd__queue *queue, const struct accd__batch *batch, const char *what,
                              const char *file, int line);
/* Waits for tasks that use the memory of transfers without a queue, including the memory of a bulk. */
accd_status accd__wait_for_batch_conflicts(struct accd__device_env *env, struct accd__batch *batch);
/* Waits for all queues of all devices, or of one device. */
accd_status accd__wait_for_all_devices(accd_context *context);
accd_status accd__wait_for_all_queues(struct accd__device_env *env);
/* Waits for the tasks that use a device range, except those that precede the construct of accd__begin_pending_query. */
accd_status accd__wait_for_range(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Returns ACCD_ERROR_MISSING_WAIT if a pending task uses the range; if queues are concurrent, waits for it instead.
 * what: what would happen to the object, "removed"; object = NULL: to the memory. */
accd_status accd__check_pending(struct accd__device_env *env, const struct accd__object *object, uint64_t dev,
                                uint64_t bytes, const char *what);
/* Runs the tasks that use a range, or will free it, before it gets other data. */
accd_status accd__finish_pending(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

/* ---------------------------------------------------------------------------------- kernel.c -- */

/* Launches a kernel with tables of the memory that a task uses; task = NULL: of all memory. */
accd_status accd__launch_kernel(struct accd__device_env *env, const accd_kernel *kernel, unsigned queue,
                                const struct accd__task *task, accd_kernel_result *end_p);

/* ----------------------------------------------------------------------------------- queue.c -- */

/* Reports an event when the queue reaches it. Returns false if it must be reported now: without memory, or if queues
 * are concurrent. */
bool accd__queue_event(struct accd__queue *queue, const accd_event *event);
/* Reports events by a function when the queue reaches them. Takes ud and returns true, or returns false without memory.
 */
bool accd__queue_report(struct accd__queue *queue, void (*emit)(const void *ud), void (*drop)(void *ud), void *ud);

/* Returns the queue that keeps work for later, as above; NULL also for number 0, which is not a queue. */
static inline struct accd__queue *accd__get_queue(const struct accd__device_env *env, unsigned number)
{
    return number ? accd__get_deferring_queue(env, number) : NULL;
}

#endif
