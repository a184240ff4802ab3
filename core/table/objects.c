/* objects.c - the present table of one device: objects by host address (and, once asked for, by
 * device address), device blocks that several objects share, attached pointers by their own address.
 * Groups of sections that one construct made are looked into only when somebody meets them. */
#include "core.h"

accd_status accd_directory_init(struct accd_directory *dir, accd_context *context, int number)
{
    struct accd_mem *mem = &context->mem;
    *dir = (struct accd_directory){
        .context = context,
        .number = number,
        .ops = context->config.backend ? context->config.backend : &accd_backend_sim,
    };
    accd_range_init(&dir->objects, mem);
    accd_range_init(&dir->by_device, mem);
    accd_range_init(&dir->blocks, mem);
    accd_range_init(&dir->frames, mem);
    accd_range_init(&dir->slots, mem);
    accd_range_init(&dir->targets, mem);
    accd_range_init(&dir->by_async, mem);
    accd_range_init(&dir->seats, mem);
    accd_range_init(&dir->fused, mem);
    accd_range_init(&dir->bases, mem);
    accd_pool_init(&dir->seat_pool, mem, sizeof(struct accd_seat), 64);
    accd_pool_init(&dir->original_pool, mem, sizeof(struct accd_original), 64);
    accd_pool_init(&dir->former_pool, mem, sizeof(struct accd_former), 64);
    accd_pool_init(&dir->fused_pool, mem, sizeof(struct accd_fused), 64);
    accd_pool_init(&dir->object_pool, mem, sizeof(struct accd_object), 128);
    accd_pool_init(&dir->attach_pool, mem, sizeof(struct accd_attach), 128);
    accd_pool_init(&dir->block_pool, mem, sizeof(struct accd_block), 64);
    return dir->ops->open(&dir->device, number, &context->config, mem);
}

void accd_directory_close(struct accd_directory *dir)
{
    struct accd_mem *mem = &dir->context->mem;
    struct accd_range_cursor cursor;
    accd_queues_close(dir);
    accd_forget_retired(dir);
    for (struct accd_attach *attach = accd_range_seek(&dir->slots, 0, &cursor);
         attach && dir->ndopes; attach = accd_range_next(&cursor))
        accd_dope_free(dir, attach->dope);
    for (size_t i = 0; i < dir->ngroups; i++)
        if (dir->groups[i])
            accd_group_free(dir, dir->groups[i]);
    accd_mem_free(mem, dir->groups, dir->groups_room * sizeof dir->groups[0]);
    accd_mem_free(mem, dir->origins, dir->origins_room * sizeof dir->origins[0]);
    accd_range_close(&dir->objects);
    accd_range_close(&dir->by_device);
    accd_range_close(&dir->blocks);
    accd_range_close(&dir->frames);
    accd_range_close(&dir->slots);
    accd_range_close(&dir->targets);
    accd_range_close(&dir->by_async);
    accd_range_close(&dir->seats);
    accd_range_close(&dir->fused);
    accd_range_close(&dir->bases);
    accd_pool_close(&dir->seat_pool);
    accd_pool_close(&dir->original_pool);
    accd_pool_close(&dir->former_pool);
    accd_pool_close(&dir->fused_pool);
    accd_pool_close(&dir->object_pool);
    accd_pool_close(&dir->attach_pool);
    accd_pool_close(&dir->block_pool);
    if (dir->device)
        dir->ops->close(dir->device);
}

/* --------------------------------------------------------------------------------- look-ups -- */

static bool meets(void *ud, const struct accd_span *span)
{
    const uint64_t *range = ud;
    return accd_group_meets(span->owner, range[0], range[1]);
}

/* Turns pending groups that the range meets into objects. */
static accd_status index_met(struct accd_directory *dir, uint64_t low, uint64_t high)
{
    struct accd_span *met;
    while ((met = accd_span_first(dir->group_hulls, low, high, meets, &(uint64_t[]){low, high})))
        ACCD_TRY(accd_group_index(dir, met->owner));
    return ACCD_OK;
}

static inline bool covers(const struct accd_object *object, uint64_t host)
{
    return object && host - object->host < accd_object_bytes(object);
}

accd_status accd_find(struct accd_directory *dir, uint64_t host, struct accd_object **object_p)
{
    struct accd_object *object = accd_range_floor(&dir->objects, host);
    if (!covers(object, host)) {
        if (dir->npending) {
            ACCD_TRY(index_met(dir, host, host + 1));
            object = accd_range_floor(&dir->objects, host);
        }
        if (!covers(object, host))
            object = NULL;
    }
    *object_p = object;
    return ACCD_OK;
}

accd_status accd_relate(struct accd_directory *dir, uint64_t host, uint64_t bytes,
                        enum accd_relation *relation_p, struct accd_object **object_p)
{
    if (dir->npending)
        ACCD_TRY(index_met(dir, host, host + bytes));
    void *after;
    struct accd_object *object = accd_range_around(&dir->objects, host, &after), *next = after;
    *object_p = NULL;
    if (covers(object, host)) {
        *relation_p = bytes <= accd_object_end(object) - host ? ACCD_INSIDE : ACCD_ACROSS;
        *object_p = object;
    } else if (next && next->host - host < bytes) {
        *relation_p = ACCD_ACROSS;
        *object_p = next;
    } else {
        *relation_p = ACCD_NONE;
    }
    return ACCD_OK;
}

static accd_status build_device_order(struct accd_directory *dir)
{
    struct accd_range_cursor cursor;
    accd_context *context = dir->context;
    if (!accd_range_reserve(&dir->by_device, dir->objects.count))
        return accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY,
                         "no memory for the device order of present objects");
    for (struct accd_object *object = accd_range_seek(&dir->objects, 0, &cursor); object;
         object = accd_range_next(&cursor))
        accd_range_insert(&dir->by_device, object->dev, object);
    dir->device_order = true;
    return ACCD_OK;
}

accd_status accd_find_device(struct accd_directory *dir, uint64_t dev,
                             struct accd_object **object_p)
{
    struct accd_span *met = dir->npending ? accd_span_first(dir->group_places, dev, dev + 1, NULL, NULL) : NULL;
    if (met)
        ACCD_TRY(accd_group_index(dir, met->owner));
    if (!dir->device_order)
        ACCD_TRY(build_device_order(dir));
    struct accd_object *object = accd_range_floor(&dir->by_device, dev);
    *object_p = object && dev - object->dev < accd_object_bytes(object) ? object : NULL;
    return ACCD_OK;
}

accd_status accd_find_attach(struct accd_directory *dir, uint64_t slot,
                             struct accd_attach **attach_p)
{
    if (dir->npending_attach)
        ACCD_TRY(accd_index_pointers(dir, slot, slot + 1));
    struct accd_attach *attach = accd_range_floor(&dir->slots, slot);
    *attach_p = attach && attach->slot == slot ? attach : NULL;
    return ACCD_OK;
}

/* A pointer may begin before low and reach into the range, and so may the descriptor it is a part of. */
static struct accd_attach *reaching(struct accd_directory *dir, uint64_t low)
{
    struct accd_attach *attach = low ? accd_range_floor(&dir->slots, low - 1) : NULL;
    struct accd_attach *around =
        attach && dir->ndopes && attach->slot ? accd_range_floor(&dir->slots, attach->slot - 1) : NULL;
    if (around && accd_attach_end(around) > low)
        return around;
    return attach && accd_attach_end(attach) > low ? attach : NULL;
}

accd_status accd_first_attach(struct accd_directory *dir, uint64_t low, uint64_t high,
                              struct accd_range_cursor *cursor, struct accd_attach **attach_p)
{
    *attach_p = NULL;
    if (!dir->slots.count && !dir->npending_attach)
        return ACCD_OK;
    if (dir->npending_attach)
        ACCD_TRY(accd_index_pointers(dir, low, high));
    const struct accd_attach *before = reaching(dir, low);
    struct accd_attach *attach =
        accd_range_seek(&dir->slots, before ? before->slot : low, cursor);
    *attach_p = attach && attach->slot < high ? attach : NULL;
    return ACCD_OK;
}

struct accd_attach *accd_next_attach(struct accd_range_cursor *cursor, uint64_t high)
{
    struct accd_attach *attach = accd_range_next(cursor);
    return attach && attach->slot < high ? attach : NULL;
}

/* ---------------------------------------------------------------------------------- changes -- */

accd_status accd_directory_reserve(struct accd_directory *dir, size_t objects, size_t origins,
                                   size_t attachments, size_t blocks)
{
    struct accd_mem *mem = &dir->context->mem;
    bool ok = true;
    if (objects)
        ok = accd_pool_reserve(&dir->object_pool, objects) &&
             accd_range_reserve(&dir->objects, objects) &&
             (!dir->device_order || accd_range_reserve(&dir->by_device, objects));
    if (origins) {
        size_t most = dir->norigins + origins + 1;
        ok = ok && accd_mem_grow(mem, (void **)&dir->origins, &dir->origins_room, most,
                                 sizeof dir->origins[0]);
    }
    if (attachments)
        ok = ok && accd_pool_reserve(&dir->attach_pool, attachments) &&
             accd_range_reserve(&dir->slots, attachments);
    if (blocks)
        ok = ok && accd_pool_reserve(&dir->block_pool, blocks) &&
             accd_range_reserve(&dir->blocks, blocks) &&
             accd_range_reserve(&dir->frames, blocks);
    if (!ok)
        return accd_fail(dir->context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY,
                         "no memory for the present table");
    dir->promised = (struct accd_promise){objects, attachments};
    return ACCD_OK;
}

bool accd_directory_reserve_beside(struct accd_directory *dir, size_t objects, size_t attachments)
{
    if (objects)
        objects += dir->promised.objects;
    if (attachments)
        attachments += dir->promised.attachments;
    return (!objects || (accd_range_reserve(&dir->objects, objects) &&
                         (!dir->device_order || accd_range_reserve(&dir->by_device, objects)))) &&
           (!attachments || (accd_pool_reserve(&dir->attach_pool, attachments) &&
                             accd_range_reserve(&dir->slots, attachments)));
}

void accd_insert_object(struct accd_directory *dir, struct accd_object *object)
{
    accd_range_insert(&dir->objects, object->host, object);
    if (dir->device_order)
        accd_range_insert(&dir->by_device, object->dev, object);
    dir->live_objects++;
}

void accd_remove_object(struct accd_directory *dir, struct accd_object *object)
{
    accd_range_erase(&dir->objects, object->host);
    if (dir->device_order)
        accd_range_erase(&dir->by_device, object->dev);
    dir->live_objects--;
    if (object->size & ACCD_OBJECT_MEMBER) {
        struct accd_group *group = dir->groups[object->where];
        if (--group->live == 0)
            accd_group_free(dir, group);
        return;
    }
    if (object->size & ACCD_OBJECT_ORIGIN) {
        dir->origins[object->where].next = dir->free_origin;
        dir->free_origin = object->where;
    }
    accd_pool_give(&dir->object_pool, object);
}

uint32_t accd_new_origin(struct accd_directory *dir, const struct accd_origin *origin)
{
    uint32_t number = dir->free_origin;
    if (number)
        dir->free_origin = dir->origins[number].next;
    else
        number = (uint32_t)(dir->norigins ? dir->norigins : 1); /* number 0 means none */
    if (number >= dir->norigins)
        dir->norigins = number + 1;
    dir->origins[number] = *origin;
    return number;
}

struct accd_attach *accd_insert_attach(struct accd_directory *dir, uint64_t slot)
{
    struct accd_attach *attach = accd_pool_take(&dir->attach_pool);
    *attach = (struct accd_attach){.slot = slot};
    accd_range_insert(&dir->slots, slot, attach);
    dir->live_attachments++;
    return attach;
}

void accd_remove_attach(struct accd_directory *dir, struct accd_attach *attach)
{
    accd_attach_lead(dir, attach, 0);
    accd_range_erase(&dir->slots, attach->slot);
    dir->nbrought -= attach->brings;
    dir->nwhole -= attach->dope != NULL;
    accd_dope_free(dir, attach->dope);
    accd_pool_give(&dir->attach_pool, attach);
    dir->live_attachments--;
}

struct accd_dope *accd_dope_new(struct accd_directory *dir, const void *descriptor, uint32_t bytes)
{
    struct accd_dope *dope =
        accd_mem_new(&dir->context->mem, sizeof *dope + bytes - sizeof(void *));
    if (!dope)
        return NULL;
    dope->bytes = bytes;
    memcpy(dope->rest, (const char *)descriptor + sizeof(void *), bytes - sizeof(void *));
    dir->ndopes++;
    return dope;
}

void accd_dope_free(struct accd_directory *dir, struct accd_dope *dope)
{
    if (!dope)
        return;
    dir->ndopes--;
    accd_mem_free(&dir->context->mem, dope, sizeof *dope + dope->bytes - sizeof(void *));
}

struct accd_attach *accd_attach_inside(struct accd_directory *dir, uint64_t slot, uint64_t bytes)
{
    const bool plain = dir->slots.count > dir->nwhole; /* others lie in no descriptor */
    struct accd_attach *attach =
        plain ? accd_range_floor(&dir->slots, slot + bytes - 1) : NULL;
    return attach && attach->slot >= slot + sizeof(void *) &&
                   accd_attach_end(attach) <= slot + bytes
               ? attach
               : NULL;
}

struct accd_attach *accd_attach_brought(struct accd_directory *dir, const struct accd_attach *attach)
{
    struct accd_attach *inner =
        attach->dope ? accd_attach_inside(dir, attach->slot, attach->dope->bytes) : NULL;
    return inner && inner->brings ? inner : NULL;
}

bool accd_attached_as_now(const struct accd_attach *attach, uint32_t slot_bytes)
{
    const struct accd_dope *dope = attach->dope;
    if (accd_load_pointer(attach->slot) != attach->target)
        return false;
    if (!slot_bytes)
        return true;
    return dope && dope->bytes == slot_bytes &&
           !memcmp(dope->rest, (const char *)accd_pointer(attach->slot) + sizeof(void *),
                   slot_bytes - sizeof(void *));
}

/* ---------------------------------------------------------------------------- device memory -- */

accd_status accd_alloc_memory(struct accd_directory *dir, uint64_t bytes, uint64_t *dev_p)
{
    accd_status status = dir->ops->alloc(dir->device, bytes, dev_p);
    if (status == ACCD_OUT_OF_DEVICE_MEMORY && dir->ntasks && accd_is_concurrent(dir)) {
        ACCD_TRY(accd_order_all(dir)); /* queues have some to give back */
        status = dir->ops->alloc(dir->device, bytes, dev_p);
    }
    if (status == ACCD_OK) {
        dir->stats.allocations++;
        dir->stats.live_allocations++;
        dir->stats.live_bytes += bytes;
    }
    return status;
}

void accd_free_memory(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (dir->ntasks && accd_queue_free(dir, dev, bytes))
        return;
    if (dir->ops->free(dir->device, dev) == ACCD_OK) {
        dir->stats.frees++;
        dir->stats.live_allocations--;
        dir->stats.live_bytes -= bytes;
    }
}

struct accd_block *accd_insert_block(struct accd_directory *dir, const struct accd_block *block)
{
    struct accd_block *copy = accd_pool_take(&dir->block_pool);
    *copy = *block;
    accd_range_insert(&dir->blocks, copy->dev, copy);
    if (copy->frame)
        accd_range_insert(&dir->frames, copy->frame, copy);
    return copy;
}

void accd_release_block(struct accd_directory *dir, struct accd_block *block, size_t objects)
{
    block->live -= objects;
    if (block->live)
        return;
    accd_range_erase(&dir->blocks, block->dev);
    if (block->frame)
        accd_range_erase(&dir->frames, block->frame);
    if (!block->borrowed)
        accd_free_memory(dir, block->dev, block->bytes);
    accd_pool_give(&dir->block_pool, block);
}

void accd_forget_bytes(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (dir->ntasks && accd_queue_forget(dir, dev, bytes))
        return;
    if (dir->ops->forget)
        dir->ops->forget(dir->device, dev, bytes);
}

struct accd_block *accd_block_of(struct accd_directory *dir, const struct accd_object *object)
{
    return accd_range_floor(&dir->blocks, object->dev);
}

void accd_free_memory_of(struct accd_directory *dir, struct accd_object *object)
{
    if (object->size & ACCD_OBJECT_SHARED)
        accd_release_block(dir, accd_block_of(dir, object), 1);
    else if (!(object->size & ACCD_OBJECT_MAPPED))
        accd_free_memory(dir, object->dev, accd_object_bytes(object));
}
