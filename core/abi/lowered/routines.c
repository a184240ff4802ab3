/* routines.c - routines of OpenACC that move data, for lowered programs: each is a construct with one item. */
#include "lowered.h"

/* What the calling thread is about to do. */
static _Thread_local struct {
    accd_lowered place;
    struct plan plan;
    accd_action action;
} next;

static void *routine(void *host, unsigned long bytes, ...)
{
    return lowered_move(&next.place, &next.plan, next.action, host, bytes);
}

accd_lowered_routine *accd_lowered_at(const char *file, int line, const char *name, int kind, int action, int finalize)
{
    next.place.file = file;
    next.place.line = line;
    next.plan.name = name;
    next.plan.kind = (accd_kind)kind;
    next.plan.finalize = finalize;
    next.action = (accd_action)action;
    return routine;
}

int accd_lowered_wait(int queue, ...)
{
    (void)queue;
    return 1;
}

int accd_lowered_wait_all(void) { return 1; }
