/* tool.c - the list of tools, see tool.h. */
#include "tool.h"

#include <assert.h>

struct rt_hooks rt_hooks;
static size_t ntools;
static unsigned event_needs;

/* Adds events to those that tools need. */
void rt_need_events(unsigned events)
{
    event_needs |= events;
}

/* Adds each hook of the tool to the end of its list. */
void rt_add_tool(const struct rt_tool *tool)
{
    assert(tool->name && ntools < RT_TOOLS_MAX);
    ntools++;
    rt_need_events(tool->events);
#define ADD(hook)                      \
    if (tool->hook) {                  \
        size_t n = 0;                  \
        while (rt_hooks.hook[n])       \
            n++;                       \
        rt_hooks.hook[n] = tool->hook; \
    }
    RT_HOOKS(ADD)
#undef ADD
}

/* Returns the events that any tool needs. */
unsigned rt_get_event_needs(void)
{
    return event_needs;
}
