/* windows.c - new columns on their way to a device, a window of rows at a time: while the device takes one,
 * threads fill the next. Windows reach across rowsets, so that there are as many as there are bytes for. */
#include "ops/copy_rows.h"

/* Columns of new memory into which nothing is written any more once they are filled. */
static bool stays_as_filled(const struct accd_bulk *bulk, const struct accd_segment *segment)
{
    const struct accd_rowset *inner = segment->elements < 0 ? NULL : &bulk->walk->rowsets[segment->elements];
    return accd_bulk_dense(bulk, segment) && !(inner && inner->rows && inner->nsegments);
}

/* Whether the elements can be filled together with their pointers, some at a time: pointers of embedded
 * structures are written into them later. */
static bool rows_in_windows(const struct accd_rows_job *job)
{
    const struct accd_backend *ops = job->bulk->dir->device.ops;
    if (!job->whole || accd_padded(job->set->program->spec.stride) > ops->part_bytes)
        return false;
    for (size_t f = 0; f < job->nsegments; f++)
        if (!accd_segment_maps(job->segments[f]))
            return false;
    return true;
}

/* Decides about a rowset whose columns are known. Little is better off together with others. */
void accd_windows_choose(struct accd_rows_job *job)
{
    const struct accd_bulk *bulk = job->bulk;
    uint64_t bytes = 0;
    if (!bulk->windows)
        return;
    job->rows_too = rows_in_windows(job);
    if (job->rows_too)
        bytes += job->set->rows * job->set->program->spec.stride;
    for (size_t f = 0; f < job->nsegments; f++)
        if (stays_as_filled(bulk, job->segments[f]))
            bytes += job->segments[f]->total;
    job->windows = bytes >= ACCD_SEND_LEAST;
    job->rows_too = job->rows_too && job->windows;
}

bool accd_column_in_windows(const struct accd_rows_job *job, size_t f)
{
    return job->windows && stays_as_filled(job->bulk, job->segments[f]);
}

/* Place of a row's section, or the end of the column. */
static uint64_t place_of_row(const struct accd_segment *place, size_t row)
{
    return row < place->rows ? accd_section_place(place, row) : place->dev + place->total;
}

static uint64_t window_bytes(const struct accd_rows_job *job, size_t first, size_t end)
{
    uint64_t bytes = job->rows_too ? accd_padded((end - first) * job->set->program->spec.stride) : 0;
    for (size_t f = 0; f < job->nsegments; f++)
        if (accd_column_in_windows(job, f))
            bytes += place_of_row(job->places[f], end) - place_of_row(job->places[f], first);
    return bytes;
}

static uint64_t row_bytes(const struct accd_rows_job *job, size_t row)
{
    uint64_t bytes = job->rows_too ? accd_padded(job->set->program->spec.stride) : 0;
    for (size_t f = 0; f < job->nsegments; f++)
        if (accd_column_in_windows(job, f))
            bytes += accd_padded(accd_section_bytes(job->segments[f], row));
    return bytes;
}

/* Rows from first on that fit into so many bytes: whole blocks, and more if much was left over. */
static size_t window_end(const struct accd_rows_job *job, size_t first, uint64_t room)
{
    const uint64_t much = job->bulk->dir->device.ops->part_bytes / 8;
    const size_t rows = job->set->rows;
    size_t end = first;
    for (uint64_t bytes; end < rows; room -= bytes) {
        size_t next = (end / ACCD_ROWS + 1) * ACCD_ROWS;
        next = next < rows ? next : rows;
        bytes = window_bytes(job, end, next);
        if (bytes > room)
            break;
        end = next;
    }
    if (room > much)
        for (uint64_t bytes; end < rows && (bytes = row_bytes(job, end)) <= room; end++)
            room -= bytes;
    return end;
}

static char *stage_part(struct accd_bulk *bulk, uint64_t dev, uint64_t bytes)
{
    struct accd_directory *dir = bulk->dir;
    bulk->room -= accd_padded(bytes);
    return dir->device.ops->stage_part(dir->device.handle, dev, bytes);
}

void accd_windows_send(struct accd_bulk *bulk)
{
    struct accd_directory *dir = bulk->dir;
    if (bulk->room < dir->device.ops->part_bytes)
        dir->device.ops->send_parts(dir->device.handle);
    bulk->room = dir->device.ops->part_bytes;
}

/* Threads are worth it for many rows, or for many lines of the cache. */
static unsigned parts_for(const struct accd_rows_job *job, size_t rows, uint64_t bytes)
{
    enum { LINE = 64 };
    return accd_parts_for(job->bulk->dir->context, rows * (job->nsegments + 1) + bytes / LINE);
}

/* Fills the elements, and their sections if they are wanted. */
static void fill_window(struct accd_bulk *bulk, struct accd_rows_job *job, size_t first, size_t end,
                        bool sections)
{
    const uint64_t stride = job->set->program->spec.stride;
    job->first = first;
    job->end = end;
    job->parts = parts_for(job, end - first, window_bytes(job, first, end));
    if (job->rows_too) {
        job->rows_start = first * stride;
        job->rows = stage_part(bulk, accd_root_dev(bulk, job->set) + job->rows_start, (end - first) * stride);
    }
    for (size_t f = 0; f < job->nsegments; f++) {
        const struct accd_segment *place = job->places[f];
        if (!accd_column_in_windows(job, f))
            continue;
        uint64_t from = place_of_row(place, first), to = place_of_row(place, end);
        job->starts[f] = from;
        job->sections[f] = sections && to > from
                               ? stage_part(bulk, bulk->block + from, to - from)
                               : NULL;
    }
    accd_workers_run(bulk->dir->context->workers, accd_copy_rows, job, job->parts);
}

struct slices {
    char *to;
    const char *from;
    uint64_t bytes;
    unsigned n;
};

static void copy_slice(void *arg, unsigned part)
{
    const struct slices *slices = arg;
    uint64_t from = slices->bytes * part / slices->n, to = slices->bytes * (part + 1) / slices->n;
    memcpy(slices->to + from, slices->from + from, to - from);
}

/* A row that no window holds: the element first, then its sections, cut where a window ends. */
static void fill_long_row(struct accd_bulk *bulk, struct accd_rows_job *job, size_t row)
{
    accd_context *context = bulk->dir->context;
    fill_window(bulk, job, row, row + 1, false);
    for (size_t f = 0; f < job->nsegments; f++) {
        if (!accd_column_in_windows(job, f))
            continue;
        uint64_t dev = bulk->block + accd_section_place(job->places[f], row);
        const char *from = accd_pointer(job->segments[f]->host[row]);
        uint64_t left = accd_section_bytes(job->segments[f], row);
        while (left) {
            if (!bulk->room)
                accd_windows_send(bulk);
            uint64_t bytes = left < bulk->room ? left : bulk->room;
            struct slices slices = {stage_part(bulk, dev, bytes), from, bytes, parts_for(job, 0, bytes)};
            accd_workers_run(context->workers, copy_slice, &slices, slices.n);
            dev += bytes;
            from += bytes;
            left -= bytes;
        }
    }
}

void accd_windows_fill(struct accd_bulk *bulk, struct accd_rows_job *job)
{
    for (size_t row = 0, end; row < job->set->rows; row = end) {
        end = window_end(job, row, bulk->room);
        if (end == row) {
            accd_windows_send(bulk);
            end = window_end(job, row, bulk->room);
        }
        if (end > row)
            fill_window(bulk, job, row, end, true);
        else
            fill_long_row(bulk, job, end++);
    }
    for (size_t f = 0; f < job->nsegments; f++)
        if (accd_column_in_windows(job, f))
            job->sections[f] = NULL; /* it is gone */
}

void accd_windows_announce(const struct accd_rows_job *job)
{
    const struct accd_bulk *bulk = job->bulk;
    const struct accd_directory *dir = bulk->dir;
    if (job->rows_too)
        dir->device.ops->announce_parts(dir->device.handle, accd_root_dev(bulk, job->set),
                                 job->set->rows * job->set->program->spec.stride);
    for (size_t f = 0; f < job->nsegments; f++)
        if (accd_column_in_windows(job, f))
            dir->device.ops->announce_parts(dir->device.handle, bulk->block + job->places[f]->dev,
                                     job->segments[f]->total);
}
