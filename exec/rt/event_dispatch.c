/* event_dispatch.c - hands each event of the core to the checks, tools and the trace, and runs the final checks of
 * the program's end. The core calls rt_on_core_event with the lock held; lifecycle.c calls rt_report_end. */
#include "coherence/check.h"
#include "coherence/interposed_free.h"
#include "coherence/races.h"
#include "coherence/snapshots.h"
#include "diag/diagnostics.h"
#include "feed_pages/sampling.h"
#include "feed_pages/strict.h"
#include "trace/prof.h"
#include "trace/trace.h"
#include "event_dispatch.h"

#include <assert.h>

/* Hands an event of the core to all its users: to snapshots before sampling, and to the trace last. Returns true,
 * because the macro RT_ON_NEW_STACK needs a function with a result. */
static bool dispatch_event(const accd_event *event)
{
    if (event->op == ACCD_OP_FREE)
        rt_forget_freed_data(event->device, event->host);
    if (rt.options.strict) {
        rt_races_event(event);
        rt_snapshot_event(event);
        rt_sampling_event(event);
    }
    if (rt.options.instrumented)
        rt_check_event(event);
    if (rt.data_profiled)
        rt_prof_record_core_event(event);
    if (rt.options.trace >= 0)
        rt_trace_event(event);
    return true;
}

/* Callback of the core: hands the event to all its users. ud is not used. */
void rt_on_core_event(void *ud, const accd_event *event)
{
    (void)ud;
    RT_ON_NEW_STACK(dispatch_event, event); /* a thread's own stack may be too small for the checks */
}

/* Reports a data region that is still open at the program's end, unless a signal ends the program, and runs the final
 * checks. */
void rt_report_end(void)
{
    assert(rt.context);
    const char *name;
    int device = rt_find_open_region(&name);
    if (device >= 0 && !rt.is_killed)
        rt_report("note", "region-nesting", NULL, 0, "the program ends inside a %s region of device %d", name, device);
    if (rt.options.instrumented)
        rt_check_finish();
    if (rt.options.diagnose)
        rt_strict_finish();
}
