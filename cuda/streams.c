/* streams.c - a stream for each queue, and batches that go on in it by themselves: depart leaves one to its
 * stream, arrive takes it up again. Host memory of such a batch is its own until then, or until the ring runs
 * short and nothing reads it any more.
 *
 * Memory is allocated in the main stream; a queue's comes behind that before it uses any. It is freed when all
 * that used it has arrived, so no stream needs to wait for another but so. */
#include "backend.h"

bool accd_cuda_new_event(struct accd_cuda *cuda, cu_event *event_p)
{
    return *event_p || ACCD_CUDA(cuda, cuEventCreate, event_p, CU_EVENT_DISABLE_TIMING_FLAG);
}

/* Comes behind all allocations so far. */
static bool follow_main(struct accd_cuda *cuda, struct accd_cuda_stream *stream)
{
    if (stream->seen == cuda->allocations)
        return true;
    bool ok = accd_cuda_new_event(cuda, &cuda->allocated) &&
              ACCD_CUDA(cuda, cuEventRecord, cuda->allocated, cuda->main.at) &&
              ACCD_CUDA(cuda, cuStreamWaitEvent, stream->at, cuda->allocated, 0);
    if (ok)
        stream->seen = cuda->allocations;
    return ok;
}

struct accd_cuda_stream *accd_cuda_stream_of(struct accd_cuda *cuda, unsigned queue)
{
    while (cuda->nqueues < queue) {
        if (!accd_mem_grow(cuda->mem, (void **)&cuda->queues, &cuda->queues_room, cuda->nqueues + 1,
                           sizeof cuda->queues[0]))
            return NULL;
        struct accd_cuda_stream *made = accd_mem_zero(cuda->mem, sizeof *made);
        if (!made)
            return NULL;
        cuda->queues[cuda->nqueues++] = made;
    }
    struct accd_cuda_stream *stream = cuda->queues[queue - 1];
    bool ok = stream->at || ACCD_CUDA(cuda, cuStreamCreate, &stream->at, CU_STREAM_NON_BLOCKING_FLAG);
    return ok && follow_main(cuda, stream) ? stream : NULL;
}

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

void accd_cuda_reclaim(struct accd_cuda *cuda)
{
    for (struct accd_cuda_batch *batch = cuda->made; batch; batch = batch->next_made)
        if (batch->departed && !batch->out.n && !cuda->lost &&
            (batch->arrived || cuda->driver.cuEventQuery(batch->done) == CU_OK))
            accd_cuda_give_chunks_back(batch);
}

bool accd_cuda_mark_departure(struct accd_cuda_batch *batch)
{
    struct accd_cuda *cuda = batch->cuda;
    batch->departed = accd_cuda_new_event(cuda, &batch->done) &&
                      ACCD_CUDA(cuda, cuEventRecord, batch->done, batch->stream->at);
    if (batch->departed)
        batch->busy = false; /* the event is waited for, not the stream */
    else /* nobody could tell later */
        batch->departed = batch->arrived = accd_cuda_batch_wait(batch);
    return batch->departed;
}

int accd_cuda_has_happened(struct accd_cuda *cuda, cu_event event)
{
    bool asked = !cuda->lost && accd_cuda_enter(cuda);
    bool happened = !asked || cuda->driver.cuEventQuery(event) != CU_NOT_READY;
    accd_cuda_leave(cuda);
    return happened;
}

int accd_cuda_arrived(void *device, const void *under_way)
{
    const struct accd_cuda_batch *batch = under_way;
    return batch->arrived || accd_cuda_has_happened(device, batch->done);
}

bool accd_cuda_enter_again(struct accd_cuda *cuda)
{
    bool entered = accd_cuda_enter(cuda);
    if (!entered && !cuda->lost)
        accd_cuda_lose(cuda);
    return entered;
}

void accd_cuda_streams_wait(struct accd_cuda *cuda)
{
    if (cuda->main.at)
        (void)accd_cuda_wait(cuda, &cuda->main);
    for (size_t i = 0; i < cuda->nqueues; i++)
        if (cuda->queues[i]->at)
            (void)accd_cuda_wait(cuda, cuda->queues[i]);
}

static void close_stream(struct accd_cuda *cuda, const struct accd_cuda_stream *stream)
{
    if (stream->at)
        (void)ACCD_CUDA(cuda, cuStreamDestroy_v2, stream->at);
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

void accd_cuda_streams_close(struct accd_cuda *cuda)
{
    for (size_t i = 0; i < cuda->nqueues; i++) {
        close_stream(cuda, cuda->queues[i]);
        accd_mem_free(cuda->mem, cuda->queues[i], sizeof *cuda->queues[i]);
    }
    accd_mem_free(cuda->mem, cuda->queues, cuda->queues_room * sizeof cuda->queues[0]);
    if (cuda->allocated)
        (void)ACCD_CUDA(cuda, cuEventDestroy_v2, cuda->allocated);
    close_stream(cuda, &cuda->main);
}
