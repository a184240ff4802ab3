/* tools.h - the tools of the runtime. */
#ifndef RT_TOOLS_H
#define RT_TOOLS_H

/* Adds the tools that the options (rt.options) ask for, and installs the handler of faults. Called once. */
void rt_add_tools(void);

#endif
