/* batches.c - batches of queues, which continue in the stream of their queue.
 *
 * start_batch leaves a batch to its stream, and finish_batch waits for the batch, which keeps its host memory until
 * then. But if the ring of page-locked chunks is used up, pinned.c takes the chunks of batches whose uploads have
 * ended. */
#include "backend.h"

/* Returns an idle or new batch whose work goes to `stream`; NULL: no memory. */
struct accd__cuda_batch *accd__cuda_new_batch(struct accd__cuda *cuda, struct accd__cuda_stream *stream)
{
    struct accd__cuda_batch *batch = cuda->idle_batches;
    if (batch) {
        cuda->idle_batches = batch->next_idle;
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

/* Makes the default batch (that of work without a queue) current again. A batch of a queue becomes idle, so that it
 * can be used again. */
void accd__cuda_batch_recycle(struct accd__cuda_batch *batch)
{
    struct accd__cuda *cuda = batch->cuda;
    cuda->batch = &cuda->default_batch;
    if (!accd__cuda_is_queued(batch))
        return;
    batch->in_stream = false;
    batch->next_idle = cuda->idle_batches;
    cuda->idle_batches = batch;
}

/* Records an event after the batch's work. If that fails, waits for the work instead. Returns false if the wait
 * fails, too. */
bool accd__cuda_record_batch_event(struct accd__cuda_batch *batch)
{
    struct accd__cuda *cuda = batch->cuda;
    batch->in_stream =
        accd__cuda_new_event(cuda, &batch->done) && ACCD_CUDA(cuda, cuEventRecord, batch->done, batch->stream->at);
    if (batch->in_stream)
        batch->busy = false; /* a wait for the event replaces the wait for the stream */
    else /* a later call could not see without an event that the work has ended, so this call waits */
        batch->in_stream = batch->is_finished = accd__cuda_batch_wait(batch);
    return batch->in_stream;
}

/* Returns 1 if the work of a started batch has ended, else 0; does not wait. */
int accd__cuda_is_batch_done(void *device, const void *in_flight)
{
    const struct accd__cuda_batch *batch = in_flight;
    return batch->is_finished || accd__cuda_is_event_done(device, batch->done);
}

/* Frees all batches with what they own, and the scratch memory of the streams. */
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
