/* regions.c - levels of data environments that are open: records of their own, which objects outlive and levels
 * outlive objects. */
#include "table/inside.h"

void accd_region_free(struct accd_region *region)
{
    struct accd_directory *dir = region->dir;
    struct accd_region **at = &dir->top;
    while (*at != region) /* above it may be regions of other threads */
        at = &(*at)->below;
    *at = region->below;
    dir->depth--;
    accd_walk_release(region->walk);
    if (region->bytes)
        accd_mem_free(&region->context->mem, region, region->bytes);
    else
        accd_pool_give(&dir->region_pool, region);
}

void accd_regions_forget(struct accd_directory *dir, const struct accd_object *object)
{
    for (struct accd_region *region = dir->top; region; region = region->below)
        for (size_t i = 0; i < region->nclaims; i++) {
            struct accd_claim *claim = &region->claims[i];
            if (claim->object == object)
                claim->object = NULL;
            if (claim->slot && claim->slot - object->host < accd_object_bytes(object))
                claim->attached = false; /* its attachment ended with the object */
        }
}
