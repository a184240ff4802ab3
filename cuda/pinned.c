/* pinned.c - page-locked host memory: a ring of chunks that all batches share. */
#include "backend.h"

/* Releases all chunks (host memory of transfers) of a batch: page-locked ones for other batches, ordinary ones to the
 * allocator. */
void accd__cuda_free_chunks(struct accd__cuda_batch *batch)
{
    for (size_t i = 0; i < batch->nchunks; i++) {
        struct accd__cuda_chunk *chunk = &batch->chunks[i];
        if (chunk->pinned)
            chunk->pinned->in_use = false;
        else
            accd__mem_free(batch->cuda->mem, chunk->at, ACCD_CUDA_CHUNK);
    }
    batch->nchunks = 0;
}

/* Releases the chunks of batches whose uploads have ended, although the core has not finished these batches yet. */
static void reclaim_chunks(struct accd__cuda *cuda)
{
    for (struct accd__cuda_batch *batch = cuda->batches; batch; batch = batch->next_batch)
        if (batch->in_stream && !batch->out.n && !cuda->is_lost &&
            (batch->is_finished || cuda->driver.cuEventQuery(batch->done) == CU_OK))
            accd__cuda_free_chunks(batch);
}

/* Returns a free chunk of the ring, whose memory is page-locked at its first use. NULL: all chunks are in use, or no
 * more pages can be locked. */
struct accd__cuda_pinned *accd__cuda_alloc_pinned(struct accd__cuda *cuda)
{
    size_t in_use = 0;
    while (in_use < ACCD_CUDA_RING && cuda->ring[in_use].in_use)
        in_use++;
    if (in_use == ACCD_CUDA_RING)
        reclaim_chunks(cuda);
    for (size_t i = 0; i < ACCD_CUDA_RING && !cuda->no_ring; i++) {
        struct accd__cuda_pinned *pinned = &cuda->ring[i];
        if (pinned->in_use)
            continue;
        void *at = pinned->at;
        cuda->no_ring = !at && !ACCD_CUDA(cuda, cuMemHostAlloc, &at, ACCD_CUDA_CHUNK, 0);
        pinned->at = at;
        pinned->in_use = at != NULL;
        return pinned->in_use ? pinned : NULL;
    }
    return NULL;
}
