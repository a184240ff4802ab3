/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_QUEUE_INSIDE_H
#define ACCD_QUEUE_INSIDE_H

#include "queue/queue.h"

/* Whether it uses device memory. */
static inline bool accd_task_is_user(const struct accd_task *task)
{
    return task->kind == ACCD_TASK_TRANSFERS || task->kind == ACCD_TASK_KERNEL;
}

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* A task, and so many bytes behind it. NULL: no memory. */
struct accd_task *accd_task_new(struct accd_directory *dir, enum accd_task_kind kind, size_t more);
void accd_task_append(struct accd_queue *queue, struct accd_task *task);
/* Takes the task at a place out of the queue. */
struct accd_task *accd_task_take(struct accd_queue *queue, struct accd_task **at);
void accd_task_free(struct accd_directory *dir, struct accd_task *task);
/* What has started must be over; nothing of it reaches the host. */
void accd_task_drop(struct accd_queue *queue, struct accd_task *task);
/* Sorts a task's ranges, and joins those that overlap. False: no memory. */
bool accd_task_join_ranges(accd_context *context, struct accd_task *task);
bool accd_task_uses(const struct accd_task *task, uint64_t dev, uint64_t bytes);
/* "queue 1 has not done the update of f.lua:12 yet" */
void accd_task_describe(const struct accd_queue *queue, const struct accd_task *task, char *to,
                        size_t room);
/* Adds a task to those that queues are to reach: of each queue the last one counts. */
void accd_meet(struct accd_span **met, const struct accd_task *task);
/* Adds the tasks that use a range, and that a construct is not behind; forgets: or are to forget some of it. */
void accd_meet_users(struct accd_directory *dir, uint64_t dev, uint64_t bytes, bool forgets, struct accd_span **met);
/* The first queue from a number on that has tasks, or NULL. */
struct accd_queue *accd_next_busy(const struct accd_directory *dir, uint64_t number);
/* The queue behind whose tasks a range of device memory is free, or NULL. */
struct accd_queue *accd_last_user(const struct accd_directory *dir, uint64_t dev, uint64_t bytes);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Waits for what uses the same memory as a task that is about to move data, in all queues but one, or all. queue:
 * its own, or NULL. A queue that is at work itself comes behind its own. */
accd_status accd_order_task(const accd_context *context, const struct accd_queue *queue,
                            const struct accd_queue *but, const struct accd_task *next);
/* Whether all that a queue has started is over, and what it comes behind in others. */
bool accd_has_arrived(struct accd_queue *queue);

/* ------------------------------------------------------------------------------------- run.c -- */

/* Does what queues have to do up to a task: they wait for others on their way. */
accd_status accd_queue_reach(struct accd_queue *queue, uint64_t number);
/* What was met: queue by queue, by their numbers. */
accd_status accd_reach_met(struct accd_span **met);

#endif
