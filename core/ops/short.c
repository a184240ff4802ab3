/* short.c - the short way of plain constructs: up to eight items of plain data, where the rules and the state of the
 * device leave nothing to decide but presence and counters.
 *
 * All else is the general way's: errors, too. What the short way cannot do it leaves before it has changed anything.
 * Behind that a failure is its own, in the general way's words. */
#include "ops/short.h"

/* Flags that say nothing about present data, or about absent data that an item creates. */
#define PLAIN_FLAGS (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_TRY)

/* What a way does besides. A constant: each way is compiled for itself, and asks about nothing else. */
enum {
    CLOSER = 1,  /* the rules of OpenMP: constructs count, there are holes and extended ranges */
    POINTERS = 2 /* items name pointers that they attach, or detach */
};
#define WAY static inline __attribute__((always_inline))

WAY bool is_plain(const accd_item *item, unsigned flags, unsigned way)
{
    const uint64_t more = way & POINTERS ? 0 : accd_address(item->slot) | accd_address(item->frame);
    return !(more | accd_address(item->program) | item->slot_bytes | item->ndims | (item->flags & ~flags));
}

/* Of the rules of OpenMP: whether each item has no extended range of its own, and means all bytes in its range. Items
 * on an object that an item before them counts are bits of *again_p; where each item counts, there must be none.
 * fresh: items without an object yet.
 * Decides OMP60-map-5. */
static inline bool are_apart(struct accd_directory *dir, const accd_construct *construct, unsigned fresh,
                             struct accd_object **objects, unsigned *again_p)
{
    *again_p = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const uint64_t base = accd_address(item->base);
        const struct accd_object *object = fresh >> i & 1 ? NULL : objects[i];
        if ((base && base < accd_address(item->host)) || (object && object->size & ACCD_OBJECT_MAPPED) ||
            (dir->context->layouts && dir->context->verdicts.holes && accd_has_layout(dir, item, object)))
            return false;
        for (size_t k = 0; k < i && object; k++)
            *again_p |= (unsigned)(objects[k] == object && !(fresh >> k & 1)) << i;
    }
    return !(*again_p && dir->context->rules.counting == ACCD_COUNT_ITEMS);
}

/* ------------------------------------------------------------------------------------ moves -- */

/* So many copies each way follow. */
WAY accd_status begin_moves(struct accd_directory *dir, size_t in, size_t out)
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
WAY accd_status end_moves(struct accd_directory *dir, accd_status begun, size_t in, size_t out)
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

/* Small ones lie in one block. links: pointers to be attached, or NULL. */
WAY accd_status create_all(struct accd_directory *dir, const accd_construct *construct, unsigned fresh,
                           struct accd_object **objects, struct accd_short_links *links)
{
    uint8_t order[ACCD_SHORT_ITEMS];
    const size_t n = in_order(construct->items, fresh, order);
    struct accd_block block = {0};
    size_t made = 0, in = 0;
    const uint64_t small = dir->device.ops->small;
    accd_status status = accd_directory_reserve(dir, n, 0, links ? accd_short_records(links) : 0, n > 1);
    accd_directory_unreserve(dir);
    if (status != ACCD_OK)
        return status;
    in = links ? accd_short_words(links) : 0;
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
        if (links && status == ACCD_OK)
            accd_short_send(dir, links, objects);
        status = end_moves(dir, status, in, 0);
    }
    if (status == ACCD_OK && block.live > 1)
        accd_insert_block(dir, &block);
    struct accd_pair run[ACCD_SHORT_ITEMS];
    for (size_t k = 0; k < made; k++) {
        struct accd_object *object = objects[order[k]];
        run[k] = (struct accd_pair){object->host, (uintptr_t)object};
        if (status == ACCD_OK)
            continue;
        if (!(object->size & ACCD_OBJECT_SHARED))
            accd_free_memory(dir, object->dev, accd_object_bytes(object));
        accd_pool_give(&dir->present.object_pool, object);
    }
    if (status != ACCD_OK && block.live > 1)
        accd_free_memory(dir, block.dev, block.bytes);
    if (status == ACCD_OK)
        accd_insert_objects(dir, run, made);
    if (links && status == ACCD_OK)
        accd_short_attach(dir, construct, links, objects);
    return status;
}

static __attribute__((noinline)) accd_status create_several(struct accd_directory *dir,
                                                            const accd_construct *construct, unsigned fresh,
                                                            struct accd_object **objects)
{
    return create_all(dir, construct, fresh, objects, NULL);
}

static __attribute__((noinline)) accd_status create_linked(struct accd_directory *dir,
                                                           const accd_construct *construct, unsigned fresh,
                                                           struct accd_object **objects, struct accd_short_links *links)
{
    return create_all(dir, construct, fresh, objects, links);
}

/* Makes what is absent present: the objects whose bits are set. */
static __attribute__((noinline)) accd_status create(struct accd_directory *dir, const accd_construct *construct,
                                                    unsigned fresh, struct accd_object **objects)
{
    return fresh & (fresh - 1) ? create_several(dir, construct, fresh, objects)
                               : create_one(dir, construct, (size_t)__builtin_ctz(fresh), objects);
}

/* Items of an entry, as bits. */
struct items {
    unsigned fresh;    /* whose data are to be created */
    unsigned again;    /* on an object that an item before them counts */
    unsigned attached; /* whose pointers are detached at the end of the region */
};

/* Counts a reference on each object and opens a level, whose record has what is the same for all of its way. */
WAY void open_region(struct accd_directory *dir, const accd_construct *construct, struct accd_object *const *objects,
                     const struct items *set, struct accd_region *region, accd_leave_way *leave,
                     unsigned way)
{
    const size_t n = construct->nitems;
    region->below = dir->levels.top;
    region->leave = leave;
    region->kind = construct->kind;
    region->name = construct->name;
    region->file = construct->file;
    region->line = construct->line;
    region->thread = construct->thread;
    region->serial = dir->levels.serial;
    region->gone = dir->present.objects.gone;
    region->nitems = region->nclaims = n;
    if (way & CLOSER)
        region->again = set->again;
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
        claim->state = set->fresh >> i & 1 ? ACCD_CLAIM_NEW : ACCD_CLAIM_PRESENT;
        if (way & CLOSER)
            claim->counted = !(set->again >> i & 1);
        if (way & POINTERS) {
            claim->slot = accd_address(item->slot);
            claim->attached = set->attached >> i & 1;
        }
        objects[i]->size &= ~ACCD_OBJECT_POINTER;
        objects[i]->structured += !(way & CLOSER && set->again >> i & 1);
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

/* Finds the objects of all items, but for those to be created. before: what another construct claimed; its objects are
 * present. */
WAY bool find_objects(struct accd_directory *dir, const accd_construct *construct, const struct accd_claim *before,
                      size_t nbefore, struct accd_object **objects, struct items *items,
                      struct accd_short_links *links, unsigned way)
{
    const bool again = dir->context->rules.again == ACCD_REJECT;
    unsigned fresh = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const uint64_t host = accd_address(item->host);
        void *object, *after = NULL;
        if (!is_plain(item, PLAIN_FLAGS, way) || item->action >= ACCD_ACTION_COUNT || !accd_demands[item->action].plain)
            return false;
        if (i < nbefore && before[i].host == host)
            object = before[i].object;
        else if (way & POINTERS)
            object = accd_short_around(dir, host, &links->gap, &after);
        else
            object = accd_range_around(&dir->present.objects, host, &after);
        objects[i] = object;
        if (object && accd_object_holds(object, host, item->bytes)) {
            if ((objects[i]->structured | objects[i]->dynamic) > UINT32_MAX / 2 ||
                (again && accd_demands[item->action].creates && item->action != ACCD_HOLD &&
                 !(item->flags & ACCD_ITEM_PRESENT_OR)) ||
                (way & POINTERS && item->frame && accd_address(item->frame) < objects[i]->host))
                return false;
        } else if (!(way & POINTERS && item->frame) && can_create(dir, item, object, after) &&
                   is_apart(construct->items, item, fresh)) {
            fresh |= 1u << i;
        } else {
            return false;
        }
    }
    items->fresh = fresh;
    return !(way & CLOSER) || are_apart(dir, construct, fresh, objects, &items->again);
}

/* Makes absent data present, and attaches pointers. *done_p: it is done, or has failed. Otherwise nothing has
 * happened. */
WAY accd_status make_present(struct accd_directory *dir, const accd_construct *construct, struct items *items,
                             struct accd_object **objects, struct accd_short_links *links, bool *done_p,
                             unsigned way)
{
    const unsigned fresh = items->fresh;
    *done_p = !(way & POINTERS) || accd_short_links(dir, construct, fresh, objects, links);
    if (!*done_p)
        return ACCD_OK;
    if (way & POINTERS)
        items->attached = accd_short_attached(dir, links);
    if (way & POINTERS && links->n)
        return create_linked(dir, construct, fresh, objects, links);
    return fresh ? create(dir, construct, fresh, objects) : ACCD_OK;
}

WAY bool enter_by(struct accd_directory *dir, const accd_construct *construct, accd_status *status_p, unsigned way)
{
    struct accd_object *objects[ACCD_SHORT_ITEMS];
    struct accd_short_links links;
    struct items items;
    bool done;
    if ((way & POINTERS && !accd_short_holders(dir, construct, &links)) ||
        !find_objects(dir, construct, NULL, 0, objects, &items, &links, way))
        return false;
    *status_p = make_present(dir, construct, &items, objects, &links, &done, way);
    if (!done || *status_p != ACCD_OK)
        return done;
    dir->levels.serial++;
    for (size_t i = 0; i < construct->nitems; i++) {
        objects[i]->size &= ~ACCD_OBJECT_POINTER;
        objects[i]->dynamic += !(way & CLOSER && items.again >> i & 1);
    }
    return true;
}

WAY bool begin_by(struct accd_directory *dir, const accd_construct *construct, accd_region **region_p,
                  accd_status *status_p, accd_leave_way *leave, unsigned way)
{
    struct accd_object *objects[ACCD_SHORT_ITEMS];
    struct accd_region **home =
        way & POINTERS ? &dir->levels.spare[ACCD_HOMES] : accd_region_home(dir, construct->items);
    struct accd_region *region = region_p ? accd_region_take(dir, home) : NULL;
    struct accd_short_links links;
    struct items items;
    bool done = false;
    if (!region)
        return false;
    const size_t nbefore = region->gone == dir->present.objects.gone ? region->nclaims : 0;
    if (!(way & POINTERS && !accd_short_holders(dir, construct, &links)) &&
        find_objects(dir, construct, region->claims, nbefore, objects, &items, &links, way))
        *status_p = make_present(dir, construct, &items, objects, &links, &done, way);
    if (!done || *status_p != ACCD_OK) {
        accd_region_give(region);
        return done;
    }
    dir->levels.serial++;
    open_region(dir, construct, objects, &items, region, leave, way);
    *region_p = region;
    return true;
}

/* ------------------------------------------------------------------------------------- exit -- */

static inline uint32_t *counter_of(struct accd_object *object, bool dynamic)
{
    return dynamic ? &object->dynamic : &object->structured;
}

/* Whether the object of a claim may go here: the claim is the only one that names it. */
WAY bool may_go(struct accd_directory *dir, const struct accd_claim *claims, size_t claim, struct accd_short_ends *ends,
                unsigned way)
{
    const struct accd_object *object = claims[claim].object;
    for (size_t i = 0; i < claim; i++)
        if (claims[i].object == object)
            return false;
    if (way & POINTERS)
        return accd_short_lets_go(dir, claims, claim, ends);
    return !object->pins && !accd_has_pointers(dir, object->host, accd_object_bytes(object));
}

/* Frees the memory of an object, which is often in the block of the one before. */
static inline void free_memory(struct accd_directory *dir, struct accd_object *object, struct accd_block **block_p)
{
    struct accd_block *block = *block_p;
    if (!(object->size & ACCD_OBJECT_SHARED)) {
        accd_free_memory_of(dir, object);
        return;
    }
    if (!block || object->dev - block->dev >= block->bytes)
        block = accd_block_of(dir, object);
    *block_p = block->live > 1 ? block : NULL;
    accd_release_block(dir, block, 1);
}

/* Takes one reference off each object, which a region or, without one, exit data has; those that have none left go, and
 * of these alone parts are fetched. again: claims on an object that one before them counts, as bits. */
WAY bool leave(struct accd_directory *dir, struct accd_claim *claims, size_t n, unsigned again,
               struct accd_region *region, accd_status *status_p, unsigned way)
{
    const bool dynamic = !region;
    struct accd_claim *dying[ACCD_SHORT_ITEMS];
    struct accd_short_ends ends;
    size_t ndying = 0, out = 0, in = 0, i = 0;
    if (way & POINTERS && !accd_short_ends(dir, claims, n, dynamic, &ends))
        return false;
    for (; i < n; i++) {
        struct accd_object *object = claims[i].object;
        if (way & CLOSER && again >> i & 1) {
            if (!object || accd_has_gone(object))
                break;
            continue;
        }
        if (!object || !*counter_of(object, dynamic) ||
            object->size & (ACCD_OBJECT_MAPPED | ACCD_OBJECT_NAMED | ACCD_OBJECT_SHORT))
            break;
        if ((uint64_t)object->structured + object->dynamic == 1) {
            if (!may_go(dir, claims, i, &ends, way))
                break;
            out += accd_demands[claims[i].action].out;
            dying[ndying++] = &claims[i];
        }
        *counter_of(object, dynamic) -= 1;
    }
    const bool done = i == n && !(out && dir->device.ops->announce);
    accd_status status = ACCD_OK;
    if (way & POINTERS && done && ends.last)
        in = accd_short_restore(dir, claims, n, &ends);
    if (done && (out || in)) {
        status = begin_moves(dir, in, out);
        for (size_t k = 0; k < ndying && status == ACCD_OK; k++)
            if (accd_demands[dying[k]->action].out)
                fetch(dir, dying[k]);
        if (way & POINTERS && in && status == ACCD_OK)
            accd_short_send_ends(dir, &ends);
        status = end_moves(dir, status, in, out);
    }
    *status_p = status;
    if (__builtin_expect(!done || status != ACCD_OK, 0)) {
        while (i--)
            if (!(way & CLOSER && again >> i & 1))
                *counter_of(claims[i].object, dynamic) += 1;
        return done;
    }
    if (way & POINTERS)
        accd_short_detach(dir, &ends);
    if (!ndying)
        return true;
    const bool finds = region && region->gone == dir->present.objects.gone;
    const bool holds = way & POINTERS && accd_short_holder(dir);
    if (way & POINTERS)
        accd_short_end_inside(dir, claims, &ends);
    struct accd_object *objects[ACCD_SHORT_ITEMS];
    struct accd_block *block = NULL;
    for (size_t k = 0; k < ndying; k++) {
        objects[k] = dying[k]->object;
        free_memory(dir, objects[k], &block);
        if (!(way & POINTERS))
            accd_remove_object(dir, objects[k]);
        else if (objects[k] == dir->attached.holder)
            dir->attached.holder = NULL;
        dying[k]->object = NULL;
        dying[k]->host = UINT64_MAX; /* no data begin there: the record has what its other claims found */
    }
    if (way & POINTERS)
        accd_remove_objects(dir, objects, ndying);
    if (finds)
        region->gone = dir->present.objects.gone;
    if (holds)
        dir->attached.holder_gone = dir->present.objects.gone;
    return true;
}

/* The present data that an item names; final: a last reference may be taken off as the last ones are. */
WAY bool find_claim(struct accd_directory *dir, const accd_item *item, bool final, struct accd_claim *claim,
                    unsigned way)
{
    const unsigned flags = final ? PLAIN_FLAGS | ACCD_ITEM_FINAL : PLAIN_FLAGS;
    if (!is_plain(item, flags, way))
        return false;
    claim->host = accd_address(item->host);
    claim->bytes = item->bytes;
    claim->action = item->action;
    if (way & POINTERS)
        claim->slot = accd_address(item->slot);
    claim->object = accd_range_floor_near(&dir->present.objects, claim->host);
    return claim->object && accd_object_holds(claim->object, claim->host, claim->bytes) &&
           (!(item->flags & flags & ACCD_ITEM_FINAL) ||
            (uint64_t)claim->object->structured + claim->object->dynamic == 1);
}

WAY bool exit_by(struct accd_directory *dir, const accd_construct *construct, accd_status *status_p, unsigned way)
{
    struct accd_claim claims[ACCD_SHORT_ITEMS];
    struct accd_object *objects[ACCD_SHORT_ITEMS];
    unsigned again = 0;
    if (construct->finalize)
        return false;
    if (way & POINTERS)
        claims[0].slot = 0; /* there is an item: it is written again */
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if ((item->action != ACCD_DELETE && item->action != ACCD_COPYOUT) ||
            !find_claim(dir, item, true, &claims[i], way))
            return false;
        objects[i] = claims[i].object;
    }
    if (way & CLOSER && !are_apart(dir, construct, 0, objects, &again))
        return false;
    return leave(dir, claims, construct->nitems, again, NULL, status_p, way);
}

WAY bool update_by(struct accd_directory *dir, const accd_construct *construct, accd_status *status_p, unsigned way)
{
    struct accd_claim claims[ACCD_SHORT_ITEMS];
    const size_t n = construct->nitems;
    size_t in = 0;
    if (dir->device.ops->announce)
        return false;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        if ((item->action != ACCD_UPDATE_DEVICE && item->action != ACCD_UPDATE_SELF) ||
            !find_claim(dir, item, false, &claims[i], 0) || accd_has_pointers(dir, claims[i].host, claims[i].bytes))
            return false;
        if (way & CLOSER && dir->context->layouts && dir->context->verdicts.holes &&
            accd_has_layout(dir, item, claims[i].object))
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

#define RUNS(what, call, way)                                                                                 \
    static __attribute__((noinline)) bool what(struct accd_directory *dir, const accd_construct *construct,   \
                                               accd_region **region_p, accd_status *status_p)                 \
    {                                                                                                         \
        (void)region_p;                                                                                       \
        return call(way);                                                                                     \
    }
#define ENTER(way) enter_by(dir, construct, status_p, (way))
#define EXIT(way) exit_by(dir, construct, status_p, (way))
#define UPDATE(way) update_by(dir, construct, status_p, (way))
#define BEGIN(way) begin_by(dir, construct, region_p, status_p, leaves[way], (way))
#define LEAVES(what, way)                                                                         \
    static bool what(struct accd_region *region, accd_status *status_p)                           \
    {                                                                                             \
        return leave(region->dir, region->claims, region->nclaims, region->again, region, status_p, (way)); \
    }

LEAVES(leave_plain, 0)
LEAVES(leave_closer, CLOSER)
LEAVES(leave_linked, POINTERS)
LEAVES(leave_closer_linked, CLOSER | POINTERS)
static accd_leave_way *const leaves[] = {leave_plain, leave_closer, leave_linked, leave_closer_linked};

#define FUNCTIONS(name, way)            \
    RUNS(begin_##name, BEGIN, way)      \
    RUNS(enter_##name, ENTER, way)      \
    RUNS(exit_##name, EXIT, way)
FUNCTIONS(plain, 0)
FUNCTIONS(closer, CLOSER)
FUNCTIONS(linked, POINTERS)
FUNCTIONS(closer_linked, CLOSER | POINTERS)
RUNS(update_plain, UPDATE, 0)
RUNS(update_closer, UPDATE, CLOSER)

static bool no_way(struct accd_directory *dir, const accd_construct *construct, accd_region **region_p,
                   accd_status *status_p)
{
    (void)dir, (void)construct, (void)region_p, (void)status_p;
    return false;
}

#define BY_KIND(name, update)                                                                            \
    {                                                                                              \
        [ACCD_REGION] = begin_##name, [ACCD_COMPUTE] = begin_##name, [ACCD_ENTER_DATA] = enter_##name, \
        [ACCD_EXIT_DATA] = exit_##name, [ACCD_UPDATE] = (update),                                  \
    }
static accd_short_way *const ways[][ACCD_UPDATE + 1] = {BY_KIND(plain, update_plain), BY_KIND(closer, update_closer),
                                                        BY_KIND(linked, no_way), BY_KIND(closer_linked, no_way)};
static accd_short_way *const none[] = {no_way, no_way, no_way, no_way, no_way};

static unsigned way_of(const accd_context *context) { return context->verdicts.looks_closer ? CLOSER : 0; }

accd_short_way *const *accd_short_ways(const accd_context *context)
{
    const bool plain = accd_rules_plain(&context->rules) && !context->config.check_host;
    return plain ? ways[way_of(context)] : none;
}

/* What is not plain may be so but for pointers. */
static __attribute__((noinline)) bool run_linked(struct accd_directory *dir, const accd_construct *construct,
                                                 accd_region **region_p, accd_status *status_p)
{
    const accd_context *context = dir->context;
    bool any = construct->kind == ACCD_EXIT_DATA && dir->attached.slots.count;
    for (size_t i = 0; i < construct->nitems && !any; i++)
        any = construct->items[i].slot;
    if (!any || context->ways == none)
        return false;
    return ways[POINTERS | way_of(context)][construct->kind](dir, construct, region_p, status_p);
}

WAY bool run_short(accd_context *context, const accd_construct *construct, accd_region **region_p,
                   accd_status *status_p, bool linked)
{
    if (!context || context->busy || context->working || (unsigned)construct->kind > ACCD_UPDATE ||
        (unsigned)construct->device >= (unsigned)context->ndirs || construct->queue ||
        construct->nitems - 1 >= ACCD_SHORT_ITEMS || !construct->items)
        return false;
    struct accd_directory *dir = &context->dirs[construct->device];
    if (dir->eventful)
        return false;
    context->busy = true;
    const bool done = (!linked && context->ways[construct->kind](dir, construct, region_p, status_p)) ||
                      run_linked(dir, construct, region_p, status_p);
    context->busy = false;
    return done;
}

bool accd_run_short(accd_context *context, const accd_construct *construct, accd_region **region_p,
                    accd_status *status_p)
{
    return run_short(context, construct, region_p, status_p, false);
}

bool accd_run_short_linked(accd_context *context, const accd_construct *construct, accd_region **region_p,
                           accd_status *status_p)
{
    return run_short(context, construct, region_p, status_p, true);
}

bool accd_leave_short(struct accd_region *region, accd_status *status_p)
{
    accd_context *context = region->context;
    if (!region->leave || region->dir->eventful)
        return false;
    context->busy = true;
    const bool done =
        region->leave(region, status_p) ||
        (region->dir->attached.slots.count && leaves[POINTERS | way_of(context)](region, status_p)); /* in what goes */
    context->busy = false;
    if (done && *status_p == ACCD_OK)
        accd_region_free(region);
    return done;
}
