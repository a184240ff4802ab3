/* view.c - device ranges of objects, and of what pointers are attached to. */
#include "table/inside.h"
#include "table/tuples.h"

int accd_bounds_of(struct accd_directory *dir, const struct accd_object *object,
                   uint64_t *low_p, uint64_t *high_p)
{
    if (!object)
        return 0;
    const struct accd_fused *fused =
        dir->tuples.fused.count ? accd_fused_at(dir, object->host) : NULL;
    *low_p = fused ? accd_fused_dev(fused) : object->dev;
    *high_p = *low_p + (fused ? fused->end - fused->host : accd_object_bytes(object));
    return 1;
}

int accd_attached_range(accd_context *context, int device, const void *slot, uint64_t dev,
                        uint64_t *low_p, uint64_t *high_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_attach *attach = NULL;
    if (!dir || !low_p || !high_p || accd_find_attach(dir, accd_address(slot), &attach) != ACCD_OK || !attach ||
        attach->dev != dev)
        return 0;
    if (!attach->base) {
        *low_p = *high_p = dev;
        return 1;
    }
    return accd_bounds_of(dir, accd_object_at(dir, attach->base, false), low_p, high_p);
}
