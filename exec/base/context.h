/* context.h - the runtime's context of the core: its events, regions and device addresses. */
#ifndef RT_CONTEXT_H
#define RT_CONTEXT_H

#include "runtime.h"

/* Sets the core's event callback and event mask by what uses events at present (trace, checks, tools). The lock must be
 * held. */
void rt_subscribe(void);

/* Events of the core that strict runs need. */
enum {
    RT_STRICT_EVENTS = 1 << ACCD_OP_H2D | 1 << ACCD_OP_D2H | 1 << ACCD_OP_FREE | 1 << ACCD_OP_ALLOC |
                       1 << ACCD_OP_ATTACH | 1 << ACCD_OP_DETACH
};

/* Selects the events that the core reports. `needs_names`: in a strict run, transfers and frees are reported with
 * names. */
void rt_set_event_mask(bool needs_names);

/* Returns the first device with an open region and stores the region's name; -1: no open region. The region of declared
 * variables, which is always open, does not count. */
int rt_find_open_region(const char **name_p);

/* Returns true if `address` lies within the bounds of all device addresses and belongs to a device (accd_device_at). */
static inline bool rt_is_device_address(const void *address)
{
    const uint64_t at = (uintptr_t)address;
    return at - rt.device_low < rt.device_high - rt.device_low && accd_device_at(rt.context, at) >= 0;
}

/* name of the region of declared variables, which is open as long as the context exists */
extern const char rt_declared_region_name[];

#endif
