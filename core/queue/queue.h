/* queue.h - device memory, and what asynchronous constructs left to be done with it: tasks in order, behind one
 * another, or on their way by themselves. It looks into tables, and changes nothing in them. */
#ifndef ACCD_QUEUE_H
#define ACCD_QUEUE_H

#include "table/table.h"

enum accd__task_kind {
    ACCD_TASK_TRANSFERS,
    ACCD_TASK_KERNEL,
    ACCD_TASK_CALL, /* of the host */
    ACCD_TASK_EVENT,
    ACCD_TASK_REPORT, /* many events */
    ACCD_TASK_WAIT,   /* another queue gets as far first */
    ACCD_TASK_FREE,
    ACCD_TASK_MARK_UNWRITTEN
};

/* Ranges of a task that are found by address; of more than so many, only where they begin and end. */
enum { ACCD_TASK_INTERVALS = 3 };

struct accd__task {
    struct accd__task *next;
    struct accd__queue *queue;
    struct accd__task *next_wait; /* of those of kind AFTER */
    enum accd__task_kind kind;
    uint64_t number;
    size_t size; /* of its memory */
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
            bool done; /* all that the other queue has started up to there is */
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
    struct accd__pair *ranges; /* device memory it uses: first address and end, ascending, apart */
    size_t nranges;
    struct accd__interval spans[ACCD_TASK_INTERVALS]; /* in the directory's uses, while the queue has the task */
    size_t nspans;
    struct accd__interval host; /* memory in which all lies that it sends from, or fetches to */
    bool fetches;
    uint64_t retry_reasons; /* of a kernel that is under way: see accd_kernel */
    void *in_flight; /* the device's name of it, if it continues by itself; NULL: it is done when its turn comes */
};

/* Tasks are numbered by queue, from 1, in the order in which they were asked for. */
struct accd__queue {
    struct accd__device_env *env;
    unsigned number;
    int64_t async;
    struct accd__task *first, **last;
    struct accd__task *waits, **last_wait; /* those of kind AFTER */
    const struct accd__task *started;      /* the last one that is under way, or NULL */
    struct accd__interval busy;            /* in the directory's, while there are tasks */
    uint64_t submitted;
    size_t pending;                        /* tasks that use device memory: those that a person would count */
    bool tested;                           /* since it last got one */
    uint64_t noted_number;                 /* while tasks are looked for: the last one of its own, 0: none */
    struct accd__interval noted;           /* then, among all queues with such */
    uint64_t query_number;                 /* number of the last look that marked something here ... */
    uint64_t implied;                      /* ... up to this one tasks are done before the construct continues */
    const struct accd__task *next_implied; /* the first one of kind AFTER behind that */
    struct accd__queue *blocked_by;        /* the last test found that this other queue has not got ... */
    uint64_t blocked_at;                   /* ... to this task yet; NULL: it found none */
};

/* Errors of what a queue had to do before: they are reported already. */
static inline bool accd__is_queue_error(accd_status status)
{
    return status == ACCD_ERROR_CALLBACK || status == ACCD_ERROR_MISSING_WAIT;
}

/* Whether the work of queues continues by itself, as if it had been done in program order. */
static inline bool accd__is_concurrent(const struct accd__device_env *env)
{
    return env->context->config.queues == ACCD_QUEUES_CONCURRENT && env->device.ops->start_batch;
}

/* ---------------------------------------------------------------------------------- memory.c -- */

void accd__free_object_memory(struct accd__device_env *env, struct accd__object *object);
void accd__free_device_memory(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* Data are gone from a block that lives on. */
void accd__mark_unwritten(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
void accd__release_block(struct accd__device_env *env, struct accd__block *block, size_t objects);

/* ----------------------------------------------------------------------------------- alloc.c -- */

accd_status accd__alloc_device_memory(struct accd__device_env *env, uint64_t bytes, uint64_t *dev_p);

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* ACCD_ERROR_MISUSE while a construct is under way or a queue is at work, or if the device has no queue of this number.
 */
accd_status accd__check_can_submit(const struct accd__device_env *env, unsigned number);
/* The queue that a construct's work is left to; NULL: it is done at once. */
struct accd__queue *accd__get_deferring_queue(const struct accd__device_env *env, unsigned number);
/* Its async value, or ACCD_SYNCHRONOUS. */
int64_t accd__queue_async(const struct accd__device_env *env, unsigned number);
/* Tasks that were asked for behind that one are not done, unless they give something back. */
void accd__queue_cancel_after(struct accd__queue *queue, uint64_t submitted);
void accd__queues_free(struct accd__device_env *env);
/* The task that uses a device range and is not done before a construct of this queue, or of none, continues;
 * NULL: there is none. The first call is for a construct, the others for its ranges. */
void accd__begin_pending_query(struct accd__device_env *env, struct accd__queue *queue);
const struct accd__task *accd__find_pending_task(const struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* What is wrong with the queues, or NULL. */
const char *accd__queues_check(struct accd__device_env *env);
/* The range of a running kernel's data around a device address, though they may have left meanwhile. */
bool accd__running_kernel_range(const struct accd__device_env *env, uint64_t dev, uint64_t *low_p, uint64_t *high_p);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Leaves transfers to a queue, which keeps the list, and the core's own bytes: all or nothing. Takes the bulk. */
accd_status accd__queue_batch(struct accd__queue *queue, const struct accd__batch *batch, const char *what,
                              const char *file, int line);
/* Waits for what uses the same memory as transfers without a queue do; a bulk's may be any. */
accd_status accd__wait_for_batch_conflicts(struct accd__device_env *env, struct accd__batch *batch);
/* Waits for all queues of all devices. */
accd_status accd__wait_for_all_devices(accd_context *context);
accd_status accd__wait_for_all_queues(struct accd__device_env *env);
/* Waits for all that uses a range of the device, and that the construct of accd__begin_pending_query is not behind. */
accd_status accd__wait_for_range(struct accd__device_env *env, uint64_t dev, uint64_t bytes);
/* ACCD_ERROR_MISSING_WAIT if there is one. what: what would be done to the object, "removed"; NULL: to the memory. */
accd_status accd__check_pending(struct accd__device_env *env, const struct accd__object *object, uint64_t dev,
                                uint64_t bytes, const char *what);
/* Does what uses a range that gets other data. */
accd_status accd__finish_pending(struct accd__device_env *env, uint64_t dev, uint64_t bytes);

/* ---------------------------------------------------------------------------------- kernel.c -- */

/* Runs a kernel that uses a task's memory, NULL: all there is. */
accd_status accd__launch_kernel(struct accd__device_env *env, const accd_kernel *kernel, unsigned queue,
                                const struct accd__task *task, accd_kernel_result *end_p);

/* ----------------------------------------------------------------------------------- queue.c -- */

/* Reports an event when the queue has got there. False: for want of memory it is to be reported now. */
bool accd__queue_event(struct accd__queue *queue, const accd_event *event);
/* The same of what a function reports; if true, takes ud. */
bool accd__queue_report(struct accd__queue *queue, void (*emit)(const void *ud), void (*drop)(void *ud), void *ud);

/* The same of number 0, which is not a queue. */
static inline struct accd__queue *accd__get_queue(const struct accd__device_env *env, unsigned number)
{
    return number ? accd__get_deferring_queue(env, number) : NULL;
}

#endif
