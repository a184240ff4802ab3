/* queued.c - the transfers of a group (table/group.h) in a queue. They are executed when the queue reaches them, from
 * walks that outlive the group, with the contents that host memory has then. copy_rows.h explains rowset, row, column
 * and own bytes; a root is an item whose elements are walked.
 *
 * The queue must know the device memory that a bulk (transfer of a group, inside.h) uses, so that later constructs can
 * wait for it. The ranges are whole columns, the elements of roots, and single sections of columns of which only some
 * sections are written. */
#include "ops/copy_rows.h"

#include <assert.h>

/* ----------------------------------------------------------------------------- device memory -- */

/* Adds a device range to `accesses`, the list of memory that a batch uses. Extends the last range if it is adjacent;
 * does nothing if the last range contains it. */
static void add_used_range(struct accd__batch *batch, struct accd__pair *accesses, uint64_t dev, uint64_t bytes)
{
    assert(batch->accesses);
    const size_t n = batch->naccesses;
    if (n && accesses[n - 1].value == dev)
        accesses[n - 1].value += bytes;
    else if (!n || accesses[n - 1].key > dev || accesses[n - 1].value < dev + bytes)
        accesses[batch->naccesses++] = (struct accd__pair){dev, dev + bytes};
}

/* True if a transfer of `set` with pointers writes a pointer of the element in row `row`: one of its sections is mapped
 * and not empty. */
static bool row_writes_pointer(const struct accd__bulk *bulk, const struct accd__rowset *set, size_t row)
{
    for (size_t f = 0; f < set->nsegments; f++) {
        const struct accd__segment *segment = &bulk->walk->segments[set->segments + f];
        if (accd__segment_is_mapped(segment) && accd__section_bytes(segment, row))
            return true;
    }
    return false;
}

/* True if a transfer of `set` with pointers writes any pointer: one of its columns is mapped and has a section that is
 * not empty. */
static bool writes_pointers(const struct accd__bulk *bulk, const struct accd__rowset *set)
{
    for (size_t f = 0; f < set->nsegments; f++) {
        const struct accd__segment *segment = &bulk->walk->segments[set->segments + f];
        if (accd__segment_is_mapped(segment) && segment->applied)
            return true;
    }
    return false;
}

/* True if the bulk belongs to an entry, and fills pointers in the elements of `set` that the walk does not follow with
 * the value of the knob `untranslated`. */
static bool fills_untranslated(const struct accd__bulk *bulk, const struct accd__rowset *set)
{
    const accd_program_spec *spec = &set->program->spec;
    bool has_fill = false;
    for (size_t p = 0; p < spec->npieces; p++)
        has_fill |= spec->pieces[p].entry_only && bulk->env->context->rules.untranslated != ACCD_UNTRANSLATED_HOST;
    return bulk->entry && has_fill && accd__rows_are_moved(bulk, set);
}

/* Adds the device range of the root's elements to `accesses`, if own bytes or pointers of them are written or read.
 * Always adds a range of its own, which is not joined to ranges of sections. */
static void add_root_use(const struct accd__bulk *bulk, const struct accd__rowset *set, struct accd__batch *batch,
                         struct accd__pair *accesses)
{
    assert(set->parent < 0);
    const uint64_t root = bulk->roots[-1 - set->parent];
    const bool restored = bulk->restore && root && !bulk->own[-1 - set->parent];
    if (accd__bulk_own_ranges(bulk, set) || fills_untranslated(bulk, set) ||
        ((bulk->entry || restored) && writes_pointers(bulk, set)))
        accesses[batch->naccesses++] = (struct accd__pair){root, root + set->rows * set->program->spec.stride};
}

/* Adds the sections that contain the elements of `set` to `accesses`, if the elements move separately from these
 * sections. Adds all of their column or, if only pointers are written, the sections of elements with such pointers. */
static void add_inner_use(const struct accd__bulk *bulk, const struct accd__rowset *set, struct accd__batch *batch,
                          struct accd__pair *accesses)
{
    assert(set->parent >= 0);
    const struct accd__segment *parent = &bulk->walk->segments[set->parent], *place = bulk->places[set->parent];
    if (!accd__rows_are_moved(bulk, set))
        return;
    if (accd__bulk_own_ranges(bulk, set) || fills_untranslated(bulk, set)) {
        add_used_range(batch, accesses, bulk->block + place->dev, parent->total);
        return;
    }
    for (size_t row = 0; bulk->entry && row < set->rows; row++) {
        const size_t section = set->owner ? set->owner[row] : row / set->per;
        if (row_writes_pointer(bulk, set, row))
            add_used_range(batch, accesses, bulk->block + accd__section_block_offset(place, section),
                           accd__section_bytes(parent, section));
    }
}

/* Extends [batch->host_low, batch->host_end), the hull of the host memory of a batch, to contain [low, high). */
static void extend_host_hull(struct accd__batch *batch, uint64_t low, uint64_t high)
{
    batch->host_low = batch->host_low < low ? batch->host_low : low;
    batch->host_end = batch->host_end > high ? batch->host_end : high;
}

/* Sets batch->accesses to the device ranges that the bulk of a batch uses, in scratch space, and computes the hull of
 * its host memory. Fails only without memory. */
static accd_status list_used_memory(struct accd__batch *batch)
{
    assert(batch->bulk);
    const struct accd__bulk *bulk = batch->bulk;
    const struct accd_walk *walk = bulk->walk;
    size_t most = walk->nsegments + walk->nrowsets;
    for (size_t i = 0; i < walk->nrowsets; i++)
        most += walk->rowsets[i].parent < 0 ? 0 : walk->rowsets[i].rows;
    struct accd__pair *accesses;
    ACCD_SCRATCH_ALLOC(bulk->env->context, accesses, most);
    batch->accesses = accesses;
    batch->host_low = UINT64_MAX;
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd__segment *segment = &walk->segments[i];
        if (!accd__is_dense_column(bulk, segment))
            continue;
        add_used_range(batch, accesses, bulk->block + bulk->places[i]->dev, segment->total);
        extend_host_hull(batch, segment->low, segment->high);
    }
    for (size_t i = 0; i < walk->nrowsets; i++) {
        const struct accd__rowset *set = &walk->rowsets[i];
        if (set->parent < 0 || !set->rows)
            continue;
        add_inner_use(bulk, set, batch, accesses);
        extend_host_hull(batch, walk->segments[set->parent].low, walk->segments[set->parent].high);
    }
    for (size_t i = 0; i < walk->nroots; i++) {
        const struct accd__rowset *set = &walk->rowsets[walk->roots[i].rowset];
        if (!set->rows)
            continue;
        add_root_use(bulk, set, batch, accesses);
        extend_host_hull(batch, set->base, set->base + set->rows * set->program->spec.stride);
    }
    return ACCD_OK;
}

/* --------------------------------------------------------------------------- copies of bulks -- */

/* Returns a copy of a bulk in memory of its own, which retains the walks; NULL: no memory. */
struct accd__bulk *accd__bulk_copy(const struct accd__bulk *bulk)
{
    struct accd_walk *walk = bulk->walk;
    void *memory = accd__mem_alloc(&walk->context->mem, accd__bulk_bytes(walk));
    if (!memory)
        return NULL;
    struct accd__bulk *copy = accd__bulk_init(memory, walk);
    copy->env = bulk->env;
    copy->walk = accd__walk_retain(walk);
    copy->group = accd__walk_retain(bulk->group);
    copy->block = bulk->block;
    copy->entry = bulk->entry;
    copy->out = bulk->out;
    copy->restore = bulk->restore;
    for (size_t i = 0; i < walk->nroots; i++) {
        copy->roots[i] = bulk->roots[i];
        copy->own[i] = bulk->own[i];
    }
    for (size_t i = 0; i < walk->nsegments; i++)
        copy->places[i] = bulk->places[i];
    return copy;
}

/* Releases the walks of a copied bulk and frees its memory. */
void accd__bulk_free(struct accd__bulk *bulk)
{
    struct accd_walk *walk = bulk->walk, *group = bulk->group;
    accd__mem_free(&walk->context->mem, bulk, accd__bulk_bytes(walk));
    accd__walk_release(group);
    accd__walk_release(walk);
}

/* Returns true if host memory that the bulk will read or write has been freed since its walk was made. *host_p is then
 * the beginning of the freed element or section. Otherwise returns false; *host_p may have changed. */
static bool find_freed_host(const struct accd__bulk *bulk, uint64_t *host_p)
{
    accd_context *context = bulk->env->context;
    const struct accd_walk *walk = bulk->walk;
    if (walk->host_frees == context->host.host_frees)
        return false;
    for (size_t i = 0; i < walk->nrowsets; i++) {
        const struct accd__rowset *set = &walk->rowsets[i];
        const uint64_t stride = set->program->spec.stride;
        for (size_t row = 0; row < set->rows && accd__bulk_own_ranges(bulk, set); row++)
            if (!accd__is_live_host_range(context, *host_p = accd__row_address(set, row), stride))
                return true;
    }
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd__segment *segment = &walk->segments[i];
        for (size_t row = 0; row < segment->rows && accd__is_dense_column(bulk, segment); row++)
            if (accd__section_bytes(segment, row) &&
                !accd__is_live_host_range(context, *host_p = segment->host[row], accd__section_bytes(segment, row)))
                return true;
    }
    return false;
}

const struct accd__bulk_ops accd__bulk_ops = {
    .count = accd__bulk_count,
    .announce = accd__bulk_announce,
    .run = accd__bulk_run,
    .list_accesses = list_used_memory,
    .find_freed_host = find_freed_host,
    .drop = accd__bulk_free,
};

/* Sets batch->accesses to the device ranges that batch->bulk uses, and replaces the bulk by a copy for the queue, or by
 * NULL if it uses none. Fails only without memory. */
accd_status accd__bulk_queue(struct accd__batch *batch)
{
    assert(batch->bulk);
    const struct accd__bulk *bulk = batch->bulk;
    ACCD_TRY(list_used_memory(batch));
    batch->bulk = batch->naccesses ? accd__bulk_copy(bulk) : NULL;
    if (batch->naccesses && !batch->bulk)
        return accd__report_out_of_memory(bulk->env->context, "to leave a group to a queue");
    return ACCD_OK;
}
