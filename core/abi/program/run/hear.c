/* hear.c - what the core tells of a construct goes to all who want it, and so does what the end finds. */
#include "abi/program/base/prof.h"
#include "abi/program/check/check.h"

static bool hear(const accd_event *event)
{
    if (event->op == ACCD_OP_FREE)
        goacc_freed_unmapped(event->device, event->host);
    if (goacc.options.strict) {
        goacc_races_event(event);
        goacc_stale_event(event);
        goacc_steady_event(event);
    }
    if (goacc.options.check)
        goacc_check_event(event);
    if (goacc.data_profiled)
        goacc_prof_note_event(event);
    if (goacc.options.trace >= 0)
        goacc_trace_event(event);
    return true;
}

void goacc_on_event(void *ud, const accd_event *event)
{
    (void)ud;
    GOACC_ON_OWN_STACK(hear, event); /* the thread may have a small one */
}

void goacc_tell_end(void)
{
    const char *name;
    int device = goacc_open_region(&name);
    if (device >= 0 && !goacc.killed)
        goacc_tell("note", "region-nesting", NULL, 0,
                   "the program ends inside a %s region of device %d", name, device);
    if (goacc.options.check)
        goacc_check_end();
    if (goacc.options.left)
        goacc_strict_end();
}
