/* regions.c - records of open regions. Objects may outlive the regions that name them, and regions may outlive their
 * objects. */
#include "table/inside.h"
#include "regions.h"

/* Returns a new record for a fast-path region, with space for ACCD_FAST_PATH_ITEMS requests and items; NULL: no memory.
 * The record goes to `free_list` when the region ends. */
struct accd_region *accd__region_new(struct accd__device_env *env, struct accd_region **free_list)
{
    struct accd_region *region = accd__pool_alloc(&env->levels.pool);
    if (!region)
        return NULL;
    *region = (struct accd_region){.context = env->context, .env = env, .free_list = free_list};
    region->requests = (struct accd__request *)(region + 1);
    region->items = (struct accd__item_source *)(region->requests + ACCD_FAST_PATH_ITEMS);
    for (unsigned i = 0; i < ACCD_FAST_PATH_ITEMS; i++) {
        region->requests[i] = (struct accd__request){.source = i, .counted = true};
        region->items[i] = (struct accd__item_source){.root = -1};
    }
    return region;
}

/* Removes a region, which need not be the innermost one, from the stack, and recycles or frees its record. */
void accd__region_free(struct accd_region *region)
{
    assert(region->env->levels.depth > 0);
    struct accd__device_env *env = region->env;
    struct accd_region **at = &env->levels.top;
    while (*at != region) /* `region` need not be the top: other threads may have opened regions since */
        at = &(*at)->below;
    *at = region->below;
    env->levels.depth--;
    if (region->free_list) {
        accd__region_recycle(region);
        return;
    }
    accd__walk_release(region->walk);
    accd__mem_free(&region->context->mem, region->order, 3 * region->nrequests * sizeof region->order[0]);
    accd__mem_free(&region->context->mem, region, region->bytes);
}

/* Clears the request's object if it is `object`, and its attached flag if its pointer lies in `object`. */
static void forget_object(struct accd__request *request, const struct accd__object *object)
{
    if (request->object == object)
        request->object = NULL;
    if (request->slot && request->slot - object->host < accd__object_bytes(object))
        request->attached = false; /* nothing is left to detach: the attachment ended with the object */
}

/* Sorts the numbers of a region's requests into region->order, by host address and again by slot, unless that was done
 * before. Returns true if the order exists. Returns false without memory, or for at most 8 requests, because they are
 * quicker to search without an order. */
static bool sort_requests(struct accd_region *region)
{
    enum { MAX_UNSORTED = 8 };
    const size_t n = region->nrequests;
    if (region->order || n <= MAX_UNSORTED)
        return region->order;
    region->order = accd__mem_alloc_array(&region->context->mem, 3 * n, sizeof region->order[0]);
    for (unsigned slots = 0; region->order && slots < 2; slots++) {
        struct accd__pair *order = region->order + slots * n;
        for (size_t i = 0; i < n; i++)
            order[i] = (struct accd__pair){slots ? region->requests[i].slot : region->requests[i].host, i};
        const struct accd__pair *sorted = accd__sort_pairs(order, order + n, n);
        if (sorted != order)
            memcpy(order, sorted, n * sizeof *order);
    }
    return region->order;
}

/* Clears the references to an object in the requests of all open regions. */
void accd__regions_forget_object(struct accd__device_env *env, const struct accd__object *object)
{
    for (struct accd_region *region = env->levels.top; region; region = region->below) {
        const size_t n = region->nrequests;
        const bool ordered = sort_requests(region);
        for (size_t i = 0; !ordered && i < n; i++)
            forget_object(&region->requests[i], object);
        for (unsigned slots = 0; ordered && slots < 2; slots++) {
            const struct accd__pair *order = region->order + slots * n;
            size_t i = ACCD_UPPER_BOUND(order, key, n, object->host - 1);
            for (; i < n && order[i].key < accd__object_end(object); i++)
                forget_object(&region->requests[order[i].value], object);
        }
    }
}
