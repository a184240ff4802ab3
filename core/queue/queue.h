/* queue.h - device memory, and what asynchronous constructs left to be done with it: tasks in order, behind one
 * another, or on their way by themselves. It looks into tables, and changes nothing in them. */
#ifndef ACCD_QUEUE_H
#define ACCD_QUEUE_H

#include "table/table.h"

enum accd_task_kind {
    ACCD_TASK_TRANSFERS,
    ACCD_TASK_KERNEL,
    ACCD_TASK_CALL,   /* of the host */
    ACCD_TASK_EVENT,
    ACCD_TASK_REPORT,  /* many events */
    ACCD_TASK_AFTER,  /* another queue gets as far first */
    ACCD_TASK_FREE,
    ACCD_TASK_FORGET
};

/* Ranges of a task that are found by address; of more than so many, only where they begin and end. */
enum { ACCD_TASK_SPANS = 3 };

struct accd_task {
    struct accd_task *next;
    struct accd_queue *queue;
    struct accd_task *next_after; /* of those of kind AFTER */
    enum accd_task_kind kind;
    uint64_t number;
    size_t size; /* of its memory */
    const char *what, *file;
    int line;
    union {
        struct accd_batch batch;
        struct {
            accd_host_fn fn;
            void *ud;
        } call;
        struct {
            struct accd_queue *queue;
            uint64_t number;
            bool over; /* all that the other queue has started up to there is */
        } after;
        struct {
            uint64_t dev, bytes;
        } memory;
        accd_event event;
        struct {
            void (*tell)(const void *ud);
            void (*drop)(void *ud);
            void *ud;
        } report;
    } u;
    struct accd_pair *ranges; /* device memory it uses: first address and end, ascending, apart */
    size_t nranges;
    struct accd_span spans[ACCD_TASK_SPANS]; /* in the directory's uses, while the queue has the task */
    size_t nspans;
    struct accd_span host; /* memory in which all lies that it sends from, or fetches to */
    bool fetches;
    uint64_t again;  /* of a kernel that is under way: see accd_kernel */
    void *under_way; /* the device's name of it, if it continues by itself; NULL: it is done when its turn comes */
};

/* Tasks are numbered by queue, from 1, in the order in which they were asked for. */
struct accd_queue {
    struct accd_directory *dir;
    unsigned number;
    int64_t async;
    struct accd_task *first, **last;
    struct accd_task *afters, **last_after; /* those of kind AFTER */
    const struct accd_task *started;        /* the last one that is under way, or NULL */
    struct accd_span busy; /* in the directory's, while there are tasks */
    uint64_t asked;
    size_t pending; /* tasks that use device memory: those that a person would count */
    bool tested;    /* since it last got one */
    uint64_t found; /* while tasks are looked for: the last one of its own, 0: none */
    struct accd_span met; /* then, among all queues with such */
    uint64_t looked;      /* number of the last look that marked something here ... */
    uint64_t known;       /* ... up to this one tasks are done before the construct continues */
    const struct accd_task *next_known; /* the first one of kind AFTER behind that */
    struct accd_queue *held_by; /* the last test found that this other queue has not got ... */
    uint64_t held_at;           /* ... to this task yet; NULL: it found none */
};

/* Errors of what a queue had to do before: they are reported already. */
static inline bool accd_is_of_queue(accd_status status)
{
    return status == ACCD_CALLBACK || status == ACCD_MISSING_WAIT;
}

/* Whether the work of queues continues by itself, as if it had been done in program order. */
static inline bool accd_is_concurrent(const struct accd_directory *dir)
{
    return dir->context->config.queues == ACCD_QUEUES_CONCURRENT && dir->device.ops->depart;
}

/* ---------------------------------------------------------------------------------- memory.c -- */

void accd_free_memory_of(struct accd_directory *dir, struct accd_object *object);
void accd_free_memory(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
/* Data are gone from a block that lives on. */
void accd_forget_bytes(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
void accd_release_block(struct accd_directory *dir, struct accd_block *block, size_t objects);

/* ----------------------------------------------------------------------------------- alloc.c -- */

accd_status accd_alloc_memory(struct accd_directory *dir, uint64_t bytes, uint64_t *dev_p);

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* ACCD_MISUSE while a construct is under way or a queue is at work, or if the device has no queue of this number. */
accd_status accd_may_ask(const struct accd_directory *dir, unsigned number);
/* The queue that a construct's work is left to; NULL: it is done at once. */
struct accd_queue *accd_working_queue(const struct accd_directory *dir, unsigned number);
/* Its async value, or ACCD_SYNCHRONOUS. */
int64_t accd_async_of(const struct accd_directory *dir, unsigned number);
/* Tasks that were asked for behind that one are not done, unless they give something back. */
void accd_queue_cut(struct accd_queue *queue, uint64_t asked);
void accd_queues_close(struct accd_directory *dir);
/* The task that uses a device range and is not done before a construct of this queue, or of none, continues;
 * NULL: there is none. The first call is for a construct, the others for its ranges. */
void accd_pending_begin(struct accd_directory *dir, struct accd_queue *queue);
const struct accd_task *accd_pending_at(const struct accd_directory *dir, uint64_t dev, uint64_t bytes);
/* What is wrong with the queues, or NULL. */
const char *accd_queues_check(struct accd_directory *dir);
/* The range of a running kernel's data around a device address, though they may have left meanwhile. */
bool accd_running_range(const struct accd_directory *dir, uint64_t dev, uint64_t *low_p, uint64_t *high_p);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Leaves transfers to a queue, which keeps the list, and the core's own bytes: all or nothing. Takes the bulk. */
accd_status accd_batch_leave(struct accd_queue *queue, const struct accd_batch *batch, const char *what,
                             const char *file, int line);
/* Waits for what uses the same memory as transfers without a queue do; a bulk's may be any. */
accd_status accd_order_batch(struct accd_directory *dir, struct accd_batch *batch);
/* Waits for all queues of all devices. */
accd_status accd_order_everything(accd_context *context);
accd_status accd_order_all(struct accd_directory *dir);
/* Waits for all that uses a range of the device, and that the construct of accd_pending_begin is not behind. */
accd_status accd_order_range(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
/* ACCD_MISSING_WAIT if there is one. what: what would be done to the object, "removed"; NULL: to the memory. */
accd_status accd_pending_check(struct accd_directory *dir, const struct accd_object *object, uint64_t dev,
                               uint64_t bytes, const char *what);
/* Does what uses a range that gets other data. */
accd_status accd_pending_finish(struct accd_directory *dir, uint64_t dev, uint64_t bytes);

/* ---------------------------------------------------------------------------------- kernel.c -- */

/* Runs a kernel that uses a task's memory, NULL: all there is. */
accd_status accd_kernel_launch(struct accd_directory *dir, const accd_kernel *kernel, unsigned queue,
                               const struct accd_task *task, accd_kernel_end *end_p);

/* ----------------------------------------------------------------------------------- queue.c -- */

/* Reports an event when the queue has got there. False: for want of memory it is to be reported now. */
bool accd_queue_event(struct accd_queue *queue, const accd_event *event);
/* The same of what a function reports; if true, takes ud. */
bool accd_queue_report(struct accd_queue *queue, void (*tell)(const void *ud), void (*drop)(void *ud),
                       void *ud);

/* The same of number 0, which is not a queue. */
static inline struct accd_queue *accd_queue_of(const struct accd_directory *dir, unsigned number)
{
    return number ? accd_working_queue(dir, number) : NULL;
}

#endif
