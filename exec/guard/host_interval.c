/* host_interval.c - passes queries about the host's accesses between two kernels to the page guard of the process, so
 * that snapshots.c and races.c need not know the guard. A host interval is the time between two kernels. */
#include "base/runtime.h"
#include "host_interval.h"
#include "page_guard_internal.h"

struct rt_page_guard *rt_process_guard; /* NULL: no guard was made */

/* Returns the number of the current host interval; 0 without a guard. */
uint64_t rt_get_host_interval(void)
{
    return rt_guard_get_interval(rt_process_guard);
}

/* Returns true if the host cannot have written the range after host interval `interval`; false if it may,
 * without a guard, or if the range is not protected. */
bool rt_is_untouched_since(uint64_t host, uint64_t bytes, uint64_t interval)
{
    return rt_guard_is_untouched(rt_process_guard, host, bytes, interval);
}

/* Copies n bytes of host memory, protected or not, to `to`; returns false if they cannot be read. */
bool rt_peek_protected(uint64_t host, char *to, size_t n)
{
    return rt_guard_peek(rt_process_guard, host, to, n);
}

/* Returns true if n bytes of host memory, protected or not, can be read and differ from those at `from`. */
bool rt_protected_differs(uint64_t host, const char *from, size_t n)
{
    return rt_guard_differs(rt_process_guard, host, from, n);
}
