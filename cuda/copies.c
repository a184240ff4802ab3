/* copies.c - the copies of a batch, as calls of the driver in its stream: chunks that a kernel takes apart on
 * the device, pieces that go alone, and what lands in a place of its own first. */
#include "backend.h"

enum {
    FEW = 1,          /* small pieces that are copied by themselves, as large ones are */
    WORD = ACCD_CUDA_WORD,
    STRIP = 64 << 10, /* large pieces that the kernel moves are cut into such */
    THREADS = 256, LANES = 8, BLOCKS_MOST = 4096
};

/* A row of the kernel's table. */
struct row {
    uint64_t to, from, bytes;
};

#define ISSUE(batch, symbol, ...) ((batch)->busy = true, ACCD_CUDA((batch)->cuda, symbol, __VA_ARGS__))
/* The same of calls that change more than our own memory. */
#define CHANGE(batch, symbol, ...) \
    (ISSUE(batch, symbol, __VA_ARGS__) && (batch)->changes++ < UINT64_MAX)

/* The driver wants equal memory on neither side of a copy. */
bool accd_cuda_copy_within(struct accd_cuda_batch *batch, uint64_t to, uint64_t from, uint64_t bytes)
{
    cu_address between = 0;
    if (to - from >= bytes && from - to >= bytes)
        return ISSUE(batch, cuMemcpyDtoDAsync_v2, to, from, bytes, batch->stream->at);
    if (!accd_cuda_get(batch->cuda, batch->stream, bytes, &between))
        return false;
    bool ok = ISSUE(batch, cuMemcpyDtoDAsync_v2, between, from, bytes, batch->stream->at) &&
              ISSUE(batch, cuMemcpyDtoDAsync_v2, to, between, bytes, batch->stream->at);
    accd_cuda_put(batch->cuda, batch->stream, between);
    return ok;
}

static bool has_batches(const struct accd_cuda_batch *batch)
{
    return batch->cuda->driver.cuMemcpyBatchAsync || batch->cuda->driver.cuMemcpyBatchAsync_v2;
}

/* A copy by itself reads page-locked memory later, and the program's may be that. */
bool accd_cuda_may_lend(const struct accd_cuda_batch *batch)
{
    return !accd_cuda_is_queued(batch) || has_batches(batch);
}

/* Sends out what was gathered: as one call, where the driver has it. What the program lends a queue is read
 * before that returns. */
static bool flush(struct accd_cuda_batch *batch, bool out)
{
    struct accd_cuda_group *group = &batch->cuda->group;
    bool at_once = !out && accd_cuda_is_queued(batch);
    struct cu_copy_attributes attributes = {.access = at_once ? CU_ACCESS_DURING_CALL : CU_ACCESS_STREAM};
    size_t n = group->n, first = 0, failed, least = at_once ? 1 : 2;
    group->n = 0;
    if (n >= least && batch->cuda->driver.cuMemcpyBatchAsync_v2)
        return CHANGE(batch, cuMemcpyBatchAsync_v2, group->to, group->from, group->bytes, n,
                      &attributes, &first, 1, batch->stream->at);
    if (n >= least && batch->cuda->driver.cuMemcpyBatchAsync)
        return CHANGE(batch, cuMemcpyBatchAsync, group->to, group->from, group->bytes, n, &attributes,
                      &first, 1, &failed, batch->stream->at);
    for (size_t i = 0; i < n; i++) {
        void *host = (void *)(uintptr_t)(out ? group->to[i] : group->from[i]);
        if (out ? !CHANGE(batch, cuMemcpyDtoHAsync_v2, host, group->from[i], group->bytes[i],
                          batch->stream->at)
                : !CHANGE(batch, cuMemcpyHtoDAsync_v2, group->to[i], host, group->bytes[i],
                          batch->stream->at))
            return false;
    }
    return true;
}

static bool gather(struct accd_cuda_batch *batch, uint64_t to, uint64_t from, uint64_t bytes, bool out)
{
    struct accd_cuda_group *group = &batch->cuda->group;
    group->to[group->n] = to;
    group->from[group->n] = from;
    group->bytes[group->n++] = bytes;
    return group->n < ACCD_CUDA_GROUP || flush(batch, out);
}

static bool copy_alone(struct accd_cuda_batch *batch, const struct accd_cuda_piece *piece, bool out)
{
    uint64_t host = (uint64_t)(uintptr_t)piece->at;
    return out ? gather(batch, host, piece->dev, piece->bytes, true)
               : gather(batch, piece->dev, host, piece->bytes, false);
}

/* The kernel, translated by the driver when it is first needed. */
static bool have_mover(struct accd_cuda_batch *batch)
{
    if (batch->cuda->no_mover ||
        (!batch->stream->scratch &&
         !accd_cuda_get(batch->cuda, batch->stream, ACCD_CUDA_CHUNK, &batch->stream->scratch)))
        return false; /* pieces go one by one then */
    if (batch->cuda->mover)
        return true;
    batch->cuda->no_mover =
        !ACCD_CUDA(batch->cuda, cuModuleLoadData, &batch->cuda->module, accd_cuda_kernels) ||
        !ACCD_CUDA(batch->cuda, cuModuleGetFunction, &batch->cuda->mover, batch->cuda->module, ACCD_MOVE_PIECES);
    return !batch->cuda->no_mover;
}

static bool launch(struct accd_cuda_batch *batch, cu_address table, uint64_t n)
{
    void *parameters[] = {&table, &n};
    uint64_t blocks = (n * LANES + THREADS - 1) / THREADS;
    return CHANGE(batch, cuLaunchKernel, batch->cuda->mover,
                  (unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST), 1, 1, THREADS, 1, 1, 0,
                  batch->stream->at, parameters, NULL);
}

/* Where the table of a chunk begins, behind its pieces. */
static uint64_t table_of(const struct accd_cuda_chunk *chunk)
{
    return (chunk->used + WORD - 1) / WORD * WORD;
}

/* at: where the chunk lies on the device. */
static void write_table(struct accd_cuda_batch *batch, const struct accd_cuda_chunk *chunk, cu_address at,
                        bool out)
{
    char *table = chunk->at + table_of(chunk);
    for (size_t i = 0; i < chunk->n; i++, table += sizeof(struct row)) {
        const struct accd_cuda_piece *piece = &batch->small.at[chunk->first + i];
        uint64_t packed = at + (uint64_t)(piece->at - chunk->at);
        struct row row = {piece->dev, packed, piece->bytes};
        if (out)
            row = (struct row){packed, piece->dev, piece->bytes};
        memcpy(table, &row, sizeof row);
    }
}

/* A chunk lies on the device as it does here: pieces, then the table. One stream: the next chunk comes
 * when this one is done. */
static bool move_chunk(struct accd_cuda_batch *batch, const struct accd_cuda_chunk *chunk, bool out)
{
    const struct accd_cuda_piece *pieces = batch->small.at + chunk->first;
    const uint64_t table = table_of(chunk);
    if (chunk->n <= FEW || !have_mover(batch)) {
        for (size_t i = 0; i < chunk->n; i++)
            if (!copy_alone(batch, &pieces[i], out))
                return false;
        return !batch->cuda->lost;
    }
    write_table(batch, chunk, batch->stream->scratch, out);
    const uint64_t from = out ? table : 0, end = table + chunk->n * sizeof(struct row);
    return ISSUE(batch, cuMemcpyHtoDAsync_v2, batch->stream->scratch + from, chunk->at + from, end - from,
                 batch->stream->at) &&
           launch(batch, batch->stream->scratch + table, chunk->n) &&
           (!out || ISSUE(batch, cuMemcpyDtoHAsync_v2, chunk->at, batch->stream->scratch, chunk->used,
                          batch->stream->at));
}

bool accd_cuda_move_pieces(struct accd_cuda_batch *batch, bool out)
{
    bool ok = true;
    batch->cuda->group.n = 0;
    for (size_t i = out ? batch->in_chunks : 0; ok && i < (out ? batch->nchunks : batch->in_chunks); i++)
        ok = move_chunk(batch, &batch->chunks[i], out);
    for (size_t i = out ? batch->in_large : 0; ok && i < (out ? batch->large.n : batch->in_large); i++)
        ok = copy_alone(batch, &batch->large.at[i], out);
    return ok && flush(batch, out);
}

bool accd_cuda_move_window(struct accd_cuda_batch *batch, const struct accd_cuda_slot *slot)
{
    bool ok = true;
    batch->cuda->group.n = 0;
    for (size_t i = 0; ok && i < batch->filled.n; i++)
        ok = copy_alone(batch, &batch->filled.at[i], false);
    return ok && flush(batch, false) && ISSUE(batch, cuEventRecord, slot->crossed, batch->stream->at);
}

bool accd_cuda_move_receipt(struct accd_cuda_batch *batch)
{
    const struct accd_cuda_run *receipt = &batch->receipt;
    return !receipt->bytes || ISSUE(batch, cuMemcpyDtoHAsync_v2, receipt->at, receipt->dev, receipt->bytes,
                                    batch->stream->at);
}

/* Whether something may lie already where the batch writes. Memory that was never written is
 * given back when its construct fails. */
static bool goes_over_data(const struct accd_cuda_batch *batch)
{
    bool used = false;
    for (size_t i = 0; i < batch->in.n && !used; i++)
        used = batch->in.runs[i].memory->used;
    return used;
}

/* Whether what the batch copies changes the device in more than one call. */
static bool in_many_calls(const struct accd_cuda_batch *batch)
{
    const bool batches = has_batches(batch);
    size_t calls = 0, alone = batch->in_large;
    for (size_t i = 0; i < batch->in_chunks; i++)
        *(batch->chunks[i].n > FEW ? &calls : &alone) += batch->chunks[i].n > FEW ? 1 : batch->chunks[i].n;
    return calls + (batches ? (alone + ACCD_CUDA_GROUP - 1) / ACCD_CUDA_GROUP : alone) > 1;
}

/* Rows for a large piece that lies at a place on the device; rows may be NULL. Returns their number. */
static size_t add_strips(struct row *rows, const struct accd_cuda_piece *piece, uint64_t from)
{
    size_t n = 0;
    for (uint64_t at = 0; at < piece->bytes; at += STRIP, n++) {
        uint64_t left = piece->bytes - at;
        if (rows)
            rows[n] = (struct row){piece->dev + at, from + at, left < STRIP ? left : STRIP};
    }
    return n;
}

static void measure(const struct accd_cuda_batch *batch, struct accd_cuda_landing *landing)
{
    *landing = (struct accd_cuda_landing){0};
    for (size_t i = 0; i < batch->in_chunks; i++) {
        const struct accd_cuda_chunk *chunk = &batch->chunks[i];
        landing->table += table_of(chunk) + chunk->n * sizeof(struct row);
        landing->n += chunk->n;
    }
    for (size_t i = 0; i < batch->in_large; i++) {
        landing->nlarge += add_strips(NULL, &batch->large.at[i], 0);
        landing->table += (batch->large.at[i].bytes + 2 * WORD - 1) / WORD * WORD;
    }
    landing->n += landing->nlarge;
    landing->bytes = landing->table + landing->n * sizeof(struct row);
}

static bool land(struct accd_cuda_batch *batch)
{
    const struct accd_cuda_landing *landing = &batch->landing;
    uint64_t place = landing->at, table = landing->at + landing->table;
    size_t n = 0;
    batch->cuda->group.n = 0;
    for (size_t i = 0; i < batch->in_chunks; i++) {
        const struct accd_cuda_chunk *chunk = &batch->chunks[i];
        const uint64_t rows = table_of(chunk), length = chunk->n * sizeof(struct row);
        write_table(batch, chunk, place, false);
        if (!ISSUE(batch, cuMemcpyHtoDAsync_v2, place, chunk->at, rows + length, batch->stream->at) ||
            !ISSUE(batch, cuMemcpyDtoDAsync_v2, table, place + rows, length, batch->stream->at))
            return false;
        place += rows + length;
        table += length;
    }
    for (size_t i = 0; i < batch->in_large; i++) {
        const struct accd_cuda_piece *piece = &batch->large.at[i];
        const uint64_t from = place + piece->dev % WORD;
        n += add_strips(landing->rows + n, piece, from);
        if (!gather(batch, from, (uint64_t)(uintptr_t)piece->at, piece->bytes, false))
            return false;
        place += (piece->bytes + 2 * WORD - 1) / WORD * WORD;
    }
    return flush(batch, false) &&
           (!n || ISSUE(batch, cuMemcpyHtoDAsync_v2, table, landing->rows, n * sizeof(struct row),
                        batch->stream->at)) &&
           launch(batch, landing->at + landing->table, landing->n);
}

/* Whether it is issued as one launch. Otherwise, without a failure, it goes the usual way, because there is no
 * kernel, or no memory to land in. */
static bool bring_at_once(struct accd_cuda_batch *batch, bool *done_p)
{
    struct accd_cuda_landing *landing = &batch->landing;
    *done_p = false;
    if (!in_many_calls(batch) || !goes_over_data(batch) || !have_mover(batch))
        return !batch->cuda->lost;
    measure(batch, landing);
    landing->rows = accd_mem_array(batch->cuda->mem, landing->nlarge + 1, sizeof(struct row));
    *done_p = landing->rows && accd_cuda_get(batch->cuda, batch->stream, landing->bytes, &landing->at);
    return *done_p ? land(batch) : !batch->cuda->lost;
}

void accd_cuda_landed(struct accd_cuda_batch *batch)
{
    struct accd_cuda_landing *landing = &batch->landing;
    if (landing->at)
        accd_cuda_put(batch->cuda, batch->stream, landing->at);
    accd_mem_free(batch->cuda->mem, landing->rows, (landing->nlarge + 1) * sizeof(struct row));
    *landing = (struct accd_cuda_landing){0};
}

bool accd_cuda_bring(struct accd_cuda_batch *batch)
{
    bool done;
    batch->changes = 0;
    batch->torn = false;
    bool ok = bring_at_once(batch, &done);
    batch->torn = !done && goes_over_data(batch);
    return ok && (done || accd_cuda_move_pieces(batch, false));
}
