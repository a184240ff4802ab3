/* declared.h - variables of declare directives at file scope. They are always present. Kernels use them by name, so
 * that host and device bytes are swapped around each kernel. */
#ifndef RT_DECLARED_H
#define RT_DECLARED_H

#include "abi/program/base/runtime.h"

struct rt_range;

extern const char rt_declared_region_name[]; /* name of their region */
void rt_declared_init(void);                 /* maps all declared variables in a new context */
void rt_declared_rescan(void); /* finds modules loaded or unloaded since the latest scan, and maps new variables */
/* Last loaded module at the latest scan, or NULL to force a scan. The dynamic linker appends new modules after it. */
extern const struct link_map *rt_last_module;
static inline void rt_declared_refresh(void) /* rescans after libraries were loaded or unloaded */
{
    if (!rt_last_module || __atomic_load_n(&rt_last_module->l_next, __ATOMIC_RELAXED))
        rt_declared_rescan();
}
bool rt_is_declared(const void *host); /* true if a declared variable contains the address */
/* Returns true if the range is a proper part of a link variable, whose whole range is stored in `range`. */
bool rt_is_part_of_link_variable(const void *host, uint64_t bytes, struct rt_range *range);
/* Returns the declared pointer whose value is `host` or the start of the malloc block with `host`; NULL: no such
 * pointer. `is_in_block` is always rt_is_in_block. */
const void *rt_find_declared_pointer(const void *host, bool (*is_in_block)(uint64_t block, uint64_t at));
bool rt_is_declared_permanent(const void *host); /* true for variables present until the end (no clause link) */
/* Range of the program's variables at file scope, set once the heap's start is known. */
extern uint64_t rt_statics_low, rt_statics_bytes;
void rt_find_static_range(void);
static inline bool rt_is_static(const void *host)
{
    return (uintptr_t)host - rt_statics_low < rt_statics_bytes;
}
/* Stores the ranges of all declared variables unless `ranges` is NULL; returns their number. */
size_t rt_get_declared_ranges(struct rt_range *ranges);
/* True if the address is in read-only memory of the program or a library. */
bool rt_is_constant(const void *host);
/* True if code of the program or its libraries is at the address. */
bool rt_is_code(const void *address);
/* Swaps the bytes of declared variables with those of the thread's device. The lock and the exclusive lock must be
 * held. */
void rt_swap_declared_variables(const struct rt_thread *self);

#endif
