/* others.h - the other threads of the process wait while memory is closed.
 *
 * A signal stops a thread wherever it is. Its handler waits, and touches no memory but that of the
 * arena. When memory is open again the thread waits a little longer, since the next kernel often
 * follows at once: then it need not be stopped once more. A system call that the signal ended is
 * made again. */
#ifndef GOACC_OTHERS_H
#define GOACC_OTHERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { GOACC_OTHERS_MOST = 256 };

struct goacc_other {
    uint32_t state;
    int thread; /* 0: free */
    uint64_t control_block;
    uint64_t call, sp;       /* where the system call stands that is made again; 0: there is none */
    uint64_t deadline, left; /* nanoseconds: when its time is over, when the thread ran on */
    bool seen;
};

/* In the arena's memory. */
struct goacc_others {
    struct goacc_other at[GOACC_OTHERS_MOST];
    size_t n;                 /* those in use lie before */
    size_t ended;             /* 1: the first thread has ended before the others, and is counted to the end */
    struct timespec patience; /* of a thread after memory was opened */
    bool refused;             /* a thread cannot be stopped: no other run tries it */
    void (*breathe)(void);    /* called for the signal of a timer whose value is this structure */
};

size_t goacc_count_threads(void);
/* Whether the first thread of the process has ended and others run on. */
bool goacc_first_thread_ended(void);

/* Stops all threads but the ones with these two numbers. False: some run on; none waits. */
bool goacc_others_stop(struct goacc_others *others, int self, int second);
/* Whether no thread was stopped, because there is none. */
bool goacc_others_none(const struct goacc_others *others);
/* They may run on. */
void goacc_others_release(struct goacc_others *others);
/* Writes their control blocks, at most GOACC_OTHERS_MOST. */
size_t goacc_others_blocks(const struct goacc_others *others, uint64_t *blocks);

#endif
