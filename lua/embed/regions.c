/* regions.c - the stack of open regions of a session, and how regions are removed from it. */
#include "embed.h"

#include <lauxlib.h>

#include <assert.h>

/* Releases the registry reference `ref` of the session's Lua state. */
void accd__unref(accd_session *a, int ref)
{
    luaL_unref(a->L, LUA_REGISTRYINDEX, ref);
}

/* Removes the innermost region, which the core has ended, from the stack of open regions, and frees the region's
 * record. */
void accd__pop_region(accd_session *a)
{
    assert(a->regions);
    struct accd__session_region *region = a->regions;
    a->regions = region->outer;
    if (region->owns)
        accd__unref(a, region->ref);
    accd__session_free_block(a, region, sizeof *region);
}

/* Abandons the regions from the innermost one to `region`, without copies to the host, and removes them from the stack.
 */
void accd__drop_regions(accd_session *a, struct accd__session_region *region)
{
    assert(region);
    bool last;
    do {
        assert(a->regions);
        struct accd__session_region *top = a->regions;
        last = top == region;
        if (top->core)
            accd_region_abandon(top->core);
        accd__pop_region(a);
    } while (!last);
}

/* Undoes the writes of the kernel in progress, and abandons its region with all regions inside. */
void accd__undo_kernel(accd_session *a)
{
    assert(a->kernel);
    struct accd__session_region *region = a->kernel;
    a->kernel = NULL;
    if (region->device >= 0)
        accd_journal_end(a->core, region->device, 0);
    accd__drop_regions(a, region);
}
