/* stop_the_world.h - stops the other threads of the process while memory is protected.
 *
 * A signal stops a thread at any instruction. The handler of the signal waits, and touches only memory of the arena.
 * After the world is resumed, a thread waits a little longer, because the next kernel often follows at once and then
 * need not signal the thread again. A system call that the signal interrupted is restarted. */
#ifndef RT_STOP_THE_WORLD_H
#define RT_STOP_THE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { RT_STOPPED_THREADS_MAX = 256 };

/* Slot of a thread, while the thread is or may be stopped. */
struct rt_stopped_thread {
    uint32_t state;         /* state of the thread, see stop_the_world.c */
    int thread;             /* thread number; 0: the slot is free */
    uint64_t control_block; /* thread pointer of the thread */
    uint64_t call, sp;      /* address after the system call that is restarted, and the stack pointer there; call 0: no
                             * system call is restarted */
    uint64_t deadline, resume_time; /* nanoseconds: end of the timeout of that call; time of the last resumption */
    /* true if the last listing of threads has found the thread */
    bool is_listed;
};

/* Threads that were stopped; lies in memory of the arena. */
struct rt_stopped_threads {
    struct rt_stopped_thread at[RT_STOPPED_THREADS_MAX];
    size_t n;                 /* used slots lie before this index */
    size_t ended;             /* 1: the first thread of the process has ended but is still listed */
    struct timespec patience; /* time that a thread waits after the world was resumed */
    bool is_refused;          /* a thread could not be stopped: later runs do not try */
    /* called in the handler if the stop signal comes from a timer whose value points to this structure */
    void (*yield_to_threads)(void);
};

/* Returns the number of threads of the process; 0: not known. */
size_t rt_count_threads(void);
/* Returns true if the first thread of the process has ended while other threads run on. */
bool rt_has_first_thread_ended(void);

/* Stops all threads of the process except those with the numbers `self` and `second`. Returns false if a thread cannot
 * be stopped; then no thread stays stopped. */
bool rt_stop_the_world(struct rt_stopped_threads *threads, int self, int second);
/* Returns true if the last rt_stop_the_world has found no other thread to stop. */
bool rt_is_only_thread(const struct rt_stopped_threads *threads);
/* Lets the stopped threads run on, after their patience. */
void rt_resume_the_world(struct rt_stopped_threads *threads);
/* Writes the thread pointers of the stopped threads, at most RT_STOPPED_THREADS_MAX, to `blocks`, and returns how many.
 */
size_t rt_get_control_blocks(const struct rt_stopped_threads *threads, uint64_t *blocks);

#endif
