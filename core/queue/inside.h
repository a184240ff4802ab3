/* inside.h - functions that only files of core/queue use. */
#ifndef ACCD_QUEUE_INSIDE_H
#define ACCD_QUEUE_INSIDE_H

#include "queue/queue.h"

/* Returns true if a task is one of the kinds that use device memory: transfers or a kernel. */
static inline bool accd__task_uses_memory(const struct accd__task *task)
{
    return task->kind == ACCD_TASK_TRANSFERS || task->kind == ACCD_TASK_KERNEL;
}

/* Returns true if a task may copy to the host: transfers, some of which do, or which are in a bulk (many rows). */
static inline bool accd__task_may_copy_to_host(const struct accd__task *task)
{
    return task->kind == ACCD_TASK_TRANSFERS && (task->fetches || task->u.batch.bulk);
}

/* ----------------------------------------------------------------------------------- tasks.c -- */

/* Returns a new task of a kind, followed by `more` bytes; all other bytes are zero. NULL: no memory. */
struct accd__task *accd__task_new(struct accd__device_env *env, enum accd__task_kind kind, size_t more);
/* Appends a task to a queue, numbers it, and indexes the memory that it uses. */
void accd__task_append(struct accd__queue *queue, struct accd__task *task);
/* Removes the task *at from its queue and from the indices, and returns the task. `at` is the link to it in the list.
 */
struct accd__task *accd__task_remove(struct accd__queue *queue, struct accd__task **at);
/* Frees a task that is in no list, with its bulk (transfers of many rows) or report. Does not call its host function.
 */
void accd__task_free(struct accd__device_env *env, struct accd__task *task);
/* Cancels a task that is in no list. If the device has started its work, waits for the work and discards the results.
 * Then calls the task's host function, if any, with ACCD_CALL_DISCARD, and frees the task. */
void accd__task_cancel(struct accd__queue *queue, struct accd__task *task);
/* Sorts the device ranges of a task by address, and joins those that overlap. Returns true, or false without memory. */
bool accd__task_merge_ranges(accd_context *context, struct accd__task *task);
/* Returns true if a task uses a byte of the device range [dev, dev + bytes). */
bool accd__task_uses_range(const struct accd__task *task, uint64_t dev, uint64_t bytes);
/* Writes a text such as "queue 1 has not done the update of f.lua:12 yet", for messages, to `to` (`capacity` bytes). */
void accd__task_describe(const struct accd__queue *queue, const struct accd__task *task, char *to, size_t capacity);
/* Adds a task to the set *dependencies of tasks that must be done first. The set is a tree of queues. Each queue has
 * the greatest number of a task added so far (dependency_number), because queues do their tasks in order. */
void accd__note_dependency(struct accd__interval **dependencies, const struct accd__task *task);
/* Adds to the set *dependencies the tasks that use the device range [dev, dev + bytes), except those that the pending
 * query ignores (accd__begin_pending_query). With `forgets`, also adds tasks that will mark a part of the range as
 * unwritten. */
void accd__note_users(struct accd__device_env *env, uint64_t dev, uint64_t bytes, bool forgets,
                      struct accd__interval **dependencies);
/* Returns the queue with the smallest number >= `number` that has tasks; NULL: none. */
struct accd__queue *accd__next_busy_queue(const struct accd__device_env *env, uint64_t number);
/* Returns the queue to which a task that frees the device range [dev, dev + bytes) is to be appended; NULL if the range
 * can be freed at once. It is the queue of the construct that releases memory, if that queue has tasks; otherwise the
 * first queue with a task that uses the range. */
struct accd__queue *accd__last_queue_using(const struct accd__device_env *env, uint64_t dev, uint64_t bytes);

/* ----------------------------------------------------------------------------------- order.c -- */

/* Waits for the tasks that use the same memory as the task `next`, which is about to start. `queue` is the queue of
 * `next`, or NULL; `excluded` is a queue whose tasks are ignored, or NULL. Does nothing while a queue runs. Returns the
 * first error of a task. */
accd_status accd__wait_for_conflicts(const accd_context *context, const struct accd__queue *queue,
                                     const struct accd__queue *excluded, const struct accd__task *next);
/* Returns true if all started work of `queue` is over, and also that of other queues for which it waits. Otherwise sets
 * queue->blocked_by to the other queue that is not finished, so that the next test is fast. */
bool accd__is_queue_done(struct accd__queue *queue);

/* ------------------------------------------------------------------------------------- run.c -- */

/* Runs and removes the tasks of a queue up to task `number`, in order. For a task of kind ACCD_TASK_WAIT, first runs
 * the tasks of the other queue for which it waits. Stops at the first error, and returns it. */
accd_status accd__queue_run_until(struct accd__queue *queue, uint64_t number);
/* Runs the tasks of each queue in the set *dependencies up to queue->dependency_number, in the order of devices and
 * queue numbers, and empties the set. After an error no more tasks run; returns the first error. */
accd_status accd__run_noted_queues(struct accd__interval **dependencies);

#endif
