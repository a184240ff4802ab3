/* inspect.c - public functions that read the state: presence, present objects, attachments, memory, statistics. */
#include "accdeep_checkpoints.h"
#include "accdeep_internal.h"
#include "accdeep_present.h"
#include "accdeep_queues.h"
#include "ops/ops.h"
#include "table/find.h"
#include "table/name.h"
#include "table/objects.h"
#include "table/source.h"
#include "table/tuples.h"
#include "table/view.h"

#include <assert.h>

/* Returns the public value for `relation`, the relation between a range and present data. */
static accd_presence to_presence(enum accd__containment relation)
{
    return relation == ACCD_RANGE_CONTAINED ? ACCD_PRESENCE_FULL
           : relation == ACCD_RANGE_PARTIAL ? ACCD_PRESENCE_PARTIAL
                                            : ACCD_PRESENCE_NONE;
}

/* Returns whether all, a part or none of a host range is present in one object, or in one tuple (data that fusion has
 * moved into one block). bytes = 0 counts as one byte, or as absent if the knob zero_present is `reject`. Returns
 * ACCD_PRESENCE_NONE also without memory or for bad arguments. Decides ACC33-3.2.26-1, ACC33-3.2.26-2. */
accd_presence accd_get_presence(accd_context *context, int device, const void *host, uint64_t bytes)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    enum accd__containment relation;
    struct accd__object *object;
    uint64_t start = accd__address(host), requested = bytes ? bytes : 1;
    if (!env || !host || (!bytes && context->rules.zero_present == ACCD_CHOICE_REJECT) ||
        accd__find_object(env, start, &object) != ACCD_OK)
        return ACCD_PRESENCE_NONE;
    if (object && requested <= accd__object_end(object) -
                                   start) /* the object contains the range, but some bytes may be excluded */
        return !context->policy.holes ? ACCD_PRESENCE_FULL
                                      : to_presence(accd__compare_with_object(env, object, start, requested));
    if (object)
        return env->tuples.fused.count && accd__get_coverage(env, start, requested).is_single ? ACCD_PRESENCE_FULL
                                                                                              : ACCD_PRESENCE_PARTIAL;
    return accd__find_containment(env, start, requested, &relation, &object) == ACCD_OK ? to_presence(relation)
                                                                                        : ACCD_PRESENCE_NONE;
}

/* Sets *start_p and *bytes_p to the host range of the present object that contains `host`, and returns 1. Returns 0 if
 * there is no such object, or for bad arguments. */
int accd_present_bounds(accd_context *context, int device, const void *host, uint64_t *start_p, uint64_t *bytes_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    const struct accd__object *object = accd__object_at(env, accd__address(host), false);
    if (!object || !start_p || !bytes_p)
        return 0;
    *start_p = object->host;
    *bytes_p = accd__object_bytes(object);
    return 1;
}

/* Sets *start_p and *bytes_p to the host range of the first present object that overlaps [*at, end), and *at to the end
 * of that object; returns 1. Returns 0 if there is no such object, without memory, or for bad arguments. */
int accd_present_overlapping(accd_context *context, int device, uint64_t *at, uint64_t end, uint64_t *start_p,
                             uint64_t *bytes_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    struct accd__object *object;
    enum accd__containment relation;
    if (!env || !at || !start_p || !bytes_p || *at >= end ||
        accd__find_containment(env, *at, end - *at, &relation, &object) != ACCD_OK || !object)
        return 0;
    *start_p = object->host;
    *bytes_p = accd__object_bytes(object);
    *at = accd__object_end(object);
    return 1;
}

/* Returns the device address of host address `host`; 0 if no present object contains it. */
uint64_t accd_device_address(accd_context *context, int device, const void *host)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    const struct accd__object *object = accd__object_at(env, accd__address(host), false);
    return object ? object->dev + (accd__address(host) - object->host) : 0;
}

/* Returns the host address of device address `dev`; 0 if no present object contains it. */
uint64_t accd_host_address(accd_context *context, int device, uint64_t dev)
{
    const struct accd__object *object = accd__object_at(accd__find_device_env(context, device), dev, true);
    return object ? object->host + (dev - object->dev) : 0;
}

/* Fills *present, the public description of a present object, including the object's name. */
static void describe_present(struct accd__device_env *env, const struct accd__object *object,
                             accd_present_object *present)
{
    assert(object && present);
    *present = (accd_present_object){
        .dev = object->dev,
        .structured = object->structured,
        .dynamic = object->dynamic,
        .mapped = (object->size & ACCD_OBJECT_MAPPED) != 0,
        .pointer = (object->size & ACCD_OBJECT_POINTER) != 0,
    };
    accd__describe_object(env, object, &present->info);
}

/* Describes in *present_p the present object that contains a host address or, if `in_device`, a device address. Returns
 * 1, or 0 if there is no such object. */
int accd_present_at(accd_context *context, int device, uint64_t address, int in_device, accd_present_object *present_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    const struct accd__object *object = accd__object_at(env, address, in_device);
    if (!object || !present_p)
        return 0;
    describe_present(env, object, present_p);
    return 1;
}

/* Describes in *present_p the first present object that begins at or after host address *at, and sets *at to the
 * object's end. Returns 1; or 0 after the last object, without memory, or for bad arguments. */
int accd_present_next(accd_context *context, int device, uint64_t *at, accd_present_object *present_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    struct accd__btree_cursor cursor;
    if (!env || !at || !present_p || accd__expand_groups(env) != ACCD_OK)
        return 0;
    const struct accd__object *object = accd__btree_seek(&env->present.objects, *at, &cursor);
    if (!object)
        return 0;
    describe_present(env, object, present_p);
    *at = accd__object_end(object);
    return 1;
}

/* Returns the device address for the pointer value `host`; 0 if there is none. The value may be in a present object or
 * at its end. It may also be in the extended range, which begins at element 0 of the mapped array. Sets [*low_p,
 * *high_p) to the device range of the object. */
uint64_t accd_matching_address(accd_context *context, int device, const void *host, uint64_t *low_p, uint64_t *high_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    struct accd__object *object = NULL;
    uint64_t at = accd__address(host);
    if (!env || !at || accd__find_object(env, at, &object) != ACCD_OK ||
        (!object && accd__find_extended_object(env, at, &object) != ACCD_OK) ||
        (!object && accd__find_object(env, at - 1, &object) != ACCD_OK) || !object)
        return 0;
    accd__object_device_range(env, object, low_p, high_p);
    return object->dev + (at - object->host);
}

/* Fills *to, the public description of an attachment. The range [to->low, to->high) is empty if the target is no longer
 * present. */
static void describe_attachment(struct accd__device_env *env, const struct accd__attachment *attach,
                                accd_attachment *to)
{
    assert(attach && to);
    const struct accd__object *target = accd__object_at(env, attach->base, false);
    *to = (accd_attachment){.slot = attach->slot,
                            .slot_bytes = accd__attachment_end(attach) - attach->slot,
                            .target = attach->target,
                            .dev = attach->dev,
                            .count = attach->count};
    accd__format_slot(env, attach->slot, attach->label, to->name, sizeof to->name);
    accd__object_device_range(env, target, &to->low, &to->high);
}

/* Describes in *attachment_p the attachment of the pointer at host address `slot`. Returns 1, or 0 if the pointer is
 * not attached. */
int accd_attachment_at(accd_context *context, int device, const void *slot, accd_attachment *attachment_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    struct accd__attachment *attach = NULL;
    if (!env || !attachment_p || accd__find_attachment(env, accd__address(slot), &attach) != ACCD_OK || !attach)
        return 0;
    describe_attachment(env, attach, attachment_p);
    return 1;
}

/* Describes in *attachment_p the first attachment of a pointer at or after host address *at, and sets *at to the
 * address after the pointer's first byte. Returns 1; or 0 after the last attachment, or without memory. */
int accd_attachment_next(accd_context *context, int device, uint64_t *at, accd_attachment *attachment_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    struct accd__btree_cursor cursor;
    if (!env || !at || !attachment_p || accd__expand_groups(env) != ACCD_OK)
        return 0;
    const struct accd__attachment *attach = accd__btree_seek(&env->attached.slots, *at, &cursor);
    if (!attach)
        return 0;
    describe_attachment(env, attach, attachment_p);
    *at = attach->slot + 1;
    return 1;
}

/* Sets [*low_p, *high_p) to the range of all device addresses in this process, and returns 1. Returns 0 if the device
 * has no such range. */
int accd_device_address_space(accd_context *context, int device, uint64_t *low_p, uint64_t *high_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    if (!env || !low_p || !high_p || !env->device.ops->address_range)
        return 0;
    env->device.ops->address_range(env->device.handle, low_p, high_p);
    return 1;
}

/* Sets [*low_p, *high_p) to the host memory in which the device records its allocations, and returns 1. Returns 0 if
 * there is no such memory. */
int accd__device_metadata_range(accd_context *context, int device, uint64_t *low_p, uint64_t *high_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    if (!env || !low_p || !high_p || !env->device.ops->metadata_range)
        return 0;
    env->device.ops->metadata_range(env->device.handle, low_p, high_p);
    return 1;
}

/* Writes the statistics of a device to *stats_p; all members become 0 if there is no such device. */
void accd_get_stats(accd_context *context, int device, accd_stats *stats_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    if (!stats_p)
        return;
    *stats_p = (accd_stats){0};
    if (!env)
        return;
    *stats_p = env->device.stats;
    stats_p->objects = env->present.live;
    stats_p->attachments = env->attached.live;
}

/* Returns the address of a byte after or before an allocation that was overwritten, and sets *block_p to the address of
 * that allocation; 0 if the device finds none. */
uint64_t accd__device_find_overrun(accd_context *context, int device, uint64_t *block_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    return env && env->device.ops->find_overrun ? env->device.ops->find_overrun(env->device.handle, block_p) : 0;
}

/* Switches the guard pages of a "guarded" device on or off; does nothing for other devices. */
void accd__device_set_guards(accd_context *context, int device, int on)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    if (env && env->device.ops->set_guards)
        env->device.ops->set_guards(env->device.handle, on);
}

/* Returns 1 if the device range [dev, dev + bytes) lies in one allocation, else 0. */
int accd_device_is_allocated(accd_context *context, int device, uint64_t dev, uint64_t bytes)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    return env && env->device.ops->is_allocated(env->device.handle, dev, bytes);
}
