/* event_dispatch.h - hands events of the core to their users. */
#ifndef RT_EVENT_DISPATCH_H
#define RT_EVENT_DISPATCH_H

/* Hands an event of the core to all users of events. The lock is held. */
void rt_on_core_event(void *ud, const accd_event *event);
void rt_report_end(void); /* reports an open region and runs the final checks; the lock must be held */

#endif
