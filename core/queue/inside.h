/* inside.h - functions that only files of core/queue use. */
#ifndef ACCD_QUEUE_INSIDE_H
#define ACCD_QUEUE_INSIDE_H

#include "queue/queue.h"

/* Returns true for tasks that use device memory: transfers and kernels. */
static inline bool accd__task_uses_memory(const struct accd__task *task)
{
    return task->kind == ACCD_TASK_TRANSFERS || task->kind == ACCD_TASK_KERNEL;
}

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* Makes a task with `more` bytes after it, zeroed. NULL: no memory. */
struct accd__task *accd__task_new(struct accd__device_env *env, enum accd__task_kind kind, size_t more);
/* Appends a task, numbers it, and indexes its memory. */
void accd__task_append(struct accd__queue *queue, struct accd__task *task);
/* Removes the task at *at from the queue, and returns it. */
struct accd__task *accd__task_remove(struct accd__queue *queue, struct accd__task **at);
/* Frees a task with its bulk or report; its function is not called. */
void accd__task_free(struct accd__device_env *env, struct accd__task *task);
/* Cancels a task that is in no queue: waits until its started work is over, discards its results, and frees it. */
void accd__task_cancel(struct accd__queue *queue, struct accd__task *task);
/* Sorts a task's ranges, and joins those that overlap. Returns false without memory. */
bool accd__task_merge_ranges(accd_context *context, struct accd__task *task);
/* Returns true if a task uses a byte of a device range. */
bool accd__task_uses_range(const struct accd__task *task, uint64_t dev, uint64_t bytes);
/* Writes "queue 1 has not done the update of f.lua:12 yet". */
void accd__task_describe(const struct accd__queue *queue, const struct accd__task *task, char *to, size_t capacity);
/* Adds a task to the set of dependencies, which keeps only the last task of each queue. */
void accd__note_dependency(struct accd__interval **noted, const struct accd__task *task);
/* Adds the tasks that use a range, except those that precede the construct of the query; forgets: also tasks that will
 * mark part of it as unwritten. */
void accd__note_users(struct accd__device_env *env, uint64_t dev, uint64_t bytes, bool forgets,
                      struct accd__interval **noted);
/* Returns the first queue with tasks, from a number on, or NULL. */
struct accd__queue *accd__next_busy_queue(const struct accd__device_env *env, uint64_t number);
/* Returns the queue after whose tasks a range of device memory can be freed; NULL: at once. */
struct accd__queue *accd__last_queue_using(const struct accd__device_env *env, uint64_t dev, uint64_t bytes);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Waits for the tasks that use the same memory as `next`, which is about to move data. queue: its own, or NULL. but: a
 * queue that is left out, or NULL. Does nothing while a queue runs. */
accd_status accd__wait_for_conflicts(const accd_context *context, const struct accd__queue *queue,
                                     const struct accd__queue *but, const struct accd__task *next);
/* Returns true if everything that a queue has started is over, and the tasks of other queues that it waits for. */
bool accd__is_queue_done(struct accd__queue *queue);

/* ------------------------------------------------------------------------------------- run.c -- */

/* Runs the tasks of a queue up to a number; a task of kind ACCD_TASK_WAIT runs those of another queue first. */
accd_status accd__queue_run_until(struct accd__queue *queue, uint64_t number);
/* Runs each queue of a set up to its noted task, in the order of queue numbers, and empties the set. */
accd_status accd__run_noted_queues(struct accd__interval **noted);

#endif
