/* members.c - the sections of a group as objects, and its pointers as attachments: they are indexed when a look-up
 * asks for one of them, and gathered again when a construct names all of them and all are what the group says. */
#include "table/inside.h"

/* ------------------------------------------------------------------------------- sections -- */

static struct accd_object object_of(const struct accd_group *group, const struct accd_segment *segment, size_t row,
                                    uint64_t dev)
{
    return (struct accd_object){
        .host = segment->host[row],
        .size = accd_section_bytes(segment, row) | ACCD_OBJECT_SHARED | ACCD_OBJECT_MEMBER,
        .dev = dev,
        .structured = group->structured,
        .dynamic = group->dynamic,
        .pins = group->attached ? 1 : 0,
        .where = group->id,
    };
}

/* Objects in the order of their device memory; those of empty sections stay empty. */
static void make_objects(struct accd_group *group, struct accd_pair *by_device)
{
    const struct accd_walk *walk = group->walk;
    size_t n = 0;
    memset(group->objects, 0, walk->sections * sizeof group->objects[0]);
    ACCD_EACH_SEGMENT(segment, walk) {
        uint64_t dev = group->block->dev + segment->dev;
        for (size_t row = 0; row < segment->rows && accd_segment_maps(segment); row++) {
            uint64_t bytes = accd_section_bytes(segment, row);
            struct accd_object *object = &group->objects[segment->first + row];
            if (!bytes)
                continue;
            *object = object_of(group, segment, row, dev);
            by_device[n++] = (struct accd_pair){dev, accd_address(object)};
            dev += accd_padded(bytes);
        }
    }
}

accd_status accd_group_index(struct accd_directory *dir, struct accd_group *group)
{
    accd_context *context = dir->context;
    struct accd_mem *mem = &context->mem;
    const uint64_t dev = group->block->dev, most = group->walk->sections;
    const size_t beside = dir->promised.objects;
    struct accd_pair *scratch = NULL;
    size_t n = 0;
    if (!group->objects) /* kept while the group is one record again, as a construct may have found some before */
        group->objects = accd_mem_array(mem, most, sizeof group->objects[0]);
    struct accd_pair *run = group->objects ? accd_group_ordered(dir, group, false, &n, &scratch) : NULL;
    bool ok =
        run && accd_range_reserve_run(&dir->present.objects, group->low, group->high - 1, n, beside) &&
        (!dir->present.device_order ||
         accd_range_reserve_run(&dir->present.by_device, dev, dev + group->block->bytes - 1, n, beside));
    if (ok) {
        accd_group_wake(dir, group, true, false);
        for (size_t i = 0; i < n; i++)
            run[i].value = accd_address(&group->objects[run[i].value]);
        accd_range_insert_run(&dir->present.objects, run, n);
        make_objects(group, run);
        if (dir->present.device_order)
            accd_range_insert_run(&dir->present.by_device, run, n);
    }
    accd_mem_free(mem, scratch, 2 * n * sizeof *scratch);
    return ok ? ACCD_OK
              : accd_fail(context, ACCD_OUT_OF_MEMORY, R_HOST_MEMORY, "no memory to index %zu sections",
                          group->walk->sections);
}

static bool meets(void *ud, const struct accd_span *span)
{
    const uint64_t *range = ud;
    return accd_group_meets(span->owner, range[0], range[1]);
}

accd_status accd_index_met(struct accd_directory *dir, uint64_t low, uint64_t high)
{
    struct accd_span *met;
    while ((met = accd_span_first(dir->groups.hulls, low, high, meets, &(uint64_t[]){low, high})))
        ACCD_TRY(accd_group_index(dir, met->owner));
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- pointers -- */

static uint32_t descriptor_bytes(const struct accd_group *group, const struct accd_pair *pair)
{
    size_t row;
    return accd_walk_locate(group->walk, pair->value, &row)->field->slot_bytes;
}

/* Device address of a pair's pointer; 0: not to be found. */
static uint64_t slot_dev(struct accd_directory *dir, const struct accd_pair *pair)
{
    if (accd_index_met(dir, pair->key, pair->key + 1) != ACCD_OK)
        return 0;
    const struct accd_object *holder = accd_range_floor(&dir->present.objects, pair->key);
    return holder && pair->key < accd_object_end(holder) ? holder->dev + (pair->key - holder->host) : 0;
}

/* Descriptors on their way from the device. */
struct fetched {
    struct accd_directory *dir;
    struct accd_kept_descriptor **descriptors;
    bool lacks_memory;
};

/* host: the descriptor's place. */
static void store_descriptor(void *ud, const struct accd_transfer *at, const char *from)
{
    struct fetched *fetched = ud;
    fetched->descriptors[at->host] = accd_descriptor_keep(fetched->dir, from, (uint32_t)at->bytes);
    fetched->lacks_memory |= !fetched->descriptors[at->host];
}

/* The device is asked for all of them at once. */
static accd_status fetch_descriptors(struct accd_directory *dir, struct accd_group *group,
                                     const struct accd_pair *pairs, size_t n,
                                     struct accd_kept_descriptor **descriptors)
{
    struct accd_mem *mem = &dir->context->mem;
    struct accd_transfer *at = accd_mem_array(mem, n, sizeof *at);
    struct fetched fetched = {.dir = dir, .descriptors = descriptors};
    struct accd_batch batch = {.at = at, .store = store_descriptor, .ud = &fetched, .uncounted = true};
    bool ok = at;
    for (size_t i = 0; ok && i < n; i++) {
        uint32_t bytes = descriptor_bytes(group, &pairs[i]);
        uint64_t dev = bytes ? slot_dev(dir, &pairs[i]) : 0;
        ok = dev || !bytes;
        if (bytes)
            at[batch.n++] = (struct accd_transfer){dev, i, bytes, ACCD_FETCHED};
    }
    accd_status status = ok ? accd_batch_now(&dir->device, &batch) : ACCD_OUT_OF_MEMORY;
    accd_mem_free(mem, at, n * sizeof *at);
    return status == ACCD_OK && fetched.lacks_memory ? ACCD_OUT_OF_MEMORY : status;
}

/* What the descriptors of a group held when they were attached: the host still has it, or else the
 * device. */
static accd_status read_descriptors(struct accd_directory *dir, struct accd_group *group,
                                    const struct accd_pair *pairs, size_t n,
                                    struct accd_kept_descriptor **descriptors)
{
    if (!accd_group_descriptors_kept(dir, group))
        return fetch_descriptors(dir, group, pairs, n, descriptors);
    for (size_t i = 0; i < n; i++) {
        uint32_t bytes = descriptor_bytes(group, &pairs[i]);
        if (bytes)
            descriptors[i] = accd_descriptor_keep(dir, accd_pointer(pairs[i].key), bytes);
        if (bytes && !descriptors[i])
            return ACCD_OUT_OF_MEMORY;
    }
    return ACCD_OK;
}

/* The attachment of a section that begins at a device address. */
static struct accd_attach attach_of(const struct accd_group *group, const struct accd_segment *segment, size_t row,
                                    uint64_t dev)
{
    const uint64_t shift = (uint64_t)accd_section_start(segment, row) * segment->field->unit;
    struct accd_attach attach = {.slot = accd_section_slot(group->walk, segment, row),
                                 .target = segment->host[row] - shift,
                                 .base = segment->host[row],
                                 .dev = dev - shift,
                                 .count = group->attached};
    accd_attach_label(&attach, segment->field->label);
    return attach;
}

accd_status accd_group_attachments(struct accd_directory *dir, struct accd_group *group)
{
    accd_context *context = dir->context;
    struct accd_walk *walk = group->walk;
    const size_t beside = dir->promised.attachments;
    struct accd_pair *scratch = NULL;
    struct accd_kept_descriptor **descriptors = NULL;
    size_t n;
    struct accd_pair *run = accd_group_ordered(dir, group, true, &n, &scratch);
    bool ok = run && accd_pool_reserve(&dir->attached.pool, n + beside) &&
              accd_range_reserve_run(&dir->attached.slots, group->slot_low, group->slot_high - 1, n, beside);
    accd_status status = ok ? ACCD_OK : ACCD_OUT_OF_MEMORY;
    if (ok && group->descriptor_sum) {
        descriptors = accd_mem_zero(&context->mem, n * sizeof descriptors[0]);
        status = descriptors ? read_descriptors(dir, group, run, n, descriptors) : ACCD_OUT_OF_MEMORY;
    }
    if (status != ACCD_OK) {
        for (size_t i = 0; descriptors && i < n; i++)
            accd_descriptor_forget(dir, descriptors[i]);
        accd_mem_free(&context->mem, descriptors, n * sizeof descriptors[0]);
        accd_mem_free(&context->mem, scratch, 2 * n * sizeof *scratch);
        if (status == ACCD_OUT_OF_MEMORY)
            return accd_fail(context, status, R_HOST_MEMORY, "no memory to index %zu attachments",
                             walk->sections);
        return accd_device_result(&dir->device, status, "to tell what its descriptors hold");
    }
    accd_group_wake(dir, group, false, true);
    for (size_t i = 0; i < n; i++) {
        size_t row;
        const struct accd_segment *segment = accd_walk_locate(walk, run[i].value, &row);
        struct accd_attach *attach = accd_pool_take(&dir->attached.pool);
        *attach = attach_of(group, segment, row, group->block->dev + accd_section_place(segment, row));
        attach->descriptor = descriptors ? descriptors[i] : NULL;
        dir->attached.nwhole += attach->descriptor != NULL;
        if (dir->attached.target_order)
            accd_attach_put_in(dir, attach);
        run[i].value = accd_address(attach);
    }
    if (n)
        accd_attach_reaches(dir, run[0].key, run[n - 1].key);
    accd_range_insert_run(&dir->attached.slots, run, n);
    accd_mem_free(&context->mem, descriptors, n * sizeof descriptors[0]);
    accd_mem_free(&context->mem, scratch, 2 * n * sizeof *scratch);
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------ gathering -- */

static bool is_member(const struct accd_group *group, const struct accd_object *object)
{
    return object >= group->objects && object < group->objects + group->walk->sections;
}

/* Whether an open region names objects of the group: it takes its references off these. */
static bool is_named(const struct accd_directory *dir, const struct accd_group *group)
{
    for (const struct accd_region *region = dir->levels.top; region; region = region->below)
        for (size_t i = 0; i < region->nclaims; i++)
            if (is_member(group, region->claims[i].object))
                return true;
    return false;
}

/* Whether all objects are there, and as they were made. */
static bool objects_kept(const struct accd_directory *dir, const struct accd_group *group)
{
    const struct accd_walk *walk = group->walk;
    size_t n = 0;
    ACCD_EACH_SEGMENT(segment, walk) {
        uint64_t dev = group->block->dev + segment->dev;
        for (size_t row = 0; row < segment->rows && accd_segment_maps(segment); row++) {
            const uint64_t bytes = accd_section_bytes(segment, row);
            const struct accd_object *object = &group->objects[segment->first + row];
            struct accd_object like = object_of(group, segment, row, dev);
            if (!bytes)
                continue;
            like.host = object->host; /* an object stays where it is */
            like.size |= object->size & ACCD_OBJECT_NAMED; /* by a region that may have ended since */
            if (memcmp(object, &like, sizeof like) != 0)
                return false;
            dev += accd_padded(bytes);
            n++;
        }
    }
    return n == group->live && !is_named(dir, group);
}

/* The same of the attachments, among which no other one lies. Descriptors may have been attached anew. */
static bool attachments_kept(struct accd_directory *dir, const struct accd_group *group)
{
    const struct accd_walk *walk = group->walk;
    if (group->descriptor_sum ||
        accd_range_count(&dir->attached.slots, group->slot_low, group->slot_high, group->live) != group->live)
        return false;
    ACCD_EACH_SEGMENT(segment, walk) {
        uint64_t dev = group->block->dev + segment->dev;
        for (size_t row = 0; row < segment->rows && accd_segment_maps(segment); row++) {
            const uint64_t bytes = accd_section_bytes(segment, row);
            const struct accd_attach like = attach_of(group, segment, row, dev);
            if (!bytes)
                continue;
            const struct accd_attach *attach = accd_range_floor(&dir->attached.slots, like.slot);
            if (!attach || attach->slot != like.slot || attach->target != like.target || attach->base != like.base ||
                attach->dev != like.dev || attach->count != like.count || attach->label != like.label ||
                attach->descriptor || attach->holds_record)
                return false;
            dev += accd_padded(bytes);
        }
    }
    return true;
}

/* Other objects may lie between those of the group. */
static void take_objects_out(struct accd_directory *dir, const struct accd_group *group)
{
    const bool alone =
        accd_range_count(&dir->present.objects, group->low, group->high, group->live) == group->live;
    struct accd_range_cursor cursor;
    uint64_t from = group->low;
    const struct accd_object *object;
    if (alone)
        accd_range_erase_run(&dir->present.objects, group->low, group->high);
    while (!alone && (object = accd_range_seek(&dir->present.objects, from, &cursor)) &&
           object->host < group->high) {
        from = object->host;
        while (object && is_member(group, object))
            object = accd_range_next(&cursor);
        const uint64_t end = object ? object->host : group->high;
        accd_range_erase_run(&dir->present.objects, from, end);
        from = end + 1; /* behind the other one */
    }
    if (dir->present.device_order)
        accd_range_erase_run(&dir->present.by_device, group->block->dev,
                             group->block->dev + group->block->bytes);
}

static void take_attachments_out(struct accd_directory *dir, const struct accd_group *group)
{
    struct accd_range_cursor cursor;
    struct accd_attach *attach = accd_range_seek(&dir->attached.slots, group->slot_low, &cursor);
    for (size_t n = group->live; n--;) {
        struct accd_attach *next = accd_range_next(&cursor);
        accd_attach_lead(dir, attach, 0);
        accd_pool_give(&dir->attached.pool, attach);
        attach = next;
    }
    accd_range_erase_run(&dir->attached.slots, group->slot_low, group->slot_high);
}

bool accd_group_gather(struct accd_directory *dir, struct accd_group *group)
{
    if (group->pending && group->pending_attach)
        return true;
    if (dir->journal_attaches || dir->tuples.shares.count || (!group->pending && !objects_kept(dir, group)) ||
        (!group->pending_attach && !attachments_kept(dir, group)))
        return false;
    if (!group->pending)
        take_objects_out(dir, group);
    if (!group->pending_attach)
        take_attachments_out(dir, group);
    accd_group_wait(dir, group);
    return true;
}

static bool has_sections(void *ud, const struct accd_span *span)
{
    return accd_same_sections(((const struct accd_group *)span->owner)->walk, ud);
}

struct accd_group *accd_group_matching(struct accd_directory *dir, const struct accd_walk *walk)
{
    const uint64_t host = walk->roots[0].host;
    const struct accd_span *found = walk->gaps ? NULL
                                               : accd_span_first(dir->groups.roots, host, host + 1,
                                                                 has_sections, (void *)(uintptr_t)walk);
    struct accd_group *group = found ? found->owner : NULL;
    return group && (!group->descriptor_sum || group->descriptor_sum == accd_walk_descriptor_sum(walk)) &&
                   accd_group_gather(dir, group)
               ? group
               : NULL;
}
