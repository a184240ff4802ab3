/* inspect.c - looking at the state: presence, objects, attachments, levels; kernels' accesses. */
#include "core.h"

static accd_presence presence_within(struct accd_directory *dir, const struct accd_object *object,
                                     uint64_t host, uint64_t bytes)
{
    enum accd_relation relation = accd_relate_within(dir, object, host, bytes);
    return relation == ACCD_INSIDE ? ACCD_WHOLLY : relation == ACCD_ACROSS ? ACCD_PARTLY
                                                                           : ACCD_ABSENT;
}

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
        return context->rules.holes == ACCD_IGNORE ? ACCD_WHOLLY
                                                   : presence_within(dir, object, start, asked);
    if (object)
        return dir->fused.count && accd_cover_of(dir, start, asked).one ? ACCD_WHOLLY
                                                                        : ACCD_PARTLY;
    if (accd_relate(dir, start, asked, &relation, &object) != ACCD_OK)
        return ACCD_ABSENT;
    return relation == ACCD_INSIDE ? ACCD_WHOLLY : relation == ACCD_ACROSS ? ACCD_PARTLY
                                                                           : ACCD_ABSENT;
}

int accd_present_bounds(accd_context *context, int device, const void *host, uint64_t *start_p,
                        uint64_t *bytes_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_object *object = NULL;
    if (!dir || !start_p || !bytes_p || accd_find(dir, accd_address(host), &object) != ACCD_OK || !object)
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
    struct accd_object *object = NULL;
    if (!dir || accd_find(dir, accd_address(host), &object) != ACCD_OK || !object)
        return 0;
    return object->dev + (accd_address(host) - object->host);
}

uint64_t accd_host_address(accd_context *context, int device, uint64_t dev)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_object *object = NULL;
    if (!dir || accd_find_device(dir, dev, &object) != ACCD_OK || !object)
        return 0;
    return object->host + (dev - object->dev);
}

static void describe(struct accd_directory *dir, const struct accd_object *object,
                     accd_present *present)
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
    struct accd_object *object = NULL;
    if (!dir || !present_p || (in_device ? accd_find_device : accd_find)(dir, address, &object) != ACCD_OK ||
        !object)
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
    const struct accd_object *object = accd_range_seek(&dir->objects, *at, &cursor);
    if (!object)
        return 0;
    describe(dir, object, present_p);
    *at = accd_object_end(object);
    return 1;
}

/* Device range of an object, or of the tuple it is in: there, indices reach from one to another. */
static int bounds_of(struct accd_directory *dir, const struct accd_object *object,
                     uint64_t *low_p, uint64_t *high_p)
{
    if (!object)
        return 0;
    const struct accd_fused *fused =
        dir->fused.count ? accd_fused_at(dir, object->host) : NULL;
    *low_p = fused ? accd_fused_dev(fused) : object->dev;
    *high_p = *low_p + (fused ? fused->end - fused->host : accd_object_bytes(object));
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
    bounds_of(dir, object, low_p, high_p);
    return object->dev + (at - object->host);
}

static void describe_attachment(struct accd_directory *dir, const struct accd_attach *attach,
                                accd_attachment *to)
{
    struct accd_object *target = NULL;
    *to = (accd_attachment){.slot = attach->slot,
                            .slot_bytes = accd_attach_end(attach) - attach->slot,
                            .target = attach->target,
                            .dev = attach->dev,
                            .count = attach->count};
    accd_name_slot(dir, attach->slot, attach->label, to->name, sizeof to->name);
    if (accd_find(dir, attach->base, &target) == ACCD_OK)
        bounds_of(dir, target, &to->low, &to->high);
}

int accd_attachment_at(accd_context *context, int device, const void *slot,
                       accd_attachment *attachment_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_attach *attach = NULL;
    if (!dir || !attachment_p || accd_find_attach(dir, accd_address(slot), &attach) != ACCD_OK || !attach)
        return 0;
    describe_attachment(dir, attach, attachment_p);
    return 1;
}

int accd_attachment_next(accd_context *context, int device, uint64_t *at,
                         accd_attachment *attachment_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_range_cursor cursor;
    if (!dir || !at || !attachment_p || accd_index_all(dir) != ACCD_OK)
        return 0;
    const struct accd_attach *attach = accd_range_seek(&dir->slots, *at, &cursor);
    if (!attach)
        return 0;
    describe_attachment(dir, attach, attachment_p);
    *at = attach->slot + 1;
    return 1;
}

int accd_device_bounds(accd_context *context, int device, uint64_t dev, uint64_t *low_p,
                       uint64_t *high_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_object *object = NULL;
    if (!dir || !low_p || !high_p || accd_find_device(dir, dev, &object) != ACCD_OK)
        return 0;
    const struct accd_fused *fused =
        !object && dir->fused.count ? accd_fused_in_device(dir, dev) : NULL;
    if (!object && !fused && dir->running && accd_running_range(dir, dev, low_p, high_p))
        return 1;
    if (!fused)
        return bounds_of(dir, object, low_p, high_p);
    *low_p = accd_fused_dev(fused); /* the address lies between its objects */
    *high_p = *low_p + (fused->end - fused->host);
    return 1;
}

void accd_name_at(accd_context *context, int device, uint64_t dev, char *to, size_t room)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_object *object = NULL;
    if (!to || !room)
        return;
    to[0] = 0;
    if (dir && accd_find_device(dir, dev, &object) == ACCD_OK && object)
        accd_name_inside(dir, object, dev - object->dev, to, room);
}

int accd_device_space(accd_context *context, int device, uint64_t *low_p, uint64_t *high_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir || !low_p || !high_p || !dir->ops->space)
        return 0;
    dir->ops->space(dir->device, low_p, high_p);
    return 1;
}

int accd_attached_range(accd_context *context, int device, const void *slot, uint64_t dev,
                        uint64_t *low_p, uint64_t *high_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    struct accd_attach *attach = NULL;
    struct accd_object *target = NULL;
    if (!dir || !low_p || !high_p || accd_find_attach(dir, accd_address(slot), &attach) != ACCD_OK || !attach ||
        attach->dev != dev)
        return 0;
    if (!attach->base) {
        *low_p = *high_p = dev;
        return 1;
    }
    if (accd_find(dir, attach->base, &target) != ACCD_OK)
        return 0;
    return bounds_of(dir, target, low_p, high_p);
}

/* ----------------------------------------------------------------------------------- levels -- */

static const struct accd_region *region_at(struct accd_directory *dir, size_t index)
{
    if (index >= dir->depth)
        return NULL;
    const struct accd_region *region = dir->top;
    for (size_t i = dir->depth - 1; i > index; i--)
        region = region->below;
    return region;
}

int accd_level_at(accd_context *context, int device, size_t index, accd_level *level_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_region *region = dir ? region_at(dir, index) : NULL;
    if (!region || !level_p)
        return 0;
    *level_p =
        (accd_level){region->kind, region->name, region->file, region->line, region->nclaims};
    return 1;
}

int accd_level_clause(accd_context *context, int device, size_t index, size_t clause,
                      accd_clause *clause_p)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    const struct accd_region *region = dir ? region_at(dir, index) : NULL;
    if (!region || !clause_p || clause >= region->nclaims)
        return 0;
    const struct accd_claim *claim = &region->claims[clause];
    const struct accd_plan plan = {.context = context,
                                   .dir = dir,
                                   .walk = region->walk,
                                   .sources = region->items};
    *clause_p = (accd_clause){
        .info = {.host = claim->host,
                 .bytes = claim->bytes,
                 .file = region->file,
                 .line = region->line},
        .action = claim->action,
        .created = claim->state == ACCD_CLAIM_NEW,
    };
    accd_name_claim(&plan, claim, clause_p->info.name, sizeof clause_p->info.name);
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
    *stats_p = dir->stats;
    stats_p->objects = dir->live_objects;
    stats_p->attachments = dir->live_attachments;
}

/* ---------------------------------------------------------------------------------- kernels -- */

int accd_device_of(accd_context *context, uint64_t address)
{
    if (!context)
        return -1;
    for (int i = 0; i < context->ndirs && context->ndirs > 1; i++) /* devices of one GPU lie side by side */
        if (context->dirs[i].ops->allocated(context->dirs[i].device, address, 1))
            return i;
    for (int i = 0; i < context->ndirs; i++)
        if (context->dirs[i].ops->owns(context->dirs[i].device, address))
            return i;
    for (int i = 0; i < context->ndirs && context->config.check_host; i++) {
        accd_host_range known;
        if (context->dirs[i].ops->before && context->dirs[i].ops->before(context->dirs[i].device, address) &&
            !accd_host_at(context, accd_pointer(address), &known))
            return i;
    }
    return -1;
}

int accd_device_holds(accd_context *context, int device, uint64_t dev, uint64_t bytes)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    return dir && dir->ops->allocated(dir->device, dev, bytes);
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
    struct accd_object *object = NULL;
    if (!dir || !info_p || accd_find_device(dir, dev, &object) != ACCD_OK || !object)
        return 0;
    const accd_program *layout = accd_layout_of(dir, object);
    uint64_t offset = dev - object->dev;
    const accd_member *excluded =
        layout ? excluded_in(layout, offset % layout->spec.stride) : NULL;
    if (!excluded)
        return 0;
    accd_describe_object(dir, object, info_p);
    uint64_t start = offset - offset % layout->spec.stride + excluded->offset;
    accd_name_inside(dir, object, start, info_p->name, sizeof info_p->name);
    info_p->host = object->host + start;
    info_p->bytes = excluded->bytes;
    return 1;
}

/* Memory of no present object, in a block where such lie: between them, or where they lay before. */
static accd_status check_between(struct accd_directory *dir, const struct accd_block *block,
                                 uint64_t dev, bool reads)
{
    const struct accd_fused *fused = accd_fused_in_device(dir, dev);
    if (fused && reads)
        return accd_fail(dir->context, ACCD_UNINITIALIZED_READ, R_HOLE,
                         "bytes between fused data are read on device %d: no clause names them",
                         dir->number);
    if (fused)
        return accd_fail(dir->context, ACCD_OUT_OF_BOUNDS, R_HOLE,
                         "bytes between fused data are written on device %d: no clause names them",
                         dir->number);
    if (!block->former)
        return accd_fail(dir->context, ACCD_OUT_OF_BOUNDS, R_BOUNDS,
                         "the range is not in allocated memory of device %d", dir->number);
    return accd_check_stale(dir, dev);
}

accd_status accd_check_stale(struct accd_directory *dir, uint64_t dev)
{
    struct accd_object *object = NULL;
    const struct accd_block *block = accd_range_floor(&dir->blocks, dev);
    if (!block || !block->former || dev - block->dev >= block->bytes ||
        dir->context->rules.stale == ACCD_IGNORE)
        return ACCD_OK;
    ACCD_TRY(accd_find_device(dir, dev, &object));
    if (object)
        return ACCD_OK;
    accd_status status =
        accd_fail(dir->context, ACCD_OUT_OF_BOUNDS, R_STALE,
                  "the address is stale: the data moved on device %d when they were fused",
                  dir->number);
    if (block->host && accd_find(dir, block->host + (dev - block->dev), &object) == ACCD_OK &&
        object)
        accd_describe_object(dir, object, &dir->context->error.other);
    return status;
}

static accd_status check_access(struct accd_directory *dir, uint64_t dev, uint64_t bytes,
                                bool reads)
{
    accd_context *context = dir->context;
    struct accd_object *held;
    ACCD_TRY(accd_find_device(dir, dev, &held));
    /* the user's memory is allocated whatever lies in it, but not what it was fused into */
    if (held && (held->size & (ACCD_OBJECT_MAPPED | ACCD_OBJECT_SHARED)) != ACCD_OBJECT_MAPPED) {
        uint64_t left = held->dev + accd_object_bytes(held) - dev;
        if (bytes <= left)
            return ACCD_OK;
        if (dir->fused.count && accd_fused_in_device(dir, dev))
            return check_access(dir, dev + left, bytes - left, reads); /* and what is beside it */
        accd_object_info info;
        accd_describe_object(dir, held, &info);
        accd_fail(context, ACCD_OUT_OF_BOUNDS, R_BOUNDS, "the access leaves %s on device %d",
                  *info.name ? info.name : "its object", dir->number);
        context->error.other = info;
        return ACCD_OUT_OF_BOUNDS;
    }
    uint64_t low, high;
    if (!held && dir->running && accd_running_range(dir, dev, &low, &high) && bytes <= high - dev)
        return ACCD_OK;
    const struct accd_block *block = accd_range_floor(&dir->blocks, dev);
    bool between = block && dev - block->dev < block->bytes; /* objects that share a block */
    if (between && (block->host || block->former))
        return check_between(dir, block, dev, reads);
    if (!between && dir->ops->allocated(dir->device, dev, bytes))
        return ACCD_OK;
    if (!dev)
        return accd_fail(context, ACCD_NULL_POINTER, R_UNTRANSLATED, "a null pointer was followed");
    if (!dir->ops->owns(dir->device, dev) && accd_device_of(context, dev) != dir->number) {
        accd_status status =
            accd_fail(context, ACCD_HOST_POINTER_ON_DEVICE, R_UNTRANSLATED,
                      "the address belongs to the host, not to device %d", dir->number);
        struct accd_object *object;
        if (accd_find(dir, dev, &object) == ACCD_OK && object)
            accd_describe_object(dir, object, &context->error.other);
        return status;
    }
    return accd_fail(context, ACCD_OUT_OF_BOUNDS, R_BOUNDS,
                     "the range is not in allocated memory of device %d", dir->number);
}

accd_status accd_kernel_access(struct accd_directory *dir, accd_status status)
{
    if (status == ACCD_OK)
        return ACCD_OK;
    return accd_say_why(dir, accd_fail(dir->context, status, R_DEVICE_FAILED,
                                       "device %d failed in an access to its memory", dir->number));
}

/* What a queue has under way is over first. */
static accd_status come_behind(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (!dir->ntasks || !accd_is_concurrent(dir))
        return ACCD_OK;
    accd_pending_begin(dir, NULL);
    return accd_order_range(dir, dev, bytes);
}

accd_status accd_device_read(accd_context *context, int device, uint64_t dev, void *to,
                             uint64_t bytes)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir)
        return accd_no_device(context);
    ACCD_GIVEN(context, to || !bytes);
    ACCD_TRY(check_access(dir, dev, bytes, true));
    ACCD_TRY(come_behind(dir, dev, bytes));
    if (dir->ops->written && dir->ops->written(dir->device, dev, bytes) < bytes) {
        accd_object_info excluded;
        if (accd_excluded_at(context, device, dev, &excluded)) {
            accd_status status = accd_fail(context, ACCD_EXCLUDED_MEMBER, R_EXCLUDED,
                                           "%s was excluded when it was mapped", excluded.name);
            context->error.asked = excluded;
            return status;
        }
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
    return accd_kernel_access(dir, dir->ops->read(dir->device, dev, to, bytes));
}

/* --------------------------------------------------------------------------- kernels' writes -- */

/* Whether the device has already what is written of a pointer, or of its descriptor. */
static bool no_change(struct accd_directory *dir, uint64_t dev, uint64_t host, const void *from,
                      uint64_t bytes, const struct accd_attach *attach)
{
    char there[ACCD_SLOT_MOST];
    uint64_t end = accd_attach_end(attach), at = attach->slot > host ? attach->slot - host : 0;
    if (end <= host) /* it is within a descriptor that reaches further */
        return true;
    end = end - host < bytes ? end - host : bytes;
    return dir->ops->read(dir->device, dev + at, there, end - at) == ACCD_OK &&
           !memcmp(there, (const char *)from + at, end - at);
}

/* Whether the write would change an attached pointer (TR14-4.1-08, OMP60-map-8; in OpenMP 4.0 it may,
 * LLNL-2.1-08). */
static accd_status check_pointers(struct accd_directory *dir, uint64_t dev, const void *from,
                                  uint64_t bytes)
{
    struct accd_object *object;
    const accd_rules *rules = &dir->context->rules;
    if (!dir->live_attachments ||
        (rules->pointer_changed == ACCD_IGNORE && rules->attaching != ACCD_ATTACH_NEW))
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
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir)
        return accd_no_device(context);
    ACCD_TRY(accd_idle(context));
    ACCD_GIVEN(context, from || !bytes);
    ACCD_TRY(check_access(dir, dev, bytes, false));
    ACCD_TRY(come_behind(dir, dev, bytes));
    ACCD_TRY(check_pointers(dir, dev, from, bytes));
    accd_object_info excluded;
    if (dir->ops->written && dir->ops->written(dir->device, dev, bytes) == 0 &&
        accd_excluded_at(context, device, dev, &excluded)) {
        accd_status status = accd_fail(context, ACCD_EXCLUDED_MEMBER, R_EXCLUDED,
                                       "%s was excluded when it was mapped", excluded.name);
        context->error.asked = excluded;
        return status;
    }
    if (dir->journal)
        ACCD_TRY(accd_journal_bytes(dir, dev, bytes));
    return accd_kernel_access(dir, dir->ops->write(dir->device, dev, from, bytes));
}

int64_t accd_device_written(accd_context *context, int device, uint64_t dev, uint64_t bytes)
{
    struct accd_directory *dir = accd_directory_of(context, device);
    if (!dir || !dir->ops->written || !dir->ops->allocated(dir->device, dev, bytes))
        return -1;
    return (int64_t)dir->ops->written(dir->device, dev, bytes);
}
