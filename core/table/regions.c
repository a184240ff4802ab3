/* regions.c - levels of data environments that are open: records of their own, which objects outlive and levels
 * outlive objects. */
#include "table/inside.h"

struct accd_region *accd_region_make(struct accd_directory *dir, struct accd_region **home)
{
    struct accd_region *region = accd_pool_take(&dir->levels.pool);
    if (!region)
        return NULL;
    *region = (struct accd_region){.context = dir->context, .dir = dir, .home = home};
    region->claims = (struct accd_claim *)(region + 1);
    region->items = (struct accd_source *)(region->claims + ACCD_SHORT_ITEMS);
    for (unsigned i = 0; i < ACCD_SHORT_ITEMS; i++) {
        region->claims[i] = (struct accd_claim){.source = i, .counted = true};
        region->items[i] = (struct accd_source){.root = -1};
    }
    return region;
}

void accd_region_free(struct accd_region *region)
{
    struct accd_directory *dir = region->dir;
    struct accd_region **at = &dir->levels.top;
    while (*at != region) /* above it may be regions of other threads */
        at = &(*at)->below;
    *at = region->below;
    dir->levels.depth--;
    if (region->home) {
        accd_region_give(region);
        return;
    }
    accd_walk_release(region->walk);
    accd_mem_free(&region->context->mem, region->order, 3 * region->nclaims * sizeof region->order[0]);
    accd_mem_free(&region->context->mem, region, region->bytes);
}

static void forget(struct accd_claim *claim, const struct accd_object *object)
{
    if (claim->object == object)
        claim->object = NULL;
    if (claim->slot && claim->slot - object->host < accd_object_bytes(object))
        claim->attached = false; /* its attachment ended with the object */
}

/* Makes the two orders of a region of many claims. False: there are few, or there is no memory. */
static bool make_order(struct accd_region *region)
{
    enum { FEW = 8 };
    const size_t n = region->nclaims;
    if (region->order || n <= FEW)
        return region->order;
    region->order = accd_mem_array(&region->context->mem, 3 * n, sizeof region->order[0]);
    for (unsigned slots = 0; region->order && slots < 2; slots++) {
        struct accd_pair *order = region->order + slots * n;
        for (size_t i = 0; i < n; i++)
            order[i] = (struct accd_pair){slots ? region->claims[i].slot : region->claims[i].host, i};
        const struct accd_pair *sorted = accd_sort_pairs(order, order + n, n);
        if (sorted != order)
            memcpy(order, sorted, n * sizeof *order);
    }
    return region->order;
}

void accd_regions_forget(struct accd_directory *dir, const struct accd_object *object)
{
    for (struct accd_region *region = dir->levels.top; region; region = region->below) {
        const size_t n = region->nclaims;
        const bool ordered = make_order(region);
        for (size_t i = 0; !ordered && i < n; i++)
            forget(&region->claims[i], object);
        for (unsigned slots = 0; ordered && slots < 2; slots++) {
            const struct accd_pair *order = region->order + slots * n;
            size_t i = ACCD_FIRST_ABOVE(order, key, n, object->host - 1);
            for (; i < n && order[i].key < accd_object_end(object); i++)
                forget(&region->claims[order[i].value], object);
        }
    }
}
