/* calls.c - calls of the driver: errors and the loss of the device, the current context, waiting. */
#include "backend.h"

#include <assert.h>

/* Marks the device as lost: the driver is no longer called. Adds a notice of the loss to the text of the last failure.
 */
static void mark_device_lost(struct accd__cuda *cuda)
{
    static const char lost[] = "; this session has lost the device";
    cuda->lost = true;
    strncat(cuda->why, lost, sizeof cuda->why - strlen(cuda->why) - 1);
}

bool accd__cuda_check_result(struct accd__cuda *cuda, cu_result result, const char *call)
{
    if (result == CU_OK)
        return true;
    cuda->error = result;
    accd__cuda_format_error(&cuda->driver, result, call, cuda->why, sizeof cuda->why);
    if (accd__cuda_is_sticky(result))
        mark_device_lost(cuda);
    return false;
}

bool accd__cuda_require(struct accd__cuda *cuda, bool ok)
{
    if (!ok && !cuda->lost)
        mark_device_lost(cuda);
    return ok;
}

accd_status accd__cuda_last_status(const struct accd__cuda *cuda)
{
    return !cuda->lost && cuda->error == CU_OUT_OF_MEMORY ? ACCD_ERROR_OUT_OF_DEVICE_MEMORY : ACCD_ERROR_DEVICE;
}

/* ---------------------------------------------------------------------------------- context -- */

bool accd__cuda_push_context(struct accd__cuda *cuda)
{
    cuda->entered = ACCD_CUDA(cuda, cuCtxPushCurrent_v2, cuda->context);
    return cuda->entered;
}

/* Calls the driver without ACCD_CUDA, because the thread must get its own context back from a lost device, too. */
void accd__cuda_pop_context(struct accd__cuda *cuda)
{
    cu_context ours;
    if (cuda->entered)
        (void)cuda->driver.cuCtxPopCurrent_v2(&ours);
    cuda->entered = false;
}

/* ---------------------------------------------------------------------------------- waiting -- */

bool accd__cuda_wait(struct accd__cuda *cuda, const struct accd__cuda_stream *stream)
{
    return accd__cuda_require(cuda, ACCD_CUDA(cuda, cuStreamSynchronize, stream->at));
}

bool accd__cuda_wait_event(struct accd__cuda *cuda, cu_event event)
{
    return accd__cuda_require(cuda, ACCD_CUDA(cuda, cuEventSynchronize, event));
}

bool accd__cuda_new_event(struct accd__cuda *cuda, cu_event *event_p)
{
    return *event_p || ACCD_CUDA(cuda, cuEventCreate, event_p, CU_EVENT_DISABLE_TIMING_FLAG);
}

int accd__cuda_is_event_done(struct accd__cuda *cuda, cu_event event)
{
    bool asked = !cuda->lost && accd__cuda_push_context(cuda);
    bool happened = !asked || cuda->driver.cuEventQuery(event) != CU_NOT_READY;
    accd__cuda_pop_context(cuda);
    return happened;
}

void accd__cuda_batch_fail(struct accd__cuda_batch *batch, accd_status status)
{
    assert(status != ACCD_OK);
    if (batch->failed == ACCD_OK)
        batch->failed = status;
}

bool accd__cuda_batch_wait(struct accd__cuda_batch *batch)
{
    bool busy = batch->busy;
    batch->busy = false;
    return !busy || accd__cuda_wait(batch->cuda, batch->stream);
}
