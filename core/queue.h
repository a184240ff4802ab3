/* queue.h - activity queues of a device: what asynchronous constructs left to be done. A part of core.h. */
#ifndef ACCD_QUEUE_H
#define ACCD_QUEUE_H

struct accd_plan;
struct accd_queue;

enum accd_task_kind {
    ACCD_TASK_TRANSFERS,
    ACCD_TASK_KERNEL,
    ACCD_TASK_CALL,   /* of the host */
    ACCD_TASK_EVENT,
    ACCD_TASK_AFTER,  /* another queue gets as far first */
    ACCD_TASK_FREE,
    ACCD_TASK_FORGET
};

/* One transfer. */
struct accd_transfer {
    uint64_t dev, host, bytes; /* host: of OWN, the place in what the task keeps; WITHIN, a device address */
    enum { ACCD_SENT, ACCD_OWN, ACCD_FETCHED, ACCD_MOVED_WITHIN } way;
};

struct accd_task {
    struct accd_task *next;
    struct accd_task *next_user; /* of those that use device memory */
    enum accd_task_kind kind;
    uint64_t number;
    size_t size; /* of its memory */
    const char *what, *file;
    int line;
    union {
        struct {
            struct accd_transfer *at;
            size_t n;
            char *kept;
        } transfers;
        struct {
            accd_host_fn fn;
            void *ud;
        } call;
        struct {
            struct accd_queue *queue;
            uint64_t number;
        } after;
        struct {
            uint64_t dev, bytes;
        } memory;
        accd_event event;
    } u;
    struct accd_pair *ranges; /* device memory it uses: first address and end, ascending, apart */
    size_t nranges;
};

/* Tasks are numbered by queue, from 1, in the order in which they were asked for. */
struct accd_queue {
    struct accd_directory *dir;
    int64_t async;
    struct accd_task *first, **last;
    struct accd_task *users, **last_user; /* tasks that use device memory: those that a person would count */
    uint64_t asked;
    size_t pending; /* so many */
    bool tested;    /* since it last got one */
    uint64_t known; /* accd_pending_begin: up to this one tasks are done before the construct goes on */
};

/* queue.c: the queue that a construct's work is left to; NULL: it is done at once. */
struct accd_queue *accd_delayed_queue(const struct accd_directory *dir, unsigned number);
static inline struct accd_queue *accd_queue_of(const struct accd_directory *dir, unsigned number)
{
    return number ? accd_delayed_queue(dir, number) : NULL;
}
/* Its async value, or ACCD_SYNCHRONOUS. */
int64_t accd_async_of(const struct accd_directory *dir, unsigned number);
/* The transfers of a plan become a task: all or nothing. */
accd_status accd_queue_plan(struct accd_plan *plan);
/* Tells an event when the queue has got there. False: for want of memory it is to be told now. */
bool accd_queue_event(struct accd_queue *queue, const accd_event *event);
/* Whether device memory is given back, or forgotten, by a queue when nothing needs it any more. */
bool accd_queue_free(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
bool accd_queue_forget(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
/* Tasks that were asked for behind that one are not done, unless they give something back. */
void accd_queue_cut(struct accd_queue *queue, uint64_t asked);
void accd_queues_close(struct accd_directory *dir);
void accd_names_close(accd_context *context);
/* Leaves a copy to a queue; its addresses are good. */
accd_status accd_queue_copy(struct accd_queue *queue, accd_way way, uint64_t to, uint64_t from,
                            uint64_t bytes, const char *file, int line);

/* Whether it uses device memory. */
static inline bool accd_task_is_user(const struct accd_task *task)
{
    return task->kind == ACCD_TASK_TRANSFERS || task->kind == ACCD_TASK_KERNEL;
}

/* pending.c: sorts a task's ranges, and joins those that overlap; spare has as much room. */
void accd_task_settle(struct accd_task *task, struct accd_pair *spare);
bool accd_task_uses(const struct accd_task *task, uint64_t dev, uint64_t bytes);
/* Data that a kernel may use, without repetition. */
struct accd_reached {
    struct accd_object **at;
    size_t n, room;
};
/* Adds what is not there yet. False: no memory. */
bool accd_reached_add(struct accd_reached *reached, struct accd_mem *mem, struct accd_object *object);
/* Adds what attached pointers lead to from there. */
accd_status accd_reached_follow(struct accd_reached *reached, struct accd_directory *dir);
void accd_reached_close(struct accd_reached *reached, struct accd_mem *mem);
/* "queue 1 has not done the update of f.lua:12 yet" */
void accd_task_describe(const struct accd_queue *queue, const struct accd_task *task, char *to,
                        size_t room);
/* The task that uses a device range and is not done before a construct of this queue, or of none, goes on;
 * NULL: there is none. The first call is for a construct, the others for its ranges. */
void accd_pending_begin(struct accd_directory *dir, struct accd_queue *queue);
const struct accd_task *accd_pending_at(const struct accd_directory *dir, uint64_t dev, uint64_t bytes);
/* ACCD_MISSING_WAIT if there is one. what: what would go, "it would be removed". */
accd_status accd_pending_check(struct accd_directory *dir, uint64_t dev, uint64_t bytes,
                               const char *what);
/* Does what uses a range that gets other data. */
accd_status accd_pending_settle(struct accd_directory *dir, uint64_t dev, uint64_t bytes);
/* What is wrong with the queues, or NULL. */
const char *accd_queues_check(struct accd_directory *dir);
/* The range of a running kernel's data around a device address, though they may have left meanwhile. */
bool accd_running_range(const struct accd_directory *dir, uint64_t dev, uint64_t *low_p,
                        uint64_t *high_p);

#endif
