/* gap.c - whether the host may have changed memory between two kernels: what the watch knows about that. */
#include "abi/program/base/runtime.h"
#include "watching.h"

struct goacc_watch *goacc_watcher;

uint64_t goacc_strict_gap(void)
{
    return goacc_watch_gap(goacc_watcher);
}

bool goacc_strict_untouched(uint64_t host, uint64_t bytes, uint64_t since)
{
    return goacc_watch_untouched(goacc_watcher, host, bytes, since);
}

bool goacc_strict_peek(uint64_t host, char *to, size_t n)
{
    return goacc_watch_peek(goacc_watcher, host, to, n);
}

bool goacc_strict_differs(uint64_t host, const char *from, size_t n)
{
    return goacc_watch_differs(goacc_watcher, host, from, n);
}
