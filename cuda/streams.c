/* streams.c - a stream for each queue. Memory is allocated in the main stream; a queue's comes behind that
 * before it uses any. It is freed when all that used it has arrived, so no stream needs to wait for another but
 * so. */
#include "backend.h"

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
        if (!ACCD_GROW(cuda->mem, cuda->queues, cuda->queues_room, cuda->nqueues + 1))
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
