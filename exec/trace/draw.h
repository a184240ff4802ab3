/* draw.h - pictures of host and devices (`exec --draw`), made by draw.c. */
#ifndef RT_DRAW_H
#define RT_DRAW_H

#include "tool/tool.h"

/* Draws the state after the call with the most objects, or at the first finding; writes the picture at the end. */
extern const struct rt_tool rt_draw_tool;

#endif
