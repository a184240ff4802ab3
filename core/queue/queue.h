/* queue.h - activity queues (OpenACC's async): lists of tasks, the work that asynchronous constructs left to be done,
 * and the device memory that this work uses.
 *
 * core/ops leaves transfers, events and releases of memory to queues; core/api waits for the queues. This layer reads
 * the present tables. It changes them only when it frees a block of device memory. queue.c explains tasks, order.c the
 * order of the tasks of concurrent queues. */
#ifndef ACCD_QUEUE_H
#define ACCD_QUEUE_H

#include "table/table.h"

enum accd__task_kind {
    ACCD_TASK_TRANSFERS,     /* copies bytes between host and device, or within the device */
    ACCD_TASK_KERNEL,        /* runs a kernel, on the device or by a host function */
    ACCD_TASK_CALL,          /* calls a host function */
    ACCD_TASK_EVENT,         /* reports one event to the observer */
    ACCD_TASK_REPORT,        /* reports many events to the observer */
    ACCD_TASK_WAIT,          /* waits until another queue has done a certain task */
    ACCD_TASK_FREE,          /* frees an allocation of device memory */
    ACCD_TASK_MARK_UNWRITTEN /* marks bytes of device memory as never written */
};

/* Greatest number of device ranges of a task that are indexed one by one. If a task has more, one range from the first
 * to the last of their bytes is indexed. */
enum { ACCD_TASK_INTERVALS = 3 };

/* Task: one piece of work in the list of a queue (see queue.c). The bytes after the record hold `ranges`, and copies of
 * data that the task needs. */
struct accd__task {
    struct accd__task *next; /* next task of the queue */
    struct accd__queue *queue;
    struct accd__task *next_wait; /* next task of kind ACCD_TASK_WAIT in the queue, if this one has that kind */
    enum accd__task_kind kind;
    uint64_t number;                   /* number of the task in its queue, from 1 */
    size_t size;                       /* bytes of the record with the data after it */
    const char *construct_name, *file; /* name and source location of the construct, for messages */
    int line;
    union {
        struct accd__batch batch; /* list of transfers; kind TRANSFERS */
        struct {
            accd_host_fn fn;
            void *ud;
        } call; /* host function with its argument; kinds KERNEL and CALL */
        struct {
            struct accd__queue *queue; /* the other queue, for which the task waits */
            uint64_t number;           /* number of the task in the other queue that must be done */
            bool done; /* true if a test found that the other queue has done all started work up to that task */
        } wait;        /* kind WAIT */
        struct {
            uint64_t dev, bytes;
        } memory;         /* range of device memory; kinds FREE and MARK_UNWRITTEN */
        accd_event event; /* kind EVENT */
        struct {
            void (*emit)(const void *ud);
            void (*drop)(void *ud);
            void *ud;
        } report; /* kind REPORT: emit(ud) reports the events, drop(ud) frees `ud` */
    } u;
    /* Device memory that the task uses: pairs of first address (key) and end (value), ascending and disjoint. */
    struct accd__pair *ranges;
    size_t nranges;
    /* Intervals of the task's device memory, in the tree env->queues.accesses while the task is in its queue. */
    struct accd__interval spans[ACCD_TASK_INTERVALS];
    size_t nspans;
    struct accd__interval host; /* range around all host memory that the task reads or writes; empty: none */
    bool fetches;               /* true if the task copies from the device to the host */
    uint64_t retry_reasons;     /* accd_kernel.retry_reasons of a kernel that the device runs: reasons for one thread
                                   to repeat the kernel */
    void *in_flight; /* the device's handle of work that the device has started; NULL: not started, and the task is done
                        when the program waits */
};

/* Activity queue of a device. Its tasks are numbered from 1 in the order of submission. */
struct accd__queue {
    struct accd__device_env *env;
    unsigned number;                       /* number of the queue on its device, from 1 */
    int64_t async;                         /* async value by which the program names the queue */
    struct accd__task *first, **last;      /* list of tasks; `last` is the link to which the next task is appended */
    struct accd__task *waits, **last_wait; /* tasks of kind ACCD_TASK_WAIT, linked by next_wait */
    const struct accd__task *started;      /* last task whose work the device has started, or NULL */
    struct accd__interval busy;            /* entry of the queue in env->queues.busy while the queue has tasks */
    /* Number of the last task that was appended. */
    uint64_t submitted;
    size_t pending; /* number of transfer and kernel tasks in the list */
    size_t copies;  /* number of transfer tasks in the list that may copy to the host */
    bool tested;    /* true if accd_queue_test tested the queue since its last task was added */
    /* During a search for dependencies (tasks that must be done first): greatest number of a task of this queue that
     * was found; 0: none. */
    uint64_t dependency_number;
    /* Entry of the queue in the set of queues with dependencies, while dependency_number is not 0. */
    struct accd__interval dependency;
    uint64_t query_number; /* number of the last pending query that set the next two members */
    uint64_t implied; /* tasks of the queue up to this number are done before the construct of that query continues */
    const struct accd__task *next_implied; /* first task of kind ACCD_TASK_WAIT after number `implied`; NULL: none */
    /* The other queue for which this one waits, and which the last test found unfinished; NULL: none. */
    struct accd__queue *blocked_by;
    uint64_t blocked_at; /* number of the task of blocked_by that was not done */
};

/* Returns true if `status` can only come from earlier work of a queue. The message of the last error then already names
 * that work. */
static inline bool accd__is_queue_error(accd_status status)
{
    return status == ACCD_ERROR_CALLBACK || status == ACCD_ERROR_MISSING_WAIT;
}

/* Returns true in concurrent mode: the device runs the work of queues while the program continues, with the same result
 * as in program order. */
static inline bool accd__is_concurrent(const struct accd__device_env *env)
{
    return env->context->config.queues == ACCD_QUEUES_CONCURRENT && env->device.ops->start_batch;
}

/* ---------------------------------------------------------------------------------- memory.c -- */

/* Frees the device memory of an object that was removed from the present table. If the object shares a block, drops its
 * reference to the block. Does nothing if accd_map_data mapped the object, because the program owns that memory. */
void accd__free_object_memory(struct accd__device_env *env, struct accd__object *object);
/* Frees the allocation of `bytes` bytes at device address `dev`: at once, or after the tasks that use it. Without
 * memory for a task, the allocation stays until the context is closed. */
void accd__free_device_memory(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Marks `bytes` bytes at device address `dev`, in a block that stays allocated, as never written: at once, or after the
 * tasks that use them. */
void accd__mark_unwritten(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Subtracts `objects` from the number of objects in a block. If none remains, frees the block and its device memory,
 * unless the program owns that memory. */
void accd__release_block(struct accd__device_env *env, struct accd__block *block, size_t objects);

/* ----------------------------------------------------------------------------------- alloc.c -- */

/* Allocates `bytes` bytes of device memory, first for the data at `host` (0: for none), and sets *dev_p to their device
 * address. If too little memory is free, and queues are concurrent or have accd__queue_set_captures, waits for all
 * queues of the device, which may free some, and tries again. Returns the device's error
 * (ACCD_ERROR_OUT_OF_DEVICE_MEMORY and others), or that of a queue. */
accd_status accd__alloc_device_memory(struct accd__device_env *env, uint64_t host, uint64_t bytes, uint64_t *dev_p);

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* Returns ACCD_OK if queue `number` (0: no queue) may get work now. ACCD_ERROR_MISUSE: a construct is under way, a
 * queue runs, or the device has no such queue. */
accd_status accd__check_can_submit(const struct accd__device_env *env, unsigned number);
/* Returns queue `number`, from 1, in delayed and concurrent mode, in which queues keep work for later. Returns NULL if
 * work of queues is done at once. */
struct accd__queue *accd__get_deferring_queue(const struct accd__device_env *env, unsigned number);
/* Returns the async value of queue `number`; ACCD_SYNCHRONOUS for number 0. */
int64_t accd__queue_async(const struct accd__device_env *env, unsigned number);
/* Cancels the tasks of a failed construct: those with numbers above `submitted`, except tasks that free memory, mark
 * memory as unwritten, or wait for another queue. */
void accd__queue_cancel_after(struct accd__queue *queue, uint64_t submitted);
/* Cancels all tasks (their host functions only release data), and frees all queues of a device. */
void accd__queues_free(struct accd__device_env *env);
/* Begins a pending query for a construct in `queue` (NULL: no queue). The searches that follow ignore the tasks that
 * are done before this construct continues: those of `queue`, and those for which `queue` waits. */
void accd__begin_pending_query(struct accd__device_env *env, struct accd__queue *queue);
/* Returns the first task, by queue and task number, that uses a byte of the device range [dev, dev + bytes), and that
 * the pending query does not ignore; NULL: none. */
const struct accd__task *accd__find_pending_task(const struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Checks the invariants of all queues of a device. Returns a description of the first violation; NULL: none. */
const char *accd__queues_check(struct accd__device_env *env);
/* Looks for device address `dev` in the memory of the kernel that runs now. Sets *low_p and *high_p to the range of
 * that memory that contains `dev`, even if its data were unmapped since. Returns false if there is no such range, or if
 * no kernel runs. */
bool accd__running_kernel_range(const struct accd__device_env *env, uint64_t dev, uint64_t *low_p, uint64_t *high_p);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Adds a task for the transfers of a batch (list of transfers) to a queue. Copies the list, and the bytes of transfers
 * from the core's own memory (ACCD_TRANSFER_CORE_TO_DEVICE). In concurrent mode also starts the work. construct_name,
 * file, line: construct for messages. Takes ownership of batch->bulk, also on failure. After a failure nothing is
 * queued. */
accd_status accd__queue_batch(struct accd__queue *queue, const struct accd__batch *batch, const char *construct_name,
                              const char *file, int line);
/* Called before a batch without a queue is done. In concurrent mode waits for all tasks that use the same memory as the
 * batch or its bulk (transfers of many rows). Returns the first error of a task, or ACCD_ERROR_OUT_OF_MEMORY. */
accd_status accd__wait_for_batch_conflicts(struct accd__device_env *env, struct accd__batch *batch);
/* Waits for all queues of all devices; returns the first error. */
accd_status accd__wait_for_all_devices(accd_context *context);
/* Waits for all queues of a device; does nothing while a queue runs. Returns the first error. */
accd_status accd__wait_for_all_queues(struct accd__device_env *env);
/* Waits for the tasks that use the device range [dev, dev + bytes), except those that the pending query ignores
 * (accd__begin_pending_query). Does nothing while a queue runs. Returns the first error of a task. */
accd_status accd__wait_for_range(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Returns ACCD_ERROR_MISSING_WAIT if a task uses the device range [dev, dev + bytes), and the pending query
 * (accd__begin_pending_query) does not ignore the task. In concurrent mode waits for such tasks instead, and returns
 * their first error. The message says that `object` (NULL: the device memory) would be `participle` ("removed"). */
accd_status accd__check_pending(struct accd__device_env *env, const struct accd__object *object, uint64_t dev,
                                uint64_t bytes, const char *participle);
/* Called before the device range [dev, dev + bytes) gets other data. Runs all tasks that use the range, or will mark a
 * part of it as unwritten. Returns the first error of a task. */
accd_status accd__finish_pending(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

/* ---------------------------------------------------------------------------------- kernel.c -- */

/* Launches a kernel on the device, in queue number `queue` (0: no queue). The kernel may access the device memory that
 * `task` uses; task = NULL: all device memory. Sets *end_p to the outcome. Fails if the device fails, or without memory
 * for the objects of groups. */
accd_status accd__launch_kernel(struct accd__device_env *env, const accd_kernel *kernel, unsigned queue,
                                const struct accd__task *task, accd_kernel_result *end_p);

/* ----------------------------------------------------------------------------------- queue.c -- */

/* Adds a task for an event to a queue; the observer gets the event when the queue reaches the task. Returns true; or
 * false if the caller must report the event now, because queues are concurrent or there is no memory. */
bool accd__queue_event(struct accd__queue *queue, const accd_event *event);
/* Adds a task for many events to a queue: emit(ud) is called when the queue reaches the task, and drop(ud) when the
 * task is freed. Returns true, and the task owns `ud`; false without memory. */
bool accd__queue_report(struct accd__queue *queue, void (*emit)(const void *ud), void (*drop)(void *ud), void *ud);

/* Returns queue `number` if it keeps work for later; NULL if work of queues is done at once, or the number is 0. */
static inline struct accd__queue *accd__get_queue(const struct accd__device_env *env, unsigned number)
{
    return number ? accd__get_deferring_queue(env, number) : NULL;
}

#endif
