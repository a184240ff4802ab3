/* transfer.c - batches. What a construct moves is announced first, so that all memory is there before
 * anything is filled; then a million small pieces and their pointers are packed into chunks, and each
 * chunk crosses in one transfer and is taken apart (put together, on the way back) on the device.
 * Driver calls grow with bytes / chunk, not with pieces.
 *
 * Runs are what was announced, as far as it is contiguous; pieces are what is copied: runs, or all runs of
 * a cluster that overlap, which share their memory, so that what is staged last wins. What comes back
 * is complete before the first byte reaches the host's memory. What goes over data that are there, in more
 * than one call, crosses to a place of its own first: the one launch that takes it apart is all or nothing. */
#include "backend.h"
#include "sort.h"
#include "written.h"

enum {
    CHUNK = 4 << 20,
    LARGE = ACCD_SEND_LEAST, /* pieces that are copied by themselves */
    FEW = 1,                 /* small pieces that are, too */
    GAP = 256,               /* bytes fetched for nothing, rather than beginning another piece */
    WORD = 8,                /* places are equal within a word on both sides */
    STRIP = 64 << 10,        /* large pieces that the kernel moves are cut into such */
    THREADS = 256, LANES = 8, BLOCKS_MOST = 4096
};

/* A row of the kernel's table. */
struct row {
    uint64_t to, from, bytes;
};

/* --------------------------------------------------------------------------------- announced -- */

accd_status accd_cuda_begin(void *device, const struct accd_traffic *traffic)
{
    struct accd_cuda *cuda = device;
    uint64_t copies = traffic->in + traffic->out + traffic->within;
    if (!cuda->lost)
        cuda->why[0] = 0;
    if (cuda->fail_copy && cuda->fail_copy <= copies) {
        cuda->fail_copy = 0;
        return ACCD_DEVICE_ERROR;
    }
    if (cuda->fail_copy)
        cuda->fail_copy -= copies;
    cuda->mixed = traffic->in && traffic->out;
    cuda->failed = ACCD_OK;
    if (!accd_cuda_enter(cuda)) {
        accd_cuda_leave(cuda);
        return accd_cuda_status(cuda);
    }
    return ACCD_OK;
}

static void fail(struct accd_cuda *cuda, accd_status status)
{
    if (cuda->failed == ACCD_OK)
        cuda->failed = status;
}

/* Whether what is announced belongs to the last run: it lies in it or, by as much as gap, behind it. */
static bool joins(struct accd_cuda_run *run, uint64_t dev, uint64_t bytes, uint64_t gap)
{
    uint64_t end = run->dev + run->bytes;
    if (run->from || dev < run->dev || dev > end + gap ||
        dev + bytes > run->memory->dev + run->memory->bytes)
        return false;
    if (dev + bytes > end)
        run->bytes = dev + bytes - run->dev;
    return true;
}

static void add_run(struct accd_cuda *cuda, struct accd_cuda_side *side, uint64_t dev,
                    uint64_t bytes, const char *from)
{
    struct accd_cuda_memory *memory = accd_cuda_memory_at(cuda, dev);
    if (!memory) {
        fail(cuda, ACCD_DEVICE_ERROR);
        return;
    }
    if (!accd_mem_grow(cuda->mem, (void **)&side->runs, &side->room, side->n + 1,
                       sizeof side->runs[0])) {
        fail(cuda, ACCD_OUT_OF_MEMORY);
        return;
    }
    side->runs[side->n++] = (struct accd_cuda_run){
        .dev = dev, .bytes = bytes, .memory = memory, .from = from};
}

void accd_cuda_announce(void *device, uint64_t dev, uint64_t bytes, bool out)
{
    struct accd_cuda *cuda = device;
    struct accd_cuda_side *side = out ? &cuda->out : &cuda->in;
    bool separate = cuda->mixed && !out; /* what is fetched may ask for each by itself */
    if (cuda->failed != ACCD_OK || !bytes)
        return;
    if (side->n && !separate && joins(&side->runs[side->n - 1], dev, bytes, out ? GAP : 0))
        return;
    add_run(cuda, side, dev, bytes, NULL);
}

void accd_cuda_send(void *device, uint64_t dev, const void *host, uint64_t bytes)
{
    struct accd_cuda *cuda = device;
    if (cuda->failed == ACCD_OK)
        add_run(cuda, &cuda->in, dev, bytes, host);
}

/* -------------------------------------------------------------------------------- its memory -- */

static char *new_chunk(struct accd_cuda *cuda, struct accd_cuda_chunk **chunk_p)
{
    if (!accd_mem_grow(cuda->mem, (void **)&cuda->chunks, &cuda->chunks_room, cuda->nchunks + 1,
                       sizeof cuda->chunks[0]))
        return NULL;
    struct accd_cuda_chunk *chunk = &cuda->chunks[cuda->nchunks];
    *chunk = (struct accd_cuda_chunk){.first = cuda->nsmall};
    if (cuda->nchunks < ACCD_CUDA_RING && !cuda->no_ring) {
        char **slot = &cuda->ring[cuda->nchunks];
        void *pinned = *slot;
        /* a system that pins no more memory still has other */
        if (!pinned && ACCD_CUDA(cuda, cuMemHostAlloc, &pinned, CHUNK, 0))
            *slot = pinned;
        else if (!pinned)
            cuda->no_ring = true;
        chunk->at = *slot;
        chunk->pinned = *slot != NULL;
    }
    if (!chunk->at)
        chunk->at = accd_mem_new(cuda->mem, CHUNK);
    if (!chunk->at)
        return NULL;
    cuda->nchunks++;
    *chunk_p = chunk;
    return chunk->at;
}

/* Adds a piece and gives it memory: in the last chunk of this way, if it is small. */
static char *add_piece(struct accd_cuda *cuda, const struct accd_cuda_piece *piece,
                       size_t first_chunk)
{
    bool small = piece->bytes < LARGE;
    struct accd_cuda_piece **list = small ? &cuda->small : &cuda->large;
    size_t *n = small ? &cuda->nsmall : &cuda->nlarge;
    if (!accd_mem_grow(cuda->mem, (void **)list, small ? &cuda->small_room : &cuda->large_room,
                       *n + 1, sizeof **list))
        return NULL;
    struct accd_cuda_piece *added = &(*list)[*n];
    *added = *piece;
    if (!small) {
        added->lent = added->at != NULL;
        if (!added->at)
            added->at = accd_mem_new(cuda->mem, piece->bytes);
        if (added->at)
            ++*n;
        return added->at;
    }
    struct accd_cuda_chunk *chunk =
        cuda->nchunks > first_chunk ? &cuda->chunks[cuda->nchunks - 1] : NULL;
    uint64_t at = chunk ? chunk->used + (piece->dev - chunk->used) % WORD : 0;
    if (!chunk || at + piece->bytes + WORD + (chunk->n + 1) * sizeof(struct row) > CHUNK) {
        if (!new_chunk(cuda, &chunk))
            return NULL;
        at = piece->dev % WORD;
    }
    added->at = chunk->at + at;
    chunk->used = at + piece->bytes;
    chunk->n++;
    ++*n;
    return added->at;
}

/* Runs that ascend without overlap are pieces as they are; among others, those that overlap share one. */
static bool place_in(struct accd_cuda *cuda)
{
    struct accd_cuda_side *in = &cuda->in;
    bool ordered = true;
    for (size_t i = 1; i < in->n && ordered; i++)
        ordered = in->runs[i].dev >= in->runs[i - 1].dev + in->runs[i - 1].bytes;
    if (!accd_mem_grow(cuda->mem, (void **)&cuda->pairs, &cuda->pairs_room, 2 * in->n,
                       sizeof cuda->pairs[0]))
        return false;
    for (size_t i = 0; i < in->n; i++)
        cuda->pairs[i] = (struct accd_pair){in->runs[i].dev, i};
    const struct accd_pair *sorted =
        ordered ? cuda->pairs : accd_sort_pairs(cuda->pairs, cuda->pairs + in->n, in->n);
    size_t npieces = 0;
    for (size_t i = 0, next; i < in->n; i = next) {
        const struct accd_cuda_run *first = &in->runs[sorted[i].value];
        struct accd_cuda_piece piece = {
            .dev = first->dev, .bytes = first->bytes, .memory = first->memory};
        for (next = i + 1; next < in->n; next++) {
            const struct accd_cuda_run *run = &in->runs[sorted[next].value];
            if (run->dev >= piece.dev + piece.bytes)
                break;
            if (run->dev + run->bytes > piece.dev + piece.bytes)
                piece.bytes = run->dev + run->bytes - piece.dev;
        }
        if (next == i + 1)
            piece.at = (char *)(uintptr_t)first->from;
        char *at = add_piece(cuda, &piece, 0);
        if (!at)
            return false;
        for (size_t k = i; k < next; k++) {
            struct accd_cuda_run *run = &in->runs[sorted[k].value];
            run->at = at + (run->dev - piece.dev);
            if (run->from && run->from != run->at)
                memcpy(run->at, run->from, run->bytes);
        }
        /* from here on the pairs are pieces; those that were runs up to next are done with */
        cuda->pairs[npieces++] = (struct accd_pair){piece.dev, piece.dev + piece.bytes};
    }
    cuda->npieces = npieces;
    return true;
}

/* Whether a piece of the way in meets the range. Pieces ascend. */
static bool meets_in(const struct accd_cuda *cuda, uint64_t dev, uint64_t bytes)
{
    size_t low = 0, high = cuda->npieces;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cuda->pairs[middle].value <= dev)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cuda->npieces && cuda->pairs[low].key < dev + bytes;
}

static bool place_out(struct accd_cuda *cuda)
{
    cuda->crossed = false;
    for (size_t i = 0; i < cuda->out.n; i++) {
        struct accd_cuda_run *run = &cuda->out.runs[i];
        cuda->crossed = cuda->crossed || (cuda->mixed && meets_in(cuda, run->dev, run->bytes));
        const struct accd_cuda_piece piece = {
            .dev = run->dev, .bytes = run->bytes, .memory = run->memory};
        run->at = add_piece(cuda, &piece, cuda->in_chunks);
        if (!run->at)
            return false;
    }
    return true;
}

static void give_memory_back(struct accd_cuda *cuda)
{
    for (size_t i = 0; i < cuda->nchunks; i++)
        if (!cuda->chunks[i].pinned)
            accd_mem_free(cuda->mem, cuda->chunks[i].at, CHUNK);
    for (size_t i = 0; i < cuda->nlarge; i++)
        if (!cuda->large[i].lent)
            accd_mem_free(cuda->mem, cuda->large[i].at, cuda->large[i].bytes);
    cuda->nchunks = cuda->nsmall = cuda->nlarge = cuda->in_chunks = cuda->in_large = 0;
    cuda->ncopied = 0;
    cuda->in.n = cuda->in.cursor = cuda->in.reached = 0;
    cuda->out.n = cuda->out.cursor = cuda->out.reached = 0;
}

/* ------------------------------------------------------------------------------------ copies -- */

#define ISSUE(cuda, symbol, ...) ((cuda)->busy = true, ACCD_CUDA(cuda, symbol, __VA_ARGS__))
/* The same of calls that change more than our own memory. */
#define CHANGE(cuda, symbol, ...) \
    (ISSUE(cuda, symbol, __VA_ARGS__) && (cuda)->changes++ < UINT64_MAX)

static bool wait(struct accd_cuda *cuda)
{
    bool busy = cuda->busy;
    cuda->busy = false;
    return !busy || accd_cuda_wait(cuda);
}

/* The driver wants equal memory on neither side of a copy. */
static bool copy_apart(struct accd_cuda *cuda, uint64_t to, uint64_t from, uint64_t bytes)
{
    cu_address between = 0;
    if (to - from >= bytes && from - to >= bytes)
        return ISSUE(cuda, cuMemcpyDtoDAsync_v2, to, from, bytes, cuda->stream);
    if (!accd_cuda_get(cuda, bytes, &between))
        return false;
    bool ok = ISSUE(cuda, cuMemcpyDtoDAsync_v2, between, from, bytes, cuda->stream) &&
              ISSUE(cuda, cuMemcpyDtoDAsync_v2, to, between, bytes, cuda->stream);
    accd_cuda_put(cuda, between);
    return ok;
}

void accd_cuda_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct accd_cuda *cuda = device;
    if (cuda->failed != ACCD_OK)
        return;
    if (!accd_mem_grow(cuda->mem, (void **)&cuda->copied, &cuda->copied_room, cuda->ncopied + 1,
                       sizeof cuda->copied[0])) {
        fail(cuda, ACCD_OUT_OF_MEMORY);
        return;
    }
    cuda->copied[cuda->ncopied++] = (struct accd_cuda_copied){to, from, bytes};
    if (!copy_apart(cuda, to, from, bytes))
        fail(cuda, accd_cuda_status(cuda));
}

/* Once copies within the device are done: what they brought was written as far as it was there. */
static void mark_copied(struct accd_cuda *cuda)
{
    for (size_t i = 0; i < cuda->ncopied; i++) {
        const struct accd_cuda_copied *copied = &cuda->copied[i];
        struct accd_cuda_memory *to = accd_cuda_memory_at(cuda, copied->to);
        const struct accd_cuda_memory *from = accd_cuda_memory_at(cuda, copied->from);
        if (to && from) {
            to->used = true;
            accd_written_copy(to->bits, copied->to - to->dev, from->bits, copied->from - from->dev,
                              copied->bytes);
        }
    }
    cuda->ncopied = 0;
}

/* Sends out what was gathered: as one call, where the driver has it. */
static bool flush(struct accd_cuda *cuda, bool out)
{
    struct accd_cuda_group *group = &cuda->group;
    struct cu_copy_attributes attributes = {.access = CU_ACCESS_STREAM};
    size_t n = group->n, first = 0, failed;
    group->n = 0;
    if (n > 1 && cuda->driver.cuMemcpyBatchAsync_v2)
        return CHANGE(cuda, cuMemcpyBatchAsync_v2, group->to, group->from, group->bytes, n,
                      &attributes, &first, 1, cuda->stream);
    if (n > 1 && cuda->driver.cuMemcpyBatchAsync)
        return CHANGE(cuda, cuMemcpyBatchAsync, group->to, group->from, group->bytes, n, &attributes,
                      &first, 1, &failed, cuda->stream);
    for (size_t i = 0; i < n; i++) {
        void *host = (void *)(uintptr_t)(out ? group->to[i] : group->from[i]);
        if (out ? !CHANGE(cuda, cuMemcpyDtoHAsync_v2, host, group->from[i], group->bytes[i],
                          cuda->stream)
                : !CHANGE(cuda, cuMemcpyHtoDAsync_v2, group->to[i], host, group->bytes[i],
                          cuda->stream))
            return false;
    }
    return true;
}

static bool copy_alone(struct accd_cuda *cuda, const struct accd_cuda_piece *piece, bool out)
{
    struct accd_cuda_group *group = &cuda->group;
    uint64_t host = (uint64_t)(uintptr_t)piece->at;
    group->to[group->n] = out ? host : piece->dev;
    group->from[group->n] = out ? piece->dev : host;
    group->bytes[group->n++] = piece->bytes;
    return group->n < ACCD_CUDA_GROUP || flush(cuda, out);
}

/* The kernel, translated by the driver when it is first needed. */
static bool have_mover(struct accd_cuda *cuda)
{
    if (cuda->mover || cuda->no_mover)
        return !cuda->no_mover;
    if (!cuda->scratch && !accd_cuda_get(cuda, CHUNK, &cuda->scratch))
        return false; /* pieces go one by one then */
    cuda->no_mover =
        !ACCD_CUDA(cuda, cuModuleLoadData, &cuda->module, accd_cuda_kernels) ||
        !ACCD_CUDA(cuda, cuModuleGetFunction, &cuda->mover, cuda->module, ACCD_MOVE_PIECES);
    return !cuda->no_mover;
}

static bool launch(struct accd_cuda *cuda, cu_address table, uint64_t n)
{
    void *parameters[] = {&table, &n};
    uint64_t blocks = (n * LANES + THREADS - 1) / THREADS;
    return CHANGE(cuda, cuLaunchKernel, cuda->mover,
                  (unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST), 1, 1, THREADS, 1, 1, 0,
                  cuda->stream, parameters, NULL);
}

/* Where the table of a chunk begins, behind its pieces. */
static uint64_t table_of(const struct accd_cuda_chunk *chunk)
{
    return (chunk->used + WORD - 1) / WORD * WORD;
}

/* at: where the chunk lies on the device. */
static void write_table(struct accd_cuda *cuda, const struct accd_cuda_chunk *chunk, cu_address at,
                        bool out)
{
    char *table = chunk->at + table_of(chunk);
    for (size_t i = 0; i < chunk->n; i++, table += sizeof(struct row)) {
        const struct accd_cuda_piece *piece = &cuda->small[chunk->first + i];
        uint64_t packed = at + (uint64_t)(piece->at - chunk->at);
        struct row row = {piece->dev, packed, piece->bytes};
        if (out)
            row = (struct row){packed, piece->dev, piece->bytes};
        memcpy(table, &row, sizeof row);
    }
}

/* A chunk lies on the device as it does here: pieces, then the table. One stream: the next chunk comes
 * when this one is done. */
static bool move_chunk(struct accd_cuda *cuda, const struct accd_cuda_chunk *chunk, bool out)
{
    const struct accd_cuda_piece *pieces = cuda->small + chunk->first;
    const uint64_t table = table_of(chunk);
    if (chunk->n <= FEW || !have_mover(cuda)) {
        for (size_t i = 0; i < chunk->n; i++)
            if (!copy_alone(cuda, &pieces[i], out))
                return false;
        return !cuda->lost;
    }
    write_table(cuda, chunk, cuda->scratch, out);
    const uint64_t from = out ? table : 0, end = table + chunk->n * sizeof(struct row);
    return ISSUE(cuda, cuMemcpyHtoDAsync_v2, cuda->scratch + from, chunk->at + from, end - from,
                 cuda->stream) &&
           launch(cuda, cuda->scratch + table, chunk->n) &&
           (!out || ISSUE(cuda, cuMemcpyDtoHAsync_v2, chunk->at, cuda->scratch, chunk->used,
                          cuda->stream));
}

/* Issues all copies of one way. */
static bool move_pieces(struct accd_cuda *cuda, bool out)
{
    bool ok = true;
    cuda->group.n = 0;
    for (size_t i = out ? cuda->in_chunks : 0; ok && i < (out ? cuda->nchunks : cuda->in_chunks); i++)
        ok = move_chunk(cuda, &cuda->chunks[i], out);
    for (size_t i = out ? cuda->in_large : 0; ok && i < (out ? cuda->nlarge : cuda->in_large); i++)
        ok = copy_alone(cuda, &cuda->large[i], out);
    return ok && flush(cuda, out);
}

/* ------------------------------------------------------------------------------ stage, fetch -- */

/* The batch is over. What was issued may still use its memory, so it is waited for. */
static accd_status finish(struct accd_cuda *cuda, accd_status status)
{
    (void)wait(cuda);
    give_memory_back(cuda);
    accd_cuda_leave(cuda);
    return status;
}

accd_status accd_cuda_ready(void *device)
{
    struct accd_cuda *cuda = device;
    if (cuda->failed == ACCD_OK && !place_in(cuda))
        fail(cuda, ACCD_OUT_OF_MEMORY);
    cuda->in_chunks = cuda->nchunks;
    cuda->in_large = cuda->nlarge;
    if (cuda->failed == ACCD_OK && !place_out(cuda))
        fail(cuda, ACCD_OUT_OF_MEMORY);
    if (cuda->failed == ACCD_OK && cuda->out.n) {
        if (!move_pieces(cuda, true) || !wait(cuda))
            fail(cuda, accd_cuda_status(cuda));
        else
            mark_copied(cuda);
    }
    if (cuda->failed != ACCD_OK)
        return finish(cuda, cuda->failed);
    for (size_t i = 0; i < cuda->out.n; i++) {
        const struct accd_cuda_run *run = &cuda->out.runs[i];
        accd_written_poison(run->memory->bits, run->dev - run->memory->dev, run->bytes, run->at);
    }
    return ACCD_OK;
}

/* The place of a range in its run: ranges come in the order in which they were announced. */
static char *place_of(struct accd_cuda_side *side, uint64_t dev, uint64_t bytes)
{
    static char none[1];
    if (!bytes)
        return none;
    for (;; side->cursor++) {
        const struct accd_cuda_run *run = &side->runs[side->cursor];
        side->reached = side->cursor + 1;
        if (dev >= run->dev && dev + bytes <= run->dev + run->bytes)
            return run->at + (dev - run->dev);
    }
}

void *accd_cuda_stage(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd_cuda *cuda = device;
    return place_of(&cuda->in, dev, bytes);
}

/* The batch may have staged a part of it before: that is what the device holds then. */
static void overlay(const struct accd_cuda *cuda, uint64_t dev, uint64_t bytes, char *to)
{
    const struct accd_cuda_side *in = &cuda->in;
    for (size_t i = 0; i < in->reached; i++) {
        const struct accd_cuda_run *run = &in->runs[i];
        uint64_t low = dev > run->dev ? dev : run->dev;
        uint64_t high = dev + bytes < run->dev + run->bytes ? dev + bytes : run->dev + run->bytes;
        if (low < high)
            memcpy(to + (low - dev), run->at + (low - run->dev), high - low);
    }
}

const void *accd_cuda_fetch(void *device, uint64_t dev, uint64_t bytes)
{
    struct accd_cuda *cuda = device;
    char *at = place_of(&cuda->out, dev, bytes);
    if (cuda->crossed)
        overlay(cuda, dev, bytes, at);
    return at;
}

/* Whether something may lie already where the batch brings something. Memory that nobody has written to is
 * given back when its construct fails. */
static bool goes_over_data(const struct accd_cuda *cuda)
{
    bool used = false;
    for (size_t i = 0; i < cuda->in.n && !used; i++)
        used = cuda->in.runs[i].memory->used;
    return used;
}

/* Whether what the batch brings changes the device in more than one call. */
static bool in_many_calls(const struct accd_cuda *cuda)
{
    const struct cuda_driver *driver = &cuda->driver;
    bool batches = driver->cuMemcpyBatchAsync || driver->cuMemcpyBatchAsync_v2;
    size_t calls = 0, alone = cuda->in_large;
    for (size_t i = 0; i < cuda->in_chunks; i++)
        *(cuda->chunks[i].n > FEW ? &calls : &alone) += cuda->chunks[i].n > FEW ? 1 : cuda->chunks[i].n;
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

/* All that the batch brings, in memory of its own on the device: chunks with their tables, large pieces, and
 * the one table of the launch. */
struct landing {
    cu_address at;
    uint64_t bytes, table; /* where that begins */
    struct row *rows;      /* those of large pieces, which come last in it */
    size_t nlarge, n;
};

static void measure(const struct accd_cuda *cuda, struct landing *landing)
{
    *landing = (struct landing){0};
    for (size_t i = 0; i < cuda->in_chunks; i++) {
        const struct accd_cuda_chunk *chunk = &cuda->chunks[i];
        landing->table += table_of(chunk) + chunk->n * sizeof(struct row);
        landing->n += chunk->n;
    }
    for (size_t i = 0; i < cuda->in_large; i++) {
        landing->nlarge += add_strips(NULL, &cuda->large[i], 0);
        landing->table += (cuda->large[i].bytes + 2 * WORD - 1) / WORD * WORD;
    }
    landing->n += landing->nlarge;
    landing->bytes = landing->table + landing->n * sizeof(struct row);
}

static bool land(struct accd_cuda *cuda, const struct landing *landing)
{
    uint64_t place = landing->at, table = landing->at + landing->table;
    size_t n = 0;
    for (size_t i = 0; i < cuda->in_chunks; i++) {
        const struct accd_cuda_chunk *chunk = &cuda->chunks[i];
        const uint64_t rows = table_of(chunk), length = chunk->n * sizeof(struct row);
        write_table(cuda, chunk, place, false);
        if (!ISSUE(cuda, cuMemcpyHtoDAsync_v2, place, chunk->at, rows + length, cuda->stream) ||
            !ISSUE(cuda, cuMemcpyDtoDAsync_v2, table, place + rows, length, cuda->stream))
            return false;
        place += rows + length;
        table += length;
    }
    for (size_t i = 0; i < cuda->in_large; i++) {
        const struct accd_cuda_piece *piece = &cuda->large[i];
        const uint64_t from = place + piece->dev % WORD;
        n += add_strips(landing->rows + n, piece, from);
        if (!ISSUE(cuda, cuMemcpyHtoDAsync_v2, from, piece->at, piece->bytes, cuda->stream))
            return false;
        place += (piece->bytes + 2 * WORD - 1) / WORD * WORD;
    }
    return (!n || ISSUE(cuda, cuMemcpyHtoDAsync_v2, table, landing->rows, n * sizeof(struct row),
                        cuda->stream)) &&
           launch(cuda, landing->at + landing->table, landing->n);
}

/* Brings it in one launch. Not done, without a failure: it goes the usual way, because there is no kernel, or no
 * memory to land in. */
static bool bring_at_once(struct accd_cuda *cuda, bool *done_p)
{
    struct landing landing;
    *done_p = false;
    if (!in_many_calls(cuda) || !goes_over_data(cuda) || !have_mover(cuda))
        return !cuda->lost;
    measure(cuda, &landing);
    landing.rows = accd_mem_array(cuda->mem, landing.nlarge + 1, sizeof(struct row));
    bool ok = landing.rows && accd_cuda_get(cuda, landing.bytes, &landing.at);
    if (ok) {
        *done_p = true;
        ok = land(cuda, &landing);
        ok = wait(cuda) && ok;
        accd_cuda_put(cuda, landing.at);
    }
    if (landing.rows)
        accd_mem_free(cuda->mem, landing.rows, (landing.nlarge + 1) * sizeof(struct row));
    return *done_p ? ok : !cuda->lost;
}

static void say_if_torn(struct accd_cuda *cuda)
{
    static const char torn[] = "; a part of it may have arrived";
    if (cuda->changes && goes_over_data(cuda) && !cuda->lost)
        strncat(cuda->why, torn, sizeof cuda->why - strlen(cuda->why) - 1);
}

accd_status accd_cuda_end(void *device)
{
    struct accd_cuda *cuda = device;
    cuda->changes = 0;
    bool brought = false;
    bool ok = cuda->failed == ACCD_OK && bring_at_once(cuda, &brought) &&
              (brought || move_pieces(cuda, false)) && wait(cuda);
    if (!ok && !brought)
        say_if_torn(cuda);
    if (!ok)
        return finish(cuda, cuda->failed == ACCD_OK ? accd_cuda_status(cuda) : cuda->failed);
    mark_copied(cuda);
    for (size_t i = 0; i < cuda->in.n; i++) {
        const struct accd_cuda_run *run = &cuda->in.runs[i];
        run->memory->used = true;
        accd_written_set(run->memory->bits, run->dev - run->memory->dev, run->bytes, true);
    }
    return finish(cuda, ACCD_OK);
}

void accd_cuda_transfer_close(struct accd_cuda *cuda)
{
    struct accd_mem *mem = cuda->mem;
    for (size_t i = 0; i < ACCD_CUDA_RING; i++)
        if (cuda->ring[i])
            (void)ACCD_CUDA(cuda, cuMemFreeHost, cuda->ring[i]);
    if (cuda->scratch)
        accd_cuda_put(cuda, cuda->scratch);
    if (cuda->module)
        (void)ACCD_CUDA(cuda, cuModuleUnload, cuda->module);
    accd_mem_free(mem, cuda->in.runs, cuda->in.room * sizeof cuda->in.runs[0]);
    accd_mem_free(mem, cuda->out.runs, cuda->out.room * sizeof cuda->out.runs[0]);
    accd_mem_free(mem, cuda->small, cuda->small_room * sizeof cuda->small[0]);
    accd_mem_free(mem, cuda->large, cuda->large_room * sizeof cuda->large[0]);
    accd_mem_free(mem, cuda->chunks, cuda->chunks_room * sizeof cuda->chunks[0]);
    accd_mem_free(mem, cuda->copied, cuda->copied_room * sizeof cuda->copied[0]);
    accd_mem_free(mem, cuda->pairs, cuda->pairs_room * sizeof cuda->pairs[0]);
}
