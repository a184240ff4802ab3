/* portability.h - the tool of `accdeep exec --also`: compares rule profiles. */
#ifndef RT_PORTABILITY_H
#define RT_PORTABILITY_H

#include "tool/tool.h"

/* Tool that compares rule profiles; needs rt.options.nothers > 0. */
extern const struct rt_tool rt_portability_tool;

#endif
