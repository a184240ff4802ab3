/* context.c - the core's events for tools, and the open regions. */
#include "context.h"

#include "lib/new_stack.h"

#include <assert.h>
#include <string.h>

/* Name of the region of declared variables, which is open as long as the context exists. */
const char rt_declared_region_name[] = "program";

/* Calls the hooks of all tools for an event. Returns true, because RT_ON_NEW_STACK needs a result. */
static bool dispatch_event(const accd_event *event)
{
    RT_CALL_HOOKS(event, event);
    return true;
}

/* Callback of the core: calls the hooks of all tools for an event. ud is not used. The lock is held. */
static void on_core_event(void *ud, const accd_event *event)
{
    (void)ud;
    RT_ON_NEW_STACK(dispatch_event, event); /* a thread's own stack may be too small for the checks */
}

/* Sets the core's event callback and event mask by what uses events at present: trace, checks, tools. Does nothing
 * without a context. */
void rt_subscribe(void)
{
    if (!rt.context)
        return;
    accd_context_set_event_handler(rt.context, rt_get_event_needs() ? on_core_event : NULL, NULL);
    rt_set_event_mask(true);
}

/* Sets the events that the core reports, and those that have names. A strict run without a trace and without tools for
 * data gets only the events that its checks need; names only if `needs_names`. All other runs get all. */
void rt_set_event_mask(bool needs_names)
{
    assert(rt.context);
    enum { NAMED = 1 << ACCD_OP_H2D | 1 << ACCD_OP_D2H | 1 << ACCD_OP_FREE };
    const bool all_events = (rt_get_event_needs() & ~(unsigned)RT_STRICT_EVENTS) != 0;
    accd_context_subscribe(rt.context, all_events ? ~0u : RT_STRICT_EVENTS, all_events ? ~0u : needs_names ? NAMED : 0);
}

/* Returns the first device with an open region other than that of declared variables, and stores the region's name; -1:
 * no such region. */
int rt_find_open_region(const char **name_p)
{
    assert(rt.context && name_p);
    accd_level level;
    for (int device = 0; device < accd_device_count(rt.context); device++)
        for (size_t i = 0; accd_level_get(rt.context, device, i, &level); i++)
            if (strcmp(level.name, rt_declared_region_name) != 0) {
                *name_p = level.name;
                return device;
            }
    return -1;
}
