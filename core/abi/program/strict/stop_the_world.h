/* stop_the_world.h - the other threads of the process wait while memory is closed.
 *
 * A signal stops a thread wherever it is. Its handler waits, and touches no memory but that of the
 * arena. When memory is open again the thread waits a little longer, since the next kernel often
 * follows at once: then it need not be stopped once more. A system call that the signal ended is
 * made again. */
#ifndef RT_STOP_THE_WORLD_H
#define RT_STOP_THE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { RT_STOPPED_THREADS_MAX = 256 };

struct rt_stopped_thread {
    uint32_t state;
    int thread; /* 0: free */
    uint64_t control_block;
    uint64_t call, sp;       /* where the system call stands that is made again; 0: there is none */
    uint64_t deadline, left; /* nanoseconds: when its time is over, when the thread ran on */
    bool seen;
};

/* In the arena's memory. */
struct rt_stopped_threads {
    struct rt_stopped_thread at[RT_STOPPED_THREADS_MAX];
    size_t n;                       /* those in use lie before */
    size_t ended;                   /* 1: the first thread has ended before the others, and is counted to the end */
    struct timespec patience;       /* of a thread after memory was opened */
    bool refused;                   /* a thread cannot be stopped: no other run tries it */
    void (*yield_to_threads)(void); /* called for the signal of a timer whose value is this structure */
};

size_t rt_count_threads(void);
/* Whether the first thread of the process has ended and others run on. */
bool rt_has_first_thread_ended(void);

/* Stops all threads but the ones with these two numbers. False: some run on; none waits. */
bool rt_stop_the_world(struct rt_stopped_threads *others, int self, int second);
/* Whether no thread was stopped, because there is none. */
bool rt_is_only_thread(const struct rt_stopped_threads *others);
/* They may run on. */
void rt_resume_the_world(struct rt_stopped_threads *others);
/* Writes their control blocks, at most RT_STOPPED_THREADS_MAX. */
size_t rt_get_control_blocks(const struct rt_stopped_threads *others, uint64_t *blocks);

#endif
