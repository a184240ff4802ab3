/* event_dispatch.h - hands events of the core (transfers, allocations, ...) to checks, tools and the trace. */
#ifndef RT_EVENT_DISPATCH_H
#define RT_EVENT_DISPATCH_H

/* Hands an event of the core to all its users; ud is not used. The lock must be held. */
void rt_on_core_event(void *ud, const accd_event *event);
/* Reports a data region that is still open at the program's end, and runs the final checks. The lock must be held. */
void rt_report_end(void);

#endif
