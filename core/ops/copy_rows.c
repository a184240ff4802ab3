/* copy_rows.c - copies rows of a group (table/group.h) in blocks of ACCD_ROWS rows, so that an element, its sections
 * and its pointers are accessed together. Host memory of sections is prefetched some rows ahead, because it is
 * scattered. Input: struct accd__rows_job; copy_rows.h explains rowset, row, column and own bytes. Used by bulk.c and
 * windows.c. */
#include "device/written.h"
#include "ops/copy_rows.h"

#include <assert.h>

/* Returns the traits of an action: the directions in which it moves bytes, and if it creates data. */
static const struct accd__action_traits *traits_of(uint8_t action)
{
    return &accd__traits_of_action[action];
}

/* True if an action moves bytes in the direction of the bulk. */
static bool action_moves(const struct accd__bulk *bulk, uint8_t action)
{
    return bulk->out ? traits_of(action)->out : traits_of(action)->in;
}

/* True if the column `segment` moves, is mapped, and is dense: it has plain data, or elements all of whose bytes move
 * unchanged. Except in entries, such elements must have no pointers or embedded elements. */
bool accd__is_dense_column(const struct accd__bulk *bulk, const struct accd__segment *segment)
{
    const accd_program *child = segment->field->child;
    if (!accd__segment_is_mapped(segment) || !segment->applied || !action_moves(bulk, segment->action))
        return false;
    return !child ||
           (accd__moves_as_one_piece(child, segment->action, bulk->out) && (bulk->entry || !child->spec.nfields));
}

/* True if a field is a pointer that the walk follows, not an array or structure inside the element. */
static bool is_pointer_field(const accd_field *field)
{
    return !field->embedded && !field->in_place;
}

/* Writes the ranges of one element of `set` that move to `own`, which must have capacity for all, and returns their
 * number. Except in entries, the ranges leave out followed pointers; an entry overwrites these afterwards. Decides
 * TR14-4.1-06. */
static size_t list_own_ranges(const struct accd__bulk *bulk, const struct accd__rowset *set,
                              struct accd__own_range *own)
{
    assert(own);
    const accd_program_spec *spec = &set->program->spec;
    size_t n = 0;
    for (size_t p = 0; p < spec->npieces; p++) {
        const accd_piece *piece = &spec->pieces[p];
        if (!action_moves(bulk, accd__effective_action(piece->action, piece->init, set->action)))
            continue;
        if (piece->entry_only && (!bulk->entry || bulk->env->context->rules.untranslated != ACCD_UNTRANSLATED_HOST))
            continue;
        uint64_t at = piece->offset, end = piece->offset + piece->bytes;
        while (at < end) { /* finds the next pointer at or after `at` */
            uint64_t slot = end, after = end;
            for (size_t f = 0; !bulk->entry && f < spec->nfields; f++) {
                uint64_t from = spec->fields[f].offset;
                uint64_t to = from + accd__field_slot_bytes(&spec->fields[f]);
                if (!is_pointer_field(&spec->fields[f]) || to <= at || from >= slot)
                    continue;
                slot = from > at ? from : at; /* `at` may lie inside a pointer, where a piece begins */
                after = to;
            }
            if (slot > at && n && own[n - 1].offset + own[n - 1].bytes == at)
                own[n - 1].bytes += slot - at;
            else if (slot > at)
                own[n++] = (struct accd__own_range){at, slot - at};
            at = after;
        }
    }
    return n;
}

/* True if own bytes of the elements of `set` move. For a root, bulk->own decides. Inner elements move unless the column
 * that contains them is dense and moves as a whole. */
bool accd__rows_are_moved(const struct accd__bulk *bulk, const struct accd__rowset *set)
{
    if (!set->rows)
        return false;
    if (set->parent < 0)
        return bulk->own[-1 - set->parent];
    const struct accd__segment *segment = &bulk->walk->segments[set->parent];
    return !accd__is_dense_column(bulk, segment);
}

/* Fills bulk->ranges with the ranges of an element of `set` that move, and returns their number; 0 if the elements do
 * not move separately. */
size_t accd__bulk_own_ranges(const struct accd__bulk *bulk, const struct accd__rowset *set)
{
    return accd__rows_are_moved(bulk, set) ? list_own_ranges(bulk, set, bulk->ranges) : 0;
}

/* A cursor over the elements of a rowset, in order. It keeps the data from which the offset of the present element on
 * the device is computed. */
struct row_cursor {
    const struct accd__bulk *bulk;
    const struct accd__rowset *set;
    /* inner elements: column whose sections contain them (`parent`), and the group's column with the same sections
     * (`place`); NULL for roots */
    const struct accd__segment *parent, *place;
    size_t row, section;
    /* inner elements: offset in bytes, on the device, of the present section from the first section of the column */
    uint64_t section_dev;
    uint64_t remaining; /* elements left in the section, including the present one */
};

/* Returns the device address that the bulk has for the root of `set`. */
uint64_t accd__root_rows_dev(const struct accd__bulk *bulk, const struct accd__rowset *set)
{
    assert(set->parent < 0);
    return bulk->roots[-1 - set->parent];
}

/* Moves a cursor to the next section that is not empty, which may be the present one. Requires that there is one. */
static void cursor_enter_section(struct row_cursor *cursor)
{
    uint64_t unit = cursor->parent->field->unit;
    while (!(cursor->remaining = accd__section_bytes(cursor->parent, cursor->section) / unit)) {
        cursor->section_dev += accd__padded(accd__section_bytes(cursor->parent, cursor->section));
        cursor->section++;
    }
}

/* Returns a cursor at row `row` of `set`. If `row` is not less than set->rows, the cursor must not be used for an
 * element. */
static struct row_cursor cursor_at(const struct accd__bulk *bulk, const struct accd__rowset *set, size_t row)
{
    struct row_cursor cursor = {.bulk = bulk, .set = set, .row = row};
    if (set->parent < 0 || row >= set->rows)
        return cursor;
    cursor.parent = &bulk->walk->segments[set->parent];
    cursor.place = bulk->places[set->parent];
    cursor.section = set->owner ? set->owner[row] : row / set->per;
    if (cursor.parent->field->embedded)
        return cursor;
    cursor.section_dev =
        accd__section_block_offset(cursor.place, cursor.section) - accd__section_block_offset(cursor.place, 0);
    uint64_t offset = accd__row_address(set, row) - cursor.parent->host[cursor.section];
    cursor.remaining = accd__section_bytes(cursor.parent, cursor.section) / set->program->spec.stride -
                       offset / set->program->spec.stride;
    return cursor;
}

/* Returns the offset in bytes of the present element on the device from the first element of its root or, for inner
 * elements, from the first section of the column. */
static uint64_t cursor_offset(const struct row_cursor *cursor)
{
    const struct accd__rowset *set = cursor->set;
    uint64_t at = accd__row_address(set, cursor->row);
    if (set->parent < 0)
        return at - set->base;
    return cursor->section_dev + (at - cursor->parent->host[cursor->section]);
}

/* Moves a cursor to the next element. Past the last element, only its `row` is valid. */
static void cursor_next(struct row_cursor *cursor)
{
    assert(cursor->row < cursor->set->rows);
    cursor->row++;
    if (cursor->set->parent < 0 || cursor->row >= cursor->set->rows || --cursor->remaining)
        return;
    cursor->section_dev += accd__padded(accd__section_bytes(cursor->parent, cursor->section));
    cursor->section++;
    cursor_enter_section(cursor);
}

/* Prefetches the beginning of a section that will be copied soon. Always inlined, because gcc removes calls of
 * functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_section(uint64_t at, uint64_t bytes)
{
    __builtin_prefetch(accd__pointer(at)); /* harmless if the section is empty and the address null */
    __builtin_prefetch(accd__pointer(at + (bytes < 192 ? bytes - 1 : 64)));
}

/* Copies the sections of rows [first, end), each of `bytes` bytes; for a constant `bytes`, the compiler makes a few
 * instructions of the copy. `image`: buffer with the device content of the section of row `first`. `out`: to the host.
 * Columns smaller than the cache are not prefetched. */
static inline __attribute__((always_inline)) void copy_uniform_sections(const struct accd__segment *segment,
                                                                        char *image, size_t first, size_t end, bool out,
                                                                        const uint64_t bytes)
{
    enum { CACHED = 256 << 10 };
    const uint64_t *const host = segment->host, step = accd__padded(bytes);
    const size_t rows = segment->rows;
    if (rows * bytes < CACHED) {
        for (size_t i = first; i < end; i++, image += step)
            memcpy(out ? accd__pointer(host[i]) : image, out ? image : accd__pointer(host[i]), bytes);
        return;
    }
    for (size_t i = first; i < end; i++, image += step) {
        size_t ahead = i + ACCD_PREFETCH_AHEAD;
        prefetch_section(host[ahead < rows ? ahead : i], bytes);
        memcpy(out ? accd__pointer(host[i]) : image, out ? image : accd__pointer(host[i]), bytes);
    }
}

/* Copies the sections of rows [first, end) of column `f` in the direction of the bulk. Requires a buffer in
 * job->sections[f]. */
static void copy_sections(const struct accd__rows_job *job, size_t f, size_t first, size_t end)
{
    assert(f < job->nsegments && job->sections[f]);
    const struct accd__segment *segment = job->segments[f], *place = job->places[f];
    char *image = job->sections[f] + (accd__section_block_offset(place, first) - job->starts[f]);
    bool out = job->bulk->out;
    if (!segment->bytes_of) {
        switch (segment->bytes) {
        case 16:
            copy_uniform_sections(segment, image, first, end, out, 16);
            break;
        case 32:
            copy_uniform_sections(segment, image, first, end, out, 32);
            break;
        case 64:
            copy_uniform_sections(segment, image, first, end, out, 64);
            break;
        case 128:
            copy_uniform_sections(segment, image, first, end, out, 128);
            break;
        default:
            copy_uniform_sections(segment, image, first, end, out, segment->bytes);
            break;
        }
        return;
    }
    for (size_t i = first; i < end; i++) {
        uint64_t bytes = segment->bytes_of[i];
        size_t ahead = i + ACCD_PREFETCH_AHEAD < segment->rows ? i + ACCD_PREFETCH_AHEAD : i;
        prefetch_section(segment->host[ahead], segment->bytes_of[ahead]);
        if (out && bytes)
            memcpy(accd__pointer(segment->host[i]), image, bytes);
        else if (bytes)
            memcpy(image, accd__pointer(segment->host[i]), bytes);
        image += accd__padded(bytes);
    }
}

/* Returns the buffer with the device content of the element at the cursor. Requires job->rows. */
static char *row_image(const struct accd__rows_job *job, const struct row_cursor *cursor)
{
    assert(job->rows);
    return job->rows + (cursor_offset(cursor) - job->rows_start);
}

/* Writes the device addresses of the sections of column `f` into the buffers of the elements [cursor.row, end).
 * Requires job->rows. Decides TR14-1.2-06, TR14-A.1-02. */
static void write_pointers(const struct accd__rows_job *job, size_t f, struct row_cursor cursor, size_t end)
{
    assert(f < job->nsegments);
    const struct accd__segment *segment = job->segments[f], *place = job->places[f];
    const uint64_t offset = segment->field->offset, unit = segment->field->unit;
    uint64_t dev = job->bulk->block + accd__section_block_offset(place, cursor.row);
    if (cursor.set->parent < 0 && !segment->bytes_of && !segment->start_of && segment->bytes) {
        const uint64_t stride = cursor.set->program->spec.stride, step = accd__padded(segment->bytes);
        uint64_t value = dev - (uint64_t)segment->start * unit;
        char *slot = row_image(job, &cursor) + offset;
        for (size_t i = cursor.row; i < end; i++, slot += stride, value += step)
            memcpy(slot, &value, sizeof value);
        return;
    }
    for (; cursor.row < end; cursor_next(&cursor)) {
        uint64_t bytes = accd__section_bytes(segment, cursor.row);
        uint64_t value = dev - (uint64_t)accd__section_start(segment, cursor.row) * unit;
        if (bytes)
            memcpy(row_image(job, &cursor) + offset, &value, sizeof value);
        dev += accd__padded(bytes);
    }
}

/* Copies the own bytes of the elements [cursor.row, end) in the direction of the bulk. Requires job->rows. */
static void copy_own(const struct accd__rows_job *job, struct row_cursor cursor, size_t end)
{
    assert(cursor.row <= end);
    const struct accd__rowset *set = job->set;
    bool out = job->bulk->out;
    if (job->whole) { /* elements that move as a whole are roots, contiguous on both sides: one copy suffices */
        uint64_t stride = set->program->spec.stride;
        char *host = accd__pointer(set->base + cursor.row * stride);
        char *image = row_image(job, &cursor);
        memcpy(out ? host : image, out ? image : host, (end - cursor.row) * stride);
        return;
    }
    if (set->parent < 0 && job->nown == 1 && job->own[0].bytes == sizeof(uint64_t)) {
        /* the common case, without a cursor: one word beside the pointers of a structure */
        const uint64_t stride = set->program->spec.stride, offset = job->own[0].offset;
        char *host = accd__pointer(set->base + cursor.row * stride + offset);
        char *image = row_image(job, &cursor) + offset;
        for (size_t i = cursor.row; i < end; i++, host += stride, image += stride)
            memcpy(out ? host : image, out ? image : host, sizeof(uint64_t));
        return;
    }
    for (; job->nown && cursor.row < end; cursor_next(&cursor)) {
        char *host = accd__pointer(accd__row_address(set, cursor.row));
        char *image = row_image(job, &cursor);
        for (size_t k = 0; k < job->nown; k++) {
            const struct accd__own_range *own = &job->own[k];
            memcpy((out ? host : image) + own->offset, (out ? image : host) + own->offset, own->bytes);
        }
    }
}

/* Returns the first row of part `part` of job->parts, or the end of all rows for part job->parts. Unless there are few
 * rows, it is a multiple of ACCD_ROWS. */
static size_t part_begin(const struct accd__rows_job *job, unsigned part)
{
    assert(job->parts && part <= job->parts && job->first <= job->end);
    size_t rows = job->end - job->first;
    size_t row = job->first + rows * part / job->parts;
    return part && part < job->parts && rows / ACCD_ROWS >= job->parts ? row / ACCD_ROWS * ACCD_ROWS : row;
}

/* Copies part `part` of the rows of the struct accd__rows_job at `arg`, block by block: own bytes, then each column
 * and, at an entry, its pointers. */
void accd__copy_rows(void *arg, unsigned part)
{
    const struct accd__rows_job *job = arg;
    const size_t from = part_begin(job, part), to = part_begin(job, part + 1);
    for (size_t first = from; first < to; first += ACCD_ROWS) {
        size_t end = first + ACCD_ROWS < to ? first + ACCD_ROWS : to;
        struct row_cursor cursor = {0};
        if (job->rows) {
            cursor = cursor_at(job->bulk, job->set, first);
            copy_own(job, cursor, end);
        }
        for (size_t f = 0; f < job->nsegments; f++) {
            if (job->sections[f])
                copy_sections(job, f, first, end);
            if (job->rows && job->bulk->entry && accd__segment_is_mapped(job->segments[f]) && job->segments[f]->applied)
                write_pointers(job, f, cursor, end);
        }
    }
}

/* Stages a device range, and returns the buffer to be filled with its content. While ranges are only announced,
 * announces the range and returns NULL. */
static char *stage_range(const struct accd__bulk *bulk, uint64_t dev, uint64_t bytes)
{
    struct accd__device_env *env = bulk->env;
    if (bulk->announcing) {
        env->device.ops->announce(env->device.handle, dev, bytes, false);
        return NULL;
    }
    return env->device.ops->stage(env->device.handle, dev, bytes, NULL);
}

/* Stages or fetches a device range, by the direction of the bulk, and returns the buffer with its content. While the
 * bulk is announcing, announces the range and returns NULL. */
char *accd__bulk_device_content(const struct accd__bulk *bulk, uint64_t dev, uint64_t bytes)
{
    struct accd__device_env *env = bulk->env;
    if (!bulk->out)
        return stage_range(bulk, dev, bytes);
    if (bulk->announcing) {
        env->device.ops->announce(env->device.handle, dev, bytes, true);
        return NULL;
    }
    return (char *)(uintptr_t)env->device.ops->fetch(env->device.handle, dev, bytes, NULL);
}

/* Returns the device address of the element at the cursor. */
static uint64_t element_dev(const struct row_cursor *cursor)
{
    const struct accd__bulk *bulk = cursor->bulk;
    if (cursor->set->parent < 0)
        return accd__root_rows_dev(bulk, cursor->set) + cursor_offset(cursor);
    return bulk->block + accd__section_block_offset(cursor->place, 0) + cursor_offset(cursor);
}

/* Moves the own ranges of all elements with a transfer for each range, or announces these transfers. */
void accd__copy_own_ranges(const struct accd__rows_job *job)
{
    for (struct row_cursor cursor = cursor_at(job->bulk, job->set, 0); cursor.row < job->set->rows;
         cursor_next(&cursor)) {
        uint64_t dev = element_dev(&cursor);
        char *host = accd__pointer(accd__row_address(job->set, cursor.row));
        for (size_t k = 0; k < job->nown; k++) {
            const struct accd__own_range *own = &job->own[k];
            char *image = accd__bulk_device_content(job->bulk, dev + own->offset, own->bytes);
            if (image)
                memcpy(job->bulk->out ? host + own->offset : image, job->bulk->out ? image : host + own->offset,
                       own->bytes);
        }
    }
}

/* Writes the pointers of all elements with a transfer each, or announces these transfers. An entry also fills pointers
 * that are not followed, as the knob `untranslated` says. */
void accd__write_words(const struct accd__rows_job *job)
{
    const struct accd__bulk *bulk = job->bulk;
    const accd_program_spec *spec = &job->set->program->spec;
    const accd_untranslated untranslated = bulk->env->context->rules.untranslated;
    for (struct row_cursor cursor = cursor_at(bulk, job->set, 0); cursor.row < job->set->rows; cursor_next(&cursor)) {
        uint64_t dev = element_dev(&cursor);
        for (size_t f = 0; f < job->nsegments; f++) {
            const struct accd__segment *segment = job->segments[f];
            if (!accd__segment_is_mapped(segment) || !accd__section_bytes(segment, cursor.row))
                continue;
            uint64_t shift = (uint64_t)accd__section_start(segment, cursor.row) * segment->field->unit;
            uint64_t value = bulk->entry ? bulk->block + accd__section_block_offset(job->places[f], cursor.row) - shift
                                         : segment->host[cursor.row] - shift;
            uint64_t bytes = accd__field_slot_bytes(segment->field);
            char *slot = stage_range(bulk, dev + segment->field->offset, bytes);
            if (!slot)
                continue;
            memcpy(slot, &value, sizeof value);
            if (bytes > sizeof value) /* writes the bytes of a descriptor after its pointer */
                memcpy(slot + sizeof value,
                       accd__pointer(accd__row_address(job->set, cursor.row) + segment->field->offset + sizeof value),
                       bytes - sizeof value);
        }
        for (size_t p = 0; bulk->entry && untranslated != ACCD_UNTRANSLATED_HOST && p < spec->npieces; p++) {
            const accd_piece *piece = &spec->pieces[p];
            if (!piece->entry_only || !accd__rows_are_moved(bulk, job->set))
                continue;
            char *bytes = stage_range(bulk, dev + piece->offset, piece->bytes);
            if (bytes)
                memset(bytes, untranslated == ACCD_UNTRANSLATED_NULL ? 0 : ACCD_POISON, piece->bytes);
        }
    }
}
