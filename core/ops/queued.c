/* queued.c - the transfers of a group in a queue: they are done when the queue gets there, from columns that
 * outlive the group, with the host's memory as it is by then.
 *
 * A queue knows their device memory as it knows that of single sections: by columns, by the objects that hold the
 * roots, and by sections where only some of a column are written to. */
#include "ops/copy_rows.h"

/* --------------------------------------------------------------------------- device memory -- */

/* Sections that follow each other in the group's block are one range. */
static void use(struct accd_batch *batch, struct accd_pair *uses, uint64_t dev, uint64_t bytes)
{
    const size_t n = batch->nuses;
    if (n && uses[n - 1].value == dev)
        uses[n - 1].value += bytes;
    else if (!n || uses[n - 1].key > dev || uses[n - 1].value < dev + bytes)
        uses[batch->nuses++] = (struct accd_pair){dev, dev + bytes};
}

/* Whether a pointer of an element is written. */
static bool writes_pointer(const struct accd_bulk *bulk, const struct accd_rowset *set, size_t row)
{
    for (size_t f = 0; f < set->nsegments; f++) {
        const struct accd_segment *segment = &bulk->walk->segments[set->segments + f];
        if (accd_segment_maps(segment) && accd_section_bytes(segment, row))
            return true;
    }
    return false;
}

static bool writes_pointers(const struct accd_bulk *bulk, const struct accd_rowset *set)
{
    for (size_t f = 0; f < set->nsegments; f++) {
        const struct accd_segment *segment = &bulk->walk->segments[set->segments + f];
        if (accd_segment_maps(segment) && segment->applied)
            return true;
    }
    return false;
}

static bool fills_pieces(const struct accd_bulk *bulk, const struct accd_rowset *set)
{
    const accd_program_spec *spec = &set->program->spec;
    bool fills = false;
    for (size_t p = 0; p < spec->npieces; p++)
        fills |= spec->pieces[p].entry_only && bulk->dir->context->rules.untranslated != ACCD_AS_HOST;
    return bulk->entry && fills && accd_rows_move(bulk, set);
}

/* The elements of a root lie in one object, whose memory no section goes on with, even where they touch. */
static void use_root(const struct accd_bulk *bulk, const struct accd_rowset *set, struct accd_batch *batch,
                     struct accd_pair *uses)
{
    const uint64_t root = bulk->roots[-1 - set->parent];
    const bool restored = bulk->restore && root && !bulk->own[-1 - set->parent];
    if (accd_bulk_own(bulk, set) || fills_pieces(bulk, set) ||
        ((bulk->entry || restored) && writes_pointers(bulk, set)))
        uses[batch->nuses++] = (struct accd_pair){root, root + set->rows * set->program->spec.stride};
}

/* Elements in sections that do not go as they are. */
static void use_inner(const struct accd_bulk *bulk, const struct accd_rowset *set, struct accd_batch *batch,
                      struct accd_pair *uses)
{
    const struct accd_segment *parent = &bulk->walk->segments[set->parent], *place = bulk->places[set->parent];
    if (!accd_rows_move(bulk, set))
        return;
    if (accd_bulk_own(bulk, set) || fills_pieces(bulk, set)) {
        use(batch, uses, bulk->block + place->dev, parent->total);
        return;
    }
    for (size_t row = 0; bulk->entry && row < set->rows; row++) {
        const size_t section = set->owner ? set->owner[row] : row / set->per;
        if (writes_pointer(bulk, set, row))
            use(batch, uses, bulk->block + accd_section_place(place, section),
                accd_section_bytes(parent, section));
    }
}

static void use_host(struct accd_batch *batch, uint64_t low, uint64_t high)
{
    batch->host_low = batch->host_low < low ? batch->host_low : low;
    batch->host_end = batch->host_end > high ? batch->host_end : high;
}

/* What the bulk of a batch uses. */
static accd_status list_uses(struct accd_batch *batch)
{
    const struct accd_bulk *bulk = batch->bulk;
    const struct accd_walk *walk = bulk->walk;
    size_t most = walk->nsegments + walk->nrowsets;
    for (size_t i = 0; i < walk->nrowsets; i++)
        most += walk->rowsets[i].parent < 0 ? 0 : walk->rowsets[i].rows;
    struct accd_pair *uses;
    ACCD_TAKE(bulk->dir->context, uses, most);
    batch->uses = uses;
    batch->host_low = UINT64_MAX;
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd_segment *segment = &walk->segments[i];
        if (!accd_bulk_dense(bulk, segment))
            continue;
        use(batch, uses, bulk->block + bulk->places[i]->dev, segment->total);
        use_host(batch, segment->low, segment->high);
    }
    for (size_t i = 0; i < walk->nrowsets; i++) {
        const struct accd_rowset *set = &walk->rowsets[i];
        if (set->parent < 0 || !set->rows)
            continue;
        use_inner(bulk, set, batch, uses);
        use_host(batch, walk->segments[set->parent].low, walk->segments[set->parent].high);
    }
    for (size_t i = 0; i < walk->nroots; i++) {
        const struct accd_rowset *set = &walk->rowsets[walk->roots[i].rowset];
        if (!set->rows)
            continue;
        use_root(bulk, set, batch, uses);
        use_host(batch, set->base, set->base + set->rows * set->program->spec.stride);
    }
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- kept, dropped -- */

struct accd_bulk *accd_bulk_keep(const struct accd_bulk *bulk)
{
    struct accd_walk *walk = bulk->walk;
    void *memory = accd_mem_new(&walk->context->mem, accd_bulk_bytes(walk));
    if (!memory)
        return NULL;
    struct accd_bulk *kept = accd_bulk_lay_out(memory, walk);
    kept->dir = bulk->dir;
    kept->walk = accd_walk_retain(walk);
    kept->group = accd_walk_retain(bulk->group);
    kept->block = bulk->block;
    kept->entry = bulk->entry;
    kept->out = bulk->out;
    kept->restore = bulk->restore;
    for (size_t i = 0; i < walk->nroots; i++) {
        kept->roots[i] = bulk->roots[i];
        kept->own[i] = bulk->own[i];
    }
    for (size_t i = 0; i < walk->nsegments; i++)
        kept->places[i] = bulk->places[i];
    return kept;
}

void accd_bulk_drop(struct accd_bulk *bulk)
{
    struct accd_walk *walk = bulk->walk, *group = bulk->group;
    accd_mem_free(&walk->context->mem, bulk, accd_bulk_bytes(walk));
    accd_walk_release(group);
    accd_walk_release(walk);
}

/* Whether host memory was freed that is yet to be read, or written: an address there. */
static bool lost(const struct accd_bulk *bulk, uint64_t *host_p)
{
    accd_context *context = bulk->dir->context;
    const struct accd_walk *walk = bulk->walk;
    if (walk->losses == context->host.losses)
        return false;
    for (size_t i = 0; i < walk->nrowsets; i++) {
        const struct accd_rowset *set = &walk->rowsets[i];
        const uint64_t stride = set->program->spec.stride;
        for (size_t row = 0; row < set->rows && accd_bulk_own(bulk, set); row++)
            if (!accd_host_covers(context, *host_p = accd_row_address(set, row), stride))
                return true;
    }
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd_segment *segment = &walk->segments[i];
        for (size_t row = 0; row < segment->rows && accd_bulk_dense(bulk, segment); row++)
            if (accd_section_bytes(segment, row) &&
                !accd_host_covers(context, *host_p = segment->host[row], accd_section_bytes(segment, row)))
                return true;
    }
    return false;
}

const struct accd_bulk_ops accd_bulk_ops = {
    .count = accd_bulk_count,
    .announce = accd_bulk_announce,
    .run = accd_bulk_run,
    .uses = list_uses,
    .lost = lost,
    .drop = accd_bulk_drop,
};

accd_status accd_bulk_leave(struct accd_batch *batch)
{
    const struct accd_bulk *bulk = batch->bulk;
    ACCD_TRY(list_uses(batch));
    batch->bulk = batch->nuses ? accd_bulk_keep(bulk) : NULL;
    if (batch->nuses && !batch->bulk)
        return accd_out_of_memory(bulk->dir->context, "to leave a group to a queue");
    return ACCD_OK;
}
