/* walk.c - runs mapping programs over all elements of a construct, level by level.
 *
 * Input: the items of a construct that have programs. Output: struct accd_walk, columns of sections. core/plan calls it
 * for each such construct, core/api for accd_bounds_new. A section's bytes are read only if they are elements of the
 * next level.
 *
 * Data structure. Each item is a root. Its elements are the rows of a rowset. Each field of the rowset's program gives
 * one segment, a column with one section for each row. The elements of these sections are the rows of the next rowset,
 * if the field has a child program:
 *
 *     item v[0:2]                    struct V { int n; double *a; struct P *p; }
 *       |
 *     rowset 0  (program V)          rows 0, 1: v[0], v[1]
 *       |---- segment 0  (field a)   host[0..1], bytes_of[0..1]: v[0].a[0:n], v[1].a[0:n]     sections 0, 1
 *       `---- segment 1  (field p)   host[0..1], bytes_of[0..1]: v[0].p[0:1], v[1].p[0:1]     sections 2, 3
 *               |  elements
 *             rowset 1  (program P)  rows 0, 1: *v[0].p, *v[1].p
 *               `---- segment 2 ...                                                           sections 4, 5
 *
 * Invariants:
 * - The segments of a rowset are consecutive, one for each field, and have as many rows as the rowset.
 * - Sections are numbered through: a segment has the numbers first .. first + rows - 1, and first ascends.
 * - Row r of a rowset is at address[r], or at base + r * stride. It lies in section owner[r], or r / per, of its
 *   parent.
 * - If all values of bytes_of are equal, that column is NULL, and `bytes` holds the value; in the same way start_of and
 *   `start`. Empty sections have 0 bytes.
 * - An element of a recursive program is a row only once, even if several pointers point to it.
 *
 * Life of a level: add_segments allocates the columns. run_level cuts the rows into parts, one for each thread;
 * accd__run_level_part (columns.c) fills the columns, 256 rows at a time. summarize_column joins the parts and drops
 * columns of equal values. add_rowset makes the rows of the next level. A column that equals that of the earlier walk
 * (walk->before) is shared with it and not written. */
#include "accdeep_programs.h"
#include "walk/columns.h"

/* Registers of the machine, reused by one level after the other. */
struct register_space {
    accd__column *registers;
    size_t capacity;
};

/* ------------------------------------------------------------------------------------ levels -- */

/* Records ACCD_ERROR_OUT_OF_MEMORY for a walk, and returns that status. */
static accd_status report_walk_memory(accd_context *context)
{
    return accd__report_out_of_memory(context, "for a large construct");
}

/* Records `fault`, found by a part of the level of `job`, in walk->fault, and returns ACCD_ERROR_INVALID_SECTION
 * without a message. The code that calls accd__walk_new writes the message, because it knows the names of sections. */
static accd_status record_fault(const struct accd__level_job *job, const struct accd__part_fault *fault)
{
    struct accd_walk *walk = job->walk;
    assert(fault->fault != ACCD_FAULT_NONE);
    walk->fault = (struct accd__walk_fault){
        .kind = fault->fault,
        .section = walk->segments[job->set->segments + fault->field].first + fault->row,
        .value = fault->value,
    };
    return ACCD_ERROR_INVALID_SECTION;
}

/* Number of words before the first row of a column; the first of these words counts the walks that share the column. */
enum { USERS = 2 }; /* two words, although only one is used, so that the rows stay aligned to 16 bytes */

/* Returns an uninitialised column for `rows` rows, with one user; NULL: no memory. */
static void *new_column(struct accd__mem *mem, size_t rows)
{
    uint64_t *block = accd__mem_alloc_array(mem, rows + USERS, sizeof *block);
    if (!block)
        return NULL;
    block[0] = 1;
    return block + USERS;
}

/* Adds a user to a column, which may be NULL, and returns the column. */
static uint64_t *share_column(uint64_t *column)
{
    if (column)
        column[-USERS]++;
    return column;
}

/* Drops one user of the column of `rows` rows at *column_p (a pointer to a column pointer), frees the column after its
 * last user, and sets *column_p to NULL. */
static void release_column(struct accd_walk *walk, void *column_p, size_t rows)
{
    uint64_t **column_at = column_p, *block = *column_at ? *column_at - USERS : NULL;
    assert(!block || block[0] > 0);
    if (block && --block[0] == 0)
        accd__mem_free(&walk->context->mem, block, (rows + USERS) * sizeof *block);
    *column_at = NULL;
}

/* Adds a segment with uninitialised columns for each field of rowset number `set_index`. Fails without memory, or with
 * ACCD_ERROR_LIMIT for too many sections; accd__walk_release frees what was added. */
static accd_status add_segments(struct accd_walk *walk, size_t set_index)
{
    struct accd__mem *mem = &walk->context->mem;
    assert(set_index < walk->nrowsets);
    struct accd__rowset *set = &walk->rowsets[set_index];
    size_t nfields = set->program->spec.nfields;
    set->segments = walk->nsegments;
    set->nsegments = nfields;
    if (!ACCD_GROW(mem, walk->segments, walk->segments_capacity, walk->nsegments + nfields))
        return report_walk_memory(walk->context);
    for (size_t f = 0; f < nfields; f++) {
        struct accd__segment *segment = &walk->segments[walk->nsegments];
        const accd_field *field = &set->program->spec.fields[f];
        *segment = (struct accd__segment){
            .field = field,
            .rowset = (int)set_index,
            .elements = -1,
            .action = accd__effective_action(field->action, field->init, set->action),
            .flags = field->action == ACCD_ACTION_INHERIT ? set->flags & ACCD_INHERITED_FLAGS
                                                          : field->flags & ACCD_FIELD_FLAGS,
            .rows = set->rows,
            .first = walk->sections,
        };
        segment->host = new_column(mem, set->rows);
        segment->bytes_of = new_column(mem, set->rows);
        segment->start_of = field->start >= 0 ? new_column(mem, set->rows) : NULL;
        walk->nsegments++;
        walk->sections += set->rows;
        if (!segment->host || !segment->bytes_of || (field->start >= 0 && !segment->start_of))
            return report_walk_memory(walk->context);
        if (walk->sections >= ACCD_SOURCE_WALKED)
            return accd__set_error(walk->context, ACCD_ERROR_LIMIT, R_LIMIT,
                                   "a construct reaches more than 2^31 sections");
    }
    return ACCD_OK;
}

/* Replaces the columns host and bytes_of of `segment` by those of `before`, an equal segment of the earlier walk, with
 * which they are then shared. Copies the hull and sums, too. */
static void reuse_column(struct accd_walk *walk, struct accd__segment *segment, const struct accd__segment *before)
{
    assert(before->rows == segment->rows && before->host);
    release_column(walk, &segment->host, segment->rows);
    release_column(walk, &segment->bytes_of, segment->rows);
    segment->host = share_column(before->host);
    segment->bytes_of = share_column(before->bytes_of);
    segment->bytes = before->bytes;
    segment->low = before->low;
    segment->high = before->high;
    segment->applied = before->applied;
    segment->total = before->total;
}

/* Completes the segment of field `f` from the summaries of all parts (ranges of rows, one for each thread). Releases
 * each of bytes_of and start_of whose values are all equal. If all parts equal the earlier walk's columns, shares these
 * instead. The level has at least one row. */
static void summarize_column(struct accd__level_job *job, size_t f)
{
    struct accd_walk *walk = job->walk;
    struct accd__segment *segment = &walk->segments[job->set->segments + f];
    size_t nfields = job->set->nsegments;
    struct accd__column_summary *first = &job->tallies[f];
    const struct accd__segment *before = job->before[f];
    bool repeats = true;
    assert(job->set->rows > 0);
    for (unsigned part = 0; part < job->parts; part++) {
        const struct accd__column_summary *t = &job->tallies[part * nfields + f];
        repeats &= t->repeats;
        segment->descriptor_checksum += t->descriptor_checksum;
        segment->may_have_gaps |= t->may_have_gaps;
    }
    if (repeats) {
        reuse_column(walk, segment, before);
        return;
    }
    for (unsigned part = 0; part < job->parts; part++) {
        struct accd__column_summary *t = &job->tallies[part * nfields + f];
        if (t->repeats)
            accd__stop_column_reuse(segment, before, t, t->to);
    }
    while (first->from == first->to) /* skips parts without rows; some part has rows */
        first += nfields;
    bool varies = false, start_varies = false;
    segment->low = UINT64_MAX;
    for (unsigned part = 0; part < job->parts; part++) {
        struct accd__column_summary *t = &job->tallies[part * nfields + f];
        if (t->from == t->to)
            continue;
        varies |= t->varies || t->bytes != first->bytes;
        start_varies |= t->start_varies || t->start != first->start;
        segment->low = t->low < segment->low ? t->low : segment->low;
        segment->high = t->high > segment->high ? t->high : segment->high;
        segment->applied += t->applied;
        segment->total += t->total;
    }
    segment->bytes = first->bytes;
    segment->start = first->start;
    for (unsigned part = 0; part < job->parts; part++) {
        struct accd__column_summary *t = &job->tallies[part * nfields + f];
        for (size_t i = t->from; varies && !t->varies && i < t->to; i++)
            segment->bytes_of[i] = t->bytes;
        for (size_t i = t->from; start_varies && !t->start_varies && i < t->to; i++)
            segment->start_of[i] = t->start;
    }
    if (!varies)
        release_column(walk, &segment->bytes_of, segment->rows);
    if (!start_varies)
        release_column(walk, &segment->start_of, segment->rows);
    if (segment->applied) { /* `high` is still the greatest address of a first byte: adds the greatest length, which
                               gives an upper bound of the ends */
        uint64_t longest = segment->bytes;
        for (size_t i = 0; segment->bytes_of && i < segment->rows; i++)
            longest = segment->bytes_of[i] > longest ? segment->bytes_of[i] : longest;
        segment->high += longest;
    } else {
        segment->low = segment->high = 0;
    }
}

/* ------------------------------------------------------------------------ recursive programs -- */

/* Returns the slot of the hash table that holds the element of `program` at `address` or, if the element was not
 * visited, the empty slot for it. Linear probing; the table is at most half full, so that an empty slot exists. The set
 * serves to walk each element once, even if several pointers point to it (TR14-5-10). */
static struct accd__visited_element *find_visited_slot(const struct accd__visited_set *visited, uint64_t address,
                                                       const accd_program *program)
{
    assert(visited->used < visited->capacity && !(visited->capacity & (visited->capacity - 1)));
    size_t i = (address * 0x9E3779B97F4A7C15u) >> 20;
    for (;; i++) {
        struct accd__visited_element *at = &visited->at[i & (visited->capacity - 1)];
        if (!at->program || (at->address == address && at->program == program))
            return at;
    }
}

/* Frees the memory of a set of visited elements, which is then empty. */
static void free_visited(struct accd__visited_set *visited, struct accd__mem *mem)
{
    accd__mem_free(mem, visited->at, visited->capacity * sizeof visited->at[0]);
    *visited = (struct accd__visited_set){0};
}

/* Doubles the capacity of a set of visited elements; the first capacity is 64. Returns false without memory, with the
 * set unchanged. */
static bool grow_visited(struct accd__visited_set *visited, struct accd__mem *mem)
{
    enum { MIN_CAPACITY = 64 };
    struct accd__visited_set more = {.capacity = visited->capacity ? 2 * visited->capacity : MIN_CAPACITY};
    more.at = accd__mem_alloc_zeroed(mem, more.capacity * sizeof more.at[0]);
    if (!more.at)
        return false;
    for (size_t i = 0; i < visited->capacity; i++)
        if (visited->at[i].program)
            *find_visited_slot(&more, visited->at[i].address, visited->at[i].program) = visited->at[i];
    more.used = visited->used;
    free_visited(visited, mem);
    *visited = more;
    return true;
}

/* Adds the element of `program` at `address` to the walk's set of visited elements. Sets *first_p to true if the
 * element was not visited before, otherwise to false. Fails without memory. */
static accd_status mark_visited(struct accd_walk *walk, uint64_t address, const accd_program *program, bool *first_p)
{
    struct accd__visited_set *visited = &walk->visited;
    if (visited->used * 2 >= visited->capacity && !grow_visited(visited, &walk->context->mem))
        return report_walk_memory(walk->context);
    struct accd__visited_element *at = find_visited_slot(visited, address, program);
    *first_p = !at->program;
    visited->used += !at->program;
    *at = (struct accd__visited_element){address, program};
    return ACCD_OK;
}

/* Sets the rows of `set`, whose program is recursive, to those elements in the sections of `segment` that were not
 * visited before. Fails without memory. Decides TR14-5-10. */
static accd_status add_unvisited_rows(struct accd_walk *walk, struct accd__rowset *set,
                                      const struct accd__segment *segment)
{
    struct accd__mem *mem = &walk->context->mem;
    const uint64_t unit = segment->field->unit;
    size_t most = set->rows, n = 0;
    uint64_t *address = accd__mem_alloc_array(mem, most, sizeof *address);
    uint32_t *owner = accd__mem_alloc_array(mem, most, sizeof *owner);
    accd_status status = most && (!address || !owner) ? report_walk_memory(walk->context) : ACCD_OK;
    for (size_t i = 0; status == ACCD_OK && i < segment->rows; i++)
        for (uint64_t k = 0; status == ACCD_OK && k < accd__section_bytes(segment, i); k += unit) {
            bool first = false;
            status = mark_visited(walk, segment->host[i] + k, set->program, &first);
            if (first) {
                address[n] = segment->host[i] + k;
                owner[n++] = (uint32_t)i;
            }
        }
    set->rows = set->per = 0;
    if (status == ACCD_OK && n) {
        set->address = accd__mem_alloc_array(mem, n, sizeof *address);
        set->owner = accd__mem_alloc_array(mem, n, sizeof *owner);
        set->rows = n;
        if (set->address && set->owner) {
            memcpy(set->address, address, n * sizeof *address);
            memcpy(set->owner, owner, n * sizeof *owner);
        } else {
            status = report_walk_memory(walk->context);
        }
    }
    accd__mem_free(mem, address, most * sizeof *address);
    accd__mem_free(mem, owner, most * sizeof *owner);
    return status;
}

/* Writes the elements of the section in a row of `segment` to *grid: as runs of bytes at equal distances or, if there
 * are no gaps, as a single run. Returns false if the section is empty; *grid must then not be used. */
static bool get_section_grid(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                             struct accd__grid *grid)
{
    const uint64_t bytes = accd__section_bytes(segment, row);
    if (bytes && !(segment->gaps && accd__section_grid(walk, segment, row, grid))) {
        grid->host = segment->host[row];
        grid->run = bytes;
        grid->n = 0;
    }
    return bytes != 0;
}

/* Makes the elements of all sections of `segment` the rows of `set`: sets set->address to their addresses. If set->per
 * (elements in each section) is 0, also sets set->owner to the row of each element's section. If sections have gaps,
 * first counts set->rows again without the gaps, and sets set->per to 0. Fails without memory. */
static accd_status add_elements(struct accd_walk *walk, struct accd__rowset *set, const struct accd__segment *segment)
{
    struct accd__mem *mem = &walk->context->mem;
    const uint64_t unit = segment->field->unit;
    struct accd__grid grid;
    size_t at = 0;
    if (segment->gaps)
        set->rows = set->per = 0;
    for (size_t i = 0; segment->gaps && i < segment->rows; i++)
        set->rows += get_section_grid(walk, segment, i, &grid) ? accd__grid_element_count(&grid, unit) : 0;
    set->address = accd__mem_alloc_array(mem, set->rows, sizeof set->address[0]);
    if (!set->per)
        set->owner = accd__mem_alloc_array(mem, set->rows, sizeof set->owner[0]);
    if (!set->address || (!set->per && !set->owner))
        return report_walk_memory(walk->context);
    for (size_t i = 0; i < segment->rows; i++) {
        if (!get_section_grid(walk, segment, i, &grid))
            continue;
        const size_t end = at + accd__grid_element_count(&grid, unit);
        accd__grid_list_addresses(&grid, unit, set->address + at);
        for (; at < end; at++)
            if (set->owner)
                set->owner[at] = (uint32_t)i;
    }
    return ACCD_OK;
}

/* Makes the elements of all sections of segment number `segment_index` the rows of a new rowset. The field of the
 * segment has a child program. Fails without memory. Decides TR14-1.1-04. */
static accd_status add_rowset(struct accd_walk *walk, size_t segment_index)
{
    struct accd__mem *mem = &walk->context->mem;
    assert(segment_index < walk->nsegments && walk->segments[segment_index].field->child);
    if (!ACCD_GROW(mem, walk->rowsets, walk->rowsets_capacity, walk->nrowsets + 1))
        return report_walk_memory(walk->context);
    struct accd__segment *segment = &walk->segments[segment_index];
    segment->elements = (int)walk->nrowsets;
    uint64_t unit = segment->field->unit;
    struct accd__rowset *set = &walk->rowsets[walk->nrowsets++];
    *set = (struct accd__rowset){
        .program = segment->field->child,
        .parent = (int)segment_index,
        .root = walk->nroots - 1,
        .action = segment->action,
        .flags = segment->flags,
    };
    if (segment->bytes_of) {
        for (size_t i = 0; i < segment->rows; i++)
            set->rows += segment->bytes_of[i] / unit;
    } else {
        set->per = segment->bytes / unit;
        set->rows = segment->rows * set->per;
    }
    if (set->program->is_recursive)
        return add_unvisited_rows(walk, set, segment);
    walk->gaps |= segment->gaps = accd__segment_has_gaps(walk, segment);
    if (!segment->gaps && segment->rows == 1 && !segment->bytes_of)
        set->base = segment->host[0];
    else if (!segment->gaps &&
             (set->per == 1 || !set->rows)) /* each section is one element (or no section has any), so that the rowset
                                               uses the segment's column of addresses */
        set->address = segment->host;
    else
        return add_elements(walk, set, segment);
    return ACCD_OK;
}

/* Returns the earlier walk's segment for field `f` of rowset number `set_index`, with which the new column will be
 * compared. NULL: there is no earlier walk or no such segment, its number of rows differs, its sections do not all
 * begin at index 0, or all are empty. */
static const struct accd__segment *find_earlier_segment(const struct accd_walk *walk, size_t set_index, size_t f)
{
    const struct accd_walk *before = walk->before;
    if (!before || set_index >= before->nrowsets || f >= before->rowsets[set_index].nsegments)
        return NULL;
    const struct accd__segment *segment = &before->segments[before->rowsets[set_index].segments + f];
    bool plain = segment->rows == walk->rowsets[set_index].rows && !segment->start_of && !segment->start &&
                 (segment->bytes_of || segment->bytes);
    return plain ? segment : NULL;
}

/* Runs one level of a walk: computes the columns of rowset number `set_index`, and adds a rowset for each field with a
 * child program. `params`: parameters of the item. `space`: memory for registers, which the levels reuse. Fails without
 * memory, with ACCD_ERROR_LIMIT for too many sections, or with ACCD_ERROR_INVALID_SECTION and walk->fault. */
static accd_status run_level(struct accd_walk *walk, size_t set_index, const int64_t *params,
                             struct register_space *space)
{
    accd_context *context = walk->context;
    ACCD_TRY(add_segments(walk, set_index));
    struct accd__rowset *set = &walk->rowsets[set_index];
    const accd_program *program = set->program;
    size_t nfields = set->nsegments;
    if (!nfields || !set->rows)
        return ACCD_OK;
    uint64_t inherited_mask = 0;
    for (size_t f = 0; f < nfields; f++)
        if (program->spec.fields[f].child)
            inherited_mask |= program->spec.fields[f].child->inherited;
    unsigned parts =
        program->calls || context->config.check_host ? 1 : accd__choose_part_count(context, set->rows * nfields);
    struct accd__level_job job = {.walk = walk, .set = set, .params = params, .parts = parts};
    struct accd__scratch *scratch = &context->scratch;
    job.inherit = set->parent >= 0 ? walk->rowsets[walk->segments[set->parent].rowset].register_columns : NULL;
    static int64_t *no_columns[ACCD_REGISTERS];
    job.keep = inherited_mask ? accd__scratch_alloc(scratch, ACCD_REGISTERS * sizeof job.keep[0]) : no_columns;
    job.tallies = accd__scratch_alloc(scratch, parts * nfields * sizeof job.tallies[0]);
    size_t registers = (size_t)parts * program->spec.registers;
    if (registers > space->capacity) { /* registers of an earlier level are reused if they suffice */
        space->registers = accd__scratch_alloc(scratch, registers * sizeof(accd__column));
        space->capacity = space->registers ? registers : 0;
    }
    job.registers = space->registers;
    job.faults = accd__scratch_alloc(scratch, parts * sizeof job.faults[0]);
    job.before = accd__scratch_alloc(scratch, nfields * sizeof job.before[0]);
    if (!job.keep || !job.tallies || !job.registers || !job.faults || !job.before)
        return report_walk_memory(context);
    for (size_t f = 0; f < nfields; f++)
        job.before[f] = find_earlier_segment(walk, set_index, f);
    if (inherited_mask)
        memset(job.keep, 0, ACCD_REGISTERS * sizeof job.keep[0]);
    memset(job.faults, 0, parts * sizeof job.faults[0]);
    for (unsigned k = 0; k < program->spec.registers; k++)
        if (inherited_mask >> k & 1) {
            job.keep[k] = accd__scratch_alloc(scratch, set->rows * sizeof(int64_t));
            if (!job.keep[k])
                return report_walk_memory(context);
        }
    set->register_columns = job.keep;
    accd__workers_run(context->workers, accd__run_level_part, &job, parts);
    for (unsigned part = 0; part < parts; part++)
        if (job.faults[part].fault)
            return record_fault(&job, &job.faults[part]);
    for (size_t f = 0; f < nfields; f++)
        summarize_column(&job, f);
    for (size_t f = 0; f < nfields; f++) /* `set` may be stale: adding a rowset may move walk->rowsets */
        if (program->spec.fields[f].child)
            ACCD_TRY(add_rowset(walk, walk->rowsets[set_index].segments + f));
    return ACCD_OK;
}

/* Marks the elements that items with recursive programs name as visited, so that pointers do not reach them again,
 * whatever the order of the items (TR14-4.2-01). Only elements of recursive programs can be reached twice. Fails
 * without memory. */
static accd_status mark_roots_visited(struct accd_walk *walk, const accd_construct *construct)
{
    bool first;
    for (size_t i = 0; i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (!accd__item_has_elements(item) || !item->program->is_recursive)
            continue;
        for (uint64_t at = 0; at < item->bytes; at += item->program->spec.stride)
            ACCD_TRY(mark_visited(walk, accd__address(item->host) + at, item->program, &first));
    }
    return ACCD_OK;
}

/* Walks one item, whose root is the last root of the walk: runs the level of the item's elements, then the levels of
 * all rowsets that these runs add. Fails without memory, for too many sections, or with ACCD_ERROR_INVALID_SECTION and
 * walk->fault. Returns ACCD_ERROR_MISUSE if the item is not a whole number of elements, or its program refers to
 * enclosing programs (`open`). */
static accd_status run_root(struct accd_walk *walk, const accd_item *item)
{
    struct accd__mem *mem = &walk->context->mem;
    assert(walk->nroots > 0);
    if (item->program->open || (!item->ndims && item->bytes % item->program->spec.stride))
        return accd__set_error(walk->context, ACCD_ERROR_MISUSE, R_MISUSE,
                               "an item is not a whole number of its program's elements");
    if (!ACCD_GROW(mem, walk->rowsets, walk->rowsets_capacity, walk->nrowsets + 1))
        return report_walk_memory(walk->context);
    size_t first = walk->nrowsets;
    walk->roots[walk->nroots - 1].rowset = first;
    walk->rowsets[walk->nrowsets++] = (struct accd__rowset){
        .program = item->program,
        .parent = -1 - (int)(walk->nroots - 1),
        .root = walk->nroots - 1,
        .action = accd__effective_action(item->action, item->flags & ACCD_ITEM_INIT, ACCD_ACTION_INHERIT),
        .flags = item->flags & ACCD_FIELD_FLAGS,
        .rows = item->bytes / item->program->spec.stride,
        .base = accd__address(item->host),
        .per = item->bytes / item->program->spec.stride,
    };
    if (item->ndims) {
        walk->gaps = true;
        struct accd__rowset *set = &walk->rowsets[first];
        struct accd__grid grid;
        accd__item_get_grid(item, &grid);
        set->rows = set->per = accd__grid_element_count(&grid, item->program->spec.stride);
        set->address = accd__mem_alloc_array(mem, set->rows, sizeof set->address[0]);
        if (!set->address)
            return report_walk_memory(walk->context);
        accd__grid_list_addresses(&grid, item->program->spec.stride, set->address);
    }
    struct register_space space = {0};
    for (size_t set = first; set < walk->nrowsets; set++)
        ACCD_TRY(run_level(walk, set, item->params, &space));
    return ACCD_OK;
}

/* Walks the construct's items with programs, one after the other, into a new walk, until all are done or one fails.
 * Sets *walk_p on success, and also if a section cannot be computed; walk->fault then has the reason. `before`: earlier
 * walk whose equal columns are shared, or NULL. */
accd_status accd__walk_new(accd_context *context, const accd_construct *construct, const struct accd_walk *before,
                           struct accd_walk **walk_p)
{
    struct accd__mem *mem = &context->mem;
    size_t nroots = 0;
    for (size_t i = 0; i < construct->nitems; i++)
        nroots += accd__item_has_elements(&construct->items[i]);
    struct accd_walk *walk = accd__mem_alloc_zeroed(mem, sizeof *walk);
    if (!walk)
        return report_walk_memory(context);
    walk->context = context;
    walk->users = 1;
    walk->host_frees = context->host.host_frees;
    walk->before = before;
    walk->roots = accd__mem_alloc_array(mem, nroots, sizeof walk->roots[0]);
    walk->programs = accd__mem_alloc_array(mem, nroots, sizeof walk->programs[0]);
    walk->roots_capacity = nroots;
    accd_status status =
        walk->roots && walk->programs ? mark_roots_visited(walk, construct) : report_walk_memory(context);
    for (size_t i = 0; status == ACCD_OK && i < construct->nitems; i++) {
        const accd_item *item = &construct->items[i];
        if (!accd__item_has_elements(item))
            continue;
        walk->programs[walk->nroots] = accd_program_retain(item->program);
        struct accd__walk_root *root = &walk->roots[walk->nroots++];
        *root = (struct accd__walk_root){.host = accd__address(item->host),
                                         .bytes = item->bytes,
                                         .label = item->label,
                                         .start = item->start,
                                         .item = i};
        memcpy(root->index, item->index, sizeof item->index);
        status = run_root(walk, item);
    }
    free_visited(&walk->visited, &context->mem);
    if (status != ACCD_OK && !walk->fault.kind) {
        accd__walk_release(walk);
        return status;
    }
    walk->before = NULL;
    *walk_p = walk;
    return status;
}

/* Adds a user (owner) to `walk`, and returns the walk. */
struct accd_walk *accd__walk_retain(struct accd_walk *walk)
{
    assert(walk->users > 0);
    walk->users++;
    return walk;
}

/* Removes a user of `walk`, or does nothing for NULL. After the last user, frees the walk with its columns, and
 * releases its programs. */
void accd__walk_release(struct accd_walk *walk)
{
    assert(!walk || walk->users > 0);
    if (!walk || --walk->users)
        return;
    struct accd__mem *mem = &walk->context->mem;
    for (size_t i = 0; i < walk->nrowsets; i++) {
        struct accd__rowset *set = &walk->rowsets[i];
        bool own = set->address && (set->parent < 0 || set->address != walk->segments[set->parent].host);
        if (own)
            accd__mem_free(mem, set->address, set->rows * sizeof set->address[0]);
        accd__mem_free(mem, set->owner, set->rows * sizeof set->owner[0]);
    }
    ACCD_FOR_EACH_SEGMENT(segment, walk)
    {
        release_column(walk, &segment->host, segment->rows);
        release_column(walk, &segment->bytes_of, segment->rows);
        release_column(walk, &segment->start_of, segment->rows);
        accd__mem_free(mem, segment->dev_of, (segment->rows + ACCD_ROWS - 1) / ACCD_ROWS * sizeof segment->dev_of[0]);
    }
    for (size_t i = 0; i < walk->nroots; i++)
        accd_program_release(walk->programs[i]);
    accd__mem_free(mem, walk->rowsets, walk->rowsets_capacity * sizeof walk->rowsets[0]);
    accd__mem_free(mem, walk->segments, walk->segments_capacity * sizeof walk->segments[0]);
    accd__mem_free(mem, walk->roots, walk->roots_capacity * sizeof walk->roots[0]);
    accd__mem_free(mem, walk->programs, walk->roots_capacity * sizeof walk->programs[0]);
    accd__mem_free(mem, walk, sizeof *walk);
}
