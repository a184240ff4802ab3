/* short.c - the short way of plain constructs: up to eight items of plain data, of which at most one is absent, where
 * the rules and the state of the device leave nothing to decide but presence and counters.
 *
 * All else is the general way's: errors, too. What the short way cannot do it leaves before it has changed anything.
 * Behind that a failure is its own, in the general way's words. */
#include "ops/inside.h"

enum { NONE = ACCD_SHORT_ITEMS }; /* no item */

/* Flags that say nothing about present data, or about absent data that an item creates. */
#define PLAIN_FLAGS (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_TRY)

static inline bool is_plain(const accd_item *item)
{
    return !(accd_address(item->program) | accd_address(item->slot) | accd_address(item->frame) |
             item->slot_bytes | item->ndims | (item->flags & ~PLAIN_FLAGS));
}

/* A range of a present object that a construct uses. */
struct part {
    struct accd_object *object;
    uint64_t host, bytes;
    bool in, out; /* it is sent; it is fetched */
};

static inline bool holds(const struct accd_object *object, uint64_t host, uint64_t bytes)
{
    uint64_t into = host - object->host, size = accd_object_bytes(object);
    return into < size && bytes - 1 < size - into;
}

/* Whether attached pointers lie in a range: what moves leaves them out, and what goes ends them. */
static inline bool has_pointers(struct accd_directory *dir, uint64_t host, uint64_t bytes)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach;
    return dir->attached.slots.count &&
           (accd_first_attach(dir, host, host + bytes, &cursor, &attach) != ACCD_OK || attach);
}

/* ------------------------------------------------------------------------------------ moves -- */

static inline void send(struct accd_directory *dir, const struct part *part)
{
    uint64_t dev = part->object->dev + (part->host - part->object->host);
    memcpy(dir->device.ops->stage(dir->device.handle, dev, part->bytes), accd_pointer(part->host), part->bytes);
    dir->device.stats.moved_bytes[0] += part->bytes;
}

static inline void fetch(struct accd_directory *dir, const struct part *part)
{
    uint64_t dev = part->object->dev + (part->host - part->object->host);
    memcpy(accd_pointer(part->host), dir->device.ops->fetch(dir->device.handle, dev, part->bytes), part->bytes);
    dir->device.stats.moved_bytes[1] += part->bytes;
}

/* One batch of so many copies each way. */
static inline accd_status move(struct accd_directory *dir, const struct part *parts, size_t n, size_t in, size_t out)
{
    accd_status status =
        dir->device.ops->begin(dir->device.handle, &(struct accd_traffic){.in = in, .out = out});
    if (status == ACCD_OK) {
        for (size_t i = 0; i < n; i++)
            if (parts[i].in)
                send(dir, &parts[i]);
            else if (parts[i].out)
                fetch(dir, &parts[i]);
        status = dir->device.ops->end(dir->device.handle);
    }
    if (status != ACCD_OK)
        return accd_copy_failed(&dir->device, status);
    dir->device.stats.transfers[0] += in;
    dir->device.stats.transfers[1] += out;
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ entry -- */

/* The error of the general way, which has come as far. */
static __attribute__((noinline, cold)) accd_status device_full(struct accd_directory *dir,
                                                               const accd_construct *construct, size_t item,
                                                               accd_status status)
{
    struct accd_plan plan;
    accd_status begun = accd_plan_begin(&plan, dir, construct);
    if (begun == ACCD_OK)
        accd_device_full(&plan, &plan.claims[item], status, construct->items[item].bytes);
    accd_plan_end(&plan);
    return begun == ACCD_OK ? status : begun;
}

/* Room for one object more. */
static inline accd_status reserve(struct accd_directory *dir)
{
    if (dir->present.object_pool.spare && accd_range_has_room(&dir->present.objects) &&
        (!dir->present.device_order || accd_range_has_room(&dir->present.by_device)))
        return ACCD_OK;
    accd_status status = accd_directory_reserve(dir, 1, 0, 0, 0);
    accd_directory_unreserve(dir);
    return status;
}

/* Memory for what is absent, with the host's data if the item sends them. */
static inline accd_status create(struct accd_directory *dir, const accd_construct *construct, size_t index,
                                 struct accd_object **object_p)
{
    const accd_item *item = &construct->items[index];
    uint64_t dev;
    accd_status status = accd_alloc_memory(dir, item->bytes, &dev);
    if (status != ACCD_OK)
        return device_full(dir, construct, index, status);
    struct accd_object *object = accd_pool_take(&dir->present.object_pool);
    *object = (struct accd_object){.host = accd_address(item->host),
                                   .size = item->bytes,
                                   .dev = dev,
                                   .where = item->label ? item->label->id : 0};
    if (accd_demands[item->action].in) {
        status = move(dir, &(struct part){object, object->host, item->bytes, true, false}, 1, 1, 0);
        if (status != ACCD_OK) {
            accd_free_memory(dir, dev, item->bytes);
            accd_pool_give(&dir->present.object_pool, object);
            return status;
        }
    }
    accd_insert_object(dir, object);
    *object_p = object;
    return ACCD_OK;
}

/* Whether each object is named once. */
static inline bool are_apart(struct accd_object *const *objects, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (objects[i] == objects[k])
                return false;
    return true;
}

static void open_region(struct accd_directory *dir, const accd_construct *construct,
                        struct accd_object *const *objects, size_t fresh, struct accd_region *region)
{
    const size_t n = construct->nitems;
    *region = (struct accd_region){
        .context = dir->context,
        .dir = dir,
        .below = dir->levels.top,
        .kind = construct->kind,
        .name = construct->name,
        .file = construct->file,
        .line = construct->line,
        .thread = construct->thread,
        .serial = dir->levels.serial,
        .nitems = n,
        .nclaims = n,
        .claims = (struct accd_claim *)(region + 1),
        .plain = are_apart(objects, n),
    };
    region->items = (struct accd_source *)(region->claims + n);
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        region->items[i] = (struct accd_source){
            .label = item->label,
            .host = accd_address(item->host),
            .bytes = item->bytes,
            .start = item->start,
            .root = -1,
        };
        memcpy(region->items[i].index, item->index, sizeof item->index);
        region->claims[i] = (struct accd_claim){
            .host = accd_address(item->host),
            .bytes = item->bytes,
            .object = objects[i],
            .source = (uint32_t)i,
            .flags = item->flags,
            .action = item->action,
            .state = i == fresh ? ACCD_CLAIM_NEW : ACCD_CLAIM_PRESENT,
            .counted = true,
        };
    }
    dir->levels.top = region;
    dir->levels.depth++;
}

/* Whether absent data can be made present here. next: the object behind them, or NULL. */
static inline bool can_create(const struct accd_directory *dir, const accd_item *item,
                              const struct accd_object *object, const struct accd_object *next)
{
    const uint64_t host = accd_address(item->host), bytes = item->bytes;
    const struct accd_demand *demand = &accd_demands[item->action];
    return demand->creates && host && bytes && !(bytes >> (ACCD_SIZE_BITS - 1)) && host + bytes > host &&
           !(object && host - object->host < accd_object_bytes(object)) && !(next && next->host - host < bytes) &&
           !(demand->in && dir->device.ops->announce) && !item->start && !accd_label_counts(item->label);
}

static bool enter(struct accd_directory *dir, const accd_construct *construct, accd_region **region_p,
                  accd_status *status_p)
{
    const bool opens = construct->kind != ACCD_ENTER_DATA;
    const size_t n = construct->nitems;
    const bool again = dir->context->rules.again == ACCD_REJECT;
    struct accd_object *objects[ACCD_SHORT_ITEMS];
    size_t fresh = NONE;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        void *after;
        if (!is_plain(item) || item->action >= ACCD_ACTION_COUNT || !accd_demands[item->action].entry ||
            item->action == ACCD_ATTACH)
            return false;
        struct accd_object *object =
            accd_range_around(&dir->present.objects, accd_address(item->host), &after);
        if (object && holds(object, accd_address(item->host), item->bytes)) {
            if ((object->structured | object->dynamic) > UINT32_MAX / 2 ||
                (again && accd_demands[item->action].creates && item->action != ACCD_HOLD &&
                 !(item->flags & ACCD_ITEM_PRESENT_OR)))
                return false;
            objects[i] = object;
        } else if (fresh == NONE && can_create(dir, item, object, after)) {
            fresh = i;
        } else {
            return false;
        }
    }
    struct accd_region *region = NULL;
    accd_status status = fresh == NONE ? ACCD_OK : reserve(dir);
    if (status == ACCD_OK && opens && !(region = accd_pool_take(&dir->levels.pool)))
        status = accd_region_no_memory(dir->context);
    if (status == ACCD_OK && fresh != NONE)
        status = create(dir, construct, fresh, &objects[fresh]);
    *status_p = status;
    if (status != ACCD_OK) {
        if (region)
            accd_pool_give(&dir->levels.pool, region);
        return true;
    }
    dir->levels.serial++;
    for (size_t i = 0; i < n; i++) {
        objects[i]->size &= ~ACCD_OBJECT_POINTER;
        *(opens ? &objects[i]->structured : &objects[i]->dynamic) += 1;
    }
    if (opens) {
        open_region(dir, construct, objects, fresh, region);
        *region_p = region;
    }
    return true;
}

/* ------------------------------------------------------------------------------------- exit -- */

/* Takes one reference off each object, of one kind; those that have none left go, and of these alone parts are
 * fetched. */
static inline bool leave(struct accd_directory *dir, struct part *parts, size_t n, bool dynamic, accd_status *status_p)
{
    struct accd_object *dying[ACCD_SHORT_ITEMS];
    size_t ndying = 0, out = 0;
    for (size_t i = 0; i < n; i++) {
        struct accd_object *object = parts[i].object;
        if (!(dynamic ? object->dynamic : object->structured) ||
            object->size & (ACCD_OBJECT_MAPPED | ACCD_OBJECT_NAMED | ACCD_OBJECT_SHORT))
            return false;
        for (size_t k = 0; k < i; k++)
            if (parts[k].object == object)
                return false;
        if ((uint64_t)object->structured + object->dynamic > 1) {
            parts[i].out = false;
            continue;
        }
        if (object->pins || has_pointers(dir, object->host, accd_object_bytes(object)))
            return false;
        out += parts[i].out;
        dying[ndying++] = object;
    }
    if (out && dir->device.ops->announce)
        return false;
    *status_p = out ? move(dir, parts, n, 0, out) : ACCD_OK;
    if (*status_p != ACCD_OK)
        return true;
    for (size_t i = 0; i < n; i++)
        *(dynamic ? &parts[i].object->dynamic : &parts[i].object->structured) -= 1;
    for (size_t i = 0; i < ndying; i++) {
        accd_free_memory_of(dir, dying[i]);
        accd_remove_object(dir, dying[i]);
    }
    return true;
}

/* The present data that an item names. */
static inline bool find_part(struct accd_directory *dir, const accd_item *item, bool in, bool out,
                             struct part *part)
{
    const uint64_t host = accd_address(item->host);
    if (!is_plain(item))
        return false;
    struct accd_object *object = accd_range_floor_near(&dir->present.objects, host);
    *part = (struct part){object, host, item->bytes, in, out};
    return object && holds(object, host, item->bytes);
}

static bool exit_data(struct accd_directory *dir, const accd_construct *construct, accd_status *status_p)
{
    struct part parts[ACCD_SHORT_ITEMS];
    if (construct->finalize)
        return false;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if ((item->action != ACCD_DELETE && item->action != ACCD_COPYOUT) ||
            !find_part(dir, item, false, item->action == ACCD_COPYOUT, &parts[i]))
            return false;
    }
    return leave(dir, parts, construct->nitems, true, status_p);
}

static bool update(struct accd_directory *dir, const accd_construct *construct, accd_status *status_p)
{
    struct part parts[ACCD_SHORT_ITEMS];
    size_t nin = 0, nout = 0;
    if (dir->device.ops->announce)
        return false;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const bool in = item->action == ACCD_UPDATE_DEVICE, out = item->action == ACCD_UPDATE_SELF;
        if (!(in || out) || !find_part(dir, item, in, out, &parts[i]) ||
            has_pointers(dir, parts[i].host, parts[i].bytes))
            return false;
        nin += in;
        nout += out;
    }
    *status_p = move(dir, parts, construct->nitems, nin, nout);
    return true;
}

/* ---------------------------------------------------------------------------- the short way -- */

bool accd_run_short(accd_context *context, const accd_construct *construct, accd_region **region_p,
                    accd_status *status_p)
{
    if (!context || !context->plain || context->busy || context->working ||
        (unsigned)construct->device >= (unsigned)context->ndirs || construct->queue || construct->nitems - 1 >= ACCD_SHORT_ITEMS || !construct->items)
        return false;
    struct accd_directory *dir = &context->dirs[construct->device];
    if (dir->eventful)
        return false;
    bool done = false;
    context->busy = true;
    if (construct->kind == ACCD_ENTER_DATA)
        done = enter(dir, construct, NULL, status_p);
    else if (construct->kind == ACCD_EXIT_DATA)
        done = exit_data(dir, construct, status_p);
    else if (construct->kind == ACCD_UPDATE)
        done = update(dir, construct, status_p);
    else if ((construct->kind == ACCD_REGION || construct->kind == ACCD_COMPUTE) && region_p)
        done = enter(dir, construct, region_p, status_p);
    context->busy = false;
    return done;
}

bool accd_leave_short(struct accd_region *region, accd_status *status_p)
{
    struct accd_directory *dir = region->dir;
    accd_context *context = region->context;
    struct part parts[ACCD_SHORT_ITEMS];
    if (!region->plain || dir->eventful)
        return false;
    for (size_t i = 0; i < region->nclaims; i++) {
        const struct accd_claim *claim = &region->claims[i];
        if (!claim->object)
            return false;
        parts[i] = (struct part){claim->object, claim->host, claim->bytes, false,
                                 accd_demands[claim->action].out};
    }
    context->busy = true;
    bool done = leave(dir, parts, region->nclaims, false, status_p);
    context->busy = false;
    if (done && *status_p == ACCD_OK)
        accd_region_free(region);
    return done;
}
