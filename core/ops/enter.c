/* enter.c - executes entry constructs: structured and compute regions, enter data. Called by core/api/construct.c
 * with a plan that begin.c has initialized.
 *
 * The steps of TR14 4.2: collect the requests of all clauses, and decide those on present data. Of the others, fresh
 * requests, which are outermost, make an object; requests nested in them use it. Then references are counted for all.
 *
 *     plan_and_transfer_entry            everything that may fail
 *       group or sections, fusion begin  -> plan.resolved.requests
 *       accd__resolve_entry              -> states, fresh
 *       accd__fuse_plan, attach plan     -> ranges, pointers
 * reserve_records, reserve_region host memory for everything that the commit inserts
 *       reserve_memory                   device memory and object records of fresh requests
 *       plan_entry_moves                 moves, words, clears
 *       accd__plan_commit                one batch of transfers, or a task of a queue
 *            | failure: undo_entry gives everything back; nothing has changed
 *            v success
 *     commit_entry                       blocks, objects, tuples, attachments, counters, level; cannot fail
 *     accd__report_entry                 events
 *
 * A new object lies in one of four places: a fused range, the frame of its aggregate, the block that small objects
 * share, or memory of its own. Objects in the first three have ACCD_OBJECT_SHARED; the block counts its live objects.
 *
 * Life of a new object: fresh request -> place_object -> record from the reserved pool (reserve_objects) -> transfers
 * -> accd__insert_object (commit_entry), or back to the pool (release_memory). */
#include "ops/inside.h"
#include "plan/change_set.h"
#include "plan/fusion.h"
#include "table/find.h"
#include "table/name.h"
#include "table/objects.h"

#include <assert.h>

/* A frame: the device block for an aggregate of which only members are mapped. Each mapped member lies in the block at
 * its offset in the aggregate. */
struct member_frame {
    struct accd__interval
        at; /* entry for the frame in the interval tree entry->frames_at: host address of the aggregate */
    /* host and device address of the aggregate; size of its device block */
    uint64_t host, dev, bytes;
    size_t objects; /* number of objects that this construct places in the frame */
    /* present block of other members of the aggregate; NULL: the construct allocates the block */
    struct accd__block *block;
};

/* State of an entry that is being executed. */
struct entry_state {
    struct accd__plan *plan;
    struct accd__attach_plan attaches;
    uint64_t block_dev, block_bytes; /* device address and size of the block that small objects share */
    /* number of objects in the block that small objects share; 0: the entry needs no such block */
    size_t block_objects;
    /* frames (blocks for members of aggregates) of this entry: an array, of which the first nframes are in use */
    struct member_frame *frames;
    size_t nframes;
    struct accd__interval *frames_at;
    size_t nallocated; /* number of fresh requests (those that make an object) whose objects have a record and memory */
    uint64_t group_dev, group_bytes;
    /* region that the entry begins; NULL for enter data, or before reserve_region */
    struct accd_region *region;
    /* planned release (release.c) of old type records (objects that describe the type of a descriptor), because the
     * construct attaches their descriptors again with another type; NULL: no record is released */
    struct accd__record_release *release;
};

/* -------------------------------------------------------------------------------- 1. reserve -- */

/* Records the error that the device has no `bytes` bytes left for `request`, unless `status` is the error of a queue,
 * which is recorded already. Returns `status`. Decides HOUSE-memory. */
accd_status accd__report_device_full(const struct accd__plan *plan, const struct accd__request *request,
                                     accd_status status, uint64_t bytes)
{
    if (accd__is_queue_error(status))
        return status;
    accd__report_request_error(plan, request, NULL, status, R_ALLOCATE,
                               "device %d has no %llu bytes of memory left for " ACCD_NAME_PLACEHOLDER,
                               plan->env->device.number, (unsigned long long)bytes);
    return accd__append_driver_error(&plan->env->device, status);
}

/* Allocates `bytes` bytes of device memory for `request`, and sets *dev_p to their address. Records and returns an
 * error if the device has no memory left, or a queue fails. */
static accd_status allocate_for_request(struct accd__plan *plan, const struct accd__request *request, uint64_t bytes,
                                        uint64_t *dev_p)
{
    assert(bytes);
    accd_status status = accd__alloc_device_memory(plan->env, request->host, bytes, dev_p);
    return status == ACCD_OK ? ACCD_OK : accd__report_device_full(plan, request, status, bytes);
}

/* Returns the host address of the aggregate that `request` is a member of; 0: it is not a member. */
static uint64_t request_aggregate(const struct accd__plan *plan, const struct accd__request *request)
{
    return request->source & ACCD_SOURCE_WALKED ? 0
                                                : accd__address(plan->input.construct->items[request->source].frame);
}

/* Returns the host address of the aggregate of `request` if its members share a frame (block for members). Returns 0 if
 * `request` is not a member, or members share no frame: under rules with fusion, or where all members form one object
 * with holes. */
static uint64_t request_frame(const struct accd__plan *plan, const struct accd__request *request)
{
    const accd_rules *rules = &plan->context->rules;
    return rules->fusion || plan->context->policy.holes ? 0 : request_aggregate(plan, request);
}

/* Returns the number of new objects that lie in frames (blocks for members of aggregates). */
static size_t count_framed_requests(const struct accd__plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->resolved.nfresh; i++)
        n += request_frame(plan, &plan->resolved.requests[plan->resolved.fresh[i]]) != 0;
    return n;
}

/* Sets *frame_p to this entry's frame for the aggregate of `request`, and makes the frame if needed. A new frame takes
 * over the present block of other members or, without one, allocates device memory. Fails if the device has no memory,
 * or a queue fails. */
static accd_status find_or_open_frame(struct entry_state *entry, const struct accd__request *request,
                                      struct member_frame **frame_p)
{
    assert(request_frame(entry->plan, request));
    struct accd__plan *plan = entry->plan;
    struct accd__device_env *env = plan->env;
    uint64_t host = request_frame(plan, request);
    const struct accd__interval *open = accd__interval_find_overlap(entry->frames_at, host, host + 1, NULL, NULL);
    if (open) {
        *frame_p = open->owner;
        return ACCD_OK;
    }
    struct member_frame *frame = &entry->frames[entry->nframes];
    struct accd__block *block = accd__btree_floor(&env->present.frames, host);
    *frame = (struct member_frame){.at = {.low = host, .high = host + 1, .owner = frame}, .host = host};
    if (block && block->frame == host) {
        frame->block = block;
        frame->dev = block->dev;
        frame->bytes = block->bytes;
    } else {
        frame->bytes = plan->input.construct->items[request->source].frame_bytes;
        ACCD_TRY(allocate_for_request(plan, request, frame->bytes, &frame->dev));
    }
    entry->nframes++;
    accd__interval_insert(&entry->frames_at, &frame->at);
    *frame_p = frame;
    return ACCD_OK;
}

/* Sets *dev_p to the device address of the data of `request` in the frame of their aggregate. Returns an error if the
 * frame is too small for them, the device has no memory, or a queue fails. */
static accd_status place_in_frame(struct entry_state *entry, const struct accd__request *request, uint64_t *dev_p)
{
    struct member_frame *frame = NULL;
    ACCD_TRY(find_or_open_frame(entry, request, &frame));
    uint64_t offset = request->host - frame->host;
    if (offset > frame->bytes || request->bytes > frame->bytes - offset)
        return accd__report_request_error(entry->plan, request, NULL, ACCD_ERROR_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT,
                                          "members of the same aggregate are present, and their device "
                                          "memory has no room for " ACCD_NAME_PLACEHOLDER
                                          "; map them in one directive");
    frame->objects++;
    *dev_p = frame->dev + offset;
    return ACCD_OK;
}

/* True if the new object of `request` belongs in the block that small objects share: it is small, and lies neither in a
 * frame nor in a fused range. */
static bool shares_small_block(const struct accd__plan *plan, const struct accd__request *request)
{
    return request->bytes < plan->env->device.ops->small_bytes && !request_frame(plan, request) &&
           !accd__fuse_covers(plan, request->host);
}

/* True if `program` (NULL: none) requests no bytes of its elements: it only follows pointers, or only has pieces that
 * an entry alone uses. False for recursive programs. */
static bool names_no_bytes(const accd_program *program)
{
    bool is_empty = !program || !program->is_recursive;
    for (size_t i = 0; program && i < program->spec.npieces && is_empty; i++)
        is_empty = program->spec.pieces[i].entry_only;
    for (size_t i = 0; program && i < program->spec.nfields && is_empty; i++)
        if (program->spec.fields[i].embedded || program->spec.fields[i].in_place)
            is_empty = program->spec.fields[i].child && names_no_bytes(program->spec.fields[i].child);
    return is_empty;
}

/* Sets *dev_p to the device address of the object that `request` makes, and *shared_p to whether the object shares a
 * block. Advances *block, the next free address in the block of small objects, if the object lies there. Fails if its
 * frame is too small, the device has no memory, or a queue fails. */
static accd_status place_object(struct entry_state *entry, const struct accd__request *request, uint64_t *block,
                                uint64_t *dev_p, bool *shared_p)
{
    assert(block && dev_p && shared_p);
    struct accd__plan *plan = entry->plan;
    *shared_p = true;
    if (entry->block_objects && shares_small_block(plan, request)) {
        *dev_p = *block;
        *block += accd__padded(request->bytes);
    } else if (accd__fuse_covers(plan, request->host)) {
        *dev_p = accd__fuse_dev(plan, request->host);
    } else if (request_frame(plan, request)) {
        ACCD_TRY(place_in_frame(entry, request, dev_p));
    } else {
        *shared_p = false;
        ACCD_TRY(allocate_for_request(plan, request, request->bytes, dev_p));
    }
    return ACCD_OK;
}

/* Makes the object records of all fresh requests (those that make an object), and gives each object its device address.
 * Fails if a frame is too small, the device has no memory, or a queue fails; release_memory then frees what was made.
 */
static accd_status reserve_objects(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    struct accd__device_env *env = plan->env;
    uint64_t block = entry->block_dev, dev = 0;
    while (entry->nallocated < plan->resolved.nfresh) {
        struct accd__request *request = &plan->resolved.requests[plan->resolved.fresh[entry->nallocated]];
        bool shared = false;
        ACCD_TRY(place_object(entry, request, &block, &dev, &shared));
        request->object = accd__pool_alloc(&env->present.object_pool);
        *request->object = (struct accd__object){.host = request->host, .size = request->bytes, .dev = dev};
        if (request->flags & ACCD_ITEM_BASE_POINTER)
            request->object->size |= ACCD_OBJECT_POINTER;
        if (plan->context->rules.fusion && request->action == ACCD_ACTION_HOLD &&
            names_no_bytes(accd__request_program(&plan->input, request)))
            request->object->size |= ACCD_OBJECT_STORAGE;
        if (shared)
            request->object->size |= ACCD_OBJECT_SHARED;
        entry->nallocated++;
        if (env->queues.ntasks && shared) /* queued tasks may still use an earlier object in this part of the block, so
                                             that the entry waits for them */
            ACCD_TRY(accd__finish_pending(env, dev, request->bytes));
    }
    return ACCD_OK;
}

/* Allocates the device memory of all new objects, and of a new group. Fails if a frame is too small, the device has no
 * memory, or a queue fails; release_memory then frees what was allocated. Decides TR14-4.2-06, TR14-1.2-02,
 * TR14-4.3-20, DIR-4.1-04, LLNL-2.1-03. */
static accd_status reserve_memory(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    size_t nsmall = 0;
    if (plan->resolved.fusion)
        ACCD_TRY(accd__fuse_place(plan));
    for (size_t i = 0; i < plan->resolved.nfresh; i++) {
        const struct accd__request *request = &plan->resolved.requests[plan->resolved.fresh[i]];
        if (!shares_small_block(plan, request))
            continue;
        nsmall++;
        entry->block_bytes += accd__padded(request->bytes);
    }
    if (nsmall > 1) {
        const struct accd__request *first = &plan->resolved.requests[plan->resolved.fresh[0]];
        ACCD_TRY(allocate_for_request(plan, first, entry->block_bytes, &entry->block_dev));
        entry->block_objects = nsmall;
    }
    ACCD_TRY(reserve_objects(entry));
    if (!plan->resolved.new_group)
        return ACCD_OK;
    const struct accd_walk *walk = plan->input.walk;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    entry->group_bytes += accd__segment_is_mapped(segment) ? segment->total : 0;
    ACCD_TRY(allocate_for_request(plan, &plan->resolved.requests[walk->roots[0].item], entry->group_bytes,
                                  &entry->group_dev));
    struct accd__block *block = accd__pool_alloc(&plan->env->present.block_pool);
    *block =
        (struct accd__block){.dev = entry->group_dev, .bytes = entry->group_bytes, .live = plan->resolved.group->live};
    plan->resolved.group->block = block;
    return ACCD_OK;
}

/* Frees the device memory and the object records that a failed entry has made. */
static void release_memory(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    struct accd__device_env *env = plan->env;
    for (size_t i = 0; i < entry->nallocated; i++) {
        struct accd__object *object = plan->resolved.requests[plan->resolved.fresh[i]].object;
        if (!(object->size & ACCD_OBJECT_SHARED))
            accd__free_device_memory(env, object->dev, accd__object_bytes(object));
        accd__pool_free(&env->present.object_pool, object);
    }
    if (entry->block_objects)
        accd__free_device_memory(env, entry->block_dev, entry->block_bytes);
    for (size_t i = 0; i < entry->nframes; i++)
        if (!entry->frames[i].block)
            accd__free_device_memory(env, entry->frames[i].dev, entry->frames[i].bytes);
    if (plan->resolved.new_group && plan->resolved.group->block) {
        accd__free_device_memory(env, entry->group_dev, entry->group_bytes);
        accd__pool_free(&env->present.block_pool, plan->resolved.group->block);
    }
}

/* Sets entry->region to a new region with its arrays in one block; leaves it NULL for enter data. Fails without memory.
 */
static accd_status reserve_region(struct entry_state *entry)
{
    assert(!entry->region);
    struct accd__plan *plan = entry->plan;
    const accd_construct *construct = plan->input.construct;
    if (construct->kind == ACCD_KIND_ENTER_DATA)
        return ACCD_OK;
    size_t nitems = construct->nitems;
    size_t originals = plan->resolved.fusion ? plan->resolved.fusion->noriginals : 0;
    size_t bytes = sizeof(struct accd_region) + plan->resolved.nrequests * sizeof(struct accd__request) +
                   nitems * sizeof(struct accd__item_source) + originals * sizeof(struct accd__original *) +
                   plan->input.ngaps * sizeof(struct accd__item_grid);
    struct accd_region *region = accd__mem_alloc(&plan->context->mem, bytes);
    if (!region)
        return accd__report_out_of_memory(plan->context, "for a data region");
    *region = (struct accd_region){
        .context = plan->context,
        .env = plan->env,
        .kind = construct->kind,
        .name = construct->name,
        .file = construct->file,
        .line = construct->line,
        .thread = construct->thread,
        .queue = construct->queue,
        .queue_start = plan->input.queue ? plan->input.queue->submitted : 0,
        .nitems = nitems,
        .nrequests = plan->resolved.nrequests,
        .ngaps = plan->input.ngaps,
        .bytes = bytes,
    };
    region->requests = (struct accd__request *)(region + 1);
    region->items = (struct accd__item_source *)(region->requests + plan->resolved.nrequests);
    region->originals = (struct accd__original **)(region->items + nitems);
    region->gaps = (struct accd__item_grid *)(region->originals + originals);
    memcpy(region->items, plan->input.sources, nitems * sizeof region->items[0]);
    if (plan->input.ngaps)
        memcpy(region->gaps, plan->input.gaps, plan->input.ngaps * sizeof region->gaps[0]);
    entry->region = region;
    return ACCD_OK;
}

/* True if the object of `request` needs a name origin, because the label of the item `source` is not enough. That is so
 * with a start index, indices in the name, or an extended range (from base address to data). */
static bool needs_origin(const struct accd__plan *plan, const struct accd__item_source *source,
                         const struct accd__request *request)
{
    return accd__source_start(source, request->host) || accd__label_has_indices(source->label) ||
           accd__request_extended_base(plan, request);
}

/* True if the construct is enter data, and `request` has an extended range (from base address to data) for an object
 * that is present, or that another request makes. Objects of groups get none. */
static bool extends_base(const struct accd__plan *plan, const struct accd__request *request)
{
    assert(request->state != ACCD_REQUEST_PRESENT || request->object);
    bool is_present = request->state == ACCD_REQUEST_PRESENT && !(request->object->size & ACCD_OBJECT_MEMBER);
    return plan->input.construct->kind == ACCD_KIND_ENTER_DATA &&
           (is_present || request->state == ACCD_REQUEST_WITHIN_NEW) && accd__request_extended_base(plan, request);
}

/* Lowers the start of the extended range of the object of `request` to the base address of `request`, if that is lower.
 * An object without name origin gets one, which must be reserved. */
static void extend_base(struct accd__plan *plan, const struct accd__request *request)
{
    assert(request->object);
    struct accd__object *object = request->object;
    uint64_t base = accd__request_extended_base(plan, request);
    if (!(object->size & ACCD_OBJECT_ORIGIN)) {
        object->where = accd__new_name_origin(
            plan->env, &(struct accd__name_origin){.label = object->where, .item = object->where});
        object->size |= ACCD_OBJECT_ORIGIN;
    }
    struct accd__name_origin *origin = &plan->env->present.origins[object->where];
    if (!origin->base || base < origin->base)
        origin->base = base;
}

/* Returns the greatest number of name origins (records of start, indices and base of a name) that the commit adds. */
static size_t count_new_origins(const struct accd__plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->resolved.nfresh; i++) {
        const struct accd__request *request = &plan->resolved.requests[plan->resolved.fresh[i]];
        const struct accd__item_source *source = accd__request_source(&plan->input, request);
        n += !source || needs_origin(plan, source, request);
    }
    for (size_t i = 0; plan->context->rules.extended_range && i < plan->resolved.nrequests; i++)
        n += extends_base(plan, &plan->resolved.requests[i]);
    return n;
}

/* Reserves all records that the commit inserts, and the array entry->frames. Returns ACCD_ERROR_MISSING_WAIT if a queue
 * uses an object that fusion moves, or fails without memory. */
static accd_status reserve_records(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    /* a release (of type records) may remove attachments of pointers that are attached again; the commit then makes
     * these again */
    size_t attachments = plan->env->attached.ntype_records ? entry->attaches.nreattached : 0;
    for (size_t i = 0; i < entry->attaches.n; i++)
        attachments += !entry->attaches.at[i].attach;
    size_t nframes = count_framed_requests(plan);
    if (nframes) {
        ACCD_SCRATCH_ALLOC(plan->context, entry->frames, nframes);
    }
    size_t blocks = (plan->resolved.nfresh > 1) + (size_t)plan->resolved.new_group + nframes;
    if (plan->resolved.fusion) {
        ACCD_TRY(accd__fuse_reserve(plan));
        blocks += plan->resolved.fusion->blocks;
    }
    size_t origins = count_new_origins(plan);
    if (!plan->resolved.nfresh && !attachments && !blocks && !origins)
        return ACCD_OK;
    ACCD_TRY(accd__reserve_records(plan->env, plan->resolved.nfresh, origins, attachments, blocks));
    /* objects that fusion moves get new keys in the index by device address */
    if (plan->resolved.fusion)
        plan->env->reserved.objects += plan->resolved.fusion->shifts.n;
    return ACCD_OK;
}

/* ---------------------------------------------------------------------------------- 2. moves -- */

/* Plans the moves of present bytes that requests update from the host, and excludes the bytes of attached pointers.
 * Sets *has_updates_p to whether there are such requests. Fails only without memory. Decides DIR-6-04. */
static accd_status plan_present_updates(struct accd__plan *plan, bool *has_updates_p)
{
    *has_updates_p = false;
    for (uint32_t i = 0; i < plan->resolved.nrequests; i++)
        if (accd__request_updates_present(&plan->resolved.requests[i])) {
            *has_updates_p = true;
            ACCD_TRY(accd__plan_request_moves(plan, i, false));
        }
    if (!*has_updates_p)
        return ACCD_OK;
    ACCD_TRY(accd__plan_merge_moves(plan));
    return accd__plan_keep_pointers(plan);
}

/* Sets ACCD_ITEM_UNCOUNTED in the requests that do not count a reference; called if the rules count list items. First
 * sets the objects of requests that lie within new objects of other requests. */
static void mark_uncounted(struct accd__plan *plan)
{
    struct accd__request *requests = plan->resolved.requests;
    for (size_t i = 0; i < plan->resolved.nrequests; i++)
        if (requests[i].state == ACCD_REQUEST_WITHIN_NEW)
            requests[i].object = requests[requests[i].owner].object;
    accd__plan_requests_together(plan);
}

/* Plans the moves of new data, the updates of present data, and the pointers to write. Elements that the bulk transfer
 * of a new group moves are left out. Fails only without memory. Decides TR14-4.2-07, TR14-4.3-09, ACC33-2.7.2-1,
 * LLNL-2.1-02, OMP60-map-5. */
static accd_status plan_entry_moves(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    const bool items = plan->context->rules.counting == ACCD_COUNT_ITEMS;
    bool has_updates;
    if (plan->resolved.fusion)
        ACCD_TRY(accd__fuse_plan_moves(plan));
    ACCD_TRY(plan_present_updates(plan, &has_updates));
    if (items)
        mark_uncounted(plan);
    for (uint32_t i = 0; i < plan->resolved.nrequests; i++) {
        struct accd__request *request = &plan->resolved.requests[i];
        if (request->state == ACCD_REQUEST_WITHIN_NEW)
            request->object = plan->resolved.requests[request->owner].object;
        if (request->state != ACCD_REQUEST_NEW && request->state != ACCD_REQUEST_WITHIN_NEW)
            continue;
        if (items && request->state == ACCD_REQUEST_WITHIN_NEW &&
            !(request->flags & (ACCD_ITEM_UNCOUNTED | ACCD_ITEM_ALWAYS_IN)))
            continue; /* copies nothing: the data are present already, made by an earlier item that copies them if it
                         must */
        bool in_bulk = plan->changes.bulk && !(request->source & ACCD_SOURCE_WALKED) &&
                       plan->input.sources[request->source].root >= 0;
        if (!in_bulk)
            ACCD_TRY(accd__plan_request_moves(plan, i, false));
    }
    ACCD_TRY(accd__plan_merge_moves(plan));
    ACCD_TRY(accd__plan_trim_clears(plan));
    return accd__attach_plan_words(&entry->attaches);
}

/* Plans the bulk transfer of a new group (deep structure in one record): its sections, and the bytes of roots (walked
 * items) that are not yet present. Does nothing without a new group. Fails only without memory. */
static accd_status plan_entry_bulk(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    if (!plan->resolved.new_group)
        return ACCD_OK;
    ACCD_TRY(accd__bulk_begin(plan, plan->resolved.group));
    plan->changes.bulk->entry = true;
    for (size_t i = 0; i < plan->input.walk->nroots; i++) {
        struct accd__request *root = &plan->resolved.requests[plan->input.walk->roots[i].item];
        if (root->state == ACCD_REQUEST_WITHIN_NEW)
            root->object = plan->resolved.requests[root->owner].object;
        accd__bulk_set_root(plan, i, root->object);
        plan->changes.bulk->own[i] = root->state != ACCD_REQUEST_PRESENT;
    }
    return ACCD_OK;
}

/* --------------------------------------------------------------------------------- 3. commit -- */

/* Sets the source of the name of the new object of `request`: a label or, if the name has more parts, a name origin. */
static void set_name_source(struct accd__plan *plan, const struct accd__request *request)
{
    assert(request->object);
    struct accd__object *object = request->object;
    const struct accd__item_source *source = accd__request_source(&plan->input, request);
    if (source) {
        uint32_t label = source->label ? source->label->id : 0;
        object->where = label;
        if (request->bytes != source->bytes)
            object->size |= ACCD_OBJECT_PIECE;
        if (!needs_origin(plan, source, request))
            return;
        struct accd__name_origin origin = {.slot = request->slot,
                                           .base = accd__request_extended_base(plan, request),
                                           .start = accd__source_start(source, request->host),
                                           .label = label,
                                           .item = label};
        memcpy(origin.index, source->index, sizeof origin.index);
        object->where = accd__new_name_origin(plan->env, &origin);
    } else {
        size_t row;
        const struct accd__segment *segment = accd__request_segment(&plan->input, request, &row);
        const accd_label *item = accd__segment_root(plan->input.walk, segment)->label;
        struct accd__name_origin origin = {
            .slot = request->slot,
            .base = accd__request_extended_base(plan, request),
            .start = accd__section_start(segment, row),
            .label = segment->field->label ? segment->field->label->id : 0,
            .item = item ? item->id : 0,
        };
        origin.root = accd__get_root_kind(plan->input.walk, segment, row, origin.index);
        object->where = accd__new_name_origin(plan->env, &origin);
    }
    object->size |= ACCD_OBJECT_ORIGIN;
}

/* Commits the group that this construct uses, if any: inserts the records of a new one, and counts one reference and
 * one attachment of its sections and pointers. Attachments of a present group count only if policy.counts_attachments
 * is set. */
static void commit_group(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    struct accd__device_env *env = plan->env;
    struct accd__group *group = plan->resolved.group;
    if (!group)
        return;
    if (plan->resolved.new_group) {
        accd__btree_insert(&env->present.blocks, group->block->dev, group->block);
        accd__group_set_pending(env, group);
        env->present.live += group->live;
        env->attached.live += group->live;
    }
    if (plan->resolved.new_group || plan->context->policy.counts_attachments)
        group->attached++;
    *(plan->input.construct->kind == ACCD_KIND_ENTER_DATA ? &group->dynamic : &group->structured) += 1;
}

/* Returns true if `request` counts a reference. Otherwise marks the request as ACCD_ITEM_UNCOUNTED; for a region
 * (`dynamic` is false), also marks its object as named, because the object may be removed while the region is open. */
static bool request_is_counted(struct accd__plan *plan, struct accd__request *request, bool dynamic)
{
    if (accd__request_counts(plan, request))
        return true;
    /* the end of the region then subtracts nothing for the request, whatever is present at that time */
    request->flags |= ACCD_ITEM_UNCOUNTED;
    if (!dynamic && !(request->source & ACCD_SOURCE_WALKED)) /* walked requests need no mark: their root is counted */
        request->object->size |= ACCD_OBJECT_NAMED;
    return false;
}

/* Increments the dynamic (`dynamic`: enter data) or structured counters of the requests' objects. Where constructs
 * count, only the first request for an object counts, and requests for memory that the program has mapped
 * (acc_map_data, infinite references) do not count. Otherwise each request counts. Decides TR14-4.2-08, TR14-4.3-21,
 * ACC33-2.6.7-1, ACC33-2.6.7-2, OMP60-map-5. */
static void count_claims(struct accd__plan *plan, bool dynamic)
{
    const accd_counting counting = plan->context->rules.counting;
    const bool per_construct = counting == ACCD_COUNT_CONSTRUCTS;
    const uint64_t uncounted = counting == ACCD_COUNT_CLAUSES ? 0 : ACCD_OBJECT_MAPPED | ACCD_OBJECT_VISITED;
    for (size_t i = 0; i < plan->resolved.nrequests; i++) {
        struct accd__request *request = &plan->resolved.requests[i];
        struct accd__object *object = request->object;
        if (!object || !request_is_counted(plan, request, dynamic))
            continue;
        if (!(request->flags & ACCD_ITEM_BASE_POINTER))
            object->size &= ~ACCD_OBJECT_POINTER;
        request->counted = !(object->size & uncounted);
        *(dynamic ? &object->dynamic : &object->structured) += request->counted;
        if (request->flags & ACCD_ITEM_CHAIN)
            object->dynamic += request->counted;
        if (per_construct && request->counted)
            object->size |= ACCD_OBJECT_VISITED;
    }
    for (size_t i = 0; per_construct && i < plan->resolved.nrequests; i++)
        if (plan->resolved.requests[i].object)
            plan->resolved.requests[i].object->size &= ~ACCD_OBJECT_VISITED;
}

/* Inserts all records of the entry: blocks, objects, tuples, attachments, references and the region. Cannot fail. */
static void commit_entry(struct entry_state *entry)
{
    assert(entry->nallocated == entry->plan->resolved.nfresh);
    struct accd__plan *plan = entry->plan;
    struct accd__device_env *env = plan->env;
    const accd_rules *rules = &plan->context->rules;
    bool dynamic = plan->input.construct->kind == ACCD_KIND_ENTER_DATA;
    if (entry->block_objects)
        accd__insert_block(
            env,
            &(struct accd__block){.dev = entry->block_dev, .bytes = entry->block_bytes, .live = entry->block_objects});
    for (size_t i = 0; i < entry->nframes; i++) {
        const struct member_frame *frame = &entry->frames[i];
        if (frame->block)
            frame->block->live += frame->objects;
        else
            accd__insert_block(
                env, &(struct accd__block){
                         .dev = frame->dev, .bytes = frame->bytes, .live = frame->objects, .frame = frame->host});
    }
    for (size_t i = 0; i < plan->resolved.nfresh; i++) {
        struct accd__request *request = &plan->resolved.requests[plan->resolved.fresh[i]];
        set_name_source(plan, request);
        accd__insert_object(env, request->object);
    }
    for (size_t i = 0; rules->extended_range && i < plan->resolved.nrequests; i++)
        if (extends_base(plan, &plan->resolved.requests[i]))
            extend_base(plan, &plan->resolved.requests[i]);
    uint64_t serial = ++env->levels.serial;
    if (plan->resolved.fusion)
        accd__fuse_commit(plan, entry->region, serial);
    accd__attach_plan_commit(&entry->attaches);
    accd__attach_plan_free(&entry->attaches);
    count_claims(plan, dynamic);
    commit_group(entry);
    struct accd_region *region = entry->region;
    if (!region)
        return;
    memcpy(region->requests, plan->resolved.requests, plan->resolved.nrequests * sizeof region->requests[0]);
    for (size_t i = 0; !plan->context->policy.counts_attachments && i < plan->resolved.nrequests; i++)
        region->requests[i].attached = false; /* the end of the region detaches nothing: attachments that are not
                                                 counted end with the objects of their pointers */
    region->walk = plan->input.walk ? accd__walk_retain(plan->input.walk) : NULL;
    region->group = plan->resolved.group;
    region->serial = serial;
    region->below = env->levels.top;
    env->levels.top = region;
    env->levels.depth++;
}

/* Undoes a failed entry: discards the marks of a release and of fusion, and frees device memory, object records, a new
 * group and the region. Decides HOUSE-expect, HOUSE-memory. */
static void undo_entry(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    if (entry->release)
        accd__record_release_undo(entry->release);
    if (plan->resolved.fusion)
        accd__fuse_undo(plan);
    accd__attach_plan_free(&entry->attaches);
    release_memory(entry);
    if (plan->resolved.new_group)
        accd__group_free(plan->env, plan->resolved.group);
    if (entry->region)
        accd__mem_free(&plan->context->mem, entry->region, entry->region->bytes);
}

/* Returns the *n_p aggregates of the construct as pairs {host address, end}, sorted by address. If a member is new, no
 * data may be present between address and `end`. `end` is the end of the last member that the construct names or, where
 * members form one object, of the aggregate. NULL: no memory. */
static const struct accd__pair *frame_ends(const struct accd__plan *plan, size_t *n_p)
{
    assert(n_p);
    const accd_construct *construct = plan->input.construct;
    const bool whole = plan->context->policy.holes;
    struct accd__pair *ends = accd__scratch_alloc(&plan->context->scratch, 2 * construct->nitems * sizeof *ends);
    size_t n = 0, nframes = 0;
    if (!ends)
        return NULL;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        const uint64_t frame = accd__address(item->frame);
        if (frame)
            ends[n++] =
                (struct accd__pair){frame, whole ? frame + item->frame_bytes : accd__address(item->host) + item->bytes};
    }
    ends = accd__sort_pairs(ends, ends + construct->nitems, n);
    for (size_t i = 0; i < n; i++) {
        if (!nframes || ends[nframes - 1].key != ends[i].key)
            ends[nframes++] = ends[i];
        else if (ends[i].value > ends[nframes - 1].value)
            ends[nframes - 1].value = ends[i].value;
    }
    *n_p = nframes;
    return ends;
}

/* Records the error that only a part of the members of an aggregate is present, and returns its status. `request`:
 * names a new member. `object`: a present member. */
static accd_status report_missing_member(const struct accd__plan *plan, const struct accd__request *request,
                                         const struct accd__object *object)
{
    if (plan->context->policy.holes)
        return accd__reject_request(plan, request, object,
                                    accd__request_policy(plan, request, ACCD_DEMAND_NEW, ACCD_LOOKUP_EXCLUDED));
    return accd__report_request_error(plan, request, object, ACCD_ERROR_PARTIALLY_PRESENT, R_PARTIALLY_PRESENT,
                                      "other members of the same aggregate as " ACCD_NAME_PLACEHOLDER
                                      " are present, and %s "
                                      "maps all of them together",
                                      plan->context->rules.name);
}

/* Returns an error if a new member belongs to an aggregate of which other members are present already, or without
 * memory. Called if the knob frame_grows rejects that. Decides OMP60-map-13. */
static __attribute__((noinline, cold)) accd_status check_frames(struct accd__plan *plan)
{
    const struct accd__pair *ends = NULL;
    size_t n = 0;
    for (size_t i = 0; i < plan->resolved.nfresh; i++) {
        const struct accd__request *request = &plan->resolved.requests[plan->resolved.fresh[i]];
        const uint64_t frame = request_aggregate(plan, request);
        if (frame && !ends)
            ends = frame_ends(plan, &n);
        if (frame && !ends)
            return accd__report_plan_out_of_memory(plan->context);
        const uint64_t end = frame ? ends[ACCD_UPPER_BOUND(ends, key, n, frame) - 1].value : 0;
        enum accd__containment relation;
        struct accd__object *object;
        if (end <= frame)
            continue;
        ACCD_TRY(accd__find_containment(plan->env, frame, end - frame, &relation, &object));
        if (relation != ACCD_RANGE_DISJOINT)
            return report_missing_member(plan, request, object);
    }
    return ACCD_OK;
}

/* Runs all steps of an entry that may fail. Returns the first error; the caller then undoes the steps. */
static accd_status plan_and_transfer_entry(struct entry_state *entry)
{
    struct accd__plan *plan = entry->plan;
    /* uses no group if type records exist, because a release may have to find such a record among the sections of the
     * walk */
    if (plan->input.walk && !plan->env->attached.ntype_records)
        ACCD_TRY(accd__plan_group(plan));
    if (plan->input.walk && !plan->resolved.group)
        ACCD_TRY(accd__plan_add_sections(plan));
    if (accd__can_fuse(plan))
        ACCD_TRY(accd__fuse_begin(plan));
    ACCD_TRY(accd__resolve_entry(plan));
    if (plan->resolved.fusion)
        ACCD_TRY(accd__fuse_plan(plan));
    if (plan->context->rules.frame_grows == ACCD_CHOICE_REJECT)
        ACCD_TRY(check_frames(plan));
    ACCD_TRY(accd__attach_plan_make(&entry->attaches));
    ACCD_TRY(reserve_records(entry));
    ACCD_TRY(reserve_region(entry));
    ACCD_TRY(reserve_memory(entry));
    ACCD_TRY(plan_entry_bulk(entry));
    ACCD_TRY(accd__attach_plan_release_records(&entry->attaches, &entry->release));
    ACCD_TRY(plan_entry_moves(entry));
    if (plan->env->journal)
        ACCD_TRY(accd__journal_save_entry(plan, &entry->attaches));
    return accd__plan_commit(plan);
}

/* Executes an entry. Sets *region_p, if region_p is not NULL, to the region that it begins, or to NULL for enter data.
 * If a step fails, undoes all steps and returns the error. Decides TR14-1.2-13, FLANG-order-1, FLANG-api-7. */
accd_status accd__run_entry(struct accd__plan *plan, struct accd_region **region_p)
{
    struct entry_state entry = {.plan = plan, .attaches = {.plan = plan}};
    accd_status status = plan_and_transfer_entry(&entry);
    if (status != ACCD_OK) {
        undo_entry(&entry);
        return status;
    }
    if (entry.release)
        accd__record_release_commit(entry.release);
    else
        accd__apply_changes(plan);
    commit_entry(&entry);
    accd__report_entry(plan);
    if (region_p)
        *region_p = entry.region;
    return ACCD_OK;
}
