/* fast_path.c - the fast path of plain constructs: at most ACCD_FAST_PATH_ITEMS items of plain data, where the rules
 * and the state of the device leave only presence and counters to decide. core/api/construct.c tries it first.
 *
 *     accd__run_fast_path
 *       | context->fast_paths[kind]        chosen once for a context by accd__choose_fast_paths
 *       v
 *     plain | openmp | with_pointers | openmp_pointers       four copies of the functions below
 *       begin  (region, compute)    find_item_objects, create_and_attach, open_region
 *       enter  (enter data)         find_item_objects, create_and_attach, counters
 *       exit   (exit data)          find_item_request, end_specialized
 *       update                      find_item_request, transfers
 *       end    (end of a region)    end_specialized, through region->fast_end
 *
 * Contract: a function returns false before it changes anything, and then the general path (plan.h) runs the construct,
 * errors included. It returns true when the construct is complete or has failed, with the status in *status_p. A
 * failure after the first change is undone here, and reported with the error text of the general path.
 *
 * Specialization: `features` is a constant in each copy, so that the compiler removes all tests of other features.
 * Invariant: env->slow_path_reasons is 0. Everything that needs the general path increments that number: records of
 * fusion, queued tasks, pending groups, journal, observer.
 *
 * Caches: a recycled region record keeps the requests of its last use. A construct with equal items finds its objects
 * in that record again, as long as no object has been removed (region->removals). */
#include "ops/fast_path.h"
#include "table/objects.h"
#include "table/regions.h"

#include <assert.h>

/* Flags that have no effect on present data, nor on absent data that an item creates. */
#define FAST_PATH_FLAGS (ACCD_ITEM_PRESENT_OR | ACCD_ITEM_IF_PRESENT)

/* Features of a copy of the fast path. */
enum {
    OPENMP_RULES = 1, /* rules of OpenMP: constructs count; holes and extended ranges exist */
    POINTERS = 2      /* items name pointers that they attach or detach */
};
#define SPECIALIZED static inline __attribute__((always_inline))

/* True if `item` has only flags in `flags`, and only properties that the copy with `features` supports. */
SPECIALIZED bool is_fast_path_item(const accd_item *item, unsigned flags, unsigned features)
{
    const uint64_t more = features & POINTERS ? 0 : accd__address(item->slot) | accd__address(item->frame);
    return !(more | accd__address(item->program) | item->slot_bytes | item->ndims | (item->flags & ~flags));
}

/* True if OpenMP rules allow the fast path for all items: no extended range, memory mapped by the user, layout with
 * holes or, where items count, object named twice. Sets *again_p to the bit set of items on objects that an earlier
 * item counts. `fresh`: bit set of items without an object. Decides OMP60-map-5. */
static inline bool check_openmp_items(struct accd__device_env *env, const accd_construct *construct, unsigned fresh,
                                      struct accd__object **objects, unsigned *again_p)
{
    assert(construct->nitems <= ACCD_FAST_PATH_ITEMS);
    *again_p = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const uint64_t base = accd__address(item->base);
        const struct accd__object *object = fresh >> i & 1 ? NULL : objects[i];
        if ((base && base < accd__address(item->host)) || (object && object->size & ACCD_OBJECT_MAPPED) ||
            (env->context->layouts && env->context->policy.holes && accd__has_layout(env, item, object)))
            return false;
        for (size_t k = 0; k < i && object; k++)
            *again_p |= (unsigned)(objects[k] == object && !(fresh >> k & 1)) << i;
    }
    return !(*again_p && env->context->rules.counting == ACCD_COUNT_ITEMS);
}

/* ------------------------------------------------------------------------------------- moves -- */

/* Begins a batch of `in` copies to the device and `out` copies to the host. Fails if the device fails. */
SPECIALIZED accd_status begin_transfers(struct accd__device_env *env, size_t in, size_t out)
{
    return env->device.ops->begin_batch(env->device.handle, &(struct accd__traffic){.in = in, .out = out});
}

/* Stages the bytes of a request in the open batch (between begin_batch and end_batch), and counts them. */
static inline void send_request(struct accd__device_env *env, const struct accd__request *request)
{
    uint64_t dev = request->object->dev + (request->host - request->object->host);
    const void *host = accd__pointer(request->host);
    memcpy(env->device.ops->stage(env->device.handle, dev, request->bytes, host), host, request->bytes);
    env->device.stats.moved_bytes[0] += request->bytes;
}

/* Copies the bytes of a request from the open batch to the host. */
static inline void fetch_request(struct accd__device_env *env, const struct accd__request *request)
{
    uint64_t dev = request->object->dev + (request->host - request->object->host);
    void *host = accd__pointer(request->host);
    memcpy(host, env->device.ops->fetch(env->device.handle, dev, request->bytes, host), request->bytes);
    env->device.stats.moved_bytes[1] += request->bytes;
}

/* Completes and counts a batch of `in` and `out` copies. Records an error of its start (`begin_status`) or end. */
SPECIALIZED accd_status end_transfers(struct accd__device_env *env, accd_status begin_status, size_t in, size_t out)
{
    accd_status status = begin_status == ACCD_OK ? env->device.ops->end_batch(env->device.handle) : begin_status;
    if (status != ACCD_OK)
        return accd__report_copy_failure(&env->device, status);
    env->device.stats.transfers[0] += in;
    env->device.stats.transfers[1] += out;
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------- entry -- */

/* Records the error of the general path: the device has no `bytes` bytes for item number `item`. Returns a status. */
static __attribute__((noinline, cold)) accd_status report_full_device(struct accd__device_env *env,
                                                                      const accd_construct *construct, size_t item,
                                                                      accd_status status, uint64_t bytes)
{
    struct accd__plan plan;
    accd_status begin_status = accd__plan_begin(&plan, env, construct);
    if (begin_status == ACCD_OK)
        accd__report_device_full(&plan, &plan.resolved.requests[item], status, bytes);
    accd__plan_end(&plan);
    return begin_status == ACCD_OK ? status : begin_status;
}

/* Stages all bytes of a new object in the open batch, and counts them. Decides TR14-1.1-01. */
static inline void send_new_object(struct accd__device_env *env, struct accd__object *object)
{
    send_request(env,
                 &(struct accd__request){.host = object->host, .bytes = accd__object_bytes(object), .object = object});
}

/* Returns a record for the object of `item` at device address `dev`, from the reserved pool; it is not yet inserted. */
static inline struct accd__object *new_object(struct accd__device_env *env, const accd_item *item, uint64_t dev)
{
    struct accd__object *object = accd__pool_alloc(&env->present.object_pool);
    *object = (struct accd__object){
        .host = accd__address(item->host), .size = item->bytes, .dev = dev, .where = item->label ? item->label->id : 0};
    return object;
}

/* Reserves the records that inserting one object needs. Fails only without memory. */
static inline accd_status reserve_object(struct accd__device_env *env)
{
    if (env->present.object_pool.spare && accd__btree_can_insert(&env->present.objects) &&
        (!env->present.device_order || accd__btree_can_insert(&env->present.by_device)))
        return ACCD_OK;
    accd_status status = accd__reserve_records(env, 1, 0, 0, 0);
    accd__unreserve_records(env);
    return status;
}

/* Creates and inserts objects[index], the object of that item, and sends its data. Undoes everything on failure. */
static inline accd_status create_one(struct accd__device_env *env, const accd_construct *construct, size_t index,
                                     struct accd__object **objects)
{
    assert(index < construct->nitems);
    const accd_item *item = &construct->items[index];
    uint64_t dev;
    ACCD_TRY(reserve_object(env));
    accd_status status = accd__alloc_device_memory(env, accd__address(item->host), item->bytes, &dev);
    if (status != ACCD_OK)
        return report_full_device(env, construct, index, status, item->bytes);
    struct accd__object *object = new_object(env, item, dev);
    if (accd__traits_of_action[item->action].in) {
        status = begin_transfers(env, 1, 0);
        if (status == ACCD_OK)
            send_new_object(env, object);
        status = end_transfers(env, status, 1, 0);
        if (status != ACCD_OK) {
            accd__free_device_memory(env, dev, item->bytes);
            accd__pool_free(&env->present.object_pool, object);
            return status;
        }
    }
    accd__insert_object(env, object);
    objects[index] = object;
    return ACCD_OK;
}

/* Lists the numbers of the items in the bit set `set` in `order`, sorted by host address; returns their count. */
static size_t sort_items(const accd_item *items, unsigned set, uint8_t *order)
{
    assert(!(set >> ACCD_FAST_PATH_ITEMS));
    size_t n = 0;
    for (; set; set &= set - 1) {
        const uint8_t i = (uint8_t)__builtin_ctz(set);
        size_t at = n++;
        for (; at && accd__address(items[order[at - 1]].host) > accd__address(items[i].host); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return n;
}

/* Creates the objects of the items in the bit set `fresh`, which may be empty; small objects share a block. Also writes
 * and attaches the pointers in `attaches` (NULL: none). Undoes everything on failure. */
SPECIALIZED accd_status create_several_specialized(struct accd__device_env *env, const accd_construct *construct,
                                                   unsigned fresh, struct accd__object **objects,
                                                   struct accd__fast_attaches *attaches)
{
    uint8_t order[ACCD_FAST_PATH_ITEMS];
    order[0] = 0;
    const size_t n = sort_items(construct->items, fresh, order);
    struct accd__block block = {0};
    size_t ncreated = 0, in = 0;
    const uint64_t small = env->device.ops->small_bytes;
    accd_status status = accd__reserve_records(env, n, 0, attaches ? accd__count_new_attachments(attaches) : 0, n > 1);
    accd__unreserve_records(env);
    if (status != ACCD_OK)
        return status;
    in = attaches ? accd__count_fast_words(attaches) : 0;
    for (size_t k = 0; k < n; k++) {
        const accd_item *item = &construct->items[order[k]];
        block.live += item->bytes < small;
        block.bytes += item->bytes < small ? accd__padded(item->bytes) : 0;
        in += accd__traits_of_action[item->action].in;
    }
    if (block.live > 1) {
        status =
            accd__alloc_device_memory(env, accd__address(construct->items[order[0]].host), block.bytes, &block.dev);
        if (status != ACCD_OK)
            return report_full_device(env, construct, order[0], status, block.bytes);
    }
    uint64_t place = block.dev;
    for (; ncreated < n && status == ACCD_OK; ncreated++) {
        const accd_item *item = &construct->items[order[ncreated]];
        const bool placements = block.live > 1 && item->bytes < small;
        uint64_t dev = place;
        if (!placements)
            status = accd__alloc_device_memory(env, accd__address(item->host), item->bytes, &dev);
        if (status != ACCD_OK) {
            status = report_full_device(env, construct, order[ncreated], status, item->bytes);
            break;
        }
        objects[order[ncreated]] = new_object(env, item, dev);
        objects[order[ncreated]]->size |= placements ? ACCD_OBJECT_SHARED : 0;
        place += placements ? accd__padded(item->bytes) : 0;
    }
    if (status == ACCD_OK && in) {
        status = begin_transfers(env, in, 0);
        for (size_t k = 0; k < n && status == ACCD_OK; k++)
            if (accd__traits_of_action[construct->items[order[k]].action].in)
                send_new_object(env, objects[order[k]]);
        if (attaches && status == ACCD_OK)
            accd__send_fast_pointers(env, attaches, objects);
        status = end_transfers(env, status, in, 0);
    }
    if (status == ACCD_OK && block.live > 1)
        accd__insert_block(env, &block);
    struct accd__pair run[ACCD_FAST_PATH_ITEMS];
    for (size_t k = 0; k < ncreated; k++) {
        struct accd__object *object = objects[order[k]];
        run[k] = (struct accd__pair){object->host, (uintptr_t)object};
        if (status == ACCD_OK)
            continue;
        if (!(object->size & ACCD_OBJECT_SHARED))
            accd__free_device_memory(env, object->dev, accd__object_bytes(object));
        accd__pool_free(&env->present.object_pool, object);
    }
    if (status != ACCD_OK && block.live > 1)
        accd__free_device_memory(env, block.dev, block.bytes);
    if (status == ACCD_OK)
        accd__insert_objects(env, run, ncreated);
    if (attaches && status == ACCD_OK)
        accd__commit_fast_attaches(env, construct, attaches, objects);
    return status;
}

/* Creates the objects of the items in `fresh`, without attaching pointers. Undoes everything on failure. */
static __attribute__((noinline)) accd_status create_several(struct accd__device_env *env,
                                                            const accd_construct *construct, unsigned fresh,
                                                            struct accd__object **objects)
{
    return create_several_specialized(env, construct, fresh, objects, NULL);
}

/* Creates the objects of the items in `fresh`, if any, and attaches pointers. Undoes everything on failure. */
static __attribute__((noinline)) accd_status create_linked(struct accd__device_env *env,
                                                           const accd_construct *construct, unsigned fresh,
                                                           struct accd__object **objects,
                                                           struct accd__fast_attaches *attaches)
{
    return create_several_specialized(env, construct, fresh, objects, attaches);
}

/* Creates the objects of the items in the bit set `fresh`, which is not empty. Undoes everything on failure. */
static __attribute__((noinline)) accd_status create_objects(struct accd__device_env *env,
                                                            const accd_construct *construct, unsigned fresh,
                                                            struct accd__object **objects)
{
    assert(fresh);
    return fresh & (fresh - 1) ? create_several(env, construct, fresh, objects)
                               : create_one(env, construct, (size_t)__builtin_ctz(fresh), objects);
}

/* Bit sets of an entry's items. */
struct entry_items {
    unsigned fresh;    /* items whose data are absent, so that an object is created */
    unsigned again;    /* items that count no reference, because an earlier item counts the same object */
    unsigned attached; /* items whose pointers the end of the region detaches */
};

/* Counts a reference on the object of each item, except set->again, and makes `region`, which `fast_end` will end, the
 * innermost level. The other fields of the record were set when it was made. */
SPECIALIZED void open_region(struct accd__device_env *env, const accd_construct *construct,
                             struct accd__object *const *objects, const struct entry_items *set,
                             struct accd_region *region, accd__fast_end_fn *fast_end, unsigned features)
{
    assert(region && region != env->levels.top);
    const size_t n = construct->nitems;
    region->below = env->levels.top;
    region->fast_end = fast_end;
    region->kind = construct->kind;
    region->name = construct->name;
    region->file = construct->file;
    region->line = construct->line;
    region->thread = construct->thread;
    region->serial = env->levels.serial;
    region->removals = env->present.objects.removals;
    region->nitems = region->nrequests = n;
    if (features & OPENMP_RULES)
        region->repeated = set->again;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        struct accd__item_source *source = &region->items[i];
        struct accd__request *request = &region->requests[i];
        source->label = item->label;
        source->host = request->host = accd__address(item->host);
        source->bytes = request->bytes = item->bytes;
        source->start = item->start;
        memcpy(source->index, item->index, sizeof item->index);
        request->object = objects[i];
        request->flags = item->flags;
        request->action = item->action;
        request->state = set->fresh >> i & 1 ? ACCD_REQUEST_NEW : ACCD_REQUEST_PRESENT;
        if (features & OPENMP_RULES)
            request->counted = !(set->again >> i & 1);
        if (features & POINTERS) {
            request->slot = accd__address(item->slot);
            request->attached = set->attached >> i & 1;
        }
        objects[i]->size &= ~ACCD_OBJECT_POINTER;
        objects[i]->structured += !(features & OPENMP_RULES && set->again >> i & 1);
    }
    env->levels.top = region;
    env->levels.depth++;
}

/* True if the data of `item` are completely absent, and the fast path can create them. `object`, `next`: objects before
 * and after the data's address, or NULL. */
static inline bool can_create_object(const struct accd__device_env *env, const accd_item *item,
                                     const struct accd__object *object, const struct accd__object *next)
{
    const uint64_t host = accd__address(item->host), bytes = item->bytes;
    const struct accd__action_traits *demand = &accd__traits_of_action[item->action];
    return demand->creates && host && bytes && !(bytes >> (ACCD_SIZE_BITS - 1)) && host + bytes > host &&
           !(object && host - object->host < accd__object_bytes(object)) && !(next && next->host - host < bytes) &&
           !(demand->in && env->device.ops->announce) && !item->start && !accd__label_has_indices(item->label);
}

/* True if the data of `item` are disjoint from those of all items in the bit set `others`. */
static inline bool is_disjoint(const accd_item *items, const accd_item *item, unsigned others)
{
    for (; others; others &= others - 1) {
        const accd_item *other = &items[__builtin_ctz(others)];
        if (accd__address(other->host) - accd__address(item->host) < item->bytes ||
            accd__address(item->host) - accd__address(other->host) < other->bytes)
            return false;
    }
    return true;
}

/* Finds the present objects of all items, and sets items->fresh (objects to create) and, under OpenMP rules,
 * items->again. `earlier`: `nearlier` requests of a previous construct, whose objects are still present. `attaches`:
 * has the look-up cache. Returns false if the general path must run the construct. */
SPECIALIZED bool find_item_objects(struct accd__device_env *env, const accd_construct *construct,
                                   const struct accd__request *earlier, size_t nearlier, struct accd__object **objects,
                                   struct entry_items *items, struct accd__fast_attaches *attaches, unsigned features)
{
    assert(construct->nitems && construct->nitems <= ACCD_FAST_PATH_ITEMS);
    const bool again = env->context->rules.again == ACCD_CHOICE_REJECT;
    unsigned fresh = 0;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const uint64_t host = accd__address(item->host);
        void *object, *after = NULL;
        if (!is_fast_path_item(item, FAST_PATH_FLAGS, features) || item->action >= ACCD_ACTION_COUNT ||
            !accd__traits_of_action[item->action].plain)
            return false;
        if (i < nearlier && earlier[i].host == host)
            object = earlier[i].object;
        else if (features & POINTERS)
            object = accd__find_neighbors(env, host, &attaches->gap, &after);
        else
            object = accd__btree_floor_and_next(&env->present.objects, host, &after);
        objects[i] = object;
        if (object && accd__object_contains(object, host, item->bytes)) {
            if ((objects[i]->structured | objects[i]->dynamic) > UINT32_MAX / 2 ||
                (again && accd__traits_of_action[item->action].creates && item->action != ACCD_ACTION_HOLD &&
                 !(item->flags & ACCD_ITEM_PRESENT_OR)) ||
                (features & POINTERS && item->frame && accd__address(item->frame) < objects[i]->host))
                return false;
        } else if (!(features & POINTERS && item->frame) && can_create_object(env, item, object, after) &&
                   is_disjoint(construct->items, item, fresh)) {
            fresh |= 1u << i;
        } else {
            return false;
        }
    }
    items->fresh = fresh;
    return !(features & OPENMP_RULES) || check_openmp_items(env, construct, fresh, objects, &items->again);
}

/* Creates the objects of items->fresh, attaches pointers, and sets items->attached; undoes everything on failure. Sets
 * *done_p to false, with nothing changed, if the general path must run the construct. */
SPECIALIZED accd_status create_and_attach(struct accd__device_env *env, const accd_construct *construct,
                                          struct entry_items *items, struct accd__object **objects,
                                          struct accd__fast_attaches *attaches, bool *done_p, unsigned features)
{
    const unsigned fresh = items->fresh;
    *done_p = !(features & POINTERS) || accd__find_fast_attaches(env, construct, fresh, objects, attaches);
    if (!*done_p)
        return ACCD_OK;
    if (features & POINTERS)
        items->attached = accd__get_counted_items(env, attaches);
    if (features & POINTERS && attaches->n)
        return create_linked(env, construct, fresh, objects, attaches);
    return fresh ? create_objects(env, construct, fresh, objects) : ACCD_OK;
}

/* Runs enter data, with the status in *status_p. Returns false if the general path must run the construct. */
SPECIALIZED bool enter_specialized(struct accd__device_env *env, const accd_construct *construct, accd_status *status_p,
                                   unsigned features)
{
    struct accd__object *objects[ACCD_FAST_PATH_ITEMS];
    struct accd__fast_attaches attaches;
    struct entry_items items;
    bool done;
    if ((features & POINTERS && !accd__find_fast_holders(env, construct, &attaches)) ||
        !find_item_objects(env, construct, NULL, 0, objects, &items, &attaches, features))
        return false;
    *status_p = create_and_attach(env, construct, &items, objects, &attaches, &done, features);
    if (!done || *status_p != ACCD_OK)
        return done;
    env->levels.serial++;
    for (size_t i = 0; i < construct->nitems; i++) {
        objects[i]->size &= ~ACCD_OBJECT_POINTER;
        objects[i]->dynamic += !(features & OPENMP_RULES && items.again >> i & 1);
    }
    return true;
}

/* Runs the entry of region *region_p, with the status in *status_p. Returns false if the general path must run it. */
SPECIALIZED bool begin_specialized(struct accd__device_env *env, const accd_construct *construct,
                                   accd_region **region_p, accd_status *status_p, accd__fast_end_fn *fast_end,
                                   unsigned features)
{
    struct accd__object *objects[ACCD_FAST_PATH_ITEMS];
    struct accd_region **free_list = features & POINTERS ? &env->levels.spare[ACCD_REGION_FREE_LISTS]
                                                         : accd__region_free_list(env, construct->items);
    struct accd_region *region = region_p ? accd__region_alloc(env, free_list) : NULL;
    struct accd__fast_attaches attaches;
    struct entry_items items;
    bool done = false;
    if (!region)
        return false;
    const size_t nearlier = region->removals == env->present.objects.removals ? region->nrequests : 0;
    if (!(features & POINTERS && !accd__find_fast_holders(env, construct, &attaches)) &&
        find_item_objects(env, construct, region->requests, nearlier, objects, &items, &attaches, features))
        *status_p = create_and_attach(env, construct, &items, objects, &attaches, &done, features);
    if (!done || *status_p != ACCD_OK) {
        accd__region_recycle(region);
        return done;
    }
    env->levels.serial++;
    open_region(env, construct, objects, &items, region, fast_end, features);
    *region_p = region;
    return true;
}

/* -------------------------------------------------------------------------------------- exit -- */

/* Returns the dynamic (`dynamic`) or the structured counter of an object. */
static inline uint32_t *reference_counter(struct accd__object *object, bool dynamic)
{
    return dynamic ? &object->dynamic : &object->structured;
}

/* True if the fast path can remove the object of requests[request]: no earlier request names the object, and no pointer
 * stays attached to it. The copies without pointers also require that the object contains no attached pointer. */
SPECIALIZED bool can_remove_object(struct accd__device_env *env, const struct accd__request *requests, size_t request,
                                   struct accd__fast_detaches *ends, unsigned features)
{
    assert(requests[request].object);
    const struct accd__object *object = requests[request].object;
    for (size_t i = 0; i < request; i++)
        if (requests[i].object == object)
            return false;
    if (features & POINTERS)
        return accd__can_remove_target(env, requests, request, ends);
    return !object->pins && !accd__range_has_pointers(env, object->host, accd__object_bytes(object));
}

/* Frees the memory of an object that is removed. *block_p: block of the previous object, or NULL; set to the block of
 * this object, in which the next one often lies, too. NULL: that block is freed. */
static inline void free_dying_memory(struct accd__device_env *env, struct accd__object *object,
                                     struct accd__block **block_p)
{
    struct accd__block *block = *block_p;
    if (!(object->size & ACCD_OBJECT_SHARED)) {
        accd__free_object_memory(env, object);
        return;
    }
    if (!block || object->dev - block->dev >= block->bytes)
        block = accd__object_block(env, object);
    *block_p = block->live > 1 ? block : NULL;
    accd__release_block(env, block, 1);
}

/* Removes one reference from the object of each request: a structured one if `region` ends, a dynamic one without a
 * region. Objects without references are removed, and only their bytes are copied out. `again`: bit set of requests
 * that do not count. Returns false if the general path must run the exit; otherwise sets *status_p. Undoes everything
 * on failure. */
SPECIALIZED bool end_specialized(struct accd__device_env *env, struct accd__request *requests, size_t n, unsigned again,
                                 struct accd_region *region, accd_status *status_p, unsigned features)
{
    assert(n <= ACCD_FAST_PATH_ITEMS);
    const bool dynamic = !region;
    struct accd__request *dying[ACCD_FAST_PATH_ITEMS];
    struct accd__fast_detaches ends;
    size_t ndying = 0, out = 0, in = 0, i = 0;
    if (features & POINTERS && !accd__find_fast_detaches(env, requests, n, dynamic, &ends))
        return false;
    for (; i < n; i++) {
        struct accd__object *object = requests[i].object;
        if (features & OPENMP_RULES && again >> i & 1) {
            if (!object || accd__is_unreferenced(object))
                break;
            continue;
        }
        if (!object || !*reference_counter(object, dynamic) ||
            object->size & (ACCD_OBJECT_MAPPED | ACCD_OBJECT_NAMED | ACCD_OBJECT_UNDERCOUNTED))
            break;
        if ((uint64_t)object->structured + object->dynamic == 1) {
            if (!can_remove_object(env, requests, i, &ends, features))
                break;
            out += accd__traits_of_action[requests[i].action].out;
            dying[ndying++] = &requests[i];
        }
        *reference_counter(object, dynamic) -= 1;
    }
    const bool done = i == n && !(out && env->device.ops->announce);
    accd_status status = ACCD_OK;
    if (features & POINTERS && done && ends.last)
        in = accd__find_restored_pointers(env, requests, n, &ends);
    if (done && (out || in)) {
        status = begin_transfers(env, in, out);
        for (size_t k = 0; k < ndying && status == ACCD_OK; k++)
            if (accd__traits_of_action[dying[k]->action].out)
                fetch_request(env, dying[k]);
        if (features & POINTERS && in && status == ACCD_OK)
            accd__send_restored_pointers(env, &ends);
        status = end_transfers(env, status, in, out);
    }
    *status_p = status;
    if (__builtin_expect(!done || status != ACCD_OK, 0)) {
        while (i--)
            if (!(features & OPENMP_RULES && again >> i & 1))
                *reference_counter(requests[i].object, dynamic) += 1;
        return done;
    }
    if (features & POINTERS)
        accd__commit_fast_detaches(env, &ends);
    if (!ndying)
        return true;
    const bool keeps_removals = region && region->removals == env->present.objects.removals;
    const bool keeps_holder = features & POINTERS && accd__cached_holder(env);
    if (features & POINTERS)
        accd__end_contained_attachments(env, requests, &ends);
    struct accd__object *objects[ACCD_FAST_PATH_ITEMS];
    struct accd__block *block = NULL;
    for (size_t k = 0; k < ndying; k++) {
        objects[k] = dying[k]->object;
        free_dying_memory(env, objects[k], &block);
        if (!(features & POINTERS))
            accd__remove_object(env, objects[k]);
        else if (objects[k] == env->attached.holder)
            env->attached.holder = NULL;
        dying[k]->object = NULL;
        dying[k]->host = UINT64_MAX; /* marks the cached request as empty: no data begin at this address */
    }
    if (features & POINTERS)
        accd__remove_objects(env, objects, ndying);
    if (keeps_removals)
        region->removals = env->present.objects.removals;
    if (keeps_holder)
        env->attached.holder_removals = env->present.objects.removals;
    return true;
}

/* Sets *request to the request of `item`, and returns true if a present object contains its data; otherwise false: the
 * general path must run. `final`: the item may have finalize if one reference is left. */
SPECIALIZED bool find_item_request(struct accd__device_env *env, const accd_item *item, bool final,
                                   struct accd__request *request, unsigned features)
{
    const unsigned flags = final ? FAST_PATH_FLAGS | ACCD_ITEM_FINALIZE : FAST_PATH_FLAGS;
    if (!is_fast_path_item(item, flags, features))
        return false;
    request->host = accd__address(item->host);
    request->bytes = item->bytes;
    request->action = item->action;
    if (features & POINTERS)
        request->slot = accd__address(item->slot);
    request->object = accd__btree_floor_hinted(&env->present.objects, request->host);
    return request->object && accd__object_contains(request->object, request->host, request->bytes) &&
           (!(item->flags & flags & ACCD_ITEM_FINALIZE) ||
            (uint64_t)request->object->structured + request->object->dynamic == 1);
}

/* Runs exit data, with the status in *status_p. Returns false if the general path must run the construct. */
SPECIALIZED bool exit_specialized(struct accd__device_env *env, const accd_construct *construct, accd_status *status_p,
                                  unsigned features)
{
    struct accd__request requests[ACCD_FAST_PATH_ITEMS];
    struct accd__object *objects[ACCD_FAST_PATH_ITEMS];
    unsigned again = 0;
    if (construct->finalize)
        return false;
    if (features & POINTERS)
        requests[0].slot = 0; /* silences a warning; there is at least one item */
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if ((item->action != ACCD_ACTION_DELETE && item->action != ACCD_ACTION_COPYOUT) ||
            !find_item_request(env, item, true, &requests[i], features))
            return false;
        objects[i] = requests[i].object;
    }
    if (features & OPENMP_RULES && !check_openmp_items(env, construct, 0, objects, &again))
        return false;
    return end_specialized(env, requests, construct->nitems, again, NULL, status_p, features);
}

/* Runs an update, with the status in *status_p. Returns false if the general path must run the construct. */
SPECIALIZED bool update_specialized(struct accd__device_env *env, const accd_construct *construct,
                                    accd_status *status_p, unsigned features)
{
    struct accd__request requests[ACCD_FAST_PATH_ITEMS];
    const size_t n = construct->nitems;
    size_t in = 0;
    if (env->device.ops->announce)
        return false;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        if ((item->action != ACCD_ACTION_UPDATE_DEVICE && item->action != ACCD_ACTION_UPDATE_SELF) ||
            !find_item_request(env, item, false, &requests[i], 0) ||
            accd__range_has_pointers(env, requests[i].host, requests[i].bytes))
            return false;
        if (features & OPENMP_RULES && env->context->layouts && env->context->policy.holes &&
            accd__has_layout(env, item, requests[i].object))
            return false;
        in += item->action == ACCD_ACTION_UPDATE_DEVICE;
    }
    accd_status status = begin_transfers(env, in, n - in);
    for (size_t i = 0; i < n && status == ACCD_OK; i++)
        if (requests[i].action == ACCD_ACTION_UPDATE_DEVICE)
            send_request(env, &requests[i]);
        else
            fetch_request(env, &requests[i]);
    *status_p = end_transfers(env, status, in, n - in);
    return true;
}

/* --------------------------------------------------------------------------- dispatch tables -- */

#define DEFINE_RUN(function, call, features)                                                                      \
    static __attribute__((noinline)) bool function(struct accd__device_env *env, const accd_construct *construct, \
                                                   accd_region **region_p, accd_status *status_p)                 \
    {                                                                                                             \
        (void)region_p;                                                                                           \
        return call(features);                                                                                    \
    }
#define ENTER_CALL(features) enter_specialized(env, construct, status_p, (features))
#define EXIT_CALL(features) exit_specialized(env, construct, status_p, (features))
#define UPDATE_CALL(features) update_specialized(env, construct, status_p, (features))
#define BEGIN_CALL(features) begin_specialized(env, construct, region_p, status_p, end_functions[features], (features))
#define DEFINE_END(function, features)                                                                               \
    static bool function(struct accd_region *region, accd_status *status_p)                                          \
    {                                                                                                                \
        return end_specialized(region->env, region->requests, region->nrequests, region->repeated, region, status_p, \
                               (features));                                                                          \
    }

DEFINE_END(end_plain, 0)
DEFINE_END(end_openmp, OPENMP_RULES)
DEFINE_END(end_pointers, POINTERS)
DEFINE_END(end_openmp_pointers, OPENMP_RULES | POINTERS)
static accd__fast_end_fn *const end_functions[] = {end_plain, end_openmp, end_pointers, end_openmp_pointers};

#define DEFINE_SPECIALIZED(name, features)         \
    DEFINE_RUN(begin_##name, BEGIN_CALL, features) \
    DEFINE_RUN(enter_##name, ENTER_CALL, features) \
    DEFINE_RUN(exit_##name, EXIT_CALL, features)
DEFINE_SPECIALIZED(plain, 0)
DEFINE_SPECIALIZED(openmp, OPENMP_RULES)
DEFINE_SPECIALIZED(with_pointers, POINTERS)
DEFINE_SPECIALIZED(openmp_pointers, OPENMP_RULES | POINTERS)
DEFINE_RUN(update_plain, UPDATE_CALL, 0)
DEFINE_RUN(update_openmp, UPDATE_CALL, OPENMP_RULES)

/* Refuses every construct: used for contexts whose rules need the general path. Always returns false. */
static bool no_fast_path(struct accd__device_env *env, const accd_construct *construct, accd_region **region_p,
                         accd_status *status_p)
{
    (void)env, (void)construct, (void)region_p, (void)status_p;
    return false;
}

#define BY_KIND(name, update)                                                                                         \
    {                                                                                                                 \
        [ACCD_KIND_REGION] = begin_##name, [ACCD_KIND_COMPUTE] = begin_##name, [ACCD_KIND_ENTER_DATA] = enter_##name, \
        [ACCD_KIND_EXIT_DATA] = exit_##name, [ACCD_KIND_UPDATE] = (update),                                           \
    }
static accd__fast_path_fn *const fast_path_table[][ACCD_KIND_UPDATE + 1] = {
    BY_KIND(plain, update_plain), BY_KIND(openmp, update_openmp), BY_KIND(with_pointers, no_fast_path),
    BY_KIND(openmp_pointers, no_fast_path)};
static accd__fast_path_fn *const no_fast_paths[] = {no_fast_path, no_fast_path, no_fast_path, no_fast_path,
                                                    no_fast_path};

/* Returns the features that the rules of a context need: OPENMP_RULES or 0. POINTERS depends on the construct. */
static unsigned features_of(const accd_context *context)
{
    return context->policy.needs_openmp_checks ? OPENMP_RULES : 0;
}

/* Returns functions by kind of construct; they refuse all if rules or checks of host memory need the general path. */
accd__fast_path_fn *const *accd__choose_fast_paths(const accd_context *context)
{
    const bool plain = accd__rules_allow_fast_path(&context->rules) && !context->config.check_host;
    return plain ? fast_path_table[features_of(context)] : no_fast_paths;
}

/* Runs the copy with pointers. Returns false if there are no pointers, or the general path must run the construct. */
static __attribute__((noinline)) bool run_with_pointers(struct accd__device_env *env, const accd_construct *construct,
                                                        accd_region **region_p, accd_status *status_p)
{
    const accd_context *context = env->context;
    bool has_pointers = construct->kind == ACCD_KIND_EXIT_DATA && env->attached.slots.count;
    for (size_t i = 0; i < construct->nitems && !has_pointers; i++)
        has_pointers = construct->items[i].slot;
    if (!has_pointers || context->fast_paths == no_fast_paths)
        return false;
    return fast_path_table[POINTERS | features_of(context)][construct->kind](env, construct, region_p, status_p);
}

/* Runs a construct. `with_pointers`: tries only the copy with pointers. Returns false, with nothing changed, if
 * context, device or construct need the general path. */
SPECIALIZED bool run_fast_path(accd_context *context, const accd_construct *construct, accd_region **region_p,
                               accd_status *status_p, bool with_pointers)
{
    if (!context || context->busy || context->runs_queue || (unsigned)construct->kind > ACCD_KIND_UPDATE ||
        (unsigned)construct->device >= (unsigned)context->nenvs || construct->queue ||
        construct->nitems - 1 >= ACCD_FAST_PATH_ITEMS || !construct->items)
        return false;
    struct accd__device_env *env = &context->envs[construct->device];
    if (env->slow_path_reasons)
        return false;
    context->busy = true;
    const bool done = (!with_pointers && context->fast_paths[construct->kind](env, construct, region_p, status_p)) ||
                      run_with_pointers(env, construct, region_p, status_p);
    context->busy = false;
    return done;
}

/* Runs a construct in the copy without pointers or, if that refuses, with pointers. Returns false if both refuse. */
bool accd__run_fast_path(accd_context *context, const accd_construct *construct, accd_region **region_p,
                         accd_status *status_p)
{
    return run_fast_path(context, construct, region_p, status_p, false);
}

/* Runs a construct in the copy with pointers. Returns false if that copy refuses; then nothing has changed. */
bool accd__run_fast_path_with_pointers(accd_context *context, const accd_construct *construct, accd_region **region_p,
                                       accd_status *status_p)
{
    return run_fast_path(context, construct, region_p, status_p, true);
}

/* Ends a region in the copy that opened it or, if that refuses, in the copy with pointers; frees it on success. Returns
 * false, with nothing changed, if both refuse, or the general path opened the region. */
bool accd__end_fast_path(struct accd_region *region, accd_status *status_p)
{
    assert(region && status_p);
    accd_context *context = region->context;
    if (!region->fast_end || region->env->slow_path_reasons)
        return false;
    context->busy = true;
    /* tries the copy with pointers, too, because objects to be removed may contain attached pointers */
    const bool done =
        region->fast_end(region, status_p) ||
        (region->env->attached.slots.count && end_functions[POINTERS | features_of(context)](region, status_p));
    context->busy = false;
    if (done && *status_p == ACCD_OK)
        accd__region_free(region);
    return done;
}
