/* calls.c - calls of the driver: errors and the loss of the device, the current context, waiting. */
#include "backend.h"

#include <assert.h>

/* Marks the device as lost: the driver is no longer called. Adds a notice of the loss to the text of the last failure.
 */
static void mark_device_lost(struct accd__cuda *cuda)
{
    static const char notice[] = "; this session has lost the device";
    cuda->is_lost = true;
    strncat(cuda->why, notice, sizeof cuda->why - strlen(cuda->why) - 1);
}

/* Returns true for CU_OK; otherwise stores the error of the driver function `call` and returns false. */
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

/* Marks the device as lost if `ok` is false; returns `ok`. */
bool accd__cuda_require(struct accd__cuda *cuda, bool ok)
{
    if (!ok && !cuda->is_lost)
        mark_device_lost(cuda);
    return ok;
}

/* Returns the status for the last failure of the driver: ACCD_ERROR_OUT_OF_DEVICE_MEMORY, or ACCD_ERROR_DEVICE for
 * all other errors and a lost device. */
accd_status accd__cuda_last_status(const struct accd__cuda *cuda)
{
    return !cuda->is_lost && cuda->error == CU_OUT_OF_MEMORY ? ACCD_ERROR_OUT_OF_DEVICE_MEMORY : ACCD_ERROR_DEVICE;
}

/* ---------------------------------------------------------------------------------- context -- */

/* Makes the device's context the thread's current one; returns false on failure. */
bool accd__cuda_push_context(struct accd__cuda *cuda)
{
    cuda->entered = ACCD_CUDA(cuda, cuCtxPushCurrent_v2, cuda->context);
    return cuda->entered;
}

/* Restores the context that was current before accd__cuda_push_context. Calls the driver without ACCD_CUDA, because
 * the thread must get its own context back even if the device is lost. */
void accd__cuda_pop_context(struct accd__cuda *cuda)
{
    cu_context context;
    if (cuda->entered)
        (void)cuda->driver.cuCtxPopCurrent_v2(&context);
    cuda->entered = false;
}

/* ---------------------------------------------------------------------------------- waiting -- */

/* Waits for the work in a stream. On failure returns false, and the device is lost. */
bool accd__cuda_wait(struct accd__cuda *cuda, const struct accd__cuda_stream *stream)
{
    return accd__cuda_require(cuda, ACCD_CUDA(cuda, cuStreamSynchronize, stream->at));
}

/* Waits for the work before an event. On failure returns false, and the device is lost. */
bool accd__cuda_wait_event(struct accd__cuda *cuda, cu_event event)
{
    return accd__cuda_require(cuda, ACCD_CUDA(cuda, cuEventSynchronize, event));
}

/* Creates the event at *event_p, unless it exists. Returns false on failure. */
bool accd__cuda_new_event(struct accd__cuda *cuda, cu_event *event_p)
{
    return *event_p || ACCD_CUDA(cuda, cuEventCreate, event_p, CU_EVENT_DISABLE_TIMING_FLAG);
}

/* Returns 1 if the work before an event has ended, or its state cannot be queried; otherwise 0. */
int accd__cuda_is_event_done(struct accd__cuda *cuda, cu_event event)
{
    bool is_current = !cuda->is_lost && accd__cuda_push_context(cuda);
    bool is_done = !is_current || cuda->driver.cuEventQuery(event) != CU_NOT_READY;
    accd__cuda_pop_context(cuda);
    return is_done;
}

/* Stores an error of a batch, unless the batch has failed already. */
void accd__cuda_batch_fail(struct accd__cuda_batch *batch, accd_status status)
{
    assert(status != ACCD_OK);
    if (batch->failed == ACCD_OK)
        batch->failed = status;
}

/* Waits for the work that a batch has issued. Returns false on failure. */
bool accd__cuda_batch_wait(struct accd__cuda_batch *batch)
{
    bool busy = batch->busy;
    batch->busy = false;
    return !busy || accd__cuda_wait(batch->cuda, batch->stream);
}
