/* trace.h - lines of the trace with fields about the program. */
#ifndef RT_TRACE_H
#define RT_TRACE_H

void rt_trace_event(const accd_event *event); /* adds the fields about the object or pointer */

#endif
