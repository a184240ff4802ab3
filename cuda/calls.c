/* calls.c - calls of the driver: what becomes of them, the context they are made in, waiting for what they
 * began. */
#include "backend.h"

/* Says so in what happened last; nothing is asked of the device any more. */
static void lose(struct accd_cuda *cuda)
{
    static const char lost[] = "; this session has lost the device";
    cuda->lost = true;
    strncat(cuda->why, lost, sizeof cuda->why - strlen(cuda->why) - 1);
}

bool accd_cuda_done(struct accd_cuda *cuda, cu_result result, const char *call)
{
    if (result == CU_OK)
        return true;
    cuda->error = result;
    accd_cuda_say(&cuda->driver, result, call, cuda->why, sizeof cuda->why);
    if (accd_cuda_sticky(result))
        lose(cuda);
    return false;
}

bool accd_cuda_must(struct accd_cuda *cuda, bool ok)
{
    if (!ok && !cuda->lost)
        lose(cuda);
    return ok;
}

accd_status accd_cuda_status(const struct accd_cuda *cuda)
{
    return !cuda->lost && cuda->error == CU_OUT_OF_MEMORY ? ACCD_OUT_OF_DEVICE_MEMORY
                                                          : ACCD_DEVICE_ERROR;
}

/* ---------------------------------------------------------------------------------- context -- */

bool accd_cuda_enter(struct accd_cuda *cuda)
{
    cuda->entered = ACCD_CUDA(cuda, cuCtxPushCurrent_v2, cuda->context);
    return cuda->entered;
}

/* Not by the macro: the thread must get its own context back from a lost device, too. */
void accd_cuda_leave(struct accd_cuda *cuda)
{
    cu_context ours;
    if (cuda->entered)
        (void)cuda->driver.cuCtxPopCurrent_v2(&ours);
    cuda->entered = false;
}

/* ---------------------------------------------------------------------------------- waiting -- */

bool accd_cuda_wait(struct accd_cuda *cuda, const struct accd_cuda_stream *stream)
{
    return accd_cuda_must(cuda, ACCD_CUDA(cuda, cuStreamSynchronize, stream->at));
}

bool accd_cuda_wait_event(struct accd_cuda *cuda, cu_event event)
{
    return accd_cuda_must(cuda, ACCD_CUDA(cuda, cuEventSynchronize, event));
}

bool accd_cuda_new_event(struct accd_cuda *cuda, cu_event *event_p)
{
    return *event_p || ACCD_CUDA(cuda, cuEventCreate, event_p, CU_EVENT_DISABLE_TIMING_FLAG);
}

int accd_cuda_has_happened(struct accd_cuda *cuda, cu_event event)
{
    bool asked = !cuda->lost && accd_cuda_enter(cuda);
    bool happened = !asked || cuda->driver.cuEventQuery(event) != CU_NOT_READY;
    accd_cuda_leave(cuda);
    return happened;
}

void accd_cuda_batch_fail(struct accd_cuda_batch *batch, accd_status status)
{
    if (batch->failed == ACCD_OK)
        batch->failed = status;
}

bool accd_cuda_batch_wait(struct accd_cuda_batch *batch)
{
    bool busy = batch->busy;
    batch->busy = false;
    return !busy || accd_cuda_wait(batch->cuda, batch->stream);
}
