/* pinned.c - page-locked memory of the host: a ring of chunks that all batches share. */
#include "backend.h"

void accd_cuda_give_chunks_back(struct accd_cuda_batch *batch)
{
    for (size_t i = 0; i < batch->nchunks; i++) {
        struct accd_cuda_chunk *chunk = &batch->chunks[i];
        if (chunk->pinned)
            chunk->pinned->taken = false;
        else
            accd_mem_free(batch->cuda->mem, chunk->at, ACCD_CUDA_CHUNK);
    }
    batch->nchunks = 0;
}

/* Chunks of batches that have arrived and are not taken up yet. */
static void reclaim(struct accd_cuda *cuda)
{
    for (struct accd_cuda_batch *batch = cuda->made; batch; batch = batch->next_made)
        if (batch->departed && !batch->out.n && !cuda->lost &&
            (batch->arrived || cuda->driver.cuEventQuery(batch->done) == CU_OK))
            accd_cuda_give_chunks_back(batch);
}

struct accd_cuda_pinned *accd_cuda_take_pinned(struct accd_cuda *cuda)
{
    size_t taken = 0;
    while (taken < ACCD_CUDA_RING && cuda->ring[taken].taken)
        taken++;
    if (taken == ACCD_CUDA_RING)
        reclaim(cuda);
    for (size_t i = 0; i < ACCD_CUDA_RING && !cuda->no_ring; i++) {
        struct accd_cuda_pinned *pinned = &cuda->ring[i];
        if (pinned->taken)
            continue;
        void *at = pinned->at;
        cuda->no_ring = !at && !ACCD_CUDA(cuda, cuMemHostAlloc, &at, ACCD_CUDA_CHUNK, 0);
        pinned->at = at;
        pinned->taken = at != NULL;
        return pinned->taken ? pinned : NULL;
    }
    return NULL;
}
