/* routines.c - routines of OpenACC that move data, for lowered programs: each is a construct with one item. */
#include "lowered.h"

#include <assert.h>

/* Routine that the calling thread looked up last, and will call now. */
static _Thread_local struct {
    accd_lowered place;
    const char *name;
} next;

/* Executes the routine that the thread has looked up last, at once; ignores further arguments (a queue). Returns the
 * device address of data that acc_copyin or acc_create has mapped; otherwise NULL. Ends the process on failure. */
static void *run_routine(void *host, unsigned long bytes, ...)
{
    assert(next.name);
    return accd__lowered_call_routine(&next.place, next.name, host, bytes);
}

/* Stores the routine for the next call of the thread, and returns the function to call. */
accd_lowered_routine *accd_lowered_find_routine(const char *file, int line, const char *name)
{
    next.place.file = file;
    next.place.line = line;
    next.name = name;
    return run_routine;
}

/* Returns 1 at once: work of queues is already done. */
int accd_lowered_wait(int queue, ...)
{
    (void)queue;
    return 1;
}

/* Returns 1 at once: work of queues is already done. */
int accd_lowered_wait_all(void)
{
    return 1;
}
