/* objects.c - what the present table of one device is made of: objects, where they come from, device blocks that
 * several of them share. Room is reserved before a construct changes anything. */
#include "table/inside.h"

/* Decides DIR-1-04. */
struct accd_directory *accd_no_directory(accd_context *context, int device)
{
    if (context)
        accd_fail(context, ACCD_NO_DEVICE, R_DEVICE, "there is no device %d; devices are 0 to %d",
                  device, context->ndirs - 1);
    return NULL;
}

accd_status accd_directory_reserve(struct accd_directory *dir, size_t objects, size_t origins,
                                   size_t attachments, size_t blocks)
{
    struct accd_mem *mem = &dir->context->mem;
    bool ok = true;
    if (objects)
        ok = accd_pool_reserve(&dir->present.object_pool, objects) &&
             accd_range_reserve(&dir->present.objects, objects) &&
             (!dir->present.device_order || accd_range_reserve(&dir->present.by_device, objects));
    if (origins) {
        size_t most = dir->present.norigins + origins + 1;
        ok = ok && ACCD_GROW(mem, dir->present.origins, dir->present.origins_room, most);
    }
    if (attachments)
        ok = ok && accd_pool_reserve(&dir->attached.pool, attachments) &&
             accd_range_reserve(&dir->attached.slots, attachments);
    if (blocks)
        ok = ok && accd_pool_reserve(&dir->present.block_pool, blocks) &&
             accd_range_reserve(&dir->present.blocks, blocks) &&
             accd_range_reserve(&dir->present.frames, blocks);
    if (!ok)
        return accd_out_of_memory(dir->context, "for the present table");
    dir->promised = (struct accd_promise){objects, attachments};
    return ACCD_OK;
}

void accd_insert_object(struct accd_directory *dir, struct accd_object *object)
{
    accd_range_insert(&dir->present.objects, object->host, object);
    if (dir->present.device_order)
        accd_range_insert(&dir->present.by_device, object->dev, object);
    dir->present.live++;
}

void accd_insert_objects(struct accd_directory *dir, const struct accd_pair *objects, size_t n)
{
    accd_range_insert_run(&dir->present.objects, objects, n);
    for (size_t i = 0; dir->present.device_order && i < n; i++) {
        struct accd_object *object = (void *)(uintptr_t)objects[i].value;
        accd_range_insert(&dir->present.by_device, object->dev, object);
    }
    dir->present.live += n;
}

uint32_t accd_new_origin(struct accd_directory *dir, const struct accd_origin *origin)
{
    uint32_t number = dir->present.free_origin;
    if (number)
        dir->present.free_origin = dir->present.origins[number].next;
    else
        number = (uint32_t)(dir->present.norigins ? dir->present.norigins : 1); /* number 0 means none */
    if (number >= dir->present.norigins)
        dir->present.norigins = number + 1;
    dir->present.origins[number] = *origin;
    return number;
}

/* ---------------------------------------------------------------------------- device memory -- */

struct accd_block *accd_insert_block(struct accd_directory *dir, const struct accd_block *block)
{
    struct accd_block *copy = accd_pool_take(&dir->present.block_pool);
    *copy = *block;
    accd_range_insert(&dir->present.blocks, copy->dev, copy);
    if (copy->frame)
        accd_range_insert(&dir->present.frames, copy->frame, copy);
    return copy;
}

struct accd_block *accd_block_of(struct accd_directory *dir, const struct accd_object *object)
{
    return accd_range_floor_near(&dir->present.blocks, object->dev);
}
