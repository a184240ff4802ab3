/* regions.h - records of open regions. */
#ifndef ACCD_TABLE_REGIONS_H
#define ACCD_TABLE_REGIONS_H

#include "table.h"

/* Returns a new record for a fast-path region, initialised except for the data of its construct; NULL: no memory. The
 * record goes to `free_list` when the region ends. */
struct accd_region *accd__region_new(struct accd__device_env *env, struct accd_region **free_list);
/* Returns the list of free region records for constructs whose first item is `item`. */
static inline struct accd_region **accd__region_free_list(struct accd__device_env *env, const accd_item *item)
{
    const uint64_t key = (accd__address(item->host) + accd__address(item->label)) * 0x9E3779B97F4A7C15u;
    return &env->levels.spare[key / (UINT64_MAX / ACCD_REGION_FREE_LISTS + 1)];
}
/* Takes the record that was recycled last from the list, or makes a new one; NULL: no memory. The requests of a
 * recycled record still hold the results of its earlier construct. */
static inline struct accd_region *accd__region_alloc(struct accd__device_env *env, struct accd_region **free_list)
{
    struct accd_region *region = *free_list;
    if (!region)
        return accd__region_new(env, free_list);
    *free_list = region->below;
    return region;
}
/* Returns the record of an ended fast-path region to its list. */
static inline void accd__region_recycle(struct accd_region *region)
{
    region->abandoned = false;
    region->below = *region->free_list;
    *region->free_list = region;
}
/* Removes a region from the stack, and frees its record, walk and order; a fast-path record returns to its list. */
void accd__region_free(struct accd_region *region);
/* Prepares open regions for the removal of an object. Requests for this object get object = NULL; requests whose
 * pointer lies in the object get attached = false. */
void accd__regions_forget_object(struct accd__device_env *env, const struct accd__object *object);

#endif
