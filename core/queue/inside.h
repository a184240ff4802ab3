/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_QUEUE_INSIDE_H
#define ACCD_QUEUE_INSIDE_H

#include "queue/queue.h"

/* Whether it uses device memory. */
static inline bool accd__task_uses_memory(const struct accd__task *task)
{
    return task->kind == ACCD_TASK_TRANSFERS || task->kind == ACCD_TASK_KERNEL;
}

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* A task, and so many bytes behind it. NULL: no memory. */
struct accd__task *accd__task_new(struct accd__device_env *env, enum accd__task_kind kind, size_t more);
void accd__task_append(struct accd__queue *queue, struct accd__task *task);
/* Takes the task at a place out of the queue. */
struct accd__task *accd__task_remove(struct accd__queue *queue, struct accd__task **at);
void accd__task_free(struct accd__device_env *env, struct accd__task *task);
/* What has started must be over; nothing of it reaches the host. */
void accd__task_cancel(struct accd__queue *queue, struct accd__task *task);
/* Sorts a task's ranges, and joins those that overlap. False: no memory. */
bool accd__task_merge_ranges(accd_context *context, struct accd__task *task);
bool accd__task_uses_range(const struct accd__task *task, uint64_t dev, uint64_t bytes);
/* "queue 1 has not done the update of f.lua:12 yet" */
void accd__task_describe(const struct accd__queue *queue, const struct accd__task *task, char *to, size_t capacity);
/* Adds a task to those that queues are to reach: of each queue the last one counts. */
void accd__note_dependency(struct accd__interval **noted, const struct accd__task *task);
/* Adds the tasks that use a range, and that a construct is not behind; forgets: or are to forget some of it. */
void accd__note_users(struct accd__device_env *env, uint64_t dev, uint64_t bytes, bool forgets,
                      struct accd__interval **noted);
/* The first queue from a number on that has tasks, or NULL. */
struct accd__queue *accd__next_busy_queue(const struct accd__device_env *env, uint64_t number);
/* The queue behind whose tasks a range of device memory is free, or NULL. */
struct accd__queue *accd__last_queue_using(const struct accd__device_env *env, uint64_t dev, uint64_t bytes);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Waits for what uses the same memory as a task that is about to move data, in all queues but one, or all. queue:
 * its own, or NULL. A queue that is at work itself comes behind its own. */
accd_status accd__wait_for_conflicts(const accd_context *context, const struct accd__queue *queue,
                                     const struct accd__queue *but, const struct accd__task *next);
/* Whether all that a queue has started is over, and what it comes behind in others. */
bool accd__is_queue_done(struct accd__queue *queue);

/* ------------------------------------------------------------------------------------- run.c -- */

/* Does what queues have to do up to a task: they wait for others on their way. */
accd_status accd__queue_run_until(struct accd__queue *queue, uint64_t number);
/* What was met: queue by queue, by their numbers. */
accd_status accd__run_noted_queues(struct accd__interval **noted);

#endif
