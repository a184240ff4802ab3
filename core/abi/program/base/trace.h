/* trace.h - lines of the trace with fields about the program. */
#ifndef RT_TRACE_H
#define RT_TRACE_H

/* writes an event with fields about its object or pointer as a line of the trace */
void rt_trace_event(const accd_event *event);

#endif
