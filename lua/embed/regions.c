/* regions.c - open regions, and how they go. */
#include "embed.h"

#include <lauxlib.h>

void accd_drop_ref(accd *a, int ref)
{
    luaL_unref(a->L, LUA_REGISTRYINDEX, ref);
}

void accd_pop_region(accd *a)
{
    struct open_region *region = a->regions;
    a->regions = region->outer;
    if (region->owns)
        accd_drop_ref(a, region->ref);
    accd_delete(a, region, sizeof *region);
}

void accd_drop_region(accd *a, struct open_region *region)
{
    bool last;
    do {
        struct open_region *top = a->regions;
        last = top == region;
        if (top->core)
            accd_region_abandon(top->core);
        accd_pop_region(a);
    } while (!last);
}

void accd_undo_kernel(accd *a)
{
    struct open_region *region = a->kernel;
    a->kernel = NULL;
    if (region->device >= 0)
        accd_journal_close(a->core, region->device, 0);
    accd_drop_region(a, region);
}
