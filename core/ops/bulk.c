/* bulk.c - the transfers of a whole group: own bytes of elements, sections, pointers.
 *
 * Large columns are cut into parts for several threads. A device to which bytes travel gets new columns
 * in windows of rows: one crosses while the next one is filled. */
#include "ops/copy_rows.h"
#include "plan/ledger.h"

static size_t own_room(const struct accd_rowset *set)
{
    return set->program->spec.npieces * (set->program->spec.nfields + 1) + 1;
}

/* What accd_bulk_run needs is there from the beginning: it may not fail. */
size_t accd_bulk_bytes(const struct accd_walk *walk)
{
    struct accd_bulk *bulk = NULL;
    size_t most = 1;
    for (size_t i = 0; i < walk->nrowsets; i++)
        most = own_room(&walk->rowsets[i]) > most ? own_room(&walk->rowsets[i]) : most;
    return sizeof *bulk + most * sizeof bulk->ranges[0] +
           walk->nsegments * (sizeof bulk->places[0] + sizeof bulk->images[0] + sizeof bulk->starts[0] +
                              sizeof bulk->columns[0]) +
           walk->nroots * (sizeof bulk->roots[0] + sizeof bulk->own[0]);
}

struct accd_bulk *accd_bulk_lay_out(void *memory, const struct accd_walk *walk)
{
    struct accd_bulk *bulk = memory;
    *bulk = (struct accd_bulk){.walk = NULL};
    bulk->roots = (uint64_t *)(bulk + 1);
    bulk->starts = bulk->roots + walk->nroots;
    bulk->places = (const struct accd_segment **)(bulk->starts + walk->nsegments);
    bulk->columns = bulk->places + walk->nsegments;
    bulk->images = (char **)(uintptr_t)(bulk->columns + walk->nsegments);
    bulk->ranges = (struct accd_own_range *)(bulk->images + walk->nsegments);
    bulk->own = (bool *)memory + accd_bulk_bytes(walk) - walk->nroots; /* last, for it needs no alignment */
    return bulk;
}

accd_status accd_bulk_begin(struct accd_plan *plan, struct accd_group *group)
{
    struct accd_walk *walk = plan->given.walk;
    void *memory = accd_scratch_take(&plan->context->scratch, accd_bulk_bytes(walk));
    if (!memory)
        return accd_plan_no_memory(plan->context);
    struct accd_bulk *bulk = accd_bulk_lay_out(memory, walk);
    bulk->dir = plan->dir;
    bulk->walk = walk;
    bulk->group = group->walk;
    bulk->block = group->block->dev;
    for (size_t i = 0; i < walk->nroots; i++) {
        bulk->roots[i] = 0;
        bulk->own[i] = false;
    }
    for (size_t i = 0; i < walk->nsegments; i++)
        bulk->places[i] = group->walk->nsegments == walk->nsegments ? &group->walk->segments[i] : NULL;
    plan->result.bulk = bulk;
    return ACCD_OK;
}

void accd_bulk_root(const struct accd_plan *plan, size_t root, const struct accd_object *object)
{
    struct accd_bulk *bulk = plan->result.bulk;
    const struct accd_rowset *set = &bulk->walk->rowsets[bulk->walk->roots[root].rowset];
    bulk->roots[root] = object ? accd_object_dev(plan, object) + (set->base - object->host) : 0;
}

void accd_bulk_count(const struct accd_bulk *bulk, struct accd_traffic *traffic)
{
    const struct accd_walk *walk = bulk->walk;
    uint64_t count = 0;
    for (size_t i = 0; i < walk->nsegments; i++)
        count += accd_bulk_dense(bulk, &walk->segments[i]);
    for (size_t i = 0; i < walk->nrowsets; i++)
        count += accd_bulk_own(bulk, &walk->rowsets[i]) > 0;
    *(bulk->out ? &traffic->out : &traffic->in) += count;
    if (bulk->entry || bulk->restore)
        traffic->in += walk->nsegments;
}

/* -------------------------------------------------------------------------------------- run -- */

static void fill(struct accd_bulk *bulk, struct accd_rows_job *job)
{
    if (job->windows) {
        accd_windows_fill(bulk, job);
        return;
    }
    job->parts = accd_parts_for(bulk->dir->context, job->set->rows * (job->nsegments + 1));
    accd_workers_run(bulk->dir->context->workers, accd_copy_rows, job, job->parts);
}

static void run_rowset(struct accd_bulk *bulk, size_t index)
{
    const struct accd_walk *walk = bulk->walk;
    struct accd_directory *dir = bulk->dir;
    const struct accd_rowset *set = &walk->rowsets[index];
    bool root = set->parent < 0;
    struct accd_rows_job job = {
        .bulk = bulk,
        .set = set,
        .own = bulk->ranges,
        .end = set->rows,
        .sections = bulk->images + set->segments,
        .starts = bulk->starts + set->segments,
        .segments = bulk->columns + set->segments,
        .places = bulk->places + set->segments,
        .nsegments = set->nsegments,
    };
    if (!set->rows)
        return;
    bool own = accd_rows_move(bulk, set);
    job.nown = accd_bulk_own(bulk, set);
    const uint64_t stride = set->program->spec.stride;
    job.whole = own && root && job.nown == 1 && job.own[0].bytes == stride;
    uint64_t moved = 0;
    for (size_t k = 0; k < job.nown; k++)
        moved += job.own[k].bytes * set->rows;
    for (size_t f = 0; f < set->nsegments; f++) {
        job.segments[f] = &walk->segments[set->segments + f];
        job.sections[f] = NULL;
    }
    accd_windows_choose(&job);
    for (size_t f = 0; f < set->nsegments; f++) {
        const struct accd_segment *segment = job.segments[f];
        if (!accd_bulk_dense(bulk, segment))
            continue;
        job.starts[f] = job.places[f]->dev;
        if (!accd_column_in_windows(&job, f))
            job.sections[f] = accd_bulk_image(bulk, bulk->block + job.starts[f], segment->total);
        if (!segment->bytes_of)
            moved += segment->bytes * segment->applied;
        for (size_t i = 0; segment->bytes_of && i < segment->rows; i++)
            moved += segment->bytes_of[i];
    }
    /* Elements whose device content is filled, or looked at, as a whole can be done in parts. */
    bool together = false;
    if (root && bulk->out) {
        together = job.nown > 0;
        if (together)
            job.rows = accd_bulk_image(bulk, accd_root_dev(bulk, set), set->rows * stride);
    } else if (root) {
        together = job.whole;
        if (together && !job.rows_too)
            job.rows = accd_bulk_image(bulk, accd_root_dev(bulk, set), set->rows * stride);
    } else if (bulk->entry && !own) {
        job.rows = bulk->images[set->parent]; /* filled with its section */
        together = true;
    }
    if (!bulk->announcing)
        fill(bulk, &job);
    else if (job.windows)
        accd_windows_announce(&job);
    if (!together && job.nown)
        accd_own_one_by_one(&job);
    if (bulk->entry && !together)
        accd_words_one_by_one(&job);
    if (bulk->restore && root && bulk->roots[-1 - set->parent] && !own)
        accd_words_one_by_one(&job);
    if (!bulk->announcing)
        dir->device.stats.moved_bytes[bulk->out] += moved;
}

static void run_rowsets(struct accd_bulk *bulk)
{
    for (size_t i = 0; i < bulk->walk->nrowsets; i++)
        run_rowset(bulk, i);
}

void accd_bulk_announce(struct accd_bulk *bulk, const struct accd_traffic *traffic)
{
    const struct accd_backend *ops = bulk->dir->device.ops;
    bulk->windows = ops->stage_part && bulk->entry && !traffic->out && /* a new group, and its new roots */
                    !traffic->queue;
    bulk->announcing = true;
    run_rowsets(bulk);
    bulk->announcing = false;
}

void accd_bulk_run(struct accd_bulk *bulk)
{
    bulk->room = bulk->dir->device.ops->part_bytes;
    run_rowsets(bulk);
    if (bulk->windows)
        accd_windows_send(bulk);
}

/* --------------------------------------------------------------------------- pointers at exit -- */

bool accd_bulk_pointers_kept(const struct accd_walk *walk, size_t *section_p)
{
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd_segment *segment = &walk->segments[i];
        const struct accd_rowset *set = &walk->rowsets[segment->rowset];
        if (!accd_segment_maps(segment) || !segment->applied)
            continue;
        if (!segment->start_of && !segment->start &&
            accd_same_bases(set, segment->field, segment->host, 0, segment->rows))
            continue;
        const uint64_t unit = segment->field->unit, offset = segment->field->offset;
        for (size_t row = 0; row < segment->rows; row++) {
            uint64_t shift = (uint64_t)accd_section_start(segment, row) * unit;
            if (accd_section_bytes(segment, row) &&
                accd_load_pointer(accd_row_address(set, row) + offset) !=
                    segment->host[row] - shift) {
                *section_p = segment->first + row;
                return false;
            }
        }
    }
    return true;
}
