/* padding.c - padding of present objects. A cache holds the results for the bytes of one array element of the
 * last object asked about, so that debug information is searched once for each of them. Used by snapshots.c,
 * whose reports ignore padding. */
#include "diag/symbolize.h"
#include "padding.h"

#include <assert.h>
#include <string.h>

/* Returns true if the byte at offset `at` of an object of `bytes` bytes is padding, by the cache or by debug
 * information. Offsets in an element from MOST on are not cached. */
bool rt_is_cached_padding(uint64_t host, uint64_t bytes, uint64_t at)
{
    assert(bytes && at < bytes);
    enum { MOST = 4096 };
    static struct {
        uint64_t host, bytes, unit;
        uintptr_t pc;
        /* 1: the byte of an element is padding; 0: it is data; -1: not known yet. */
        signed char is_padding[MOST];
    } cache;
    struct accd__debug_name name;
    const uintptr_t pc = rt.site ? rt.site->call.pc : 0;
    if (cache.host != host || cache.bytes != bytes || cache.pc != pc) {
        const bool has_unit = rt_find_name(rt.site, host, bytes, &name) && name.unit;
        cache.host = host;
        cache.bytes = bytes;
        cache.pc = pc;
        cache.unit = has_unit ? name.unit : bytes;
        memset(cache.is_padding, -1, sizeof cache.is_padding);
    }
    const uint64_t k = at % cache.unit;
    if (k >= MOST)
        return rt_is_padding(rt.site, host, bytes, at);
    if (cache.is_padding[k] < 0)
        cache.is_padding[k] = rt_is_padding(rt.site, host, bytes, at);
    return cache.is_padding[k];
}
