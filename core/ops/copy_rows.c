/* copy_rows.c - rows of a group copied in blocks, so that an element, its sections and its pointers are touched
 * together; the memory of the sections is fetched some rows ahead, because it lies anywhere. */
#include "ops/copy_rows.h"
#include "device/written.h"

static const struct accd_demand *demand_of(uint8_t action) { return &accd_demands[action]; }

static bool moves(const struct accd_bulk *bulk, uint8_t action)
{
    return bulk->out ? demand_of(action)->out : demand_of(action)->in;
}

/* Sections that go as they are: plain data, or elements none of whose bytes need care. */
bool accd_bulk_dense(const struct accd_bulk *bulk, const struct accd_segment *segment)
{
    const accd_program *child = segment->field->child;
    if (!accd_segment_maps(segment) || !segment->applied || !moves(bulk, segment->action))
        return false;
    return !child || (accd_moves_whole(child, segment->action, bulk->out) &&
                      (bulk->entry || !child->spec.nfields));
}

static bool is_slot(const accd_field *field) { return !field->embedded && !field->in_place; }

/* The bytes of one element that move, without the pointers that are followed: those are written on
 * entry and kept otherwise (TR14-4.1-06). Returns their number; own has room for all.
 * Decides TR14-4.1-06. */
static size_t own_ranges(const struct accd_bulk *bulk, const struct accd_rowset *set,
                         struct accd_own_range *own)
{
    const accd_program_spec *spec = &set->program->spec;
    size_t n = 0;
    for (size_t p = 0; p < spec->npieces; p++) {
        const accd_piece *piece = &spec->pieces[p];
        if (!moves(bulk, accd_effective(piece->action, piece->init, set->action)))
            continue;
        if (piece->entry_only && (!bulk->entry || bulk->dir->context->rules.untranslated != ACCD_AS_HOST))
            continue;
        uint64_t at = piece->offset, end = piece->offset + piece->bytes;
        while (at < end) { /* the next slot at or behind it */
            uint64_t slot = end, behind = end;
            for (size_t f = 0; !bulk->entry && f < spec->nfields; f++) {
                uint64_t from = spec->fields[f].offset;
                uint64_t to = from + accd_field_slot_bytes(&spec->fields[f]);
                if (!is_slot(&spec->fields[f]) || to <= at || from >= slot)
                    continue;
                slot = from > at ? from : at; /* the piece may begin inside it */
                behind = to;
            }
            if (slot > at && n && own[n - 1].offset + own[n - 1].bytes == at)
                own[n - 1].bytes += slot - at;
            else if (slot > at)
                own[n++] = (struct accd_own_range){at, slot - at};
            at = behind;
        }
    }
    return n;
}

/* Whether the own bytes of a rowset's elements are this job's to move: roots always, inner elements
 * unless they go with their section. */
bool accd_rows_move(const struct accd_bulk *bulk, const struct accd_rowset *set)
{
    if (!set->rows)
        return false;
    if (set->parent < 0)
        return bulk->own[-1 - set->parent];
    const struct accd_segment *segment = &bulk->walk->segments[set->parent];
    return !accd_bulk_dense(bulk, segment);
}

/* Number of ranges of each element that move, left in bulk->ranges. */
size_t accd_bulk_own(const struct accd_bulk *bulk, const struct accd_rowset *set)
{
    return accd_rows_move(bulk, set) ? own_ranges(bulk, set, bulk->ranges) : 0;
}

/* Elements in order, with the place of each on the device. */
struct row_cursor {
    const struct accd_bulk *bulk;
    const struct accd_rowset *set;
    const struct accd_segment *parent, *place; /* of inner elements */
    size_t row, section;
    uint64_t section_dev; /* of inner elements: place of their section behind the first one's */
    uint64_t left;        /* elements of the section still to come, this one included */
};

uint64_t accd_root_dev(const struct accd_bulk *bulk, const struct accd_rowset *set)
{
    return bulk->roots[-1 - set->parent];
}

static void enter_section(struct row_cursor *cursor)
{
    uint64_t unit = cursor->parent->field->unit;
    while (!(cursor->left = accd_section_bytes(cursor->parent, cursor->section) / unit)) {
        cursor->section_dev += accd_padded(accd_section_bytes(cursor->parent, cursor->section));
        cursor->section++;
    }
}

static struct row_cursor cursor_at(const struct accd_bulk *bulk, const struct accd_rowset *set, size_t row)
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
        accd_section_place(cursor.place, cursor.section) - accd_section_place(cursor.place, 0);
    uint64_t into = accd_row_address(set, row) - cursor.parent->host[cursor.section];
    cursor.left = accd_section_bytes(cursor.parent, cursor.section) / set->program->spec.stride -
                  into / set->program->spec.stride;
    return cursor;
}

/* Offset of the element behind the first byte of the rowset's device content. */
static uint64_t cursor_offset(const struct row_cursor *cursor)
{
    const struct accd_rowset *set = cursor->set;
    uint64_t at = accd_row_address(set, cursor->row);
    if (set->parent < 0)
        return at - set->base;
    return cursor->section_dev + (at - cursor->parent->host[cursor->section]);
}

static void cursor_next(struct row_cursor *cursor)
{
    cursor->row++;
    if (cursor->set->parent < 0 || cursor->row >= cursor->set->rows || --cursor->left)
        return;
    cursor->section_dev += accd_padded(accd_section_bytes(cursor->parent, cursor->section));
    cursor->section++;
    enter_section(cursor);
}

/* Always inline: gcc takes a function that only prefetches for one without effect. */
static inline __attribute__((always_inline)) void fetch(uint64_t at, uint64_t bytes)
{
    __builtin_prefetch(accd_pointer(at)); /* may be null, and empty */
    __builtin_prefetch(accd_pointer(at + (bytes < 192 ? bytes - 1 : 64)));
}

/* Sections of one length: the compiler makes a few moves of a constant one. What fits into the cache
 * is not fetched ahead. */
static inline __attribute__((always_inline)) void
copy_equal(const struct accd_segment *segment, char *image, size_t first, size_t end, bool out,
           const uint64_t bytes)
{
    enum { CACHED = 256 << 10 };
    const uint64_t *const host = segment->host, step = accd_padded(bytes);
    const size_t rows = segment->rows;
    if (rows * bytes < CACHED) {
        for (size_t i = first; i < end; i++, image += step)
            memcpy(out ? accd_pointer(host[i]) : image, out ? image : accd_pointer(host[i]), bytes);
        return;
    }
    for (size_t i = first; i < end; i++, image += step) {
        size_t ahead = i + ACCD_PREFETCH_AHEAD;
        fetch(host[ahead < rows ? ahead : i], bytes);
        memcpy(out ? accd_pointer(host[i]) : image, out ? image : accd_pointer(host[i]), bytes);
    }
}

/* Sections of rows [first, end) of one column. */
static void copy_sections(const struct accd_rows_job *job, size_t f, size_t first, size_t end)
{
    const struct accd_segment *segment = job->segments[f], *place = job->places[f];
    char *image = job->sections[f] + (accd_section_place(place, first) - job->starts[f]);
    bool out = job->bulk->out;
    if (!segment->bytes_of) {
        switch (segment->bytes) {
        case 16: copy_equal(segment, image, first, end, out, 16); break;
        case 32: copy_equal(segment, image, first, end, out, 32); break;
        case 64: copy_equal(segment, image, first, end, out, 64); break;
        case 128: copy_equal(segment, image, first, end, out, 128); break;
        default: copy_equal(segment, image, first, end, out, segment->bytes); break;
        }
        return;
    }
    for (size_t i = first; i < end; i++) {
        uint64_t bytes = segment->bytes_of[i];
        size_t ahead = i + ACCD_PREFETCH_AHEAD < segment->rows ? i + ACCD_PREFETCH_AHEAD : i;
        fetch(segment->host[ahead], segment->bytes_of[ahead]);
        if (out && bytes)
            memcpy(accd_pointer(segment->host[i]), image, bytes);
        else if (bytes)
            memcpy(image, accd_pointer(segment->host[i]), bytes);
        image += accd_padded(bytes);
    }
}

/* Device content of an element. */
static char *row_image(const struct accd_rows_job *job, const struct row_cursor *cursor)
{
    return job->rows + (cursor_offset(cursor) - job->rows_start);
}

/* Writes the device addresses of one column's sections into the device's elements.
 * Decides TR14-1.2-06, TR14-A.1-02. */
static void write_pointers(const struct accd_rows_job *job, size_t f, struct row_cursor cursor, size_t end)
{
    const struct accd_segment *segment = job->segments[f], *place = job->places[f];
    const uint64_t offset = segment->field->offset, unit = segment->field->unit;
    uint64_t dev = job->bulk->block + accd_section_place(place, cursor.row);
    if (cursor.set->parent < 0 && !segment->bytes_of && !segment->start_of && segment->bytes) {
        const uint64_t stride = cursor.set->program->spec.stride, step = accd_padded(segment->bytes);
        uint64_t value = dev - (uint64_t)segment->start * unit;
        char *slot = row_image(job, &cursor) + offset;
        for (size_t i = cursor.row; i < end; i++, slot += stride, value += step)
            memcpy(slot, &value, sizeof value);
        return;
    }
    for (; cursor.row < end; cursor_next(&cursor)) {
        uint64_t bytes = accd_section_bytes(segment, cursor.row);
        uint64_t value = dev - (uint64_t)accd_section_start(segment, cursor.row) * unit;
        if (bytes)
            memcpy(row_image(job, &cursor) + offset, &value, sizeof value);
        dev += accd_padded(bytes);
    }
}

static void copy_own(const struct accd_rows_job *job, struct row_cursor cursor, size_t end)
{
    const struct accd_rowset *set = job->set;
    bool out = job->bulk->out;
    if (job->whole) { /* roots only: contiguous on both sides */
        uint64_t stride = set->program->spec.stride;
        char *host = accd_pointer(set->base + cursor.row * stride);
        char *image = row_image(job, &cursor);
        memcpy(out ? host : image, out ? image : host, (end - cursor.row) * stride);
        return;
    }
    if (set->parent < 0 && job->nown == 1 && job->own[0].bytes == sizeof(uint64_t)) {
        /* a word between pointers, the common rest of a structure */
        const uint64_t stride = set->program->spec.stride, offset = job->own[0].offset;
        char *host = accd_pointer(set->base + cursor.row * stride + offset);
        char *image = row_image(job, &cursor) + offset;
        for (size_t i = cursor.row; i < end; i++, host += stride, image += stride)
            memcpy(out ? host : image, out ? image : host, sizeof(uint64_t));
        return;
    }
    for (; job->nown && cursor.row < end; cursor_next(&cursor)) {
        char *host = accd_pointer(accd_row_address(set, cursor.row));
        char *image = row_image(job, &cursor);
        for (size_t k = 0; k < job->nown; k++) {
            const struct accd_own_range *own = &job->own[k];
            memcpy((out ? host : image) + own->offset, (out ? image : host) + own->offset, own->bytes);
        }
    }
}

/* The first row of a part: that of a block, unless there are few. */
static size_t part_begin(const struct accd_rows_job *job, unsigned part)
{
    size_t rows = job->end - job->first;
    size_t row = job->first + rows * part / job->parts;
    return part && part < job->parts && rows / ACCD_ROWS >= job->parts ? row / ACCD_ROWS * ACCD_ROWS : row;
}

void accd_copy_rows(void *arg, unsigned part)
{
    const struct accd_rows_job *job = arg;
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
            if (job->rows && job->bulk->entry && accd_segment_maps(job->segments[f]) &&
                job->segments[f]->applied)
                write_pointers(job, f, cursor, end);
        }
    }
}

/* Memory for what the range is to hold; NULL while ranges are only announced. */
static char *stage(const struct accd_bulk *bulk, uint64_t dev, uint64_t bytes)
{
    struct accd_directory *dir = bulk->dir;
    if (bulk->announcing) {
        dir->device.ops->announce(dir->device.handle, dev, bytes, false);
        return NULL;
    }
    return dir->device.ops->stage(dir->device.handle, dev, bytes);
}

/* Device content of [dev, dev + bytes): to be filled, or as it is. NULL: as above. */
char *accd_bulk_image(const struct accd_bulk *bulk, uint64_t dev, uint64_t bytes)
{
    struct accd_directory *dir = bulk->dir;
    if (!bulk->out)
        return stage(bulk, dev, bytes);
    if (bulk->announcing) {
        dir->device.ops->announce(dir->device.handle, dev, bytes, true);
        return NULL;
    }
    return (char *)(uintptr_t)dir->device.ops->fetch(dir->device.handle, dev, bytes);
}

static uint64_t element_dev(const struct row_cursor *cursor)
{
    const struct accd_bulk *bulk = cursor->bulk;
    if (cursor->set->parent < 0)
        return accd_root_dev(bulk, cursor->set) + cursor_offset(cursor);
    return bulk->block + accd_section_place(cursor->place, 0) + cursor_offset(cursor);
}

/* Elements that are not sent as a whole: their ranges one by one. */
void accd_own_one_by_one(const struct accd_rows_job *job)
{
    for (struct row_cursor cursor = cursor_at(job->bulk, job->set, 0); cursor.row < job->set->rows;
         cursor_next(&cursor)) {
        uint64_t dev = element_dev(&cursor);
        char *host = accd_pointer(accd_row_address(job->set, cursor.row));
        for (size_t k = 0; k < job->nown; k++) {
            const struct accd_own_range *own = &job->own[k];
            char *image = accd_bulk_image(job->bulk, dev + own->offset, own->bytes);
            if (image)
                memcpy(job->bulk->out ? host + own->offset : image,
                       job->bulk->out ? image : host + own->offset, own->bytes);
        }
    }
}

/* Words into elements that were not filled as a whole: device addresses on entry, host addresses
 * into roots that stay behind. */
void accd_words_one_by_one(const struct accd_rows_job *job)
{
    const struct accd_bulk *bulk = job->bulk;
    const accd_program_spec *spec = &job->set->program->spec;
    const accd_untranslated way = bulk->dir->context->rules.untranslated;
    for (struct row_cursor cursor = cursor_at(bulk, job->set, 0); cursor.row < job->set->rows;
         cursor_next(&cursor)) {
        uint64_t dev = element_dev(&cursor);
        for (size_t f = 0; f < job->nsegments; f++) {
            const struct accd_segment *segment = job->segments[f];
            if (!accd_segment_maps(segment) || !accd_section_bytes(segment, cursor.row))
                continue;
            uint64_t shift = (uint64_t)accd_section_start(segment, cursor.row) * segment->field->unit;
            uint64_t value =
                bulk->entry ? bulk->block +
                                  accd_section_place(job->places[f], cursor.row) - shift
                            : segment->host[cursor.row] - shift;
            uint64_t bytes = accd_field_slot_bytes(segment->field);
            char *slot = stage(bulk, dev + segment->field->offset, bytes);
            if (!slot)
                continue;
            memcpy(slot, &value, sizeof value);
            if (bytes > sizeof value) /* the rest of a descriptor */
                memcpy(slot + sizeof value,
                       accd_pointer(accd_row_address(job->set, cursor.row) +
                                    segment->field->offset + sizeof value),
                       bytes - sizeof value);
        }
        for (size_t p = 0; bulk->entry && way != ACCD_AS_HOST && p < spec->npieces; p++) {
            const accd_piece *piece = &spec->pieces[p];
            if (!piece->entry_only || !accd_rows_move(bulk, job->set))
                continue;
            char *bytes = stage(bulk, dev + piece->offset, piece->bytes);
            if (bytes)
                memset(bytes, way == ACCD_AS_NULL ? 0 : ACCD_POISON, piece->bytes);
        }
    }
}
