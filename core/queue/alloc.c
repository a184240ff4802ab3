/* alloc.c - allocates device memory; if too little is free, waits for queues, which may free some. */
#include "queue/inside.h"

accd_status accd__alloc_device_memory(struct accd__device_env *env, uint64_t host, uint64_t bytes, uint64_t *dev_p)
{
    accd_status status = env->device.ops->alloc(env->device.handle, host, bytes, dev_p);
    const bool may_wait = accd__is_concurrent(env) || env->context->captures;
    if (status == ACCD_ERROR_OUT_OF_DEVICE_MEMORY && env->queues.ntasks && may_wait) {
        ACCD_TRY(accd__wait_for_all_queues(env)); /* a task of a queue may free device memory */
        status = env->device.ops->alloc(env->device.handle, host, bytes, dev_p);
    }
    if (status == ACCD_OK) {
        env->device.stats.allocations++;
        env->device.stats.live_allocations++;
        env->device.stats.live_bytes += bytes;
    }
    return status;
}
