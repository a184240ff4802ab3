/* batches.c - batches that continue in the stream of a queue by themselves: depart leaves one to its stream,
 * arrive takes it up again. Host memory of such a batch is its own until then, or until the ring runs short and
 * nothing reads it any more. */
#include "backend.h"

struct accd_cuda_batch *accd_cuda_new_batch(struct accd_cuda *cuda, struct accd_cuda_stream *stream)
{
    struct accd_cuda_batch *batch = cuda->idle;
    if (batch) {
        cuda->idle = batch->next_idle;
    } else {
        batch = accd_mem_zero(cuda->mem, sizeof *batch);
        if (!batch)
            return NULL;
        batch->next_made = cuda->made;
        cuda->made = batch;
    }
    batch->cuda = cuda;
    batch->stream = stream;
    batch->next_idle = NULL;
    batch->departed = batch->arrived = false;
    return batch;
}

void accd_cuda_batch_over(struct accd_cuda_batch *batch)
{
    struct accd_cuda *cuda = batch->cuda;
    cuda->batch = &cuda->usual;
    if (!accd_cuda_is_queued(batch))
        return;
    batch->departed = false;
    batch->next_idle = cuda->idle;
    cuda->idle = batch;
}

bool accd_cuda_mark_departure(struct accd_cuda_batch *batch)
{
    struct accd_cuda *cuda = batch->cuda;
    batch->departed = accd_cuda_new_event(cuda, &batch->done) &&
                      ACCD_CUDA(cuda, cuEventRecord, batch->done, batch->stream->at);
    if (batch->departed)
        batch->busy = false; /* the event is waited for, not the stream */
    else /* it could not be found out later */
        batch->departed = batch->arrived = accd_cuda_batch_wait(batch);
    return batch->departed;
}

int accd_cuda_arrived(void *device, const void *under_way)
{
    const struct accd_cuda_batch *batch = under_way;
    return batch->arrived || accd_cuda_has_happened(device, batch->done);
}

void accd_cuda_batches_close(struct accd_cuda *cuda)
{
    while (cuda->made) {
        struct accd_cuda_batch *batch = cuda->made;
        cuda->made = batch->next_made;
        if (batch->done)
            (void)ACCD_CUDA(cuda, cuEventDestroy_v2, batch->done);
        accd_cuda_batch_close(batch);
        accd_mem_free(cuda->mem, batch, sizeof *batch);
    }
    accd_cuda_batch_close(&cuda->usual);
    for (size_t i = 0; i < cuda->nqueues; i++)
        if (cuda->queues[i]->scratch)
            accd_cuda_put(cuda, cuda->queues[i], cuda->queues[i]->scratch);
    if (cuda->main.scratch)
        accd_cuda_put(cuda, &cuda->main, cuda->main.scratch);
}
