/* spans.h - begins spans of calls, and reports waits and starts of devices, for tools and the trace. A span is one
 * activity of a call, with a first and a last event (prof.h). */
#ifndef RT_SPANS_H
#define RT_SPANS_H

#include "trace/prof.h"

/* Reports that the call at `site` names the queue `queue`, which is no async value, and ends the program. */
_Noreturn void rt_reject_queue(const struct rt_site *site, int queue);
/* Ends the program with a report if `queue` is no async value. */
static inline void rt_check_queue(const struct rt_site *site, int queue)
{
    if (__builtin_expect(!accd__is_async_value(queue), 0))
        rt_reject_queue(site, queue);
}

/* Begins a span of a call, after the start of the device if the device is not yet active; called only if
 * rt_is_profiled. `type`: device type; RT_DEVICE_CURRENT: the thread's. The lock must not be held. */
RT_COLD
void rt_prof_begin_span(struct rt_prof_span *span, const struct rt_site *site, int event, int parent, int queue,
                        int type);
/* Begins a span of the call at `site` if tools get events, by rt_prof_begin_span; otherwise only marks the span as not
 * reported. Ends the program if `queue` is no async value. event: start event (RT_EV_x); parent: construct
 * (RT_PARENT_x); queue, type: queue and device type. */
static inline void rt_span_begin(struct rt_prof_span *span, const struct rt_site *site, int event, int parent,
                                 int queue, int type)
{
    span->site = NULL;
    rt_check_queue(site, queue);
    if (rt_is_profiled())
        rt_prof_begin_span(span, site, event, parent, queue, type);
}
/* Reports the start of the thread's device if the device is not yet active. `requested_type`: type that the program
 * named; `implicit`: no directive or routine requested the start. The lock must not be held. */
RT_COLD
void rt_prof_start_device(const struct rt_site *site, int parent, int requested_type, bool implicit);

/* Records in the trace and the race check, if there are any, that queue `async` (RT_ASYNC_SYNC: the host) waits for
 * `queue` (RT_ASYNC_NOVAL: for all queues of the device). */
RT_COLD void rt_observe_wait(const struct rt_site *site, int async, int queue);

/* Reports to tools, the trace and the race check that the host waits for `queue` (RT_ASYNC_NOVAL: for all queues).
 * Nothing blocks, because queues are always complete. */
static inline void rt_host_wait(const struct rt_site *site, int parent, int queue)
{
    struct rt_prof_span span;
    rt_span_begin(&span, site, RT_EV_WAIT, parent, queue, RT_DEVICE_CURRENT);
    rt_span_end(&span);
    rt_observe_wait(site, RT_ASYNC_SYNC, queue);
}

#endif
