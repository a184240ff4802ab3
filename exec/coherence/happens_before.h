/* happens_before.h - the happens-before order of asynchronous work.
 *
 * Asynchronous work is executed at once, in program order. The checks assume only the order that waits and
 * depend clauses ask for. The host, each queue and each chain of tasks is a stream, an ordered line of
 * operations. The operations of a stream are numbered from 1; a stream and a number are an epoch. All
 * functions need the lock. */
#ifndef RT_HAPPENS_BEFORE_H
#define RT_HAPPENS_BEFORE_H

#include "base/runtime.h"

/* Origin of an access: epoch, return address of the construct or call, and its name ("compute", "acc_copyin"). */
struct rt_access_origin {
    struct rt_epoch epoch;
    uintptr_t pc;
    const char *construct_name;
};
/* Writes an origin to `to` as words, for example "the compute region of a.c:5 in queue 1" or "acc_copyin of a.c:7". */
void rt_format_origin(const struct rt_access_origin *work, char *to, size_t capacity);

/* Returns true if all operations of a stream up to the epoch `earlier` happen before the next operation of the stream
 * of `later`. */
bool rt_happens_before(struct rt_epoch earlier, struct rt_epoch later);
/* Returns true if the host has waited for the operation of an epoch. */
bool rt_is_host_synced(struct rt_epoch epoch);
/* Returns true if the host has waited for all asynchronous work. */
bool rt_is_quiescent(void);
/* Writes the stream of an epoch to `to`: " in queue 1", ", a nowait task,", or "" for the host. */
void rt_format_stream(struct rt_epoch epoch, char *to, size_t capacity);
/* Writes what a wait for an epoch waits for to `to`: "queue 1", "the default queue", "a nowait task". */
void rt_format_waited_stream(struct rt_epoch epoch, char *to, size_t capacity);
/* Writes help text to `to`: which wait or clause orders an access after the work of `earlier`. */
void rt_format_wait_help(struct rt_epoch earlier, char *to, size_t capacity);

/* Starts an operation of a queue for the thread; RT_ASYNC_SYNC: of the host. */
void rt_clock_begin_operation(struct rt_thread *self, int queue);
/* Makes queue `async` (RT_ASYNC_SYNC: the host) wait for `queue` (RT_ASYNC_NOVAL: all queues of the device). */
void rt_clock_wait(int device, int async, int queue);
/* Starts an operation of `queue` if the run checks the order of asynchronous work (rt.options.diagnose). */
/* Starts a task after the tasks that its depend clauses name; NULL: no clauses. Returns the task's epoch. */
struct rt_epoch rt_clock_begin_task(void **depend);
void rt_clock_wait_depend(void **depend); /* makes the host wait for the tasks of depend clauses */
void rt_clock_wait_tasks(void);           /* makes the host wait for all tasks */

#endif
