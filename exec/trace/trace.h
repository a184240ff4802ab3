/* trace.h - lines of the trace with fields about the program. */
#ifndef RT_TRACE_H
#define RT_TRACE_H

#include "tool/tool.h"

extern const struct rt_tool rt_trace_tool; /* writes each event of the core and each wait as a line of the trace */

#endif
