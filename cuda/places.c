/* places.c - the host's memory of batches. Small pieces lie in chunks, with the table that says where they
 * belong behind them; chunks are page-locked as far as the ring reaches. Large pieces lie where the host program
 * has them, or apart. Runs are what was announced, as far as it is contiguous; pieces are what is copied: runs, or
 * all runs of a cluster that overlap, which share their memory, so that what is staged last wins. */
#include "backend.h"

enum { SPARE_LEAST = 64 << 20 }; /* less is kept by the context */

/* ------------------------------------------------------------------------- chunks, large pieces -- */

static char *new_chunk(struct accd_cuda_batch *batch, struct accd_cuda_chunk **chunk_p)
{
    struct accd_mem *mem = batch->cuda->mem;
    if (!ACCD_GROW(mem, batch->chunks, batch->chunks_room, batch->nchunks + 1))
        return NULL;
    struct accd_cuda_chunk *chunk = &batch->chunks[batch->nchunks];
    *chunk = (struct accd_cuda_chunk){.first = batch->small.n, .pinned = accd_cuda_take_pinned(batch->cuda)};
    chunk->at = chunk->pinned ? chunk->pinned->at : accd_mem_new(mem, ACCD_CUDA_CHUNK);
    if (!chunk->at)
        return NULL;
    batch->nchunks++;
    *chunk_p = chunk;
    return chunk->at;
}

static void drop_spare(struct accd_cuda *cuda)
{
    accd_mem_free(cuda->mem, cuda->spare.at, cuda->spare.bytes);
    cuda->spare.at = NULL;
    cuda->spare.bytes = 0;
}

/* Fresh pages would cost more than what is written to them. */
static char *new_large(struct accd_cuda *cuda, struct accd_cuda_piece *piece)
{
    char *at = cuda->spare.at;
    if (at && piece->bytes <= cuda->spare.bytes && piece->bytes >= cuda->spare.bytes / 2) {
        piece->room = cuda->spare.bytes;
        cuda->spare.at = NULL;
        cuda->spare.bytes = 0;
        return at;
    }
    piece->room = piece->bytes;
    at = accd_mem_new(cuda->mem, piece->bytes);
    if (at || !cuda->spare.at)
        return at;
    drop_spare(cuda);
    return accd_mem_new(cuda->mem, piece->bytes);
}

static void free_large(struct accd_cuda *cuda, const struct accd_cuda_piece *piece)
{
    if (piece->room < SPARE_LEAST || piece->room <= cuda->spare.bytes) {
        accd_mem_free(cuda->mem, piece->at, piece->room);
        return;
    }
    drop_spare(cuda);
    cuda->spare.at = piece->at;
    cuda->spare.bytes = piece->room;
}

/* The last chunk of this way for pieces that are copied by themselves, or for others; NULL: there is none. */
static struct accd_cuda_chunk *last_chunk(struct accd_cuda_batch *batch, bool apart, bool out)
{
    for (size_t i = batch->nchunks; i-- > (out ? batch->in_chunks : 0);)
        if (batch->chunks[i].apart == apart)
            return &batch->chunks[i];
    return NULL;
}

/* Room for so many bytes that lie at dev on the device: in the last chunk, if it has as much left, and its row
 * beside it. */
static char *place_in_chunk(struct accd_cuda_batch *batch, uint64_t dev, uint64_t bytes, bool apart,
                            bool out)
{
    struct accd_cuda_chunk *chunk = last_chunk(batch, apart, out);
    uint64_t at = chunk ? chunk->used + (dev - chunk->used) % ACCD_CUDA_WORD : 0;
    if (!chunk || at + bytes + ACCD_CUDA_WORD + (chunk->n + 1) * ACCD_CUDA_ROW > ACCD_CUDA_CHUNK) {
        if (!new_chunk(batch, &chunk))
            return NULL;
        chunk->apart = apart;
        at = dev % ACCD_CUDA_WORD;
    }
    chunk->used = at + bytes;
    chunk->n += !apart;
    return chunk->at + at;
}

/* Adds a piece and gives it memory. What a queue fetches lies in chunks: the driver continues only where memory
 * is pinned. */
static char *add_piece(struct accd_cuda_batch *batch, const struct accd_cuda_piece *piece, bool out)
{
    bool small = piece->bytes < ACCD_SEND_LEAST;
    bool in_chunk = small || (out && accd_cuda_is_queued(batch));
    struct accd_cuda_pieces *list = small ? &batch->small : &batch->large;
    if (!ACCD_GROW(batch->cuda->mem, list->at, list->room, list->n + 1))
        return NULL;
    struct accd_cuda_piece *added = &list->at[list->n];
    *added = *piece;
    if (in_chunk) {
        added->at = place_in_chunk(batch, piece->dev, piece->bytes, !small, out);
        added->lent = true;
    } else {
        added->lent = added->at != NULL;
        if (!added->at)
            added->at = new_large(batch->cuda, added);
    }
    list->n += added->at != NULL;
    return added->at;
}

/* Runs that ascend without overlap are pieces as they are; among others, those that overlap share one. */
static bool place_in(struct accd_cuda_batch *batch)
{
    struct accd_cuda_side *in = &batch->in;
    bool ordered = true;
    for (size_t i = 1; i < in->n && ordered; i++)
        ordered = in->runs[i].dev >= in->runs[i - 1].dev + in->runs[i - 1].bytes;
    if (!ACCD_GROW(batch->cuda->mem, batch->pairs, batch->pairs_room, 2 * in->n))
        return false;
    for (size_t i = 0; i < in->n; i++)
        batch->pairs[i] = (struct accd_pair){in->runs[i].dev, i};
    const struct accd_pair *sorted =
        ordered ? batch->pairs : accd_sort_pairs(batch->pairs, batch->pairs + in->n, in->n);
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
        if (next == i + 1 && accd_cuda_may_lend(batch))
            piece.at = (char *)(uintptr_t)first->from;
        char *at = add_piece(batch, &piece, false);
        if (!at)
            return false;
        for (size_t k = i; k < next; k++) {
            struct accd_cuda_run *run = &in->runs[sorted[k].value];
            run->at = at + (run->dev - piece.dev);
            if (run->from && run->from != run->at)
                memcpy(run->at, run->from, run->bytes);
        }
        /* from here on the pairs are pieces; those that were runs up to next are done with */
        batch->pairs[npieces++] = (struct accd_pair){piece.dev, piece.dev + piece.bytes};
    }
    batch->npieces = npieces;
    return true;
}

/* Whether a piece of the way in meets the range. Pieces ascend. */
static bool meets_in(const struct accd_cuda_batch *batch, uint64_t dev, uint64_t bytes)
{
    size_t i = ACCD_FIRST_ABOVE(batch->pairs, value, batch->npieces, dev);
    return i < batch->npieces && batch->pairs[i].key < dev + bytes;
}

static bool place_out(struct accd_cuda_batch *batch)
{
    batch->crossed = false;
    for (size_t i = 0; i < batch->out.n; i++) {
        struct accd_cuda_run *run = &batch->out.runs[i];
        batch->crossed = batch->crossed || (batch->mixed && meets_in(batch, run->dev, run->bytes));
        const struct accd_cuda_piece piece = {
            .dev = run->dev, .bytes = run->bytes, .memory = run->memory};
        run->at = add_piece(batch, &piece, true);
        if (!run->at)
            return false;
    }
    return true;
}

void accd_cuda_give_memory_back(struct accd_cuda_batch *batch)
{
    accd_cuda_give_chunks_back(batch);
    for (size_t i = 0; i < batch->large.n; i++)
        if (!batch->large.at[i].lent)
            free_large(batch->cuda, &batch->large.at[i]);
    batch->small.n = batch->large.n = batch->in_chunks = batch->in_large = 0;
    accd_cuda_parts_close(batch);
    batch->receipt.bytes = 0;
    batch->ncopied = 0;
    batch->in.n = batch->in.cursor = batch->in.reached = 0;
    batch->out.n = batch->out.cursor = batch->out.reached = 0;
}

bool accd_cuda_place(struct accd_cuda_batch *batch)
{
    if (batch->failed == ACCD_OK && !place_in(batch))
        accd_cuda_batch_fail(batch, ACCD_OUT_OF_MEMORY);
    batch->in_chunks = batch->nchunks;
    batch->in_large = batch->large.n;
    if (batch->failed == ACCD_OK && !place_out(batch))
        accd_cuda_batch_fail(batch, ACCD_OUT_OF_MEMORY);
    if (batch->failed == ACCD_OK && !accd_cuda_parts_open(batch))
        accd_cuda_batch_fail(batch, batch->cuda->lost ? ACCD_DEVICE_ERROR : ACCD_OUT_OF_MEMORY);
    return batch->failed == ACCD_OK;
}

void accd_cuda_batch_close(struct accd_cuda_batch *batch)
{
    struct accd_mem *mem = batch->cuda->mem;
    accd_cuda_landed(batch);
    accd_cuda_give_memory_back(batch);
    accd_mem_free(mem, batch->in.runs, batch->in.room * sizeof batch->in.runs[0]);
    accd_mem_free(mem, batch->out.runs, batch->out.room * sizeof batch->out.runs[0]);
    accd_mem_free(mem, batch->parts.runs, batch->parts.room * sizeof batch->parts.runs[0]);
    accd_mem_free(mem, batch->filled.at, batch->filled.room * sizeof batch->filled.at[0]);
    for (size_t i = 0; i < ACCD_CUDA_SLOTS; i++)
        if (batch->slots[i].crossed)
            (void)ACCD_CUDA(batch->cuda, cuEventDestroy_v2, batch->slots[i].crossed);
    accd_mem_free(mem, batch->small.at, batch->small.room * sizeof batch->small.at[0]);
    accd_mem_free(mem, batch->large.at, batch->large.room * sizeof batch->large.at[0]);
    accd_mem_free(mem, batch->chunks, batch->chunks_room * sizeof batch->chunks[0]);
    accd_mem_free(mem, batch->copied, batch->copied_room * sizeof batch->copied[0]);
    accd_mem_free(mem, batch->pairs, batch->pairs_room * sizeof batch->pairs[0]);
}

void accd_cuda_places_close(struct accd_cuda *cuda)
{
    for (size_t i = 0; i < ACCD_CUDA_RING; i++)
        if (cuda->ring[i].at)
            (void)ACCD_CUDA(cuda, cuMemFreeHost, cuda->ring[i].at);
    drop_spare(cuda);
}
