/* short.c - the short way of plain constructs: up to eight items of plain data, where the rules and the state of the
 * device leave nothing to decide but presence and counters.
 *
 * All else is the general way's: errors, too. What the short way cannot do it leaves before it has changed anything.
 * Behind that a failure is its own, in the general way's words. */
#include "ops/inside.h"
#include "table/name.h"

/* Flags that say nothing about present data, or about absent data that an item creates. */
#define PLAIN_FLAGS (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_TRY)

static inline bool is_plain(const accd_item *item, unsigned flags)
{
    return !(accd_address(item->program) | accd_address(item->slot) | accd_address(item->frame) |
             item->slot_bytes | item->ndims | (item->flags & ~flags));
}

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

/* Whether a clause left out bytes of an object, or an item means no more than some of its own. */
static __attribute__((noinline)) bool has_layout(struct accd_directory *dir, const accd_item *item,
                                                 const struct accd_object *object)
{
    return (item->label && item->label->layout) || (object && accd_layout_of(dir, object));
}

/* Of the rules of OpenMP: whether each item has no extended range of its own, means all bytes in its range, and is the
 * only one of its construct with its object, so that it is counted like any other. fresh: items without an object yet.
 * Decides OMP60-map-5. */
static __attribute__((noinline)) bool are_apart(struct accd_directory *dir, const accd_construct *construct,
                                                unsigned fresh, struct accd_object **objects)
{
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const uint64_t base = accd_address(item->base);
        const struct accd_object *object = fresh >> i & 1 ? NULL : objects[i];
        if ((base && base < accd_address(item->host)) || (object && object->size & ACCD_OBJECT_MAPPED) ||
            (dir->context->layouts && dir->context->verdicts.holes && has_layout(dir, item, object)))
            return false;
        for (size_t k = 0; k < i && object; k++)
            if (objects[k] == object && !(fresh >> k & 1))
                return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------ moves -- */

/* So many copies each way follow. */
static inline accd_status begin_moves(struct accd_directory *dir, size_t in, size_t out)
{
    return dir->device.ops->begin(dir->device.handle, &(struct accd_traffic){.in = in, .out = out});
}

static inline void send(struct accd_directory *dir, const struct accd_claim *claim)
{
    uint64_t dev = claim->object->dev + (claim->host - claim->object->host);
    memcpy(dir->device.ops->stage(dir->device.handle, dev, claim->bytes), accd_pointer(claim->host), claim->bytes);
    dir->device.stats.moved_bytes[0] += claim->bytes;
}

static inline void fetch(struct accd_directory *dir, const struct accd_claim *claim)
{
    uint64_t dev = claim->object->dev + (claim->host - claim->object->host);
    memcpy(accd_pointer(claim->host), dir->device.ops->fetch(dir->device.handle, dev, claim->bytes), claim->bytes);
    dir->device.stats.moved_bytes[1] += claim->bytes;
}

/* They have followed, if they have begun. */
static inline accd_status end_moves(struct accd_directory *dir, accd_status begun, size_t in, size_t out)
{
    accd_status status = begun == ACCD_OK ? dir->device.ops->end(dir->device.handle) : begun;
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
                                                               accd_status status, uint64_t bytes)
{
    struct accd_plan plan;
    accd_status begun = accd_plan_begin(&plan, dir, construct);
    if (begun == ACCD_OK)
        accd_device_full(&plan, &plan.found.claims[item], status, bytes);
    accd_plan_end(&plan);
    return begun == ACCD_OK ? status : begun;
}

/* Decides TR14-1.1-01. */
static inline void send_object(struct accd_directory *dir, struct accd_object *object)
{
    send(dir, &(struct accd_claim){.host = object->host, .bytes = accd_object_bytes(object), .object = object});
}

static inline struct accd_object *new_object(struct accd_directory *dir, const accd_item *item, uint64_t dev)
{
    struct accd_object *object = accd_pool_take(&dir->present.object_pool);
    *object = (struct accd_object){.host = accd_address(item->host),
                                   .size = item->bytes,
                                   .dev = dev,
                                   .where = item->label ? item->label->id : 0};
    return object;
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

static inline accd_status create_one(struct accd_directory *dir, const accd_construct *construct, size_t index,
                                     struct accd_object **objects)
{
    const accd_item *item = &construct->items[index];
    uint64_t dev;
    ACCD_TRY(reserve(dir));
    accd_status status = accd_alloc_memory(dir, item->bytes, &dev);
    if (status != ACCD_OK)
        return device_full(dir, construct, index, status, item->bytes);
    struct accd_object *object = new_object(dir, item, dev);
    if (accd_demands[item->action].in) {
        status = begin_moves(dir, 1, 0);
        if (status == ACCD_OK)
            send_object(dir, object);
        status = end_moves(dir, status, 1, 0);
        if (status != ACCD_OK) {
            accd_free_memory(dir, dev, item->bytes);
            accd_pool_give(&dir->present.object_pool, object);
            return status;
        }
    }
    accd_insert_object(dir, object);
    objects[index] = object;
    return ACCD_OK;
}

/* Items whose bits are set, by their host addresses. */
static size_t in_order(const accd_item *items, unsigned set, uint8_t *order)
{
    size_t n = 0;
    for (; set; set &= set - 1) {
        const uint8_t i = (uint8_t)__builtin_ctz(set);
        size_t at = n++;
        for (; at && accd_address(items[order[at - 1]].host) > accd_address(items[i].host); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return n;
}

/* Small ones lie in one block. */
static __attribute__((noinline)) accd_status create_several(struct accd_directory *dir,
                                                            const accd_construct *construct, unsigned fresh,
                                                            struct accd_object **objects)
{
    uint8_t order[ACCD_SHORT_ITEMS];
    const size_t n = in_order(construct->items, fresh, order);
    struct accd_block block = {0};
    size_t made = 0, in = 0;
    const uint64_t small = dir->device.ops->small;
    accd_status status = accd_directory_reserve(dir, n, 0, 0, 1);
    accd_directory_unreserve(dir);
    if (status != ACCD_OK)
        return status;
    for (size_t k = 0; k < n; k++) {
        const accd_item *item = &construct->items[order[k]];
        block.live += item->bytes < small;
        block.bytes += item->bytes < small ? accd_padded(item->bytes) : 0;
        in += accd_demands[item->action].in;
    }
    if (block.live > 1) {
        status = accd_alloc_memory(dir, block.bytes, &block.dev);
        if (status != ACCD_OK)
            return device_full(dir, construct, order[0], status, block.bytes);
    }
    uint64_t place = block.dev;
    for (; made < n && status == ACCD_OK; made++) {
        const accd_item *item = &construct->items[order[made]];
        const bool shares = block.live > 1 && item->bytes < small;
        uint64_t dev = place;
        if (!shares)
            status = accd_alloc_memory(dir, item->bytes, &dev);
        if (status != ACCD_OK) {
            status = device_full(dir, construct, order[made], status, item->bytes);
            break;
        }
        objects[order[made]] = new_object(dir, item, dev);
        objects[order[made]]->size |= shares ? ACCD_OBJECT_SHARED : 0;
        place += shares ? accd_padded(item->bytes) : 0;
    }
    if (status == ACCD_OK && in) {
        status = begin_moves(dir, in, 0);
        for (size_t k = 0; k < n && status == ACCD_OK; k++)
            if (accd_demands[construct->items[order[k]].action].in)
                send_object(dir, objects[order[k]]);
        status = end_moves(dir, status, in, 0);
    }
    if (status == ACCD_OK && block.live > 1)
        accd_insert_block(dir, &block);
    for (size_t k = 0; k < made; k++) {
        struct accd_object *object = objects[order[k]];
        if (status == ACCD_OK) {
            accd_insert_object(dir, object);
            continue;
        }
        if (!(object->size & ACCD_OBJECT_SHARED))
            accd_free_memory(dir, object->dev, accd_object_bytes(object));
        accd_pool_give(&dir->present.object_pool, object);
    }
    if (status != ACCD_OK && block.live > 1)
        accd_free_memory(dir, block.dev, block.bytes);
    return status;
}

/* Makes what is absent present: the objects whose bits are set. */
static __attribute__((noinline)) accd_status create(struct accd_directory *dir, const accd_construct *construct,
                                                    unsigned fresh, struct accd_object **objects)
{
    return fresh & (fresh - 1) ? create_several(dir, construct, fresh, objects)
                               : create_one(dir, construct, (size_t)__builtin_ctz(fresh), objects);
}

/* Counts a reference on each object and opens a level, whose record has what is the same for all plain ones. */
static inline void open_region(struct accd_directory *dir, const accd_construct *construct,
                               struct accd_object *const *objects, unsigned fresh, struct accd_region *region)
{
    const size_t n = construct->nitems;
    region->below = dir->levels.top;
    region->kind = construct->kind;
    region->name = construct->name;
    region->file = construct->file;
    region->line = construct->line;
    region->thread = construct->thread;
    region->serial = dir->levels.serial;
    region->gone = dir->present.objects.gone;
    region->nitems = region->nclaims = n;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        struct accd_source *source = &region->items[i];
        struct accd_claim *claim = &region->claims[i];
        source->label = item->label;
        source->host = claim->host = accd_address(item->host);
        source->bytes = claim->bytes = item->bytes;
        source->start = item->start;
        memcpy(source->index, item->index, sizeof item->index);
        claim->object = objects[i];
        claim->flags = item->flags;
        claim->action = item->action;
        claim->state = fresh >> i & 1 ? ACCD_CLAIM_NEW : ACCD_CLAIM_PRESENT;
        objects[i]->size &= ~ACCD_OBJECT_POINTER;
        objects[i]->structured++;
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

/* Whether an item's data lie apart from those of others, whose bits are set. */
static inline bool is_apart(const accd_item *items, const accd_item *item, unsigned others)
{
    for (; others; others &= others - 1) {
        const accd_item *other = &items[__builtin_ctz(others)];
        if (accd_address(other->host) - accd_address(item->host) < item->bytes ||
            accd_address(item->host) - accd_address(other->host) < other->bytes)
            return false;
    }
    return true;
}

/* Finds the objects of all items, but for those to be created, whose bits are set in *fresh_p. before: what another
 * construct claimed; its objects are present. */
static inline __attribute__((always_inline)) bool find_objects(struct accd_directory *dir,
                                                               const accd_construct *construct,
                                                               const struct accd_claim *before, size_t nbefore,
                                                               struct accd_object **objects, unsigned *fresh_p)
{
    const bool again = dir->context->rules.again == ACCD_REJECT;
    unsigned fresh = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const uint64_t host = accd_address(item->host);
        void *object, *after = NULL;
        if (!is_plain(item, PLAIN_FLAGS) || item->action >= ACCD_ACTION_COUNT || !accd_demands[item->action].plain)
            return false;
        if (i < nbefore && before[i].host == host)
            object = before[i].object;
        else
            object = accd_range_around(&dir->present.objects, host, &after);
        objects[i] = object;
        if (object && holds(object, host, item->bytes)) {
            if ((objects[i]->structured | objects[i]->dynamic) > UINT32_MAX / 2 ||
                (again && accd_demands[item->action].creates && item->action != ACCD_HOLD &&
                 !(item->flags & ACCD_ITEM_PRESENT_OR)))
                return false;
        } else if (can_create(dir, item, object, after) && is_apart(construct->items, item, fresh)) {
            fresh |= 1u << i;
        } else {
            return false;
        }
    }
    *fresh_p = fresh;
    return !dir->context->verdicts.looks_closer || are_apart(dir, construct, fresh, objects);
}

static __attribute__((noinline)) bool enter_data(struct accd_directory *dir, const accd_construct *construct,
                                                 accd_status *status_p)
{
    struct accd_object *objects[ACCD_SHORT_ITEMS];
    unsigned fresh;
    if (!find_objects(dir, construct, NULL, 0, objects, &fresh))
        return false;
    *status_p = fresh ? create(dir, construct, fresh, objects) : ACCD_OK;
    if (*status_p != ACCD_OK)
        return true;
    dir->levels.serial++;
    for (size_t i = 0; i < construct->nitems; i++) {
        objects[i]->size &= ~ACCD_OBJECT_POINTER;
        objects[i]->dynamic++;
    }
    return true;
}

static __attribute__((noinline)) bool begin_region(struct accd_directory *dir, const accd_construct *construct,
                                                   accd_region **region_p, accd_status *status_p)
{
    struct accd_object *objects[ACCD_SHORT_ITEMS];
    struct accd_region *region = region_p ? accd_region_take(dir, construct->items) : NULL;
    unsigned fresh;
    if (!region)
        return false;
    const size_t nbefore = region->gone == dir->present.objects.gone ? region->nclaims : 0;
    if (!find_objects(dir, construct, region->claims, nbefore, objects, &fresh)) {
        accd_region_give(region);
        return false;
    }
    *status_p = fresh ? create(dir, construct, fresh, objects) : ACCD_OK;
    if (*status_p != ACCD_OK) {
        accd_region_give(region);
        return true;
    }
    dir->levels.serial++;
    open_region(dir, construct, objects, fresh, region);
    *region_p = region;
    return true;
}

/* ------------------------------------------------------------------------------------- exit -- */

static inline uint32_t *counter_of(struct accd_object *object, bool dynamic)
{
    return dynamic ? &object->dynamic : &object->structured;
}

/* Whether the object of a claim may go here: the claim is the only one that names it. */
static bool may_go(struct accd_directory *dir, const struct accd_claim *claims, size_t claim)
{
    const struct accd_object *object = claims[claim].object;
    for (size_t i = 0; i < claim; i++)
        if (claims[i].object == object)
            return false;
    return !object->pins && !has_pointers(dir, object->host, accd_object_bytes(object));
}

/* Takes one reference off each object, which a region or, without one, exit data has; those that have none left go, and
 * of these alone parts are fetched. */
static inline __attribute__((always_inline)) bool leave(struct accd_directory *dir, struct accd_claim *claims, size_t n,
                                                        struct accd_region *region, accd_status *status_p)
{
    const bool dynamic = !region;
    struct accd_claim *dying[ACCD_SHORT_ITEMS];
    size_t ndying = 0, out = 0, i = 0;
    for (; i < n; i++) {
        struct accd_object *object = claims[i].object;
        if (!object || !*counter_of(object, dynamic) ||
            object->size & (ACCD_OBJECT_MAPPED | ACCD_OBJECT_NAMED | ACCD_OBJECT_SHORT))
            break;
        if ((uint64_t)object->structured + object->dynamic == 1) {
            if (!may_go(dir, claims, i))
                break;
            out += accd_demands[claims[i].action].out;
            dying[ndying++] = &claims[i];
        }
        *counter_of(object, dynamic) -= 1;
    }
    const bool done = i == n && !(out && dir->device.ops->announce);
    accd_status status = ACCD_OK;
    if (done && out) {
        status = begin_moves(dir, 0, out);
        for (size_t k = 0; k < ndying && status == ACCD_OK; k++)
            if (accd_demands[dying[k]->action].out)
                fetch(dir, dying[k]);
        status = end_moves(dir, status, 0, out);
    }
    *status_p = status;
    if (__builtin_expect(!done || status != ACCD_OK, 0)) {
        while (i--)
            *counter_of(claims[i].object, dynamic) += 1;
        return done;
    }
    if (!ndying)
        return true;
    const bool finds = region && region->gone == dir->present.objects.gone;
    for (size_t k = 0; k < ndying; k++) {
        accd_free_memory_of(dir, dying[k]->object);
        accd_remove_object(dir, dying[k]->object);
        dying[k]->object = NULL;
        dying[k]->host = UINT64_MAX; /* no data begin there: the record has what its other claims found */
    }
    if (finds)
        region->gone = dir->present.objects.gone;
    return true;
}

/* The present data that an item names; final: a last reference may be taken off as the last ones are. */
static inline bool find_claim(struct accd_directory *dir, const accd_item *item, bool final, struct accd_claim *claim)
{
    const unsigned flags = final ? PLAIN_FLAGS | ACCD_ITEM_FINAL : PLAIN_FLAGS;
    if (!is_plain(item, flags))
        return false;
    claim->host = accd_address(item->host);
    claim->bytes = item->bytes;
    claim->action = item->action;
    claim->object = accd_range_floor_near(&dir->present.objects, claim->host);
    return claim->object && holds(claim->object, claim->host, claim->bytes) &&
           (!(item->flags & flags & ACCD_ITEM_FINAL) ||
            (uint64_t)claim->object->structured + claim->object->dynamic == 1);
}

static __attribute__((noinline)) bool exit_data(struct accd_directory *dir, const accd_construct *construct,
                                                accd_status *status_p)
{
    struct accd_claim claims[ACCD_SHORT_ITEMS];
    struct accd_object *objects[ACCD_SHORT_ITEMS];
    if (construct->finalize)
        return false;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if ((item->action != ACCD_DELETE && item->action != ACCD_COPYOUT) || !find_claim(dir, item, true, &claims[i]))
            return false;
        objects[i] = claims[i].object;
    }
    if (dir->context->verdicts.looks_closer && !are_apart(dir, construct, 0, objects))
        return false;
    return leave(dir, claims, construct->nitems, NULL, status_p);
}

static __attribute__((noinline)) bool update(struct accd_directory *dir, const accd_construct *construct,
                                             accd_status *status_p)
{
    struct accd_claim claims[ACCD_SHORT_ITEMS];
    const size_t n = construct->nitems;
    size_t in = 0;
    if (dir->device.ops->announce)
        return false;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        if ((item->action != ACCD_UPDATE_DEVICE && item->action != ACCD_UPDATE_SELF) ||
            !find_claim(dir, item, false, &claims[i]) || has_pointers(dir, claims[i].host, claims[i].bytes))
            return false;
        if (dir->context->layouts && dir->context->verdicts.holes && has_layout(dir, item, claims[i].object))
            return false;
        in += item->action == ACCD_UPDATE_DEVICE;
    }
    accd_status status = begin_moves(dir, in, n - in);
    for (size_t i = 0; i < n && status == ACCD_OK; i++)
        if (claims[i].action == ACCD_UPDATE_DEVICE)
            send(dir, &claims[i]);
        else
            fetch(dir, &claims[i]);
    *status_p = end_moves(dir, status, in, n - in);
    return true;
}

/* ---------------------------------------------------------------------------- the short way -- */

bool accd_run_short(accd_context *context, const accd_construct *construct, accd_region **region_p,
                    accd_status *status_p)
{
    if (!context || !context->plain || context->busy || context->working ||
        (unsigned)construct->device >= (unsigned)context->ndirs || construct->queue ||
        construct->nitems - 1 >= ACCD_SHORT_ITEMS || !construct->items)
        return false;
    struct accd_directory *dir = &context->dirs[construct->device];
    if (dir->eventful)
        return false;
    bool done = false;
    context->busy = true;
    if (construct->kind == ACCD_ENTER_DATA)
        done = enter_data(dir, construct, status_p);
    else if (construct->kind == ACCD_EXIT_DATA)
        done = exit_data(dir, construct, status_p);
    else if (construct->kind == ACCD_UPDATE)
        done = update(dir, construct, status_p);
    else if (construct->kind == ACCD_REGION || construct->kind == ACCD_COMPUTE)
        done = begin_region(dir, construct, region_p, status_p);
    context->busy = false;
    return done;
}

bool accd_leave_short(struct accd_region *region, accd_status *status_p)
{
    struct accd_directory *dir = region->dir;
    accd_context *context = region->context;
    if (!region->plain || dir->eventful)
        return false;
    context->busy = true;
    bool done = leave(dir, region->claims, region->nclaims, region, status_p);
    context->busy = false;
    if (done && *status_p == ACCD_OK)
        accd_region_free(region);
    return done;
}
