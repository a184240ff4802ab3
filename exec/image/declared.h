/* declared.h - variables of declare directives at file scope, and the static memory of the program. Declared variables
 * are always present. Kernels use them by name, so that their bytes are swapped with the device's around each kernel.
 */
#ifndef RT_DECLARED_H
#define RT_DECLARED_H

#include "base/runtime.h"

#include <link.h>

struct rt_range;

void rt_declared_init(void);   /* maps all declared variables in a new context */
void rt_declared_rescan(void); /* finds modules loaded or unloaded since the latest scan, and maps new variables */
/* Last module (program or library) in the dynamic linker's list at the latest scan; NULL: the list is not known, so
 * each refresh scans. The linker appends new modules after this one. */
extern const struct link_map *rt_last_module;
static inline void rt_declared_refresh(void) /* rescans after libraries were loaded or unloaded */
{
    if (!rt_last_module || __atomic_load_n(&rt_last_module->l_next, __ATOMIC_RELAXED))
        rt_declared_rescan();
}
bool rt_is_declared(const void *host); /* true if a declared variable contains the address */
/* Returns true if the `bytes` bytes at `host` are only a part of a link variable (clause link), whose whole range is
 * then stored in *range. */
bool rt_is_part_of_link_variable(const void *host, uint64_t bytes, struct rt_range *range);
/* Returns the address of the declared pointer (no link variable) whose value is `host`. Otherwise returns one whose
 * value is the start of the malloc block with `host`, and which is not attached on the thread's device. NULL: neither
 * exists. `is_in_block` is always rt_is_in_block (malloc_blocks.h). */
const void *rt_find_declared_pointer(const void *host, bool (*is_in_block)(uint64_t block, uint64_t at));
bool rt_is_declared_permanent(const void *host); /* true for variables present until the end (no clause link) */
/* Range of the program's variables at file scope, set once the heap's start is known; 0 bytes: not known. */
extern uint64_t rt_statics_low, rt_statics_bytes;
void rt_find_static_range(void); /* sets this range */
/* Returns true if `host` lies in this range; false also if the range is not known. */
static inline bool rt_is_static(const void *host)
{
    return (uintptr_t)host - rt_statics_low < rt_statics_bytes;
}
/* Stores the ranges of all declared variables in `ranges`, unless it is NULL; returns their number. */
size_t rt_get_declared_ranges(struct rt_range *ranges);
/* True if the address is in read-only memory of the program or a library. */
bool rt_is_constant(const void *host);
/* True if code of the program or its libraries is at the address. */
bool rt_is_code(const void *address);
/* Swaps the host's bytes of all declared variables with those of their copies on the thread's device. The lock and the
 * exclusive lock (rt_set_exclusive) must be held. */
void rt_swap_declared_variables(const struct rt_thread *self);

#endif
