/* copies.c - executes the copies of a batch as driver calls in its stream.
 *
 * A piece is a range of device memory that one copy moves; a chunk is host memory with many small pieces. Chunks are
 * copied as a whole, and a kernel on the device, the mover (kernels.c), distributes or collects their pieces. Large
 * pieces are copied one by one. Uploads over existing data may first be copied to a landing area (struct
 * accd__cuda_landing_area). Functions that issue calls return false if a call failed; cuda->why then has the reason.
 * `out`: from the device to the host. */
#include "backend.h"

#include <assert.h>

enum {
    MAX_SINGLE_COPIES = 1, /* a chunk with more pieces than this needs the kernel that moves pieces */
    WORD = ACCD_CUDA_WORD,
    STRIP = 64 << 10, /* greatest number of bytes that one row of the kernel's table moves for a large piece */
    THREADS = 256,    /* threads of a block of the kernel */
    LANES = 8,        /* threads that move one piece */
    BLOCKS_MOST = 4096
};

/* Row of the table of the kernel that moves pieces: a copy within device memory. */
struct move_row {
    uint64_t to, from, bytes;
};

/* Issues the driver call `symbol` in the batch's stream, and marks the batch as busy; true if the call succeeded. */
#define ISSUE(batch, symbol, ...) ((batch)->busy = true, ACCD_CUDA((batch)->cuda, symbol, __VA_ARGS__))
/* Issues a driver call that changes data of the core, not only memory of the backend, and counts the call in
 * batch->changes; true if the call succeeded. */
#define CHANGE(batch, symbol, ...) (ISSUE(batch, symbol, __VA_ARGS__) && (batch)->changes++ < UINT64_MAX)

/* Issues a copy within the device; returns false if a call failed. Copies overlapping ranges through a buffer, because
 * the driver does not support overlap. */
bool accd__cuda_copy_within(struct accd__cuda_batch *batch, uint64_t to, uint64_t from, uint64_t bytes)
{
    cu_address buffer = 0;
    if (to - from >= bytes && from - to >= bytes)
        return ISSUE(batch, cuMemcpyDtoDAsync_v2, to, from, bytes, batch->stream->at);
    if (!accd__cuda_pool_alloc(batch->cuda, batch->stream, bytes, &buffer))
        return false;
    bool ok = ISSUE(batch, cuMemcpyDtoDAsync_v2, buffer, from, bytes, batch->stream->at) &&
              ISSUE(batch, cuMemcpyDtoDAsync_v2, to, buffer, bytes, batch->stream->at);
    accd__cuda_pool_free(batch->cuda, batch->stream, buffer);
    return ok;
}

/* Returns true if the driver has a function that executes many copies with one call. */
static bool has_batches(const struct accd__cuda_batch *batch)
{
    return batch->cuda->driver.cuMemcpyBatchAsync || batch->cuda->driver.cuMemcpyBatchAsync_v2;
}

/* Returns true if uploads may read memory of the host program directly. Returns false for a batch of a queue if the
 * driver has no batch calls. Its copies would read page-locked memory of the program later, after the program may
 * have changed it. */
bool accd__cuda_can_borrow_host_memory(const struct accd__cuda_batch *batch)
{
    return !accd__cuda_is_queued(batch) || has_batches(batch);
}

/* Issues the copies of the group (copies that wait for a common driver call), and empties the group. Uses one driver
 * call if the driver supports batches. For an upload of a queue, the call returns after it has read the host memory.
 * Returns false if a call failed. */
static bool flush_group(struct accd__cuda_batch *batch, bool out)
{
    struct accd__cuda_group *group = &batch->cuda->group;
    assert(group->n <= ACCD_CUDA_GROUP);
    bool at_once = !out && accd__cuda_is_queued(batch);
    struct cu_copy_attributes attributes = {.access = at_once ? CU_ACCESS_DURING_CALL : CU_ACCESS_STREAM};
    size_t n = group->n, first = 0, failed, least = at_once ? 1 : 2;
    group->n = 0;
    if (n >= least && batch->cuda->driver.cuMemcpyBatchAsync_v2)
        return CHANGE(batch, cuMemcpyBatchAsync_v2, group->to, group->from, group->bytes, n, &attributes, &first, 1,
                      batch->stream->at);
    if (n >= least && batch->cuda->driver.cuMemcpyBatchAsync)
        return CHANGE(batch, cuMemcpyBatchAsync, group->to, group->from, group->bytes, n, &attributes, &first, 1,
                      &failed, batch->stream->at);
    for (size_t i = 0; i < n; i++) {
        void *host = (void *)(uintptr_t)(out ? group->to[i] : group->from[i]);
        if (out ? !CHANGE(batch, cuMemcpyDtoHAsync_v2, host, group->from[i], group->bytes[i], batch->stream->at)
                : !CHANGE(batch, cuMemcpyHtoDAsync_v2, group->to[i], host, group->bytes[i], batch->stream->at))
            return false;
    }
    return true;
}

/* Adds a copy of `bytes` bytes between a host and a device address to the group, and issues the copies of a full
 * group. Returns false if a call failed. */
static bool add_to_group(struct accd__cuda_batch *batch, uint64_t to, uint64_t from, uint64_t bytes, bool out)
{
    struct accd__cuda_group *group = &batch->cuda->group;
    assert(group->n < ACCD_CUDA_GROUP);
    group->to[group->n] = to;
    group->from[group->n] = from;
    group->bytes[group->n++] = bytes;
    return group->n < ACCD_CUDA_GROUP || flush_group(batch, out);
}

/* Adds the copy between the host memory and the device memory of a piece to the group of copies. Returns false if a
 * driver call failed. */
static bool add_piece_to_group(struct accd__cuda_batch *batch, const struct accd__cuda_piece *piece, bool out)
{
    uint64_t host = (uint64_t)(uintptr_t)piece->at;
    return out ? add_to_group(batch, host, piece->dev, piece->bytes, true)
               : add_to_group(batch, piece->dev, host, piece->bytes, false);
}

/* Loads the kernel that moves pieces, and allocates the stream's scratch memory, at their first use. Returns false if
 * one of them is missing, so that pieces must be copied one by one. */
static bool load_mover(struct accd__cuda_batch *batch)
{
    if (batch->cuda->no_mover ||
        (!batch->stream->scratch &&
         !accd__cuda_pool_alloc(batch->cuda, batch->stream, ACCD_CUDA_CHUNK, &batch->stream->scratch)))
        return false;
    if (batch->cuda->mover)
        return true;
    batch->cuda->no_mover =
        !ACCD_CUDA(batch->cuda, cuModuleLoadData, &batch->cuda->module, accd__cuda_kernels) ||
        !ACCD_CUDA(batch->cuda, cuModuleGetFunction, &batch->cuda->mover, batch->cuda->module, ACCD_MOVE_PIECES);
    return !batch->cuda->no_mover;
}

/* Launches the kernel that moves pieces, for a table of n rows at device address `table`. Returns false if the call
 * failed. */
static bool launch_mover(struct accd__cuda_batch *batch, cu_address table, uint64_t n)
{
    void *parameters[] = {&table, &n};
    uint64_t blocks = (n * LANES + THREADS - 1) / THREADS;
    return CHANGE(batch, cuLaunchKernel, batch->cuda->mover, (unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST), 1,
                  1, THREADS, 1, 1, 0, batch->stream->at, parameters, NULL);
}

/* Returns the offset of the kernel's table in a chunk: after the pieces, at a whole word. */
static uint64_t chunk_table_offset(const struct accd__cuda_chunk *chunk)
{
    return (chunk->used + WORD - 1) / WORD * WORD;
}

/* Writes the kernel's table in a chunk that will be copied to address `at` on the device. The rows of the table move
 * the small pieces from there to their places in the data; with `out`, from their places to there. */
static void write_table(struct accd__cuda_batch *batch, const struct accd__cuda_chunk *chunk, cu_address at, bool out)
{
    char *table = chunk->at + chunk_table_offset(chunk);
    for (size_t i = 0; i < chunk->n; i++, table += sizeof(struct move_row)) {
        const struct accd__cuda_piece *piece = &batch->small.at[chunk->first + i];
        uint64_t packed = at + (uint64_t)(piece->at - chunk->at);
        struct move_row row = {piece->dev, packed, piece->bytes};
        if (out)
            row = (struct move_row){packed, piece->dev, piece->bytes};
        memcpy(table, &row, sizeof row);
    }
}

/* Issues the copies of the small pieces in a chunk; returns false if a call failed. The chunk is copied to or from
 * the scratch memory, where it has the same layout: pieces, then the kernel's table. The next chunk uses the scratch
 * memory again, which is safe because the copies of both are in one stream. */
static bool move_chunk(struct accd__cuda_batch *batch, const struct accd__cuda_chunk *chunk, bool out)
{
    assert(chunk->used <= ACCD_CUDA_CHUNK);
    const struct accd__cuda_piece *pieces = batch->small.at + chunk->first;
    const uint64_t table = chunk_table_offset(chunk);
    if (chunk->n <= MAX_SINGLE_COPIES || !load_mover(batch)) {
        for (size_t i = 0; i < chunk->n; i++)
            if (!add_piece_to_group(batch, &pieces[i], out))
                return false;
        return !batch->cuda->is_lost;
    }
    write_table(batch, chunk, batch->stream->scratch, out);
    const uint64_t from = out ? table : 0, end = table + chunk->n * sizeof(struct move_row);
    return ISSUE(batch, cuMemcpyHtoDAsync_v2, batch->stream->scratch + from, chunk->at + from, end - from,
                 batch->stream->at) &&
           launch_mover(batch, batch->stream->scratch + table, chunk->n) &&
           (!out ||
            ISSUE(batch, cuMemcpyDtoHAsync_v2, chunk->at, batch->stream->scratch, chunk->used, batch->stream->at));
}

/* Issues the copies of all pieces of the batch in one direction; returns false if a call failed. */
bool accd__cuda_move_pieces(struct accd__cuda_batch *batch, bool out)
{
    bool ok = true;
    batch->cuda->group.n = 0;
    for (size_t i = out ? batch->in_chunks : 0; ok && i < (out ? batch->nchunks : batch->in_chunks); i++)
        ok = move_chunk(batch, &batch->chunks[i], out);
    for (size_t i = out ? batch->in_large : 0; ok && i < (out ? batch->large.n : batch->in_large); i++)
        ok = add_piece_to_group(batch, &batch->large.at[i], out);
    return ok && flush_group(batch, out);
}

/* Issues the copies of the parts of uploads in a window, and records the event slot->sent_event after them. Returns
 * false if a call failed. */
bool accd__cuda_move_window(struct accd__cuda_batch *batch, const struct accd__cuda_slot *slot)
{
    bool ok = true;
    batch->cuda->group.n = 0;
    for (size_t i = 0; ok && i < batch->filled.n; i++)
        ok = add_piece_to_group(batch, &batch->filled.at[i], false);
    return ok && flush_group(batch, false) && ISSUE(batch, cuEventRecord, slot->sent_event, batch->stream->at);
}

/* Issues the copy of the receipt (a download straight to memory of the host program). Returns true if there is none,
 * and false if the call failed. */
bool accd__cuda_move_receipt(struct accd__cuda_batch *batch)
{
    const struct accd__cuda_run *receipt = &batch->receipt;
    return !receipt->bytes ||
           ISSUE(batch, cuMemcpyDtoHAsync_v2, receipt->at, receipt->dev, receipt->bytes, batch->stream->at);
}

/* Returns true if the batch uploads into an allocation that has data, so that a failure could damage them.
 * Allocations without data do not count, because they are freed if their construct fails. */
static bool overwrites_data(const struct accd__cuda_batch *batch)
{
    bool used = false;
    for (size_t i = 0; i < batch->in.n && !used; i++)
        used = batch->in.runs[i].memory->has_data;
    return used;
}

/* Returns true if the uploads need more than one driver call that changes the data. */
static bool needs_many_calls(const struct accd__cuda_batch *batch)
{
    const bool batches = has_batches(batch);
    size_t calls = 0, single_copies = batch->in_large;
    for (size_t i = 0; i < batch->in_chunks; i++)
        *(batch->chunks[i].n > MAX_SINGLE_COPIES ? &calls : &single_copies) +=
            batch->chunks[i].n > MAX_SINGLE_COPIES ? 1 : batch->chunks[i].n;
    return calls + (batches ? (single_copies + ACCD_CUDA_GROUP - 1) / ACCD_CUDA_GROUP : single_copies) > 1;
}

/* Fills rows of the kernel's table for a large piece that lies at `from` on the device: one row for each STRIP bytes.
 * Only counts the rows if `rows` is NULL. Returns the number of rows. */
static size_t add_strip_rows(struct move_row *rows, const struct accd__cuda_piece *piece, uint64_t from)
{
    size_t n = 0;
    for (uint64_t at = 0; at < piece->bytes; at += STRIP, n++) {
        uint64_t left = piece->bytes - at;
        if (rows)
            rows[n] = (struct move_row){piece->dev + at, from + at, left < STRIP ? left : STRIP};
    }
    return n;
}

/* Sets the sizes and numbers of the landing area *landing for all uploads of the batch; allocates nothing. */
static void measure_landing_area(const struct accd__cuda_batch *batch, struct accd__cuda_landing_area *landing)
{
    *landing = (struct accd__cuda_landing_area){0};
    for (size_t i = 0; i < batch->in_chunks; i++) {
        const struct accd__cuda_chunk *chunk = &batch->chunks[i];
        landing->table += chunk_table_offset(chunk) + chunk->n * sizeof(struct move_row);
        landing->n += chunk->n;
    }
    for (size_t i = 0; i < batch->in_large; i++) {
        landing->nlarge += add_strip_rows(NULL, &batch->large.at[i], 0);
        landing->table += (batch->large.at[i].bytes + 2 * WORD - 1) / WORD * WORD;
    }
    landing->n += landing->nlarge;
    landing->bytes = landing->table + landing->n * sizeof(struct move_row);
}

/* Issues the copies of all uploads to the landing area, which must be allocated. Then issues the kernel launch that
 * moves the pieces from there to their places. Returns false if a call failed. */
static bool issue_landing(struct accd__cuda_batch *batch)
{
    const struct accd__cuda_landing_area *landing = &batch->landing;
    uint64_t place = landing->at, table = landing->at + landing->table;
    size_t n = 0;
    batch->cuda->group.n = 0;
    for (size_t i = 0; i < batch->in_chunks; i++) {
        const struct accd__cuda_chunk *chunk = &batch->chunks[i];
        const uint64_t rows = chunk_table_offset(chunk), length = chunk->n * sizeof(struct move_row);
        write_table(batch, chunk, place, false);
        if (!ISSUE(batch, cuMemcpyHtoDAsync_v2, place, chunk->at, rows + length, batch->stream->at) ||
            !ISSUE(batch, cuMemcpyDtoDAsync_v2, table, place + rows, length, batch->stream->at))
            return false;
        place += rows + length;
        table += length;
    }
    for (size_t i = 0; i < batch->in_large; i++) {
        const struct accd__cuda_piece *piece = &batch->large.at[i];
        const uint64_t from = place + piece->dev % WORD;
        n += add_strip_rows(landing->rows + n, piece, from);
        if (!add_to_group(batch, from, (uint64_t)(uintptr_t)piece->at, piece->bytes, false))
            return false;
        place += (piece->bytes + 2 * WORD - 1) / WORD * WORD;
    }
    return flush_group(batch, false) &&
           (!n ||
            ISSUE(batch, cuMemcpyHtoDAsync_v2, table, landing->rows, n * sizeof(struct move_row), batch->stream->at)) &&
           launch_mover(batch, landing->at + landing->table, landing->n);
}

/* Issues the uploads through a landing area if they overwrite data and need several calls, and then sets *done_p to
 * true. Otherwise, or without the kernel or memory for the area, sets *done_p to false and issues nothing. Returns
 * false if a call failed or the device is lost, else true. */
static bool issue_as_one_launch(struct accd__cuda_batch *batch, bool *done_p)
{
    struct accd__cuda_landing_area *landing = &batch->landing;
    *done_p = false;
    if (!needs_many_calls(batch) || !overwrites_data(batch) || !load_mover(batch))
        return !batch->cuda->is_lost;
    measure_landing_area(batch, landing);
    landing->rows = accd__mem_alloc_array(batch->cuda->mem, landing->nlarge + 1, sizeof(struct move_row));
    *done_p = landing->rows && accd__cuda_pool_alloc(batch->cuda, batch->stream, landing->bytes, &landing->at);
    return *done_p ? issue_landing(batch) : !batch->cuda->is_lost;
}

/* Frees the landing area of a batch (device memory that uploads are copied to first), if there is one. */
void accd__cuda_free_landing_area(struct accd__cuda_batch *batch)
{
    struct accd__cuda_landing_area *landing = &batch->landing;
    if (landing->at)
        accd__cuda_pool_free(batch->cuda, batch->stream, landing->at);
    accd__mem_free(batch->cuda->mem, landing->rows, (landing->nlarge + 1) * sizeof(struct move_row));
    *landing = (struct accd__cuda_landing_area){0};
}

/* Issues all uploads of a batch, through a landing area or directly; returns false if a call failed. */
bool accd__cuda_issue_uploads(struct accd__cuda_batch *batch)
{
    bool done;
    batch->changes = 0;
    batch->may_tear = false;
    bool ok = issue_as_one_launch(batch, &done);
    batch->may_tear = !done && overwrites_data(batch);
    return ok && (done || accd__cuda_move_pieces(batch, false));
}
