/* stop_the_world.h - stops the other threads of the process while memory is protected.
 *
 * A signal stops a thread at any instruction. Its handler waits, and touches no memory except that of the arena. After
 * the world is resumed, a thread waits a little longer, because the next kernel often follows at once and then need not
 * signal it again. A system call that the signal interrupted is restarted. */
#ifndef RT_STOP_THE_WORLD_H
#define RT_STOP_THE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { RT_STOPPED_THREADS_MAX = 256 };

/* A thread, while it is or may be stopped. */
struct rt_stopped_thread {
    uint32_t state;
    int thread; /* thread number; 0: the slot is free */
    uint64_t control_block;
    uint64_t call, sp;       /* address after the restarted system call, and its stack pointer; 0: none */
    uint64_t deadline, left; /* nanoseconds: end of that call's timeout; time at which the thread was last resumed */
    /* found by the last listing of threads */
    bool seen;
};

/* Threads that were stopped; lies in memory of the arena. */
struct rt_stopped_threads {
    struct rt_stopped_thread at[RT_STOPPED_THREADS_MAX];
    size_t n;                       /* used slots lie before this index */
    size_t ended;                   /* 1: the first thread of the process has ended but is still listed */
    struct timespec patience;       /* time that a thread waits after the world was resumed */
    bool refused;                   /* a thread could not be stopped: later runs do not try */
    void (*yield_to_threads)(void); /* called for the signal of a timer whose value is this structure */
};

/* Returns the number of threads of the process; 0: not known. */
size_t rt_count_threads(void);
/* True if the first thread of the process has ended and others run on. */
bool rt_has_first_thread_ended(void);

/* Stops all threads except the two with these numbers. Returns false if one cannot be stopped: then none is. */
bool rt_stop_the_world(struct rt_stopped_threads *others, int self, int second);
/* True if no thread was stopped because no other thread exists. */
bool rt_is_only_thread(const struct rt_stopped_threads *others);
/* Lets the stopped threads run on, after their patience. */
void rt_resume_the_world(struct rt_stopped_threads *others);
/* Writes the thread pointers of the stopped threads, at most RT_STOPPED_THREADS_MAX, and returns their number. */
size_t rt_get_control_blocks(const struct rt_stopped_threads *others, uint64_t *blocks);

#endif
