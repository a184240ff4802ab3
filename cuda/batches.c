/* batches.c - batches of queues, which continue in the stream of their queue.
 *
 * start_batch leaves a batch to its stream, finish_batch waits for it. Until then the batch keeps its host memory. But
 * if the ring of page-locked chunks is used up, chunks of uploads that have ended are taken from it (pinned.c). */
#include "backend.h"

struct accd__cuda_batch *accd__cuda_new_batch(struct accd__cuda *cuda, struct accd__cuda_stream *stream)
{
    struct accd__cuda_batch *batch = cuda->idle;
    if (batch) {
        cuda->idle = batch->next_idle;
    } else {
        batch = accd__mem_alloc_zeroed(cuda->mem, sizeof *batch);
        if (!batch)
            return NULL;
        batch->next_batch = cuda->batches;
        cuda->batches = batch;
    }
    batch->cuda = cuda;
    batch->stream = stream;
    batch->next_idle = NULL;
    batch->in_stream = batch->is_finished = false;
    return batch;
}

void accd__cuda_batch_recycle(struct accd__cuda_batch *batch)
{
    struct accd__cuda *cuda = batch->cuda;
    cuda->batch = &cuda->default_batch;
    if (!accd__cuda_is_queued(batch))
        return;
    batch->in_stream = false;
    batch->next_idle = cuda->idle;
    cuda->idle = batch;
}

bool accd__cuda_record_batch_event(struct accd__cuda_batch *batch)
{
    struct accd__cuda *cuda = batch->cuda;
    batch->in_stream =
        accd__cuda_new_event(cuda, &batch->done) && ACCD_CUDA(cuda, cuEventRecord, batch->done, batch->stream->at);
    if (batch->in_stream)
        batch->busy = false; /* the event will be waited for instead of the stream */
    else                     /* the end could not be noticed later without an event */
        batch->in_stream = batch->is_finished = accd__cuda_batch_wait(batch);
    return batch->in_stream;
}

int accd__cuda_is_batch_done(void *device, const void *in_flight)
{
    const struct accd__cuda_batch *batch = in_flight;
    return batch->is_finished || accd__cuda_is_event_done(device, batch->done);
}

void accd__cuda_batches_free(struct accd__cuda *cuda)
{
    while (cuda->batches) {
        struct accd__cuda_batch *batch = cuda->batches;
        cuda->batches = batch->next_batch;
        if (batch->done)
            (void)ACCD_CUDA(cuda, cuEventDestroy_v2, batch->done);
        accd__cuda_batch_free(batch);
        accd__mem_free(cuda->mem, batch, sizeof *batch);
    }
    accd__cuda_batch_free(&cuda->default_batch);
    for (size_t i = 0; i < cuda->nqueues; i++)
        if (cuda->queues[i]->scratch)
            accd__cuda_pool_free(cuda, cuda->queues[i], cuda->queues[i]->scratch);
    if (cuda->main.scratch)
        accd__cuda_pool_free(cuda, &cuda->main, cuda->main.scratch);
}
