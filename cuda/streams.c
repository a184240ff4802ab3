/* streams.c - a stream for each queue.
 *
 * Memory is allocated in the main stream; a queue's stream waits for the allocations before it uses any. Memory is
 * freed when all work that used it has been finished. No other waits between streams are needed. */
#include "backend.h"

#include <assert.h>

/* Makes `stream` wait, on the device, for all allocations so far; returns false on failure. */
static bool wait_for_allocations(struct accd__cuda *cuda, struct accd__cuda_stream *stream)
{
    if (stream->allocations == cuda->allocations)
        return true;
    bool ok = accd__cuda_new_event(cuda, &cuda->allocated) &&
              ACCD_CUDA(cuda, cuEventRecord, cuda->allocated, cuda->main.at) &&
              ACCD_CUDA(cuda, cuStreamWaitEvent, stream->at, cuda->allocated, 0);
    if (ok)
        stream->allocations = cuda->allocations;
    return ok;
}

/* Returns the stream of a queue, created at its first use. Work that is issued in the stream from now on waits for
 * all allocations so far. NULL on failure. */
struct accd__cuda_stream *accd__cuda_stream_of(struct accd__cuda *cuda, unsigned queue)
{
    assert(queue > 0);
    while (cuda->nqueues < queue) {
        if (!ACCD_GROW(cuda->mem, cuda->queues, cuda->queues_capacity, cuda->nqueues + 1))
            return NULL;
        struct accd__cuda_stream *created = accd__mem_alloc_zeroed(cuda->mem, sizeof *created);
        if (!created)
            return NULL;
        cuda->queues[cuda->nqueues++] = created;
    }
    struct accd__cuda_stream *stream = cuda->queues[queue - 1];
    bool ok = stream->at || ACCD_CUDA(cuda, cuStreamCreate, &stream->at, CU_STREAM_NON_BLOCKING_FLAG);
    return ok && wait_for_allocations(cuda, stream) ? stream : NULL;
}

/* Waits for the work in all streams that exist. */
void accd__cuda_streams_wait(struct accd__cuda *cuda)
{
    if (cuda->main.at)
        (void)accd__cuda_wait(cuda, &cuda->main);
    for (size_t i = 0; i < cuda->nqueues; i++)
        if (cuda->queues[i]->at)
            (void)accd__cuda_wait(cuda, cuda->queues[i]);
}

/* Destroys the driver's stream, if it was created, but does not free the structure. */
static void close_stream(struct accd__cuda *cuda, const struct accd__cuda_stream *stream)
{
    if (stream->at)
        (void)ACCD_CUDA(cuda, cuStreamDestroy_v2, stream->at);
}

/* Destroys all streams, and the event `allocated`. */
void accd__cuda_streams_free(struct accd__cuda *cuda)
{
    for (size_t i = 0; i < cuda->nqueues; i++) {
        close_stream(cuda, cuda->queues[i]);
        accd__mem_free(cuda->mem, cuda->queues[i], sizeof *cuda->queues[i]);
    }
    accd__mem_free(cuda->mem, cuda->queues, cuda->queues_capacity * sizeof cuda->queues[0]);
    if (cuda->allocated)
        (void)ACCD_CUDA(cuda, cuEventDestroy_v2, cuda->allocated);
    close_stream(cuda, &cuda->main);
}
