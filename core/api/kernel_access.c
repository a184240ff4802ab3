/* kernel_access.c - the device accesses of kernels that are interpreted, with the checks that a kernel on a device
 * would need, and kernels that the device runs itself. */
#include "accdeep_internal.h"
#include "accdeep_queues.h"
#include "api/inside.h"
#include "ops/ops.h"
#include "table/find.h"
#include "table/name.h"
#include "table/objects.h"
#include "table/tuples.h"
#include "table/view.h"

#include <assert.h>

/* Sets the last error for a device range that is not in one allocation; returns ACCD_ERROR_OUT_OF_BOUNDS. */
accd_status accd__report_not_allocated(const struct accd__device_env *env)
{
    return accd__set_error(env->context, ACCD_ERROR_OUT_OF_BOUNDS, R_BOUNDS,
                           "the range is not in allocated memory of device %d", env->device.number);
}

/* Returns ACCD_ERROR_OUT_OF_BOUNDS if data lay at device address `dev`, have moved, and the knob `stale` is `reject`.
 * The member `other` of the error describes the moved object. Fails without memory for the index by device address.
 * Otherwise returns ACCD_OK. Decides DIR-4.1-05. */
accd_status accd__check_stale_address(struct accd__device_env *env, uint64_t dev)
{
    struct accd__object *object = NULL;
    const struct accd__block *block = accd__btree_floor(&env->present.blocks, dev);
    if (!block || !block->vacated || dev - block->dev >= block->bytes ||
        env->context->rules.stale == ACCD_CHOICE_IGNORE)
        return ACCD_OK;
    ACCD_TRY(accd__find_object_by_dev(env, dev, &object));
    if (object)
        return ACCD_OK;
    accd_status status =
        accd__set_error(env->context, ACCD_ERROR_OUT_OF_BOUNDS, R_STALE,
                        "the address is stale: the data moved on device %d when they were fused", env->device.number);
    if (block->host)
        object = accd__object_at(env, block->host + (dev - block->dev), false);
    if (object)
        accd__describe_object(env, object, &env->context->error.other);
    return status;
}

/* Sets [*low_p, *high_p) to the device range that an access at `dev` may use, and returns 1. The range is an object, a
 * tuple (data that fusion has moved into one block), or memory of the running kernel. Returns 0 if there is no such
 * range. */
int accd_device_bounds(accd_context *context, int device, uint64_t dev, uint64_t *low_p, uint64_t *high_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    struct accd__object *object = NULL;
    if (!env || !low_p || !high_p || accd__find_object_by_dev(env, dev, &object) != ACCD_OK)
        return 0;
    const struct accd__fused_tuple *fused =
        !object && env->tuples.fused.count ? accd__find_fused_tuple_by_dev(env, dev) : NULL;
    if (!object && !fused && env->queues.running && accd__running_kernel_range(env, dev, low_p, high_p))
        return 1;
    if (!fused)
        return accd__object_device_range(env, object, low_p, high_p);
    /* the address is between objects of the tuple: the range is the whole tuple */
    *low_p = accd__fused_tuple_dev(fused);
    *high_p = *low_p + (fused->end - fused->host);
    return 1;
}

/* Writes the name of the present data at device address `dev` to `to` (`capacity` bytes); an empty string if no present
 * object contains the address. */
void accd_format_name_at(accd_context *context, int device, uint64_t dev, char *to, size_t capacity)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    const struct accd__object *object = accd__object_at(env, dev, true);
    if (!to || !capacity)
        return;
    to[0] = 0;
    if (object)
        accd__format_member(env, object, dev - object->dev, to, capacity);
}

/* Returns the member that contains the byte at `offset` in an element of the layout `program`, and that the clause
 * excluded; NULL if there is none. */
static const accd_member *find_excluded_member(const accd_program *program, uint64_t offset)
{
    const accd_program_spec *spec = program ? &program->spec : NULL;
    for (size_t i = 0; spec && i < spec->nexcluded; i++)
        if (offset - spec->excluded[i].offset < spec->excluded[i].bytes)
            return &spec->excluded[i];
    return NULL;
}

/* Describes in *info_p the member at device address `dev`, if the clause that mapped the object excluded it. Returns 1,
 * or 0 if the address is in no excluded member. */
int accd__excluded_at(accd_context *context, int device, uint64_t dev, accd_object_info *info_p)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    const struct accd__object *object = accd__object_at(env, dev, true);
    if (!object || !info_p)
        return 0;
    const accd_program *layout = accd__object_layout(env, object);
    uint64_t offset = dev - object->dev;
    const accd_member *excluded = layout ? find_excluded_member(layout, offset % layout->spec.stride) : NULL;
    if (!excluded)
        return 0;
    accd__describe_object(env, object, info_p);
    uint64_t start = offset - offset % layout->spec.stride + excluded->offset;
    accd__format_member(env, object, start, info_p->name, sizeof info_p->name);
    info_p->host = object->host + start;
    info_p->bytes = excluded->bytes;
    return 1;
}

/* Returns ACCD_ERROR_EXCLUDED_MEMBER, and sets the last error, if device address `dev` is in a member that the mapping
 * clause excluded; otherwise returns ACCD_OK. Decides TR14-1.2-10, TR14-3.1.1-14. */
static accd_status check_excluded_member(struct accd__device_env *env, uint64_t dev)
{
    accd_object_info excluded;
    if (!accd__excluded_at(env->context, env->device.number, dev, &excluded))
        return ACCD_OK;
    accd__set_error(env->context, ACCD_ERROR_EXCLUDED_MEMBER, R_EXCLUDED, "%s was excluded when it was mapped",
                    excluded.name);
    env->context->error.asked = excluded;
    return ACCD_ERROR_EXCLUDED_MEMBER;
}

/* Returns the error of an access at `dev`, an address in `block` that no object contains, and sets the last error. The
 * address is between fused data, or where data lay before they moved. `reads`: the access is a read; false: a write.
 * Returns ACCD_OK only if the rules accept stale addresses. Decides DIR-4.2-17. */
static accd_status check_between_objects(struct accd__device_env *env, const struct accd__block *block, uint64_t dev,
                                         bool reads)
{
    assert(block);
    const struct accd__fused_tuple *fused = accd__find_fused_tuple_by_dev(env, dev);
    if (fused)
        return accd__set_error(env->context, reads ? ACCD_ERROR_UNINITIALIZED_READ : ACCD_ERROR_OUT_OF_BOUNDS, R_HOLE,
                               "bytes between fused data are %s on device %d: no clause names them",
                               reads ? "read" : "written", env->device.number);
    return block->vacated ? accd__check_stale_address(env, dev) : accd__report_not_allocated(env);
}

/* Returns ACCD_OK if a kernel may access the device range [dev, dev + bytes). The range must lie in one object, one
 * tuple of fused data, one allocation of the program, or memory of the running kernel. Otherwise sets the last error
 * and returns its status, such as ACCD_ERROR_OUT_OF_BOUNDS or ACCD_ERROR_NULL_POINTER. `reads`: the access is a read;
 * false: a write. Decides TR14-1.1-02. */
static accd_status check_kernel_access(struct accd__device_env *env, uint64_t dev, uint64_t bytes, bool reads)
{
    accd_context *context = env->context;
    struct accd__object *holder;
    ACCD_TRY(accd__find_object_by_dev(env, dev, &holder));
    /* Objects in the program's own memory (acc_map_data) are not handled here, because the whole allocation is
     * accessible; it is checked below. If fusion has moved such an object into a shared block, only the object is
     * accessible. */
    if (holder && (holder->size & (ACCD_OBJECT_MAPPED | ACCD_OBJECT_SHARED)) != ACCD_OBJECT_MAPPED) {
        uint64_t remaining = holder->dev + accd__object_bytes(holder) - dev;
        if (bytes <= remaining)
            return ACCD_OK;
        if (env->tuples.fused.count && accd__find_fused_tuple_by_dev(env, dev))
            return check_kernel_access(env, dev + remaining, bytes - remaining, reads); /* continues with the next
                                                                                         * object of the tuple */
        accd_object_info info;
        accd__describe_object(env, holder, &info);
        accd__set_error(context, ACCD_ERROR_OUT_OF_BOUNDS, R_BOUNDS, "the access leaves %s on device %d",
                        *info.name ? info.name : "its object", env->device.number);
        context->error.other = info;
        return ACCD_ERROR_OUT_OF_BOUNDS;
    }
    uint64_t low, high;
    if (!holder && env->queues.running && accd__running_kernel_range(env, dev, &low, &high) && bytes <= high - dev)
        return ACCD_OK;
    const struct accd__block *block = accd__btree_floor(&env->present.blocks, dev);
    bool in_block =
        block && dev - block->dev < block->bytes; /* true if the address is in a block that several objects share */
    if (in_block && (block->host || block->vacated))
        return check_between_objects(env, block, dev, reads);
    if (!in_block && env->device.ops->is_allocated(env->device.handle, dev, bytes))
        return ACCD_OK;
    if (!dev)
        return accd__set_error(context, ACCD_ERROR_NULL_POINTER, R_UNTRANSLATED, "a null pointer was followed");
    if (!env->device.ops->owns(env->device.handle, dev) && accd_device_at(context, dev) != env->device.number) {
        accd_status status = accd__set_error(context, ACCD_ERROR_HOST_POINTER_ON_DEVICE, R_UNTRANSLATED,
                                             "the address belongs to the host, not to device %d", env->device.number);
        const struct accd__object *object = accd__object_at(env, dev, false);
        if (object)
            accd__describe_object(env, object, &context->error.other);
        return status;
    }
    return accd__report_not_allocated(env);
}

/* Waits, in concurrent mode, until the queued work that uses the device range [dev, dev + bytes) is over, and returns
 * its error. In other modes does nothing. */
static accd_status wait_for_range(struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    if (!env->queues.ntasks || !accd__is_concurrent(env))
        return ACCD_OK;
    accd__begin_pending_query(env, NULL);
    return accd__wait_for_range(env, dev, bytes);
}

/* Reads `bytes` device bytes at `dev` into `to`, with the checks of a kernel. Returns an error if the range is not
 * accessible, or if some of its bytes were never written. Decides HOUSE-unwritten, TR14-1.2-12. */
accd_status accd_device_read(accd_context *context, int device, uint64_t dev, void *to, uint64_t bytes)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_REQUIRE_ARGUMENT(context, to || !bytes);
    ACCD_TRY(check_kernel_access(env, dev, bytes, true));
    ACCD_TRY(wait_for_range(env, dev, bytes));
    if (env->device.ops->count_written && env->device.ops->count_written(env->device.handle, dev, bytes) < bytes) {
        ACCD_TRY(check_excluded_member(env, dev));
        struct accd__object *object = NULL;
        ACCD_TRY(accd__find_object_by_dev(env, dev, &object));
        char name[160] = "device memory";
        if (object)
            accd__format_member(env, object, dev - object->dev, name, sizeof name);
        accd_status status = accd__set_error(context, ACCD_ERROR_UNINITIALIZED_READ, R_UNINITIALIZED,
                                             "%s is read on device %d before anything was written to it", name, device);
        if (object)
            accd__describe_object(env, object, &context->error.other);
        return status;
    }
    return accd__check_device_status(&env->device, env->device.ops->read(env->device.handle, dev, to, bytes),
                                     "in an access to its memory");
}

/* Returns true if a write of `bytes` bytes from `from` at device address `dev` leaves an attached pointer, and the
 * Fortran descriptor that may belong to it, unchanged. `host` is the host address that corresponds to `dev`. Returns
 * false also if the device cannot be read. */
static bool is_unchanged(struct accd__device_env *env, uint64_t dev, uint64_t host, const void *from, uint64_t bytes,
                         const struct accd__attachment *attach)
{
    assert(bytes <= ACCD_MAX_SLOT_BYTES || accd__attachment_end(attach) - attach->slot <= ACCD_MAX_SLOT_BYTES);
    char current[ACCD_MAX_SLOT_BYTES];
    uint64_t end = accd__attachment_end(attach), at = attach->slot > host ? attach->slot - host : 0;
    if (end <= host) /* the pointer or descriptor ends before the write, which cannot change it */
        return true;
    end = end - host < bytes ? end - host : bytes;
    return env->device.ops->read(env->device.handle, dev + at, current, end - at) == ACCD_OK &&
           !memcmp(current, (const char *)from + at, end - at);
}

/* Returns ACCD_ERROR_POINTER_CHANGED, and sets the last error, if a write of `bytes` bytes from `from` at `dev` would
 * change an attached pointer. If the knob pointer_changed is `ignore`, checks this only for the attach policy `new`.
 * Fails without memory to make objects of groups. Decides TR14-4.1-08, OMP60-map-8, LLNL-2.1-08. */
static accd_status check_pointer_writes(struct accd__device_env *env, uint64_t dev, const void *from, uint64_t bytes)
{
    assert(from || !bytes);
    struct accd__object *object;
    const accd_rules *rules = &env->context->rules;
    if (!env->attached.live ||
        (rules->pointer_changed == ACCD_CHOICE_IGNORE && rules->attach != ACCD_ATTACH_POLICY_NEW))
        return ACCD_OK;
    ACCD_TRY(accd__find_object_by_dev(env, dev, &object));
    if (!object)
        return ACCD_OK;
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach;
    uint64_t host = object->host + (dev - object->dev);
    ACCD_TRY(accd__first_attachment(env, host, host + bytes, &cursor, &attach));
    for (; attach; attach = accd__next_attachment(&cursor, host + bytes)) {
        if (!attach->base || is_unchanged(env, dev, host, from, bytes, attach))
            continue; /* the pointer has lost its target, or the write leaves it unchanged: no error */
        char name[160];
        accd__format_slot(env, attach->slot, attach->label, name, sizeof name);
        return accd__set_error(env->context, ACCD_ERROR_POINTER_CHANGED, R_POINTER_CHANGED,
                               "a kernel changes the pointer %s, which is attached", name);
    }
    return ACCD_OK;
}

/* Writes `bytes` bytes from `from` to device address `dev`, with the checks of a kernel; an open journal saves the old
 * bytes. Returns an error if the range is not accessible, is in an excluded member, or has an attached pointer that the
 * write would change. */
accd_status accd_device_write(accd_context *context, int device, uint64_t dev, const void *from, uint64_t bytes)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_TRY(accd__check_not_busy(context));
    ACCD_REQUIRE_ARGUMENT(context, from || !bytes);
    ACCD_TRY(check_kernel_access(env, dev, bytes, false));
    ACCD_TRY(wait_for_range(env, dev, bytes));
    ACCD_TRY(check_pointer_writes(env, dev, from, bytes));
    if (env->device.ops->count_written && env->device.ops->count_written(env->device.handle, dev, bytes) == 0)
        ACCD_TRY(check_excluded_member(env, dev));
    if (env->journal)
        ACCD_TRY(accd__journal_save_bytes(env, dev, bytes));
    return accd__check_device_status(&env->device, env->device.ops->write(env->device.handle, dev, from, bytes),
                                     "in an access to its memory");
}

/* Returns how many bytes of the device range [dev, dev + bytes) were ever written; -1 if the device does not record
 * writes, or the range is not allocated. */
int64_t accd_device_count_written(accd_context *context, int device, uint64_t dev, uint64_t bytes)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    if (!env || !env->device.ops->count_written || !env->device.ops->is_allocated(env->device.handle, dev, bytes))
        return -1;
    return (int64_t)env->device.ops->count_written(env->device.handle, dev, bytes);
}

/* Writes the name of the device's compiler of kernels, or the reason why there is none, to `what` (`capacity` bytes).
 * Returns 1 if the device has a compiler, else 0. */
int accd_get_kernel_compiler(accd_context *context, int device, char *what, size_t capacity)
{
    struct accd__device_env *env = accd__find_device_env(context, device);
    if (!what || !capacity)
        return 0;
    what[0] = 0;
    return env && env->device.ops->get_compiler && env->device.ops->get_compiler(env->device.handle, what, capacity);
}

/* Runs a kernel on the device, in concurrent mode after the work of all queues of the device. Sets *end_p to the
 * outcome. ACCD_ERROR_MISUSE: the device runs no kernels, or no journal (which can undo writes) is open. */
accd_status accd_run_kernel(accd_context *context, int device, const accd_kernel *kernel, accd_kernel_result *end_p)
{
    ACCD_ON_DEVICE(env, context, device);
    ACCD_TRY(accd__check_not_busy(context));
    ACCD_REQUIRE_ARGUMENT(context, kernel);
    ACCD_REQUIRE_ARGUMENT(context, end_p);
    if (!env->device.ops->launch || !env->journal)
        return accd__set_error(context, ACCD_ERROR_MISUSE, R_MISUSE, "the device runs no kernels now");
    if (accd__is_concurrent(env))
        ACCD_TRY(accd__wait_for_all_queues(env));
    return accd__launch_kernel(env, kernel, 0, NULL, end_p);
}
