/* host_interval.c - what the page guard of the process knows of the host's accesses between two kernels. These
 * functions give snapshots.c and races.c that knowledge without the guard. */
#include "abi/program/base/runtime.h"
#include "page_guard_internal.h"

struct rt_page_guard *rt_process_guard;

uint64_t rt_get_host_interval(void)
{
    return rt_guard_get_interval(rt_process_guard);
}

bool rt_is_untouched_since(uint64_t host, uint64_t bytes, uint64_t since)
{
    return rt_guard_is_untouched(rt_process_guard, host, bytes, since);
}

bool rt_peek_protected(uint64_t host, char *to, size_t n)
{
    return rt_guard_peek(rt_process_guard, host, to, n);
}

bool rt_protected_differs(uint64_t host, const char *from, size_t n)
{
    return rt_guard_differs(rt_process_guard, host, from, n);
}
