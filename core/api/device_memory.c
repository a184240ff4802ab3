/* device_memory.c - device memory outside of constructs: allocations of the program (acc_malloc), mapping of the
 * program's own device memory (acc_map_data), copies between addresses, and injected failures for tests. */
#include "accdeep_checkpoints.h"
#include "accdeep_internal.h"
#include "accdeep_memory.h"
#include "api/inside.h"
#include "ops/ops.h"
#include "plan/fusion.h"
#include "table/attach.h"
#include "table/find.h"
#include "table/objects.h"
#include "table/regions.h"
#include "table/targets.h"

#include <assert.h>

/* Sets *is_used_p to true if a present object uses a byte of the device range [dev, dev + bytes), or a block of objects
 * contains `dev`; otherwise to false. Fails without memory for the index of objects by device address. */
static accd_status is_device_range_used(struct accd__device_env *env, uint64_t dev, uint64_t bytes, bool *is_used_p)
{
    assert(is_used_p);
    void *after;
    struct accd__object *object;
    ACCD_TRY(accd__find_object_by_dev(env, dev, &object)); /* builds the index of objects by device address */
    accd__btree_floor_and_next(&env->present.by_device, dev, &after);
    const struct accd__object *next = after;
    const struct accd__block *block = accd__btree_floor(&env->present.blocks, dev);
    *is_used_p = object || (next && next->dev - dev < bytes) || (block && dev - block->dev < block->bytes);
    return ACCD_OK;
}

/* Makes [host, host + bytes) a present object, with the program's own device memory at `dev` (acc_map_data), dynamic
 * counter 1, and the name `label` (NULL: none). Decides ACC33-3.2.21-1, OMP60-api-10. */
accd_status accd_map_data(accd_context *context, int device, const void *host, uint64_t dev, uint64_t bytes,
                          const accd_label *label)
{
    ACCD_ON_DEVICE(env, context, device);
    enum accd__containment relation;
    struct accd__object *object;
    ACCD_TRY(accd__check_can_submit(env, 0));
    if (!host || !dev)
        return accd__set_error(context, ACCD_ERROR_NULL_POINTER, R_MAP_DATA, "a null address cannot be mapped");
    if (!bytes || bytes >> (ACCD_SIZE_BITS - 1) || accd__address(host) + bytes < bytes)
        return accd__set_error(context, ACCD_ERROR_INVALID_SECTION, R_MAP_DATA, "%llu bytes cannot be mapped",
                               (unsigned long long)bytes);
    ACCD_TRY(accd__find_containment(env, accd__address(host), bytes, &relation, &object));
    if (relation != ACCD_RANGE_DISJOINT)
        return accd__set_error(context, ACCD_ERROR_ALREADY_PRESENT, R_MAP_DATA,
                               "the host memory, or a part of it, is present on device %d already", device);
    if (accd__find_fused_tuple(env, accd__address(host)))
        return accd__set_error(context, ACCD_ERROR_ALREADY_PRESENT, R_MAP_DATA,
                               "the host memory lies between data that are fused on device %d", device);
    if (!env->device.ops->is_allocated(env->device.handle, dev, bytes))
        return accd__set_error(context, ACCD_ERROR_OUT_OF_BOUNDS, R_MAP_DATA,
                               "the device range is not in allocated memory of device %d", device);
    bool is_used;
    ACCD_TRY(is_device_range_used(env, dev, bytes, &is_used));
    if (is_used)
        return accd__set_error(context, ACCD_ERROR_ALREADY_PRESENT, R_MAP_DATA,
                               "the device memory holds other present data");
    ACCD_TRY(accd__reserve_records(env, 1, 0, 0, 0));
    object = accd__pool_alloc(&env->present.object_pool);
    *object = (struct accd__object){
        .host = accd__address(host),
        .size = bytes | ACCD_OBJECT_MAPPED,
        .dev = dev,
        .dynamic = 1,
        .where = label ? label->id : 0,
    };
    accd__insert_object(env, object);
    accd__unreserve_records(env);
    return ACCD_OK;
}

/* Removes the references to type records (descriptions of Fortran types) that attachments in an object hold. The caller
 * must remove the object afterwards. On failure (no memory, or the device failed) no reference is removed. */
static accd_status release_type_records(struct accd__device_env *env, const struct accd__object *object)
{
    assert(env->attached.ntype_records);
    accd_context *context = env->context;
    const accd_construct construct = {.device = env->device.number, .kind = ACCD_KIND_EXIT_DATA};
    struct accd__plan plan = {.context = context, .env = env, .input = {.construct = &construct}};
    struct accd__attachment **ends =
        accd__scratch_alloc(&context->scratch, env->attached.ntype_records * sizeof ends[0]);
    struct accd__record_release *release = NULL;
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach = NULL;
    size_t n = 0;
    accd_status status = ends ? accd__first_attachment(env, object->host, accd__object_end(object), &cursor, &attach)
                              : accd__report_plan_out_of_memory(context);
    for (; attach; attach = accd__next_attachment(&cursor, accd__object_end(object)))
        if (attach->holds_record)
            ends[n++] = attach;
    if (status == ACCD_OK && n)
        status = accd__record_release_plan(&plan, ends, n, &release);
    if (status == ACCD_OK && n)
        status = accd__plan_commit(&plan);
    if (status == ACCD_OK && n)
        accd__record_release_commit(release);
    else if (release)
        accd__record_release_undo(release);
    accd__scratch_reset(&context->scratch);
    return status;
}

/* Called before an object of acc_map_data is removed. Ends the attachments of pointers in the object. Pointers to the
 * object stay attached and keep their value, but have no target any more. Returns an error, with nothing changed,
 * without memory or if a type record cannot be released. */
static accd_status end_attachments(struct accd__device_env *env, struct accd__object *object)
{
    assert(object->size & ACCD_OBJECT_MAPPED);
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    ACCD_TRY(accd__expand_groups(env)); /* done first, so that the loops below never need memory */
    if (object->pins)
        ACCD_TRY(accd__build_target_order(env));
    if (env->attached.ntype_records)
        ACCD_TRY(release_type_records(env, object));
    for (;;) {
        struct accd__object *target;
        ACCD_TRY(accd__first_attachment(env, object->host, accd__object_end(object), &cursor, &attach));
        if (!attach)
            break;
        ACCD_TRY(accd__find_object(env, attach->base, &target));
        if (target)
            target->pins--;
        accd__remove_attachment(env, attach);
    }
    while (object->pins && (attach = accd__first_attachment_to(env, object)))
        accd__attachment_set_base(env, attach, 0);
    return ACCD_OK;
}

/* Removes the present object that accd_map_data has made of host address `host` (acc_unmap_data). The program keeps the
 * device memory. Decides ACC33-3.2.21-2. */
accd_status accd_unmap_data(accd_context *context, int device, const void *host)
{
    ACCD_ON_DEVICE(env, context, device);
    struct accd__object *object;
    const bool ignores_use = context->rules.unmap_used == ACCD_CHOICE_IGNORE;
    ACCD_TRY(accd__check_can_submit(env, 0));
    ACCD_TRY(accd__find_object(env, accd__address(host), &object));
    if (!object || object->host != accd__address(host) || !(object->size & ACCD_OBJECT_MAPPED))
        return accd__set_error(context, ACCD_ERROR_NOT_PRESENT, R_MAP_DATA,
                               "the address was not mapped to device %d by acc_map_data", device);
    const struct accd__placement *placement = accd__find_placement(env, object);
    if ((object->structured && !ignores_use) || (placement && (placement->fused || placement->vacated)))
        return accd__set_error(context, ACCD_ERROR_ALREADY_PRESENT, R_MAP_DATA,
                               "a data region still uses the mapped data");
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    ACCD_TRY(accd__first_attachment(env, object->host, accd__object_end(object), &cursor, &attach));
    if ((attach || object->pins) && !ignores_use)
        return accd__set_error(context, ACCD_ERROR_STILL_ATTACHED, R_STILL_ATTACHED,
                               "a pointer is still attached to or inside the mapped data");
    if (env->queues.ntasks) {
        accd__begin_pending_query(env, NULL);
        ACCD_TRY(accd__check_pending(env, object, object->dev, accd__object_bytes(object), "unmapped"));
    }
    if (attach || object->pins)
        ACCD_TRY(end_attachments(env, object));
    accd__regions_forget_object(env, object); /* clauses of open regions may name the object without a reference */
    accd__free_placement(env, object);
    accd__remove_object(env, object);
    return ACCD_OK;
}

/* Allocates device memory for the program (acc_malloc); *dev_p becomes 0 for 0 bytes. */
accd_status accd_device_alloc(accd_context *context, int device, uint64_t bytes, uint64_t *dev_p)
{
    ACCD_ON_DEVICE(env, context, device);
    uint64_t dev = 0;
    ACCD_REQUIRE_ARGUMENT(context, dev_p);
    ACCD_TRY(accd__check_not_busy(context));
    if (bytes) {
        accd_status status = accd__alloc_device_memory(env, 0, bytes, &dev);
        if (accd__is_queue_error(status))
            return status;
        if (status != ACCD_OK)
            return accd__append_driver_error(&env->device, accd__set_error(context, status, R_ALLOCATE,
                                                                           "device %d has no %llu bytes of memory left",
                                                                           device, (unsigned long long)bytes));
    }
    *dev_p = dev;
    return ACCD_OK;
}

/* Frees the allocation of accd_device_alloc at `dev` (acc_free); 0 does nothing. Returns an error if present data or
 * queued work use the memory, or if `dev` is not the address of an allocation. Decides TR14-4.3-06, ACC33-3.2.16-1. */
accd_status accd_device_free(accd_context *context, int device, uint64_t dev)
{
    ACCD_ON_DEVICE(env, context, device);
    bool is_used;
    ACCD_TRY(accd__check_not_busy(context));
    if (!dev)
        return ACCD_OK;
    uint64_t bytes = env->device.ops->size_of(env->device.handle, dev);
    ACCD_TRY(is_device_range_used(env, dev, bytes, &is_used));
    if (is_used)
        return accd__set_error(context, ACCD_ERROR_ALREADY_PRESENT, R_MAP_DATA, "the device memory holds present data");
    if (!bytes)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "the address is not one that device %d allocated",
                               device);
    if (env->queues.ntasks) {
        accd__begin_pending_query(env, NULL);
        ACCD_TRY(accd__check_pending(env, NULL, dev, bytes, "freed"));
    }
    accd__free_device_memory(env, dev, bytes);
    return ACCD_OK;
}

/* Returns ACCD_OK if the device range [dev, dev + bytes) is allocated, and data there have not moved away. Otherwise
 * sets the last error, and returns ACCD_ERROR_HOST_POINTER_ON_DEVICE or ACCD_ERROR_OUT_OF_BOUNDS. */
static accd_status check_raw_range(struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    if (env->device.ops->is_allocated(env->device.handle, dev, bytes))
        return accd__check_stale_address(env, dev);
    if (!env->device.ops->owns(env->device.handle, dev))
        return accd__set_error(env->context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, R_UNTRANSLATED,
                               "the address is not one of device %d", env->device.number);
    return accd__report_not_allocated(env);
}

/* Returns ACCD_OK if the ranges of `bytes` bytes at `to` and `from` are valid for a copy; otherwise sets the last error
 * and returns its status. `direction` says which of `to` and `from` are host or device addresses. has_host: the host
 * range is data of the program. Decides ACC33-3.2.30-1. */
static accd_status check_copy(struct accd__device_env *env, accd_direction direction, bool has_host, uint64_t to,
                              uint64_t from, uint64_t bytes)
{
    accd_context *context = env->context;
    const uint64_t host = direction == ACCD_DIRECTION_TO_DEVICE ? from : to;
    if (direction != ACCD_DIRECTION_FROM_DEVICE)
        ACCD_TRY(check_raw_range(env, to, bytes));
    if (direction != ACCD_DIRECTION_TO_DEVICE)
        ACCD_TRY(check_raw_range(env, from, bytes));
    if (context->config.check_host && has_host && direction != ACCD_DIRECTION_WITHIN_DEVICE &&
        !accd__is_live_host_range(context, host, bytes))
        return accd__set_error(context, ACCD_ERROR_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                               "the host range does not lie in live host memory");
    if (direction != ACCD_DIRECTION_WITHIN_DEVICE && !host)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "the host address of a copy is a null pointer");
    return ACCD_OK;
}

/* Returns the transfer record for a copy; `direction` says which of `to` and `from` are host or device addresses. */
static struct accd__transfer make_transfer(accd_direction direction, uint64_t to, uint64_t from, uint64_t bytes)
{
    assert(bytes);
    if (direction == ACCD_DIRECTION_FROM_DEVICE)
        return (struct accd__transfer){from, to, bytes, ACCD_TRANSFER_TO_HOST};
    return (struct accd__transfer){
        to, from, bytes, direction == ACCD_DIRECTION_TO_DEVICE ? ACCD_TRANSFER_TO_DEVICE : ACCD_TRANSFER_WITHIN_DEVICE};
}

/* Checks a copy of `bytes` bytes, and does it now or, if `queue` is not NULL, adds it to the queue. Does nothing for 0
 * bytes or equal addresses. has_host: the host range is data of the program. `file`, `line`: source location. Returns
 * the errors of accd_copy_to_device. */
static accd_status copy_raw(struct accd__device_env *env, struct accd__queue *queue, accd_direction direction,
                            bool has_host, uint64_t to, uint64_t from, uint64_t bytes, const char *file, int line)
{
    if (!queue)
        ACCD_TRY(accd__check_not_busy(env->context));
    if (!bytes)
        return ACCD_OK;
    ACCD_TRY(check_copy(env, direction, has_host, to, from, bytes));
    if (to == from)
        return ACCD_OK;
    const struct accd__transfer transfer = make_transfer(direction, to, from, bytes);
    struct accd__batch batch = {.at = &transfer, .n = 1};
    if (queue)
        return accd__queue_batch(queue, &batch, "copy", file, line);
    ACCD_TRY(accd__wait_for_batch_conflicts(env, &batch));
    return accd__check_device_status(&env->device, accd__run_batch(&env->device, &batch), "to copy");
}

/* Copies bytes on device number `device` at once, after all checks: common body of accd_copy_to_device,
 * accd_copy_from_device and accd_copy_within_device. Returns their errors. */
static accd_status copy_raw_now(accd_context *context, int device, accd_direction direction, uint64_t to, uint64_t from,
                                uint64_t bytes)
{
    ACCD_ON_DEVICE(env, context, device);
    return copy_raw(env, NULL, direction, true, to, from, bytes, NULL, 0);
}

/* Copies bytes between device memory and memory of the core, which the program has not registered, at once. */
accd_status accd__copy_unregistered(accd_context *context, int device, accd_direction direction, uint64_t to,
                                    uint64_t from, uint64_t bytes)
{
    ACCD_ON_DEVICE(env, context, device);
    return copy_raw(env, NULL, direction, false, to, from, bytes, NULL, 0);
}

/* Copies `bytes` bytes from host memory at `host` to device address `dev` at once. Returns an error if device, address
 * or range is invalid (check_copy), a construct is under way, a queued task fails, or the device fails. */
accd_status accd_copy_to_device(accd_context *context, int device, uint64_t dev, const void *host, uint64_t bytes)
{
    return copy_raw_now(context, device, ACCD_DIRECTION_TO_DEVICE, dev, accd__address(host), bytes);
}

/* Copies `bytes` bytes from device address `dev` to host memory at `host` at once. Returns the errors of
 * accd_copy_to_device. */
accd_status accd_copy_from_device(accd_context *context, int device, void *host, uint64_t dev, uint64_t bytes)
{
    return copy_raw_now(context, device, ACCD_DIRECTION_FROM_DEVICE, accd__address(host), dev, bytes);
}

/* Copies `bytes` bytes from device address `from` to device address `to` of one device at once. Returns the errors of
 * accd_copy_to_device. */
accd_status accd_copy_within_device(accd_context *context, int device, uint64_t to, uint64_t from, uint64_t bytes)
{
    return copy_raw_now(context, device, ACCD_DIRECTION_WITHIN_DEVICE, to, from, bytes);
}

/* Adds a copy in `direction` to queue `number`; number = 0 copies at once. Returns the errors of accd_copy_to_device,
 * and ACCD_ERROR_MISUSE if the device has no such queue or there is no such direction. */
accd_status accd_copy_async(accd_context *context, int device, unsigned number, accd_direction direction, uint64_t to,
                            uint64_t from, uint64_t bytes, const char *file, int line)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_TRY(accd__check_can_submit(env, number));
    if ((unsigned)direction > ACCD_DIRECTION_WITHIN_DEVICE)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "there is no such way to copy");
    return copy_raw(env, accd__get_queue(env, number), direction, true, to, from, bytes, file, line);
}

/* Makes the n-th allocation of the device from now fail, for tests. Does nothing if the device cannot inject failures.
 */
void accd__inject_allocation_failure(accd_context *context, int device, uint64_t n)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    if (env && env->device.ops->inject_failure)
        env->device.ops->inject_failure(env->device.handle, n, UINT64_MAX);
}

/* Makes the n-th copy of the device from now fail, for tests. Does nothing if the device cannot inject failures. */
void accd__inject_copy_failure(accd_context *context, int device, uint64_t n)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    if (env && env->device.ops->inject_failure)
        env->device.ops->inject_failure(env->device.handle, UINT64_MAX, n);
}
