/* access.c - kernels: what they read and write, and those that the device runs itself. */
#include "face/inside.h"
#include "ops/ops.h"
#include "table/name.h"
#include "table/tuples.h"

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

int accd_device_bounds(accd_context *context, int device, uint64_t dev, uint64_t *low_p, uint64_t *high_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_object *object = NULL;
    if (!dir || !low_p || !high_p || accd_find_device(dir, dev, &object) != ACCD_OK)
        return 0;
    const struct accd_fused *fused =
        !object && dir->tuples.fused.count ? accd_fused_in_device(dir, dev) : NULL;
    if (!object && !fused && dir->queues.running && accd_running_range(dir, dev, low_p, high_p))
        return 1;
    if (!fused)
        return accd_bounds_of(dir, object, low_p, high_p);
    *low_p = accd_fused_dev(fused); /* the address lies between its objects */
    *high_p = *low_p + (fused->end - fused->host);
    return 1;
}

void accd_name_at(accd_context *context, int device, uint64_t dev, char *to, size_t room)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_object *object = accd_object_at(dir, dev, true);
    if (!to || !room)
        return;
    to[0] = 0;
    if (object)
        accd_name_inside(dir, object, dev - object->dev, to, room);
}

/* The excluded member of an element, embedded elements included. */
static const accd_member *excluded_in(const accd_program *program, uint64_t offset)
{
    const accd_program_spec *spec = program ? &program->spec : NULL;
    for (size_t i = 0; spec && i < spec->nexcluded; i++)
        if (offset - spec->excluded[i].offset < spec->excluded[i].bytes)
            return &spec->excluded[i];
    return NULL;
}

int accd_excluded_at(accd_context *context, int device, uint64_t dev, accd_object_info *info_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_object *object = accd_object_at(dir, dev, true);
    if (!object || !info_p)
        return 0;
    const accd_program *layout = accd_layout_of(dir, object);
    uint64_t offset = dev - object->dev;
    const accd_member *excluded = layout ? excluded_in(layout, offset % layout->spec.stride) : NULL;
    if (!excluded)
        return 0;
    accd_describe_object(dir, object, info_p);
    uint64_t start = offset - offset % layout->spec.stride + excluded->offset;
    accd_name_inside(dir, object, start, info_p->name, sizeof info_p->name);
    info_p->host = object->host + start;
    info_p->bytes = excluded->bytes;
    return 1;
}

/* ACCD_EXCLUDED_MEMBER: the bytes belong to one.
 * Decides TR14-1.2-10, TR14-3.1.1-14. */
static accd_status check_excluded(struct accd_directory *dir, uint64_t dev)
{
    accd_object_info excluded;
    if (!accd_excluded_at(dir->context, dir->device.number, dev, &excluded))
        return ACCD_OK;
    accd_fail(dir->context, ACCD_EXCLUDED_MEMBER, R_EXCLUDED, "%s was excluded when it was mapped", excluded.name);
    dir->context->error.asked = excluded;
    return ACCD_EXCLUDED_MEMBER;
}

/* Memory of no present object, in a block where such lie: between them, or where they lay before.
 * Decides DIR-4.2-17. */
static accd_status check_between(struct accd_directory *dir, const struct accd_block *block,
                                 uint64_t dev, bool reads)
{
    const struct accd_fused *fused = accd_fused_in_device(dir, dev);
    if (fused)
        return accd_fail(dir->context, reads ? ACCD_UNINITIALIZED_READ : ACCD_OUT_OF_BOUNDS, R_HOLE,
                         "bytes between fused data are %s on device %d: no clause names them",
                         reads ? "read" : "written", dir->device.number);
    return block->former ? accd_check_stale(dir, dev) : accd_not_allocated(dir);
}

/* Decides TR14-1.1-02. */
static accd_status check_access(struct accd_directory *dir, uint64_t dev, uint64_t bytes, bool reads)
{
    accd_context *context = dir->context;
    struct accd_object *held;
    ACCD_TRY(accd_find_device(dir, dev, &held));
    /* the user's memory is allocated whatever lies in it, but not what it was fused into */
    if (held && (held->size & (ACCD_OBJECT_MAPPED | ACCD_OBJECT_SHARED)) != ACCD_OBJECT_MAPPED) {
        uint64_t left = held->dev + accd_object_bytes(held) - dev;
        if (bytes <= left)
            return ACCD_OK;
        if (dir->tuples.fused.count && accd_fused_in_device(dir, dev))
            return check_access(dir, dev + left, bytes - left, reads); /* and what is beside it */
        accd_object_info info;
        accd_describe_object(dir, held, &info);
        accd_fail(context, ACCD_OUT_OF_BOUNDS, R_BOUNDS, "the access leaves %s on device %d",
                  *info.name ? info.name : "its object", dir->device.number);
        context->error.other = info;
        return ACCD_OUT_OF_BOUNDS;
    }
    uint64_t low, high;
    if (!held && dir->queues.running && accd_running_range(dir, dev, &low, &high) && bytes <= high - dev)
        return ACCD_OK;
    const struct accd_block *block = accd_range_floor(&dir->present.blocks, dev);
    bool between = block && dev - block->dev < block->bytes; /* objects that share a block */
    if (between && (block->host || block->former))
        return check_between(dir, block, dev, reads);
    if (!between && dir->device.ops->allocated(dir->device.handle, dev, bytes))
        return ACCD_OK;
    if (!dev)
        return accd_fail(context, ACCD_NULL_POINTER, R_UNTRANSLATED, "a null pointer was followed");
    if (!dir->device.ops->owns(dir->device.handle, dev) && accd_device_of(context, dev) != dir->device.number) {
        accd_status status =
            accd_fail(context, ACCD_HOST_POINTER_ON_DEVICE, R_UNTRANSLATED,
                      "the address belongs to the host, not to device %d", dir->device.number);
        const struct accd_object *object = accd_object_at(dir, dev, false);
        if (object)
            accd_describe_object(dir, object, &context->error.other);
        return status;
    }
    return accd_not_allocated(dir);
}

/* What a queue has under way is over first. */
static accd_status come_behind(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (!dir->queues.ntasks || !accd_is_concurrent(dir))
        return ACCD_OK;
    accd_pending_begin(dir, NULL);
    return accd_order_range(dir, dev, bytes);
}

/* Decides HOUSE-unwritten, TR14-1.2-12. */
accd_status accd_device_read(accd_context *context, int device, uint64_t dev, void *to, uint64_t bytes)
{
    ACCD_ON_DEVICE(dir, context, device);
    ACCD_GIVEN(context, to || !bytes);
    ACCD_TRY(check_access(dir, dev, bytes, true));
    ACCD_TRY(come_behind(dir, dev, bytes));
    if (dir->device.ops->written && dir->device.ops->written(dir->device.handle, dev, bytes) < bytes) {
        ACCD_TRY(check_excluded(dir, dev));
        struct accd_object *object = NULL;
        ACCD_TRY(accd_find_device(dir, dev, &object));
        char name[160] = "device memory";
        if (object)
            accd_name_inside(dir, object, dev - object->dev, name, sizeof name);
        accd_status status =
            accd_fail(context, ACCD_UNINITIALIZED_READ, R_UNINITIALIZED,
                      "%s is read on device %d before anything was written to it", name, device);
        if (object)
            accd_describe_object(dir, object, &context->error.other);
        return status;
    }
    return accd_device_result(&dir->device, dir->device.ops->read(dir->device.handle, dev, to, bytes),
                              "in an access to its memory");
}

/* Whether the device has already what is written of a pointer, or of its descriptor. */
static bool no_change(struct accd_directory *dir, uint64_t dev, uint64_t host, const void *from,
                      uint64_t bytes, const struct accd_attach *attach)
{
    char there[ACCD_SLOT_MOST];
    uint64_t end = accd_attach_end(attach), at = attach->slot > host ? attach->slot - host : 0;
    if (end <= host) /* it is within a descriptor that reaches further */
        return true;
    end = end - host < bytes ? end - host : bytes;
    return dir->device.ops->read(dir->device.handle, dev + at, there, end - at) == ACCD_OK &&
           !memcmp(there, (const char *)from + at, end - at);
}

/* Whether the write would change an attached pointer (TR14-4.1-08, OMP60-map-8; in OpenMP 4.0 it may,
 * LLNL-2.1-08).
 * Decides TR14-4.1-08, OMP60-map-8, LLNL-2.1-08. */
static accd_status check_pointers(struct accd_directory *dir, uint64_t dev, const void *from, uint64_t bytes)
{
    struct accd_object *object;
    const accd_rules *rules = &dir->context->rules;
    if (!dir->attached.live || (rules->pointer_changed == ACCD_IGNORE && rules->attach != ACCD_ATTACH_NEW))
        return ACCD_OK;
    ACCD_TRY(accd_find_device(dir, dev, &object));
    if (!object)
        return ACCD_OK;
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    uint64_t host = object->host + (dev - object->dev);
    ACCD_TRY(accd_first_attach(dir, host, host + bytes, &cursor, &attach));
    for (; attach; attach = accd_next_attach(&cursor, host + bytes)) {
        if (!attach->base || no_change(dir, dev, host, from, bytes, attach))
            continue; /* it dangles, or stays what it is */
        char name[160];
        accd_name_slot(dir, attach->slot, attach->label, name, sizeof name);
        return accd_fail(dir->context, ACCD_POINTER_CHANGED, R_POINTER_CHANGED,
                         "a kernel changes the pointer %s, which is attached", name);
    }
    return ACCD_OK;
}

accd_status accd_device_write(accd_context *context, int device, uint64_t dev, const void *from,
                              uint64_t bytes)
{
    ACCD_ON_DEVICE(dir, context, device);
    ACCD_TRY(accd_idle(context));
    ACCD_GIVEN(context, from || !bytes);
    ACCD_TRY(check_access(dir, dev, bytes, false));
    ACCD_TRY(come_behind(dir, dev, bytes));
    ACCD_TRY(check_pointers(dir, dev, from, bytes));
    if (dir->device.ops->written && dir->device.ops->written(dir->device.handle, dev, bytes) == 0)
        ACCD_TRY(check_excluded(dir, dev));
    if (dir->journal)
        ACCD_TRY(accd_journal_bytes(dir, dev, bytes));
    return accd_device_result(&dir->device, dir->device.ops->write(dir->device.handle, dev, from, bytes),
                              "in an access to its memory");
}

int64_t accd_device_written(accd_context *context, int device, uint64_t dev, uint64_t bytes)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir || !dir->device.ops->written || !dir->device.ops->allocated(dir->device.handle, dev, bytes))
        return -1;
    return (int64_t)dir->device.ops->written(dir->device.handle, dev, bytes);
}

int accd_kernel_compiler(accd_context *context, int device, char *what, size_t room)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!what || !room)
        return 0;
    what[0] = 0;
    return dir && dir->device.ops->compiler && dir->device.ops->compiler(dir->device.handle, what, room);
}

accd_status accd_kernel_run(accd_context *context, int device, const accd_kernel *kernel,
                            accd_kernel_end *end_p)
{
    ACCD_ON_DEVICE(dir, context, device);
    ACCD_TRY(accd_idle(context));
    ACCD_GIVEN(context, kernel);
    ACCD_GIVEN(context, end_p);
    if (!dir->device.ops->launch || !dir->journal)
        return accd_fail(context, ACCD_MISUSE, R_MISUSE, "the device runs no kernels now");
    if (accd_is_concurrent(dir))
        ACCD_TRY(accd_order_all(dir));
    return accd_kernel_launch(dir, kernel, 0, NULL, end_p);
}
