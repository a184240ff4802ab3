/* inspect.c - looking at the state: presence, objects, attachments, statistics. */
#include "ops/ops.h"
#include "table/name.h"
#include "table/tuples.h"

static accd_presence presence(enum accd_relation relation)
{
    return relation == ACCD_INSIDE ? ACCD_WHOLLY : relation == ACCD_ACROSS ? ACCD_PARTLY : ACCD_ABSENT;
}

/* Decides ACC33-3.2.26-1, ACC33-3.2.26-2. */
accd_presence accd_presence_of(accd_context *context, int device, const void *host, uint64_t bytes)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    enum accd_relation relation;
    struct accd_object *object;
    uint64_t start = accd_address(host), asked = bytes ? bytes : 1;
    if (!dir || !host || (!bytes && context->rules.zero_present == ACCD_REJECT) ||
        accd_find(dir, start, &object) != ACCD_OK)
        return ACCD_ABSENT;
    if (object && asked <= accd_object_end(object) - start) /* what lies behind it does not matter */
        return !context->verdicts.holes ? ACCD_WHOLLY
                                        : presence(accd_relate_within(dir, object, start, asked));
    if (object)
        return dir->tuples.fused.count && accd_cover_of(dir, start, asked).one ? ACCD_WHOLLY : ACCD_PARTLY;
    return accd_relate(dir, start, asked, &relation, &object) == ACCD_OK ? presence(relation) : ACCD_ABSENT;
}

int accd_present_bounds(accd_context *context, int device, const void *host, uint64_t *start_p,
                        uint64_t *bytes_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_object *object = accd_object_at(dir, accd_address(host), false);
    if (!object || !start_p || !bytes_p)
        return 0;
    *start_p = object->host;
    *bytes_p = accd_object_bytes(object);
    return 1;
}

int accd_present_in(accd_context *context, int device, uint64_t *at, uint64_t end,
                    uint64_t *start_p, uint64_t *bytes_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_object *object;
    enum accd_relation relation;
    if (!dir || !at || !start_p || !bytes_p || *at >= end ||
        accd_relate(dir, *at, end - *at, &relation, &object) != ACCD_OK || !object)
        return 0;
    *start_p = object->host;
    *bytes_p = accd_object_bytes(object);
    *at = accd_object_end(object);
    return 1;
}

uint64_t accd_device_address(accd_context *context, int device, const void *host)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_object *object = accd_object_at(dir, accd_address(host), false);
    return object ? object->dev + (accd_address(host) - object->host) : 0;
}

uint64_t accd_host_address(accd_context *context, int device, uint64_t dev)
{
    const struct accd_object *object = accd_object_at(accd_directory_of(context, device), dev, true);
    return object ? object->host + (dev - object->dev) : 0;
}

static void describe(struct accd_directory *dir, const struct accd_object *object, accd_present *present)
{
    *present = (accd_present){
        .dev = object->dev,
        .structured = object->structured,
        .dynamic = object->dynamic,
        .mapped = (object->size & ACCD_OBJECT_MAPPED) != 0,
        .pointer = (object->size & ACCD_OBJECT_POINTER) != 0,
    };
    accd_describe_object(dir, object, &present->info);
}

int accd_present_at(accd_context *context, int device, uint64_t address, int in_device,
                    accd_present *present_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_object *object = accd_object_at(dir, address, in_device);
    if (!object || !present_p)
        return 0;
    describe(dir, object, present_p);
    return 1;
}

int accd_present_next(accd_context *context, int device, uint64_t *at, accd_present *present_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_range_cursor cursor;
    if (!dir || !at || !present_p || accd_index_all(dir) != ACCD_OK)
        return 0;
    const struct accd_object *object = accd_range_seek(&dir->present.objects, *at, &cursor);
    if (!object)
        return 0;
    describe(dir, object, present_p);
    *at = accd_object_end(object);
    return 1;
}

uint64_t accd_matching_address(accd_context *context, int device, const void *host,
                               uint64_t *low_p, uint64_t *high_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_object *object = NULL;
    uint64_t at = accd_address(host);
    if (!dir || !at || accd_find(dir, at, &object) != ACCD_OK ||
        (!object && accd_find_extended(dir, at, &object) != ACCD_OK) ||
        (!object && accd_find(dir, at - 1, &object) != ACCD_OK) || !object)
        return 0;
    accd_bounds_of(dir, object, low_p, high_p);
    return object->dev + (at - object->host);
}

static void describe_attachment(struct accd_directory *dir, const struct accd_attach *attach,
                                accd_attachment *to)
{
    const struct accd_object *target = accd_object_at(dir, attach->base, false);
    *to = (accd_attachment){.slot = attach->slot,
                            .slot_bytes = accd_attach_end(attach) - attach->slot,
                            .target = attach->target,
                            .dev = attach->dev,
                            .count = attach->count};
    accd_name_slot(dir, attach->slot, attach->label, to->name, sizeof to->name);
    accd_bounds_of(dir, target, &to->low, &to->high);
}

int accd_attachment_at(accd_context *context, int device, const void *slot, accd_attachment *attachment_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_attach *attach = NULL;
    if (!dir || !attachment_p || accd_find_attach(dir, accd_address(slot), &attach) != ACCD_OK || !attach)
        return 0;
    describe_attachment(dir, attach, attachment_p);
    return 1;
}

int accd_attachment_next(accd_context *context, int device, uint64_t *at, accd_attachment *attachment_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_range_cursor cursor;
    if (!dir || !at || !attachment_p || accd_index_all(dir) != ACCD_OK)
        return 0;
    const struct accd_attach *attach = accd_range_seek(&dir->attached.slots, *at, &cursor);
    if (!attach)
        return 0;
    describe_attachment(dir, attach, attachment_p);
    *at = attach->slot + 1;
    return 1;
}

int accd_device_space(accd_context *context, int device, uint64_t *low_p, uint64_t *high_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir || !low_p || !high_p || !dir->device.ops->space)
        return 0;
    dir->device.ops->space(dir->device.handle, low_p, high_p);
    return 1;
}

int accd_device_tables(accd_context *context, int device, uint64_t *low_p, uint64_t *high_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir || !low_p || !high_p || !dir->device.ops->tables)
        return 0;
    dir->device.ops->tables(dir->device.handle, low_p, high_p);
    return 1;
}

void accd_get_stats(accd_context *context, int device, accd_stats *stats_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!stats_p)
        return;
    *stats_p = (accd_stats){0};
    if (!dir)
        return;
    *stats_p = dir->device.stats;
    stats_p->objects = dir->present.live;
    stats_p->attachments = dir->attached.live;
}

uint64_t accd_device_overrun(accd_context *context, int device, uint64_t *block_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    return dir && dir->device.ops->overrun ? dir->device.ops->overrun(dir->device.handle, block_p) : 0;
}

void accd_device_guard(accd_context *context, int device, int on)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (dir && dir->device.ops->guard)
        dir->device.ops->guard(dir->device.handle, on);
}

int accd_device_holds(accd_context *context, int device, uint64_t dev, uint64_t bytes)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    return dir && dir->device.ops->allocated(dir->device.handle, dev, bytes);
}
