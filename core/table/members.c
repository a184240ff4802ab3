/* members.c - expands groups, deep structures kept as one record: sections become objects, pointers become attachments,
 * when a look-up needs one of them. Collapses a group to one record again when a construct names all of its sections
 * and all are unchanged. group.c shows the states. */
#include "table/inside.h"
#include "attach.h"

/* ------------------------------------------------------------------------------- sections -- */

/* Returns the object of the section in row `row` of the column `segment`, at device address `dev`, as the expansion of
 * the group makes it. */
static struct accd__object make_member_object(const struct accd__group *group, const struct accd__segment *segment,
                                              size_t row, uint64_t dev)
{
    return (struct accd__object){
        .host = segment->host[row],
        .size = accd__section_bytes(segment, row) | ACCD_OBJECT_SHARED | ACCD_OBJECT_MEMBER,
        .dev = dev,
        .structured = group->structured,
        .dynamic = group->dynamic,
        .pins = group->attached ? 1 : 0,
        .where = group->id,
    };
}

/* Writes the objects of all sections to group->objects; those of empty sections are all zero. Lists the objects of
 * sections that are not empty in `by_device`: pairs of device address and object, ascending. */
static void make_objects(struct accd__group *group, struct accd__pair *by_device)
{
    const struct accd_walk *walk = group->walk;
    size_t n = 0;
    memset(group->objects, 0, walk->sections * sizeof group->objects[0]);
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        uint64_t dev = group->block->dev + segment->dev;
        for (size_t row = 0; row < segment->rows && accd__segment_is_mapped(segment); row++) {
            uint64_t bytes = accd__section_bytes(segment, row);
            struct accd__object *object = &group->objects[segment->first + row];
            if (!bytes)
                continue;
            *object = make_member_object(group, segment, row, dev);
            by_device[n++] = (struct accd__pair){dev, accd__address(object)};
            dev += accd__padded(bytes);
        }
    }
}

/* Makes the objects of a group whose sections are pending, and inserts them into the indices in one pass. Fails without
 * memory; the sections then stay pending. */
accd_status accd__group_expand_sections(struct accd__device_env *env, struct accd__group *group)
{
    assert(group->pending);
    accd_context *context = env->context;
    struct accd__mem *mem = &context->mem;
    const uint64_t dev = group->block->dev, most = group->walk->sections;
    const size_t side_arena = env->reserved.objects;
    struct accd__pair *scratch = NULL;
    size_t n = 0;
    if (!group->objects) /* the array may exist already: a collapse keeps it, because the construct under way may refer
                            to objects in it */
        group->objects = accd__mem_alloc_array(mem, most, sizeof group->objects[0]);
    struct accd__pair *run = group->objects ? accd__group_sorted_sections(env, group, false, &n, &scratch) : NULL;
    bool ok = run && accd__btree_reserve_sorted(&env->present.objects, group->low, group->high - 1, n, side_arena) &&
              (!env->present.device_order ||
               accd__btree_reserve_sorted(&env->present.by_device, dev, dev + group->block->bytes - 1, n, side_arena));
    if (ok) {
        accd__group_clear_pending(env, group, true, false);
        for (size_t i = 0; i < n; i++)
            run[i].value = accd__address(&group->objects[run[i].value]);
        accd__btree_insert_sorted(&env->present.objects, run, n);
        make_objects(group, run);
        if (env->present.device_order)
            accd__btree_insert_sorted(&env->present.by_device, run, n);
    }
    accd__mem_free(mem, scratch, 2 * n * sizeof *scratch);
    return ok ? ACCD_OK
              : accd__set_error(context, ACCD_ERROR_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory to index %zu sections",
                                group->walk->sections);
}

/* Filter for a search in groups.hulls: returns true if the bitmap of the group that owns `span` overlaps [ud[0],
 * ud[1]). */
static bool group_overlaps_range(void *ud, const struct accd__interval *span)
{
    const uint64_t *range = ud;
    return accd__group_overlaps(span->owner, range[0], range[1]);
}

/* Makes objects of the sections of each pending group whose bitmap overlaps [low, high). Fails without memory. */
accd_status accd__expand_overlapping_groups(struct accd__device_env *env, uint64_t low, uint64_t high)
{
    struct accd__interval *overlapping;
    while ((overlapping = accd__interval_find_overlap(env->groups.hulls, low, high, group_overlaps_range,
                                                      &(uint64_t[]){low, high})))
        ACCD_TRY(accd__group_expand_sections(env, overlapping->owner));
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- pointers -- */

/* Returns the bytes of the descriptor of the section with number pair->value; 0: the section has a plain pointer. */
static uint32_t descriptor_bytes(const struct accd__group *group, const struct accd__pair *pair)
{
    size_t row;
    return accd__find_segment(group->walk, pair->value, &row)->field->slot_bytes;
}

/* Returns the device address of the pointer at host address pair->key. 0: no present object contains the pointer, or
 * there is no memory to expand the group whose section contains the pointer. */
static uint64_t slot_device_address(struct accd__device_env *env, const struct accd__pair *pair)
{
    if (accd__expand_overlapping_groups(env, pair->key, pair->key + 1) != ACCD_OK)
        return 0;
    const struct accd__object *holder = accd__btree_floor(&env->present.objects, pair->key);
    return holder && pair->key < accd__object_end(holder) ? holder->dev + (pair->key - holder->host) : 0;
}

/* Destination of descriptors that are being copied from the device. */
struct descriptor_fetch {
    struct accd__device_env *env;
    struct accd__saved_descriptor **descriptors;
    bool out_of_memory;
};

/* Callback `store` of struct accd__batch. Saves the fetched descriptor `from` in descriptors[at->host] of `ud`, a
 * struct descriptor_fetch; without memory, sets out_of_memory there. */
static void store_descriptor(void *ud, const struct accd__transfer *at, const char *from)
{
    struct descriptor_fetch *descriptor_fetch = ud;
    descriptor_fetch->descriptors[at->host] = accd__save_descriptor(descriptor_fetch->env, from, (uint32_t)at->bytes);
    descriptor_fetch->out_of_memory |= !descriptor_fetch->descriptors[at->host];
}

/* Copies all descriptors of a group from the device in one batch. Sets descriptors[i] for pairs[i]; it stays NULL for a
 * plain pointer. `pairs`: `n` pairs of pointer address and section number. Fails without memory or if the device fails;
 * the caller then frees the descriptors stored so far. */
static accd_status fetch_descriptors(struct accd__device_env *env, struct accd__group *group,
                                     const struct accd__pair *pairs, size_t n,
                                     struct accd__saved_descriptor **descriptors)
{
    struct accd__mem *mem = &env->context->mem;
    struct accd__transfer *at = accd__mem_alloc_array(mem, n, sizeof *at);
    struct descriptor_fetch descriptor_fetch = {.env = env, .descriptors = descriptors};
    struct accd__batch batch = {.at = at, .store = store_descriptor, .ud = &descriptor_fetch, .uncounted = true};
    bool ok = at;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t bytes = descriptor_bytes(group, &pairs[i]);
        uint64_t dev = bytes ? slot_device_address(env, &pairs[i]) : 0;
        ok = dev || !bytes;
        if (bytes)
            at[batch.n++] = (struct accd__transfer){dev, i, bytes, ACCD_TRANSFER_TO_HOST};
    }
    accd_status status = ok ? accd__run_batch(&env->device, &batch) : ACCD_ERROR_OUT_OF_MEMORY;
    accd__mem_free(mem, at, n * sizeof *at);
    return status == ACCD_OK && descriptor_fetch.out_of_memory ? ACCD_ERROR_OUT_OF_MEMORY : status;
}

/* Sets descriptors[i] for pairs[i] (pointer address and section number) to the descriptor as it was attached; it stays
 * NULL for a plain pointer. Copies descriptors from the host if they are unchanged there, otherwise from the device.
 * Fails without memory or if the device fails; the caller then frees the descriptors stored so far. */
static accd_status read_descriptors(struct accd__device_env *env, struct accd__group *group,
                                    const struct accd__pair *pairs, size_t n,
                                    struct accd__saved_descriptor **descriptors)
{
    if (!accd__group_descriptors_unchanged(env, group))
        return fetch_descriptors(env, group, pairs, n, descriptors);
    for (size_t i = 0; i < n; i++) {
        uint32_t bytes = descriptor_bytes(group, &pairs[i]);
        if (bytes)
            descriptors[i] = accd__save_descriptor(env, accd__pointer(pairs[i].key), bytes);
        if (bytes && !descriptors[i])
            return ACCD_ERROR_OUT_OF_MEMORY;
    }
    return ACCD_OK;
}

/* Returns the attachment of the pointer to the section in row `row` of the column `segment`, as the expansion makes it.
 * `dev`: device address of the section. */
static struct accd__attachment make_member_attachment(const struct accd__group *group,
                                                      const struct accd__segment *segment, size_t row, uint64_t dev)
{
    const uint64_t shift = (uint64_t)accd__section_start(segment, row) * segment->field->unit;
    struct accd__attachment attach = {.slot = accd__section_slot(group->walk, segment, row),
                                      .target = segment->host[row] - shift,
                                      .base = segment->host[row],
                                      .dev = dev - shift,
                                      .count = group->attached};
    accd__attachment_set_label(&attach, segment->field->label);
    return attach;
}

/* Makes the attachments of a group whose pointers are pending, and inserts them into the index in one pass. Fails
 * without memory, or if the device cannot be read; the pointers then stay pending. */
accd_status accd__group_expand_pointers(struct accd__device_env *env, struct accd__group *group)
{
    assert(group->pending_attach);
    accd_context *context = env->context;
    struct accd_walk *walk = group->walk;
    const size_t side_arena = env->reserved.attachments;
    struct accd__pair *scratch = NULL;
    struct accd__saved_descriptor **descriptors = NULL;
    size_t n;
    struct accd__pair *run = accd__group_sorted_sections(env, group, true, &n, &scratch);
    bool ok = run && accd__pool_reserve(&env->attached.pool, n + side_arena) &&
              accd__btree_reserve_sorted(&env->attached.slots, group->slot_low, group->slot_high - 1, n, side_arena);
    accd_status status = ok ? ACCD_OK : ACCD_ERROR_OUT_OF_MEMORY;
    if (ok && group->descriptor_checksum) {
        descriptors = accd__mem_alloc_zeroed(&context->mem, n * sizeof descriptors[0]);
        status = descriptors ? read_descriptors(env, group, run, n, descriptors) : ACCD_ERROR_OUT_OF_MEMORY;
    }
    if (status != ACCD_OK) {
        for (size_t i = 0; descriptors && i < n; i++)
            accd__free_saved_descriptor(env, descriptors[i]);
        accd__mem_free(&context->mem, descriptors, n * sizeof descriptors[0]);
        accd__mem_free(&context->mem, scratch, 2 * n * sizeof *scratch);
        if (status == ACCD_ERROR_OUT_OF_MEMORY)
            return accd__set_error(context, status, R_HOST_MEMORY, "no memory to index %zu attachments",
                                   walk->sections);
        return accd__check_device_status(&env->device, status, "to tell what its descriptors hold");
    }
    accd__group_clear_pending(env, group, false, true);
    for (size_t i = 0; i < n; i++) {
        size_t row;
        const struct accd__segment *segment = accd__find_segment(walk, run[i].value, &row);
        struct accd__attachment *attach = accd__pool_alloc(&env->attached.pool);
        assert(attach);
        *attach =
            make_member_attachment(group, segment, row, group->block->dev + accd__section_block_offset(segment, row));
        attach->descriptor = descriptors ? descriptors[i] : NULL;
        env->attached.ndescriptors += attach->descriptor != NULL;
        if (env->attached.target_order)
            accd__attachment_order_by_target(env, attach);
        run[i].value = accd__address(attach);
    }
    if (n)
        accd__extend_slot_hull(env, run[0].key, run[n - 1].key);
    accd__btree_insert_sorted(&env->attached.slots, run, n);
    accd__mem_free(&context->mem, descriptors, n * sizeof descriptors[0]);
    accd__mem_free(&context->mem, scratch, 2 * n * sizeof *scratch);
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------ gathering -- */

/* Returns true if an object is one of the objects of an expanded group. */
static bool is_member(const struct accd__group *group, const struct accd__object *object)
{
    assert(group->objects);
    return object >= group->objects && object < group->objects + group->walk->sections;
}

/* Returns true if an open region has a request for an object of the group, from which the end of the region will
 * subtract references. */
static bool is_named_by_region(const struct accd__device_env *env, const struct accd__group *group)
{
    for (const struct accd_region *region = env->levels.top; region; region = region->below)
        for (size_t i = 0; i < region->nrequests; i++)
            if (is_member(group, region->requests[i].object))
                return true;
    return false;
}

/* Returns true if all objects of the group are present and as they were after the expansion, and no open region names
 * one of them. */
static bool objects_unchanged(const struct accd__device_env *env, const struct accd__group *group)
{
    const struct accd_walk *walk = group->walk;
    size_t n = 0;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        uint64_t dev = group->block->dev + segment->dev;
        for (size_t row = 0; row < segment->rows && accd__segment_is_mapped(segment); row++) {
            const uint64_t bytes = accd__section_bytes(segment, row);
            const struct accd__object *object = &group->objects[segment->first + row];
            struct accd__object expected = make_member_object(group, segment, row, dev);
            if (!bytes)
                continue;
            /* makes the comparison ignore host addresses, which never change */
            expected.host = object->host;
            /* makes the comparison ignore this flag, which an ended region may have set */
            expected.size |= object->size & ACCD_OBJECT_NAMED;
            if (memcmp(object, &expected, sizeof expected) != 0)
                return false;
            dev += accd__padded(bytes);
            n++;
        }
    }
    return n == group->live && !is_named_by_region(env, group);
}

/* Returns true if all attachments of the group are as they were after the expansion, and no other attachment lies
 * between them. Returns false for a group with descriptors, which may have been attached again with other contents. */
static bool attachments_unchanged(struct accd__device_env *env, const struct accd__group *group)
{
    const struct accd_walk *walk = group->walk;
    if (group->descriptor_checksum ||
        accd__btree_count(&env->attached.slots, group->slot_low, group->slot_high, group->live) != group->live)
        return false;
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        uint64_t dev = group->block->dev + segment->dev;
        for (size_t row = 0; row < segment->rows && accd__segment_is_mapped(segment); row++) {
            const uint64_t bytes = accd__section_bytes(segment, row);
            const struct accd__attachment expected = make_member_attachment(group, segment, row, dev);
            if (!bytes)
                continue;
            const struct accd__attachment *attach = accd__btree_floor(&env->attached.slots, expected.slot);
            if (!attach || attach->slot != expected.slot || attach->target != expected.target ||
                attach->base != expected.base || attach->dev != expected.dev || attach->count != expected.count ||
                attach->label != expected.label || attach->descriptor || attach->holds_record)
                return false;
            dev += accd__padded(bytes);
        }
    }
    return true;
}

/* Removes the objects of a group from the indices. Objects that do not belong to the group may lie between them in host
 * memory; these objects stay. */
static void remove_member_objects(struct accd__device_env *env, const struct accd__group *group)
{
    const bool no_others =
        accd__btree_count(&env->present.objects, group->low, group->high, group->live) == group->live;
    struct accd__btree_cursor cursor;
    uint64_t from = group->low;
    const struct accd__object *object;
    if (no_others)
        accd__btree_erase_range(&env->present.objects, group->low, group->high);
    while (!no_others && (object = accd__btree_seek(&env->present.objects, from, &cursor)) &&
           object->host < group->high) {
        from = object->host;
        while (object && is_member(group, object))
            object = accd__btree_next(&cursor);
        const uint64_t end = object ? object->host : group->high;
        accd__btree_erase_range(&env->present.objects, from, end);
        from = end + 1; /* continues after the foreign object that ended the run */
    }
    if (env->present.device_order)
        accd__btree_erase_range(&env->present.by_device, group->block->dev, group->block->dev + group->block->bytes);
}

/* Removes and frees the attachments of a group; no other attachment may lie between them. */
static void remove_member_attachments(struct accd__device_env *env, const struct accd__group *group)
{
    struct accd__btree_cursor cursor;
    struct accd__attachment *attach = accd__btree_seek(&env->attached.slots, group->slot_low, &cursor);
    for (size_t n = group->live; n--;) {
        struct accd__attachment *next = accd__btree_next(&cursor);
        accd__attachment_set_base(env, attach, 0);
        accd__pool_free(&env->attached.pool, attach);
        attach = next;
    }
    accd__btree_erase_range(&env->attached.slots, group->slot_low, group->slot_high);
}

/* Makes a group pending again by removing its objects and attachments, and returns true; true also if it is pending
 * already. Returns false, and changes nothing, if an object or attachment has changed, the journal records attachments,
 * or placements (records of fusion) exist. */
bool accd__group_collapse(struct accd__device_env *env, struct accd__group *group)
{
    if (group->pending && group->pending_attach)
        return true;
    if (env->journal_attaches || env->tuples.placements.count || (!group->pending && !objects_unchanged(env, group)) ||
        (!group->pending_attach && !attachments_unchanged(env, group)))
        return false;
    if (!group->pending)
        remove_member_objects(env, group);
    if (!group->pending_attach)
        remove_member_attachments(env, group);
    accd__group_set_pending(env, group);
    return true;
}

/* Filter for a search in groups.roots: returns true if the sections of the group that owns `span` equal those of the
 * walk `ud`. */
static bool has_same_sections(void *ud, const struct accd__interval *span)
{
    return accd__sections_equal(((const struct accd__group *)span->owner)->walk, ud);
}

/* Returns the group whose sections equal those of `walk`, collapsed to one pending record. NULL: the walk has gaps,
 * there is no such group, its descriptors differ, or it cannot be collapsed. */
struct accd__group *accd__find_matching_group(struct accd__device_env *env, const struct accd_walk *walk)
{
    const uint64_t host = walk->roots[0].host;
    const struct accd__interval *found = walk->gaps
                                             ? NULL
                                             : accd__interval_find_overlap(env->groups.roots, host, host + 1,
                                                                           has_same_sections, (void *)(uintptr_t)walk);
    struct accd__group *group = found ? found->owner : NULL;
    return group &&
                   (!group->descriptor_checksum ||
                    group->descriptor_checksum == accd__walk_descriptor_checksum(walk)) &&
                   accd__group_collapse(env, group)
               ? group
               : NULL;
}
