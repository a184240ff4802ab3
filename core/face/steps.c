/* steps.c - single steps: device memory by itself, the user's own memory, copies. */
#include "face/inside.h"
#include "ops/ops.h"
#include "plan/fusion.h"

/* Whether present data or a block of them hold any of a device range. */
static accd_status device_range_taken(struct accd_directory *dir, uint64_t dev, uint64_t bytes, bool *taken_p)
{
    void *after;
    struct accd_object *object;
    ACCD_TRY(accd_find_device(dir, dev, &object)); /* makes the device order */
    accd_range_around(&dir->present.by_device, dev, &after);
    const struct accd_object *next = after;
    const struct accd_block *block = accd_range_floor(&dir->present.blocks, dev);
    *taken_p = object || (next && next->dev - dev < bytes) || (block && dev - block->dev < block->bytes);
    return ACCD_OK;
}

/* Decides ACC33-3.2.21-1, OMP60-api-10. */
accd_status accd_map(accd_context *context, int device, const void *host, uint64_t dev,
                     uint64_t bytes, const accd_label *label)
{
    ACCD_ON_DEVICE(dir, context, device);
    enum accd_relation relation;
    struct accd_object *object;
    ACCD_TRY(accd_may_ask(dir, 0));
    if (!host || !dev)
        return accd_fail(context, ACCD_NULL_POINTER, R_MAP_DATA, "a null address cannot be mapped");
    if (!bytes || bytes >> (ACCD_SIZE_BITS - 1) || accd_address(host) + bytes < bytes)
        return accd_fail(context, ACCD_INVALID_SECTION, R_MAP_DATA,
                         "%llu bytes cannot be mapped", (unsigned long long)bytes);
    ACCD_TRY(accd_relate(dir, accd_address(host), bytes, &relation, &object));
    if (relation != ACCD_NONE)
        return accd_fail(context, ACCD_ALREADY_PRESENT, R_MAP_DATA,
                         "the host memory, or a part of it, is present on device %d already",
                         device);
    if (accd_fused_at(dir, accd_address(host)))
        return accd_fail(context, ACCD_ALREADY_PRESENT, R_MAP_DATA,
                         "the host memory lies between data that are fused on device %d", device);
    if (!dir->device.ops->allocated(dir->device.handle, dev, bytes))
        return accd_fail(context, ACCD_OUT_OF_BOUNDS, R_MAP_DATA,
                         "the device range is not in allocated memory of device %d", device);
    bool taken;
    ACCD_TRY(device_range_taken(dir, dev, bytes, &taken));
    if (taken)
        return accd_fail(context, ACCD_ALREADY_PRESENT, R_MAP_DATA,
                         "the device memory holds other present data");
    ACCD_TRY(accd_directory_reserve(dir, 1, 0, 0, 0));
    object = accd_pool_take(&dir->present.object_pool);
    *object = (struct accd_object){
        .host = accd_address(host),
        .size = bytes | ACCD_OBJECT_MAPPED,
        .dev = dev,
        .dynamic = 1,
        .where = label ? label->id : 0,
    };
    accd_insert_object(dir, object);
    accd_directory_unreserve(dir);
    return ACCD_OK;
}

/* Attachments in the object that hold type records release them. */
static accd_status release_records(struct accd_directory *dir, const struct accd_object *object)
{
    accd_context *context = dir->context;
    const accd_construct construct = {.device = dir->device.number, .kind = ACCD_EXIT_DATA};
    struct accd_plan plan = {.context = context, .dir = dir, .given = {.construct = &construct}};
    struct accd_attach **ends = accd_scratch_take(&context->scratch, dir->attached.nrecords * sizeof ends[0]);
    struct accd_release *release = NULL;
    struct accd_range_cursor cursor;
    struct accd_attach *attach = NULL;
    size_t n = 0;
    accd_status status = ends ? accd_first_attach(dir, object->host, accd_object_end(object), &cursor,
                                                  &attach)
                              : accd_plan_no_memory(context);
    for (; attach; attach = accd_next_attach(&cursor, accd_object_end(object)))
        if (attach->holds_record)
            ends[n++] = attach;
    if (status == ACCD_OK && n)
        status = accd_release_plan(&plan, ends, n, &release);
    if (status == ACCD_OK && n)
        status = accd_plan_commit(&plan);
    if (status == ACCD_OK && n)
        accd_release_commit(release);
    else if (release)
        accd_release_undo(release);
    accd_scratch_reset(&context->scratch);
    return status;
}

/* The object goes: pointers in it are attached no more, pointers elsewhere still point where it was. */
static accd_status lose_attachments(struct accd_directory *dir, struct accd_object *object)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    ACCD_TRY(accd_index_all(dir)); /* nothing fails behind it, but what changes nothing */
    if (object->pins)
        ACCD_TRY(accd_order_targets(dir));
    if (dir->attached.nrecords)
        ACCD_TRY(release_records(dir, object));
    for (;;) {
        struct accd_object *target;
        ACCD_TRY(accd_first_attach(dir, object->host, accd_object_end(object), &cursor, &attach));
        if (!attach)
            break;
        ACCD_TRY(accd_find(dir, attach->base, &target));
        if (target)
            target->pins--;
        accd_remove_attach(dir, attach);
    }
    while (object->pins && (attach = accd_first_target(dir, object)))
        accd_attach_lead(dir, attach, 0);
    return ACCD_OK;
}

/* Decides ACC33-3.2.21-2. */
accd_status accd_unmap(accd_context *context, int device, const void *host)
{
    ACCD_ON_DEVICE(dir, context, device);
    struct accd_object *object;
    const bool lenient = context->rules.unmap_used == ACCD_IGNORE;
    ACCD_TRY(accd_may_ask(dir, 0));
    ACCD_TRY(accd_find(dir, accd_address(host), &object));
    if (!object || object->host != accd_address(host) || !(object->size & ACCD_OBJECT_MAPPED))
        return accd_fail(context, ACCD_NOT_PRESENT, R_MAP_DATA,
                         "the address was not mapped to device %d by acc_map_data", device);
    const struct accd_share *share = accd_share_of(dir, object);
    if ((object->structured && !lenient) || (share && (share->fused || share->former)))
        return accd_fail(context, ACCD_ALREADY_PRESENT, R_MAP_DATA,
                         "a data region still uses the mapped data");
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    ACCD_TRY(accd_first_attach(dir, object->host, accd_object_end(object), &cursor, &attach));
    if ((attach || object->pins) && !lenient)
        return accd_fail(context, ACCD_STILL_ATTACHED, R_STILL_ATTACHED,
                         "a pointer is still attached to or inside the mapped data");
    if (dir->queues.ntasks) {
        accd_pending_begin(dir, NULL);
        ACCD_TRY(accd_pending_check(dir, object, object->dev, accd_object_bytes(object), "unmapped"));
    }
    if (attach || object->pins)
        ACCD_TRY(lose_attachments(dir, object));
    accd_regions_forget(dir, object); /* clauses without a reference name it, too */
    accd_share_free(dir, object);
    accd_remove_object(dir, object);
    return ACCD_OK;
}

accd_status accd_device_alloc(accd_context *context, int device, uint64_t bytes, uint64_t *dev_p)
{
    ACCD_ON_DEVICE(dir, context, device);
    uint64_t dev = 0;
    ACCD_GIVEN(context, dev_p);
    ACCD_TRY(accd_idle(context));
    if (bytes) {
        accd_status status = accd_alloc_memory(dir, bytes, &dev);
        if (accd_is_of_queue(status))
            return status;
        if (status != ACCD_OK)
            return accd_say_why(&dir->device, accd_fail(context, status, R_ALLOCATE,
                                                        "device %d has no %llu bytes of memory left", device,
                                                        (unsigned long long)bytes));
    }
    *dev_p = dev;
    return ACCD_OK;
}

/* Decides TR14-4.3-06, ACC33-3.2.16-1. */
accd_status accd_device_free(accd_context *context, int device, uint64_t dev)
{
    ACCD_ON_DEVICE(dir, context, device);
    bool taken;
    ACCD_TRY(accd_idle(context));
    if (!dev)
        return ACCD_OK;
    uint64_t bytes = dir->device.ops->size_of(dir->device.handle, dev);
    ACCD_TRY(device_range_taken(dir, dev, bytes, &taken));
    if (taken)
        return accd_fail(context, ACCD_ALREADY_PRESENT, R_MAP_DATA, "the device memory holds present data");
    if (!bytes)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE,
                         "the address is not one that device %d allocated", device);
    if (dir->queues.ntasks) {
        accd_pending_begin(dir, NULL);
        ACCD_TRY(accd_pending_check(dir, NULL, dev, bytes, "freed"));
    }
    accd_free_memory(dir, dev, bytes);
    return ACCD_OK;
}

static accd_status raw_range(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (dir->device.ops->allocated(dir->device.handle, dev, bytes))
        return accd_check_stale(dir, dev);
    if (!dir->device.ops->owns(dir->device.handle, dev))
        return accd_fail(dir->context, ACCD_HOST_POINTER_ON_DEVICE, R_UNTRANSLATED,
                         "the address is not one of device %d", dir->device.number);
    return accd_not_allocated(dir);
}

/* Decides ACC33-3.2.30-1. */
static accd_status check_copy(struct accd_directory *dir, accd_way way, uint64_t to, uint64_t from, uint64_t bytes)
{
    accd_context *context = dir->context;
    const uint64_t host = way == ACCD_TO_DEVICE ? from : to;
    if (way != ACCD_FROM_DEVICE)
        ACCD_TRY(raw_range(dir, to, bytes));
    if (way != ACCD_TO_DEVICE)
        ACCD_TRY(raw_range(dir, from, bytes));
    if (context->config.check_host && way != ACCD_WITHIN_DEVICE && !accd_host_covers(context, host, bytes))
        return accd_fail(context, ACCD_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                         "the host range does not lie in live host memory");
    if (way != ACCD_WITHIN_DEVICE && !host)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "the host address of a copy is a null pointer");
    return ACCD_OK;
}

static struct accd_transfer transfer_of(accd_way way, uint64_t to, uint64_t from, uint64_t bytes)
{
    if (way == ACCD_FROM_DEVICE)
        return (struct accd_transfer){from, to, bytes, ACCD_FETCHED};
    return (struct accd_transfer){to, from, bytes, way == ACCD_TO_DEVICE ? ACCD_SENT : ACCD_MOVED_WITHIN};
}

/* queue: NULL, the copy is done now. */
static accd_status copy(struct accd_directory *dir, struct accd_queue *queue, accd_way way, uint64_t to,
                        uint64_t from, uint64_t bytes, const char *file, int line)
{
    if (!queue)
        ACCD_TRY(accd_idle(dir->context));
    if (!bytes)
        return ACCD_OK;
    ACCD_TRY(check_copy(dir, way, to, from, bytes));
    if (to == from)
        return ACCD_OK;
    const struct accd_transfer transfer = transfer_of(way, to, from, bytes);
    struct accd_batch batch = {.at = &transfer, .n = 1};
    if (queue)
        return accd_batch_leave(queue, &batch, "copy", file, line);
    ACCD_TRY(accd_order_batch(dir, &batch));
    return accd_device_result(&dir->device, accd_batch_now(&dir->device, &batch), "to copy");
}

static accd_status copy_now(accd_context *context, int device, accd_way way, uint64_t to, uint64_t from,
                            uint64_t bytes)
{
    ACCD_ON_DEVICE(dir, context, device);
    return copy(dir, NULL, way, to, from, bytes, NULL, 0);
}

accd_status accd_to_device(accd_context *context, int device, uint64_t dev, const void *host, uint64_t bytes)
{
    return copy_now(context, device, ACCD_TO_DEVICE, dev, accd_address(host), bytes);
}

accd_status accd_from_device(accd_context *context, int device, void *host, uint64_t dev, uint64_t bytes)
{
    return copy_now(context, device, ACCD_FROM_DEVICE, accd_address(host), dev, bytes);
}

accd_status accd_within_device(accd_context *context, int device, uint64_t to, uint64_t from, uint64_t bytes)
{
    return copy_now(context, device, ACCD_WITHIN_DEVICE, to, from, bytes);
}

accd_status accd_copy_async(accd_context *context, int device, unsigned number, accd_way way,
                            uint64_t to, uint64_t from, uint64_t bytes, const char *file, int line)
{
    ACCD_ON_DEVICE(dir, context, device);
    ACCD_TRY(accd_may_ask(dir, number));
    if ((unsigned)way > ACCD_WITHIN_DEVICE)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "there is no such way to copy");
    return copy(dir, accd_queue_of(dir, number), way, to, from, bytes, file, line);
}

void accd_fail_allocation(accd_context *context, int device, uint64_t n)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (dir && dir->device.ops->fail)
        dir->device.ops->fail(dir->device.handle, n, UINT64_MAX);
}

void accd_fail_copy(accd_context *context, int device, uint64_t n)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (dir && dir->device.ops->fail)
        dir->device.ops->fail(dir->device.handle, UINT64_MAX, n);
}
