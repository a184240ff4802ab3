/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_QUEUE_INSIDE_H
#define ACCD_QUEUE_INSIDE_H

#include "queue/queue.h"

/* Whether it uses device memory. */
static inline bool accd_task_is_user(const struct accd_task *task)
{
    return task->kind == ACCD_TASK_TRANSFERS || task->kind == ACCD_TASK_KERNEL;
}

/* Data that a kernel may use, without repetition. */
struct accd_reached {
    struct accd_object **at;
    size_t n, room;
};

/* ---------------------------------------------------------------------------------- memory.c -- */

/* The queue behind whose tasks a range of device memory is free, or NULL. */
struct accd_queue *accd_last_user(const struct accd_directory *dir, uint64_t dev, uint64_t bytes);

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* A task, and so many bytes behind it. NULL: no memory. */
struct accd_task *accd_task_new(struct accd_directory *dir, enum accd_task_kind kind, size_t more);
void accd_task_append(struct accd_queue *queue, struct accd_task *task);
/* Takes the task at a place out of the queue. */
struct accd_task *accd_task_take(struct accd_queue *queue, struct accd_task **at);
bool accd_task_uses(const struct accd_task *task, uint64_t dev, uint64_t bytes);
/* Adds what is not there yet. False: no memory. */
bool accd_reached_add(struct accd_reached *reached, struct accd_mem *mem, struct accd_object *object);
/* Adds what attached pointers lead to from there. */
accd_status accd_reached_follow(struct accd_reached *reached, struct accd_directory *dir);
void accd_reached_close(struct accd_reached *reached, struct accd_mem *mem);
/* "queue 1 has not done the update of f.lua:12 yet" */
void accd_task_describe(const struct accd_queue *queue, const struct accd_task *task, char *to,
                        size_t room);
/* The next task of a queue up to a number, once since accd_pending_begin; NULL: there is none. */
const struct accd_task *accd_next_known(struct accd_queue *queue, uint64_t number);
/* The last task of each queue that uses a range, and that a construct is not behind, left in queue->found; forgets:
 * or is to forget some of it. */
void accd_find_users(const struct accd_directory *dir, uint64_t dev, uint64_t bytes, bool forgets);
/* The first queue with a task that uses the range, or NULL. */
struct accd_queue *accd_first_user(const struct accd_directory *dir, uint64_t dev, uint64_t bytes);

/* ------------------------------------------------------------------------------- transfers.c -- */

/* The transfers of a task, at once. */
accd_status accd_transfer_now(struct accd_directory *dir, const struct accd_task *task);
/* They go on by themselves, one way or the other; and are taken up: what they fetch reaches the host. */
accd_status accd_depart(struct accd_directory *dir, struct accd_task *task, const struct accd_traffic *traffic);
accd_status accd_arrive(struct accd_queue *queue, const struct accd_task *task);
/* What a task moves: copies and, by way, bytes; kept words are the core's own. */
struct accd_traffic accd_traffic_of(const struct accd_task *task, uint64_t *moved);
/* Host memory of a task may have been freed since. */
accd_status accd_task_check_host(struct accd_queue *queue, const struct accd_task *task);
accd_status accd_task_failed(struct accd_queue *queue, const struct accd_task *task, accd_status status);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Waits for what uses the same memory as a kernel that is not in its queue yet. */
accd_status accd_order_kernel(struct accd_queue *queue, const struct accd_task *task);
/* Whether all that a queue has started is over, up to a task, and what it comes behind in others. Between
 * accd_pending_begin for no construct and the last of several calls each task is looked at once. */
bool accd_has_arrived(struct accd_queue *queue, uint64_t number);

/* ------------------------------------------------------------------------------------- run.c -- */

/* Does what queues have to do up to a task: they wait for others on their way. */
accd_status accd_queue_reach(struct accd_queue *queue, uint64_t number);

/* ---------------------------------------------------------------------------------- kernel.c -- */

/* Starts a kernel that uses a task's memory, if the device can run it: then that is under way. */
accd_status accd_kernel_start(struct accd_queue *queue, const accd_kernel *kernel, struct accd_task *task,
                              accd_kernel_end *end_p);

#endif
