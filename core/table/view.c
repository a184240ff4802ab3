/* view.c - what is where on a device: ranges of pointers that are attached, addresses that are stale. */
#include "table/inside.h"
#include "table/name.h"
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

accd_status accd_not_allocated(const struct accd_directory *dir)
{
    return accd_fail(dir->context, ACCD_OUT_OF_BOUNDS, R_BOUNDS, "the range is not in allocated memory of device %d",
                     dir->device.number);
}

/* Decides DIR-4.1-05. */
accd_status accd_check_stale(struct accd_directory *dir, uint64_t dev)
{
    struct accd_object *object = NULL;
    const struct accd_block *block = accd_range_floor(&dir->present.blocks, dev);
    if (!block || !block->former || dev - block->dev >= block->bytes ||
        dir->context->rules.stale == ACCD_IGNORE)
        return ACCD_OK;
    ACCD_TRY(accd_find_device(dir, dev, &object));
    if (object)
        return ACCD_OK;
    accd_status status =
        accd_fail(dir->context, ACCD_OUT_OF_BOUNDS, R_STALE,
                  "the address is stale: the data moved on device %d when they were fused",
                  dir->device.number);
    if (block->host)
        object = accd_object_at(dir, block->host + (dev - block->dev), false);
    if (object)
        accd_describe_object(dir, object, &dir->context->error.other);
    return status;
}
