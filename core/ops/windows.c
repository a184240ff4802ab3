/* windows.c - sends new columns to a device in windows. A column holds the sections of one pointer field, one for each
 * row (element); copy_rows.h explains these words. A window is as many rows as fit into one buffer of the device
 * (ops->part_bytes), perhaps of several rowsets, so that few windows are needed. Threads fill a window while the device
 * receives the previous one. Used by bulk.c. */
#include "ops/copy_rows.h"

#include <assert.h>

/* True if the column `segment` moves, and is complete once it is filled: no later step writes pointers into its
 * elements. */
static bool is_final_when_filled(const struct accd__bulk *bulk, const struct accd__segment *segment)
{
    const struct accd__rowset *inner = segment->elements < 0 ? NULL : &bulk->walk->rowsets[segment->elements];
    return accd__is_dense_column(bulk, segment) && !(inner && inner->rows && inner->nsegments);
}

/* True if the elements of a rowset can be filled together with their pointers, in windows. They must move as a whole
 * (job->whole), and one must fit into a window. False if a field is an embedded element, because its pointers are
 * written later. */
static bool can_window_rows(const struct accd__rows_job *job)
{
    const struct accd_backend *ops = job->bulk->env->device.ops;
    if (!job->whole || accd__padded(job->set->program->spec.stride) > ops->part_bytes)
        return false;
    for (size_t f = 0; f < job->nsegments; f++)
        if (!accd__segment_is_mapped(job->segments[f]))
            return false;
    return true;
}

/* Sets job->windows if the columns that are complete when filled, and the elements, have at least ACCD_MIN_DIRECT_SEND
 * bytes. Smaller rowsets are sent with the other ranges. Sets job->sends_rows if the elements are sent in the windows,
 * too. */
void accd__windows_choose(struct accd__rows_job *job)
{
    const struct accd__bulk *bulk = job->bulk;
    uint64_t bytes = 0;
    if (!bulk->windows)
        return;
    job->sends_rows = can_window_rows(job);
    if (job->sends_rows)
        bytes += job->set->rows * job->set->program->spec.stride;
    for (size_t f = 0; f < job->nsegments; f++)
        if (is_final_when_filled(bulk, job->segments[f]))
            bytes += job->segments[f]->total;
    job->windows = bytes >= ACCD_MIN_DIRECT_SEND;
    job->sends_rows = job->sends_rows && job->windows;
}

/* True if the rowset uses windows, and column `f` is complete once it is filled, so that it is sent in them. */
bool accd__is_column_in_windows(const struct accd__rows_job *job, size_t f)
{
    return job->windows && is_final_when_filled(job->bulk, job->segments[f]);
}

/* Returns the offset in the group's block of the section of row `row` of column `place`; for row place->rows, the end
 * of the column. */
static uint64_t row_block_offset(const struct accd__segment *place, size_t row)
{
    assert(row <= place->rows);
    return row < place->rows ? accd__section_block_offset(place, row) : place->dev + place->total;
}

/* Returns the bytes that the rows [first, end) need in a window: their sections in all columns that use windows and,
 * with sends_rows, the elements. */
static uint64_t window_bytes(const struct accd__rows_job *job, size_t first, size_t end)
{
    assert(first <= end);
    uint64_t bytes = job->sends_rows ? accd__padded((end - first) * job->set->program->spec.stride) : 0;
    for (size_t f = 0; f < job->nsegments; f++)
        if (accd__is_column_in_windows(job, f))
            bytes += row_block_offset(job->places[f], end) - row_block_offset(job->places[f], first);
    return bytes;
}

/* Returns the bytes that the single row `row` needs in a window. */
static uint64_t row_window_bytes(const struct accd__rows_job *job, size_t row)
{
    uint64_t bytes = job->sends_rows ? accd__padded(job->set->program->spec.stride) : 0;
    for (size_t f = 0; f < job->nsegments; f++)
        if (accd__is_column_in_windows(job, f))
            bytes += accd__padded(accd__section_bytes(job->segments[f], row));
    return bytes;
}

/* Returns the end of the rows from `first` on that fit into `capacity` bytes. Whole blocks of ACCD_ROWS rows come
 * first, then single rows if an eighth of a window is left. Returns `first` if no row fits. */
static size_t window_end(const struct accd__rows_job *job, size_t first, uint64_t capacity)
{
    const uint64_t much = job->bulk->env->device.ops->part_bytes / 8;
    const size_t rows = job->set->rows;
    size_t end = first;
    for (uint64_t bytes; end < rows; capacity -= bytes) {
        size_t next = (end / ACCD_ROWS + 1) * ACCD_ROWS;
        next = next < rows ? next : rows;
        bytes = window_bytes(job, end, next);
        if (bytes > capacity)
            break;
        end = next;
    }
    if (capacity > much)
        for (uint64_t bytes; end < rows && (bytes = row_window_bytes(job, end)) <= capacity; end++)
            capacity -= bytes;
    return end;
}

/* Stages a device range in the window, and returns the buffer to be filled with its content. Requires that the range
 * fits into the rest of the window. */
static char *stage_window_part(struct accd__bulk *bulk, uint64_t dev, uint64_t bytes)
{
    assert(bytes && bytes <= bulk->capacity);
    struct accd__device_env *env = bulk->env;
    bulk->capacity -= accd__padded(bytes);
    return env->device.ops->stage_part(env->device.handle, dev, bytes);
}

/* Sends the present window unless it is empty, and begins a new one. */
void accd__windows_send(struct accd__bulk *bulk)
{
    struct accd__device_env *env = bulk->env;
    if (bulk->capacity < env->device.ops->part_bytes)
        env->device.ops->send_parts(env->device.handle);
    bulk->capacity = env->device.ops->part_bytes;
}

/* Returns the number of threads that fill `rows` rows and `bytes` bytes of a window: several for many rows, or for many
 * cache lines. */
static unsigned choose_window_parts(const struct accd__rows_job *job, size_t rows, uint64_t bytes)
{
    enum { LINE = 64 };
    return accd__choose_part_count(job->bulk->env->context, rows * (job->nsegments + 1) + bytes / LINE);
}

/* Fills the window with the elements [first, end), if job->sends_rows is set, and with their sections if `sections` is
 * set. Requires that they fit. */
static void fill_window_rows(struct accd__bulk *bulk, struct accd__rows_job *job, size_t first, size_t end,
                             bool sections)
{
    assert(first < end && end <= job->set->rows);
    const uint64_t stride = job->set->program->spec.stride;
    job->first = first;
    job->end = end;
    job->parts = choose_window_parts(job, end - first, window_bytes(job, first, end));
    if (job->sends_rows) {
        job->rows_start = first * stride;
        job->rows =
            stage_window_part(bulk, accd__root_rows_dev(bulk, job->set) + job->rows_start, (end - first) * stride);
    }
    for (size_t f = 0; f < job->nsegments; f++) {
        const struct accd__segment *place = job->places[f];
        if (!accd__is_column_in_windows(job, f))
            continue;
        uint64_t from = row_block_offset(place, first), to = row_block_offset(place, end);
        job->starts[f] = from;
        job->sections[f] = sections && to > from ? stage_window_part(bulk, bulk->block + from, to - from) : NULL;
    }
    accd__workers_run(bulk->env->context->workers, accd__copy_rows, job, job->parts);
}

/* A copy of `bytes` bytes in `n` slices, one for each worker thread. */
struct copy_slices {
    char *to;
    const char *from;
    uint64_t bytes;
    unsigned n;
};

/* Copies slice `part` of the struct copy_slices at `arg`. Runs on worker threads. */
static void copy_slice(void *arg, unsigned part)
{
    assert(part < ((const struct copy_slices *)arg)->n);
    const struct copy_slices *copy_slices = arg;
    uint64_t from = copy_slices->bytes * part / copy_slices->n, to = copy_slices->bytes * (part + 1) / copy_slices->n;
    memcpy(copy_slices->to + from, copy_slices->from + from, to - from);
}

/* Fills windows with a row that is larger than one: the element first, then its sections, split where a window ends. */
static void fill_long_row(struct accd__bulk *bulk, struct accd__rows_job *job, size_t row)
{
    accd_context *context = bulk->env->context;
    fill_window_rows(bulk, job, row, row + 1, false);
    for (size_t f = 0; f < job->nsegments; f++) {
        if (!accd__is_column_in_windows(job, f))
            continue;
        uint64_t dev = bulk->block + accd__section_block_offset(job->places[f], row);
        const char *from = accd__pointer(job->segments[f]->host[row]);
        uint64_t remaining = accd__section_bytes(job->segments[f], row);
        while (remaining) {
            if (!bulk->capacity)
                accd__windows_send(bulk);
            uint64_t bytes = remaining < bulk->capacity ? remaining : bulk->capacity;
            struct copy_slices copy_slices = {stage_window_part(bulk, dev, bytes), from, bytes,
                                              choose_window_parts(job, 0, bytes)};
            accd__workers_run(context->workers, copy_slice, &copy_slices, copy_slices.n);
            dev += bytes;
            from += bytes;
            remaining -= bytes;
        }
    }
}

/* Fills one window after the other with the rows that fit. */
void accd__windows_fill(struct accd__bulk *bulk, struct accd__rows_job *job)
{
    for (size_t row = 0, end; row < job->set->rows; row = end) {
        end = window_end(job, row, bulk->capacity);
        if (end == row) {
            accd__windows_send(bulk);
            end = window_end(job, row, bulk->capacity);
        }
        if (end > row)
            fill_window_rows(bulk, job, row, end, true);
        else
            fill_long_row(bulk, job, end++);
    }
    for (size_t f = 0; f < job->nsegments; f++)
        if (accd__is_column_in_windows(job, f))
            job->sections[f] = NULL; /* the buffers of the windows have been sent and must not be used again */
}

/* Announces each column that uses windows and, with job->sends_rows, the elements, as ranges that are sent in parts. */
void accd__windows_announce(const struct accd__rows_job *job)
{
    const struct accd__bulk *bulk = job->bulk;
    const struct accd__device_env *env = bulk->env;
    if (job->sends_rows)
        env->device.ops->announce_parts(env->device.handle, accd__root_rows_dev(bulk, job->set),
                                        job->set->rows * job->set->program->spec.stride);
    for (size_t f = 0; f < job->nsegments; f++)
        if (accd__is_column_in_windows(job, f))
            env->device.ops->announce_parts(env->device.handle, bulk->block + job->places[f]->dev,
                                            job->segments[f]->total);
}
