/* trace.h - lines of the trace with fields about the program. */
#ifndef RT_TRACE_H
#define RT_TRACE_H

/* Writes `event` as a line of the trace, with fields about its object or pointer. The lock must be held. */
void rt_trace_event(const accd_event *event);

#endif
