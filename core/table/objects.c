/* objects.c - inserts objects, name origins and blocks into the present table of a device. Records are reserved before
 * a construct changes anything, so that insertions cannot fail. */
#include "table/inside.h"
#include "objects.h"

/* Records in `context`, unless that is NULL, the error that device number `device` does not exist. Always returns NULL.
 * Decides DIR-1-04. */
struct accd__device_env *accd__report_no_device(accd_context *context, int device)
{
    if (context)
        accd__set_error(context, ACCD_ERROR_NO_DEVICE, R_DEVICE, "there is no device %d; devices are 0 to %d", device,
                        context->nenvs - 1);
    return NULL;
}

/* Reserves records and index entries for the given numbers of insertions. Fails without memory. */
accd_status accd__reserve_records(struct accd__device_env *env, size_t objects, size_t origins, size_t attachments,
                                  size_t blocks)
{
    struct accd__mem *mem = &env->context->mem;
    bool ok = true;
    if (objects)
        ok = accd__pool_reserve(&env->present.object_pool, objects) &&
             accd__btree_reserve(&env->present.objects, objects) &&
             (!env->present.device_order || accd__btree_reserve(&env->present.by_device, objects));
    if (origins) {
        size_t most = env->present.norigins + origins + 1;
        ok = ok && ACCD_GROW(mem, env->present.origins, env->present.origins_capacity, most);
    }
    if (attachments)
        ok = ok && accd__pool_reserve(&env->attached.pool, attachments) &&
             accd__btree_reserve(&env->attached.slots, attachments);
    if (blocks)
        ok = ok && accd__pool_reserve(&env->present.block_pool, blocks) &&
             accd__btree_reserve(&env->present.blocks, blocks) && accd__btree_reserve(&env->present.frames, blocks);
    if (!ok)
        return accd__report_out_of_memory(env->context, "for the present table");
    env->reserved = (struct accd__reservation){objects, attachments};
    return ACCD_OK;
}

/* Inserts an object into the index by host address, and into that by device address if it exists. */
void accd__insert_object(struct accd__device_env *env, struct accd__object *object)
{
    accd__btree_insert(&env->present.objects, object->host, object);
    if (env->present.device_order)
        accd__btree_insert(&env->present.by_device, object->dev, object);
    env->present.live++;
}

/* Inserts `n` objects into the index by host address in one pass, then into that by device address. */
void accd__insert_objects(struct accd__device_env *env, const struct accd__pair *objects, size_t n)
{
    assert(n <= ACCD_FAST_PATH_ITEMS);
    accd__btree_insert_sorted(&env->present.objects, objects, n);
    for (size_t i = 0; env->present.device_order && i < n; i++) {
        struct accd__object *object = (void *)(uintptr_t)objects[i].value;
        accd__btree_insert(&env->present.by_device, object->dev, object);
    }
    env->present.live += n;
}

/* Copies `origin` (source of an object's name) into a free record of the reserved array, and returns the number of that
 * record. */
uint32_t accd__new_name_origin(struct accd__device_env *env, const struct accd__name_origin *origin)
{
    uint32_t number = env->present.free_origin;
    assert(number < env->present.norigins || !number);
    if (number)
        env->present.free_origin = env->present.origins[number].next;
    else
        number = (uint32_t)(env->present.norigins ? env->present.norigins
                                                  : 1); /* number 0 is never given, because it means none */
    if (number >= env->present.norigins)
        env->present.norigins = number + 1;
    env->present.origins[number] = *origin;
    return number;
}

/* ---------------------------------------------------------------------------- device memory -- */

/* Returns a copy of `block` in a reserved record, inserted into the indices by device address and by frame. */
struct accd__block *accd__insert_block(struct accd__device_env *env, const struct accd__block *block)
{
    struct accd__block *copy = accd__pool_alloc(&env->present.block_pool);
    assert(copy);
    *copy = *block;
    accd__btree_insert(&env->present.blocks, copy->dev, copy);
    if (copy->frame)
        accd__btree_insert(&env->present.frames, copy->frame, copy);
    return copy;
}

/* Returns the block that begins at or before the object's device address, or NULL. It is the object's block only if
 * ACCD_OBJECT_SHARED is set. */
struct accd__block *accd__object_block(struct accd__device_env *env, const struct accd__object *object)
{
    return accd__btree_floor_hinted(&env->present.blocks, object->dev);
}
