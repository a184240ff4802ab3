/* bulk.c - the transfers of a whole group (table/group.h): own bytes of elements, sections, pointers. Run as part of a
 * batch. Words: a root is an item whose elements are walked. A rowset is the set of elements over which one mapping
 * program runs; a row is one element. A column, or segment, holds the sections of one pointer field of a rowset, one
 * for each row. Own bytes are those of an element that move, without followed pointers; a range of them is an own
 * range. A dense column moves as one range. To stage a range is to get a buffer for bytes to the device; to fetch it is
 * to get the bytes of the device.
 *
 *     announce   transfer_rowset for each rowset, with bulk->announcing: names the ranges and their sizes
 *     run        transfer_rowset again: stages or fetches the same ranges, and copies
 *
 * Both passes must visit the same ranges in the same order. Large columns are copied in parts by several threads. A
 * device that receives bytes gets large new columns in windows of rows: one is sent while the next one is filled
 * (windows.c). */
#include "ops/copy_rows.h"
#include "plan/change_set.h"

#include <assert.h>

/* Returns an upper bound for the number of own ranges of an element: each piece (byte range that the program names) may
 * be cut at each pointer. */
static size_t max_own_ranges(const struct accd__rowset *set)
{
    return set->program->spec.npieces * (set->program->spec.nfields + 1) + 1;
}

/* Returns the size in bytes of a bulk for `walk` with all its arrays and buffers, so that running a bulk needs no
 * memory and cannot fail. */
size_t accd__bulk_bytes(const struct accd_walk *walk)
{
    struct accd__bulk *bulk = NULL;
    size_t most = 1;
    for (size_t i = 0; i < walk->nrowsets; i++)
        most = max_own_ranges(&walk->rowsets[i]) > most ? max_own_ranges(&walk->rowsets[i]) : most;
    return sizeof *bulk + most * sizeof bulk->ranges[0] +
           walk->nsegments *
               (sizeof bulk->places[0] + sizeof bulk->images[0] + sizeof bulk->starts[0] + sizeof bulk->columns[0]) +
           walk->nroots * (sizeof bulk->roots[0] + sizeof bulk->own[0]);
}

/* Returns a bulk for `walk` at `memory`, which has accd__bulk_bytes(walk) bytes. Its arrays point into that memory and
 * are not filled; all other members are 0. */
struct accd__bulk *accd__bulk_init(void *memory, const struct accd_walk *walk)
{
    assert(memory);
    struct accd__bulk *bulk = memory;
    *bulk = (struct accd__bulk){.walk = NULL};
    bulk->roots = (uint64_t *)(bulk + 1);
    bulk->starts = bulk->roots + walk->nroots;
    bulk->places = (const struct accd__segment **)(bulk->starts + walk->nsegments);
    bulk->columns = bulk->places + walk->nsegments;
    bulk->images = (char **)(uintptr_t)(bulk->columns + walk->nsegments);
    bulk->ranges = (struct accd__own_range *)(bulk->images + walk->nsegments);
    bulk->own =
        (bool *)memory + accd__bulk_bytes(walk) - walk->nroots; /* `own` is last, because it needs no alignment */
    return bulk;
}

/* Sets plan->changes.bulk to a new bulk for `group`, in scratch space. Its `roots` (device addresses of roots) and
 * `own` (own bytes of elements move) are 0; the caller sets them for roots that move, and the direction. If the walks
 * of the construct and of the group have equally many segments, places[i] becomes segment i of the group's walk;
 * otherwise NULL. Fails only without memory. */
accd_status accd__bulk_begin(struct accd__plan *plan, struct accd__group *group)
{
    assert(plan->input.walk && group->block);
    struct accd_walk *walk = plan->input.walk;
    void *memory = accd__scratch_alloc(&plan->context->scratch, accd__bulk_bytes(walk));
    if (!memory)
        return accd__report_plan_out_of_memory(plan->context);
    struct accd__bulk *bulk = accd__bulk_init(memory, walk);
    bulk->env = plan->env;
    bulk->walk = walk;
    bulk->group = group->walk;
    bulk->block = group->block->dev;
    for (size_t i = 0; i < walk->nroots; i++) {
        bulk->roots[i] = 0;
        bulk->own[i] = false;
    }
    for (size_t i = 0; i < walk->nsegments; i++)
        bulk->places[i] = group->walk->nsegments == walk->nsegments ? &group->walk->segments[i] : NULL;
    plan->changes.bulk = bulk;
    return ACCD_OK;
}

/* Sets bulk->roots[root] to the device address of the root's first element in `object`, which contains the root; to 0
 * if `object` is NULL. */
void accd__bulk_set_root(const struct accd__plan *plan, size_t root, const struct accd__object *object)
{
    assert(plan->changes.bulk && root < plan->input.walk->nroots);
    struct accd__bulk *bulk = plan->changes.bulk;
    const struct accd__rowset *set = &bulk->walk->rowsets[bulk->walk->roots[root].rowset];
    bulk->roots[root] = object ? accd__planned_object_dev(plan, object) + (set->base - object->host) : 0;
}

/* Adds an upper bound for the number of transfers of a bulk to `traffic`. Each dense column and each rowset with own
 * bytes is one transfer, and so is each column of pointers if pointers are written. */
void accd__bulk_count(const struct accd__bulk *bulk, struct accd__traffic *traffic)
{
    const struct accd_walk *walk = bulk->walk;
    uint64_t count = 0;
    for (size_t i = 0; i < walk->nsegments; i++)
        count += accd__is_dense_column(bulk, &walk->segments[i]);
    for (size_t i = 0; i < walk->nrowsets; i++)
        count += accd__bulk_own_ranges(bulk, &walk->rowsets[i]) > 0;
    *(bulk->out ? &traffic->out : &traffic->in) += count;
    if (bulk->entry || bulk->restore)
        traffic->in += walk->nsegments;
}

/* --------------------------------------------------------------------------------------- run -- */

/* Copies all rows of a rowset: in windows if job->windows is set, otherwise on several threads. */
static void fill_rows(struct accd__bulk *bulk, struct accd__rows_job *job)
{
    if (job->windows) {
        accd__windows_fill(bulk, job);
        return;
    }
    job->parts = accd__choose_part_count(bulk->env->context, job->set->rows * (job->nsegments + 1));
    accd__workers_run(bulk->env->context->workers, accd__copy_rows, job, job->parts);
}

/* Announces (if bulk->announcing) or transfers the rowset with index `index`: its columns, own bytes and pointers. Does
 * nothing if it has no rows. Adds the transferred bytes to the device's statistics. Cannot fail. */
static void transfer_rowset(struct accd__bulk *bulk, size_t index)
{
    assert(index < bulk->walk->nrowsets);
    const struct accd_walk *walk = bulk->walk;
    struct accd__device_env *env = bulk->env;
    const struct accd__rowset *set = &walk->rowsets[index];
    bool root = set->parent < 0;
    struct accd__rows_job job = {
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
    bool own = accd__rows_are_moved(bulk, set);
    job.nown = accd__bulk_own_ranges(bulk, set);
    const uint64_t stride = set->program->spec.stride;
    job.whole = own && root && job.nown == 1 && job.own[0].bytes == stride;
    uint64_t moved = 0;
    for (size_t k = 0; k < job.nown; k++)
        moved += job.own[k].bytes * set->rows;
    for (size_t f = 0; f < set->nsegments; f++) {
        job.segments[f] = &walk->segments[set->segments + f];
        job.sections[f] = NULL;
    }
    accd__windows_choose(&job);
    for (size_t f = 0; f < set->nsegments; f++) {
        const struct accd__segment *segment = job.segments[f];
        if (!accd__is_dense_column(bulk, segment))
            continue;
        job.starts[f] = job.places[f]->dev;
        if (!accd__is_column_in_windows(&job, f))
            job.sections[f] = accd__bulk_device_content(bulk, bulk->block + job.starts[f], segment->total);
        if (!segment->bytes_of)
            moved += segment->bytes * segment->applied;
        for (size_t i = 0; segment->bytes_of && i < segment->rows; i++)
            moved += segment->bytes_of[i];
    }
    /* If the elements have one contiguous buffer (job.rows), fill_rows copies the elements, too. */
    bool filled_as_whole = false;
    if (root && bulk->out) {
        filled_as_whole = job.nown > 0;
        if (filled_as_whole)
            job.rows = accd__bulk_device_content(bulk, accd__root_rows_dev(bulk, set), set->rows * stride);
    } else if (root) {
        filled_as_whole = job.whole;
        if (filled_as_whole && !job.sends_rows)
            job.rows = accd__bulk_device_content(bulk, accd__root_rows_dev(bulk, set), set->rows * stride);
    } else if (bulk->entry && !own) {
        job.rows = bulk->images[set->parent]; /* the elements lie in the buffer of the column that contains them */
        filled_as_whole = true;
    }
    if (!bulk->announcing)
        fill_rows(bulk, &job);
    else if (job.windows)
        accd__windows_announce(&job);
    if (!filled_as_whole && job.nown)
        accd__copy_own_ranges(&job);
    if (bulk->entry && !filled_as_whole)
        accd__write_words(&job);
    if (bulk->restore && root && bulk->roots[-1 - set->parent] && !own)
        accd__write_words(&job);
    if (!bulk->announcing)
        env->device.stats.moved_bytes[bulk->out] += moved;
}

/* Announces or transfers all rowsets of the bulk, in the order of their numbers. */
static void transfer_rowsets(struct accd__bulk *bulk)
{
    for (size_t i = 0; i < bulk->walk->nrowsets; i++)
        transfer_rowset(bulk, i);
}

/* Sets bulk->windows, and announces the ranges of all rowsets to the device. `traffic`: numbers of transfers of the
 * whole batch. */
void accd__bulk_announce(struct accd__bulk *bulk, const struct accd__traffic *traffic)
{
    const struct accd_backend *ops = bulk->env->device.ops;
    /* Windows need a device that receives parts, and a batch that runs now and fetches nothing. Only the block of a new
     * group, and its new roots, are filled as a whole. */
    bulk->windows = ops->stage_part && bulk->entry && !traffic->out && !traffic->queue;
    bulk->announcing = true;
    transfer_rowsets(bulk);
    bulk->announcing = false;
}

/* Transfers the ranges of all rowsets, in the order of their announcement, and sends the last window. Cannot fail. */
void accd__bulk_run(struct accd__bulk *bulk)
{
    assert(!bulk->announcing);
    bulk->capacity = bulk->env->device.ops->part_bytes;
    transfer_rowsets(bulk);
    if (bulk->windows)
        accd__windows_send(bulk);
}

/* -------------------------------------------------------------------------- pointers at exit -- */

/* True if the host pointers of all non-empty sections still have the values that `walk` read. Otherwise returns false,
 * and sets *section_p to the number of the first section whose pointer has changed. */
bool accd__group_pointers_unchanged(const struct accd_walk *walk, size_t *section_p)
{
    assert(section_p);
    for (size_t i = 0; i < walk->nsegments; i++) {
        const struct accd__segment *segment = &walk->segments[i];
        const struct accd__rowset *set = &walk->rowsets[segment->rowset];
        if (!accd__segment_is_mapped(segment) || !segment->applied)
            continue;
        if (!segment->start_of && !segment->start &&
            accd__targets_equal(set, segment->field, segment->host, 0, segment->rows))
            continue;
        const uint64_t unit = segment->field->unit, offset = segment->field->offset;
        for (size_t row = 0; row < segment->rows; row++) {
            uint64_t shift = (uint64_t)accd__section_start(segment, row) * unit;
            if (accd__section_bytes(segment, row) &&
                accd__load_pointer(accd__row_address(set, row) + offset) != segment->host[row] - shift) {
                *section_p = segment->first + row;
                return false;
            }
        }
    }
    return true;
}
