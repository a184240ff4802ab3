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

/* Returns a zeroed task followed by `more` zeroed bytes; NULL: no memory. */
struct accd__task *accd__task_new(struct accd__device_env *env, enum accd__task_kind kind, size_t more);
/* Appends a task to a queue, numbers it, and indexes the memory that it uses. */
void accd__task_append(struct accd__queue *queue, struct accd__task *task);
/* Removes the task at *at from the queue, and returns it. */
struct accd__task *accd__task_remove(struct accd__queue *queue, struct accd__task **at);
/* Frees a task with its bulk or report, without calling its function. */
void accd__task_free(struct accd__device_env *env, struct accd__task *task);
/* Cancels a task that is in no list: waits for its started work, discards the results, calls its function with
 * ACCD_CALL_DISCARD, and frees it. */
void accd__task_cancel(struct accd__queue *queue, struct accd__task *task);
/* Sorts the ranges of a task, and joins ranges that overlap. Returns false without memory. */
bool accd__task_merge_ranges(accd_context *context, struct accd__task *task);
/* Returns true if a task uses a byte of a device range. */
bool accd__task_uses_range(const struct accd__task *task, uint64_t dev, uint64_t bytes);
/* Writes a clause such as "queue 1 has not done the update of f.lua:12 yet" to `to`. */
void accd__task_describe(const struct accd__queue *queue, const struct accd__task *task, char *to, size_t capacity);
/* Adds a task to the set `dependencies`: queues, each with the greatest number noted so far. */
void accd__note_dependency(struct accd__interval **dependencies, const struct accd__task *task);
/* Adds to `dependencies` the tasks that use a device range and count in the pending query (accd__begin_pending_query).
 * With `forgets`, also adds tasks that will mark a part of the range as unwritten. */
void accd__note_users(struct accd__device_env *env, uint64_t dev, uint64_t bytes, bool forgets,
                      struct accd__interval **dependencies);
/* Returns the queue with the smallest number >= `number` that has tasks; NULL: none. */
struct accd__queue *accd__next_busy_queue(const struct accd__device_env *env, uint64_t number);
/* Returns the queue after whose present tasks a range of device memory can be freed; NULL: at once. It is the queue of
 * the construct that releases memory, or one that uses the range. */
struct accd__queue *accd__last_queue_using(const struct accd__device_env *env, uint64_t dev, uint64_t bytes);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Waits for the tasks that use the same memory as `next`, which is about to move data. `queue` is the queue of `next`,
 * or NULL; `excluded` is a queue whose tasks are ignored, or NULL. Does nothing while a queue runs. Returns the first
 * error of a task. */
accd_status accd__wait_for_conflicts(const accd_context *context, const struct accd__queue *queue,
                                     const struct accd__queue *excluded, const struct accd__task *next);
/* Returns true if all started work of a queue is over, and also that of other queues for which it waits. Remembers in
 * `queue` the queue that was not finished. */
bool accd__is_queue_done(struct accd__queue *queue);

/* ------------------------------------------------------------------------------------- run.c -- */

/* Runs and removes the tasks of a queue up to a number, in order; a task of kind ACCD_TASK_WAIT first runs those of the
 * other queue. Stops at the first error, and returns it. */
accd_status accd__queue_run_until(struct accd__queue *queue, uint64_t number);
/* Runs each queue of the set *dependencies up to its task there, in the order of devices and queue numbers, and empties
 * the set. After an error no more tasks run; returns the first error. */
accd_status accd__run_noted_queues(struct accd__interval **dependencies);

#endif
