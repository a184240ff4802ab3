/* staging.c - host memory of batches.
 *
 * Runs are ranges as the core has announced them, joined where they are contiguous. Pieces are ranges as they are
 * copied: a piece is one run, or a cluster of runs that overlap. Overlapping runs share host memory, so the value
 * that the core writes last wins.
 *
 *     runs     |-----|  |---------|
 *                         |--------------|        overlaps the run above
 *     pieces   |-----|  |----------------|
 *
 *     chunk    | piece | piece | ... | row | row | ... |        a row (to, from, bytes) for each piece
 *
 * Small pieces lie in chunks, each of which crosses in one transfer. The rows that follow the pieces are the table by
 * which a kernel on the device distributes or collects them. A chunk uses page-locked memory from the ring, a fixed set
 * of chunks that all batches share (pinned.c), or ordinary memory while the ring has no free chunk. Large pieces lie
 * where the host program has them, or in blocks of their own. */
#include "backend.h"

/* Least size of a spare block (one that is kept for the next batch); the allocator of the context caches smaller
 * blocks itself (accd__mem_free). */
enum { MIN_SPARE_BYTES = 64 << 20 };

/* ------------------------------------------------------------------------- chunks, large pieces -- */

/* Adds a chunk to the batch, with page-locked host memory or, if none is free, ordinary memory; sets *chunk_p to the
 * chunk. Returns the chunk's memory; NULL: there is none. */
static char *new_host_chunk(struct accd__cuda_batch *batch, struct accd__cuda_chunk **chunk_p)
{
    struct accd__mem *mem = batch->cuda->mem;
    if (!ACCD_GROW(mem, batch->chunks, batch->chunks_capacity, batch->nchunks + 1))
        return NULL;
    struct accd__cuda_chunk *chunk = &batch->chunks[batch->nchunks];
    *chunk = (struct accd__cuda_chunk){.first = batch->small.n, .pinned = accd__cuda_alloc_pinned(batch->cuda)};
    chunk->at = chunk->pinned ? chunk->pinned->at : accd__mem_alloc(mem, ACCD_CUDA_CHUNK);
    if (!chunk->at)
        return NULL;
    batch->nchunks++;
    *chunk_p = chunk;
    return chunk->at;
}

/* Frees the spare block (memory of a large piece, kept for the next batch), if there is one. */
static void free_spare(struct accd__cuda *cuda)
{
    accd__mem_free(cuda->mem, cuda->spare.at, cuda->spare.bytes);
    cuda->spare.at = NULL;
    cuda->spare.bytes = 0;
}

/* Returns host memory for a large piece, and sets piece->capacity; NULL: no memory. Reuses the spare block of an
 * earlier batch if its size fits, because the pages of a new block would cost more than the writes to it. */
static char *new_large_piece(struct accd__cuda *cuda, struct accd__cuda_piece *piece)
{
    char *at = cuda->spare.at;
    if (at && piece->bytes <= cuda->spare.bytes && piece->bytes >= cuda->spare.bytes / 2) {
        piece->capacity = cuda->spare.bytes;
        cuda->spare.at = NULL;
        cuda->spare.bytes = 0;
        return at;
    }
    piece->capacity = piece->bytes;
    at = accd__mem_alloc(cuda->mem, piece->bytes);
    if (at || !cuda->spare.at)
        return at;
    free_spare(cuda);
    return accd__mem_alloc(cuda->mem, piece->bytes);
}

/* Frees the host memory of a large piece. If the memory is larger than the present spare block and has
 * MIN_SPARE_BYTES, keeps it as the spare block instead. */
static void free_large_piece(struct accd__cuda *cuda, const struct accd__cuda_piece *piece)
{
    if (piece->capacity < MIN_SPARE_BYTES || piece->capacity <= cuda->spare.bytes) {
        accd__mem_free(cuda->mem, piece->at, piece->capacity);
        return;
    }
    free_spare(cuda);
    cuda->spare.at = piece->at;
    cuda->spare.bytes = piece->capacity;
}

/* Returns the last chunk of a direction that holds large pieces (`holds_large`) or small pieces; NULL: the direction
 * has no such chunk. */
static struct accd__cuda_chunk *find_last_chunk(struct accd__cuda_batch *batch, bool holds_large, bool out)
{
    for (size_t i = batch->nchunks; i-- > (out ? batch->in_chunks : 0);)
        if (batch->chunks[i].holds_large == holds_large)
            return &batch->chunks[i];
    return NULL;
}

/* Returns host memory for `bytes` bytes of device address `dev`, in the last chunk of a direction that holds large
 * pieces (`holds_large`) or small ones. Adds a chunk if these bytes and a row of the chunk's table do not fit. NULL:
 * no memory. */
static char *alloc_in_chunk(struct accd__cuda_batch *batch, uint64_t dev, uint64_t bytes, bool holds_large, bool out)
{
    struct accd__cuda_chunk *chunk = find_last_chunk(batch, holds_large, out);
    uint64_t at = chunk ? chunk->used + (dev - chunk->used) % ACCD_CUDA_WORD : 0;
    if (!chunk || at + bytes + ACCD_CUDA_WORD + (chunk->n + 1) * ACCD_CUDA_ROW > ACCD_CUDA_CHUNK) {
        if (!new_host_chunk(batch, &chunk))
            return NULL;
        chunk->holds_large = holds_large;
        at = dev % ACCD_CUDA_WORD;
    }
    chunk->used = at + bytes;
    chunk->n += !holds_large;
    return chunk->at + at;
}

/* Adds a copy of `piece` to the small or the large pieces of the batch. A large piece uses the host memory piece->at,
 * unless that is NULL; all others get host memory. Returns the memory; NULL: there is none. Large downloads of queues
 * lie in chunks, too, because the driver copies asynchronously only to page-locked memory. */
static char *add_piece(struct accd__cuda_batch *batch, const struct accd__cuda_piece *piece, bool out)
{
    bool small = piece->bytes < ACCD_MIN_DIRECT_SEND;
    bool in_chunk = small || (out && accd__cuda_is_queued(batch));
    struct accd__cuda_pieces *list = small ? &batch->small : &batch->large;
    if (!ACCD_GROW(batch->cuda->mem, list->at, list->capacity, list->n + 1))
        return NULL;
    struct accd__cuda_piece *added = &list->at[list->n];
    *added = *piece;
    if (in_chunk) {
        added->at = alloc_in_chunk(batch, piece->dev, piece->bytes, !small, out);
        added->is_borrowed = true;
    } else {
        added->is_borrowed = added->at != NULL;
        if (!added->at)
            added->at = new_large_piece(batch->cuda, added);
    }
    list->n += added->at != NULL;
    return added->at;
}

/* Makes pieces of the runs (announced ranges) of uploads, and sets run->at, their host memory. A run that overlaps no
 * other becomes a piece; overlapping runs share a piece. Returns false without memory. */
static bool assign_uploads(struct accd__cuda_batch *batch)
{
    struct accd__cuda_run_list *in = &batch->in;
    bool ordered = true;
    for (size_t i = 1; i < in->n && ordered; i++)
        ordered = in->runs[i].dev >= in->runs[i - 1].dev + in->runs[i - 1].bytes;
    if (!ACCD_GROW(batch->cuda->mem, batch->pairs, batch->pairs_capacity, 2 * in->n))
        return false;
    for (size_t i = 0; i < in->n; i++)
        batch->pairs[i] = (struct accd__pair){in->runs[i].dev, i};
    const struct accd__pair *sorted =
        ordered ? batch->pairs : accd__sort_pairs(batch->pairs, batch->pairs + in->n, in->n);
    size_t npieces = 0;
    for (size_t i = 0, next; i < in->n; i = next) {
        const struct accd__cuda_run *first = &in->runs[sorted[i].value];
        struct accd__cuda_piece piece = {.dev = first->dev, .bytes = first->bytes, .memory = first->memory};
        for (next = i + 1; next < in->n; next++) {
            const struct accd__cuda_run *run = &in->runs[sorted[next].value];
            if (run->dev >= piece.dev + piece.bytes)
                break;
            if (run->dev + run->bytes > piece.dev + piece.bytes)
                piece.bytes = run->dev + run->bytes - piece.dev;
        }
        if (next == i + 1 && accd__cuda_can_borrow_host_memory(batch))
            piece.at = (char *)(uintptr_t)first->from;
        char *at = add_piece(batch, &piece, false);
        if (!at)
            return false;
        for (size_t k = i; k < next; k++) {
            struct accd__cuda_run *run = &in->runs[sorted[k].value];
            run->at = at + (run->dev - piece.dev);
            if (run->from && run->from != run->at)
                memcpy(run->at, run->from, run->bytes);
        }
        /* the pairs before npieces are pieces now; they replace pairs of runs that were visited already */
        batch->pairs[npieces++] = (struct accd__pair){piece.dev, piece.dev + piece.bytes};
    }
    batch->npieces = npieces;
    return true;
}

/* Returns true if a piece of the batch's uploads intersects the range. Requires that batch->pairs (begin and end of
 * each uploaded piece) is ascending. */
static bool overlaps_upload(const struct accd__cuda_batch *batch, uint64_t dev, uint64_t bytes)
{
    size_t i = ACCD_UPPER_BOUND(batch->pairs, value, batch->npieces, dev);
    return i < batch->npieces && batch->pairs[i].key < dev + bytes;
}

/* Makes a piece of each run (announced range) of downloads, and sets run->at, its host memory. Sets
 * batch->is_mixed_range to true if a run overlaps an upload, else to false. Returns false without memory. */
static bool assign_downloads(struct accd__cuda_batch *batch)
{
    batch->is_mixed_range = false;
    for (size_t i = 0; i < batch->out.n; i++) {
        struct accd__cuda_run *run = &batch->out.runs[i];
        batch->is_mixed_range = batch->is_mixed_range || (batch->mixed && overlaps_upload(batch, run->dev, run->bytes));
        const struct accd__cuda_piece piece = {.dev = run->dev, .bytes = run->bytes, .memory = run->memory};
        run->at = add_piece(batch, &piece, true);
        if (!run->at)
            return false;
    }
    return true;
}

/* Releases all host memory of a batch, and empties its lists for the next use. */
void accd__cuda_free_host_memory(struct accd__cuda_batch *batch)
{
    accd__cuda_free_chunks(batch);
    for (size_t i = 0; i < batch->large.n; i++)
        if (!batch->large.at[i].is_borrowed)
            free_large_piece(batch->cuda, &batch->large.at[i]);
    batch->small.n = batch->large.n = batch->in_chunks = batch->in_large = 0;
    accd__cuda_parts_end(batch);
    batch->receipt.bytes = 0;
    batch->ncopied = 0;
    batch->in.n = batch->in.cursor = batch->in.reached = 0;
    batch->out.n = batch->out.cursor = batch->out.reached = 0;
}

/* Assigns host memory to all announced runs: first uploads, then downloads, then the first window of parts. Returns
 * false if the batch has failed, also before this call. */
bool accd__cuda_assign_host_memory(struct accd__cuda_batch *batch)
{
    if (batch->failed == ACCD_OK && !assign_uploads(batch))
        accd__cuda_batch_fail(batch, ACCD_ERROR_OUT_OF_MEMORY);
    batch->in_chunks = batch->nchunks;
    batch->in_large = batch->large.n;
    if (batch->failed == ACCD_OK && !assign_downloads(batch))
        accd__cuda_batch_fail(batch, ACCD_ERROR_OUT_OF_MEMORY);
    if (batch->failed == ACCD_OK && !accd__cuda_parts_begin(batch))
        accd__cuda_batch_fail(batch, batch->cuda->is_lost ? ACCD_ERROR_DEVICE : ACCD_ERROR_OUT_OF_MEMORY);
    return batch->failed == ACCD_OK;
}

/* Frees the arrays, events and memory of a batch, but not the batch itself. */
void accd__cuda_batch_free(struct accd__cuda_batch *batch)
{
    struct accd__mem *mem = batch->cuda->mem;
    accd__cuda_free_landing_area(batch);
    accd__cuda_free_host_memory(batch);
    accd__mem_free(mem, batch->in.runs, batch->in.capacity * sizeof batch->in.runs[0]);
    accd__mem_free(mem, batch->out.runs, batch->out.capacity * sizeof batch->out.runs[0]);
    accd__mem_free(mem, batch->parts.runs, batch->parts.capacity * sizeof batch->parts.runs[0]);
    accd__mem_free(mem, batch->filled.at, batch->filled.capacity * sizeof batch->filled.at[0]);
    for (size_t i = 0; i < ACCD_CUDA_SLOTS; i++)
        if (batch->slots[i].sent_event)
            (void)ACCD_CUDA(batch->cuda, cuEventDestroy_v2, batch->slots[i].sent_event);
    accd__mem_free(mem, batch->small.at, batch->small.capacity * sizeof batch->small.at[0]);
    accd__mem_free(mem, batch->large.at, batch->large.capacity * sizeof batch->large.at[0]);
    accd__mem_free(mem, batch->chunks, batch->chunks_capacity * sizeof batch->chunks[0]);
    accd__mem_free(mem, batch->copied, batch->copied_capacity * sizeof batch->copied[0]);
    accd__mem_free(mem, batch->pairs, batch->pairs_capacity * sizeof batch->pairs[0]);
}

/* Frees the ring of page-locked chunks and the spare block. */
void accd__cuda_host_memory_free(struct accd__cuda *cuda)
{
    for (size_t i = 0; i < ACCD_CUDA_RING; i++)
        if (cuda->ring[i].at)
            (void)ACCD_CUDA(cuda, cuMemFreeHost, cuda->ring[i].at);
    free_spare(cuda);
}
