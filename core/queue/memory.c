/* memory.c - frees device memory, or marks it as unwritten, after the tasks of queues that still use it. */
#include "queue/inside.h"
#include "table/objects.h"

/* Appends a task of a kind (FREE or MARK_UNWRITTEN) for the device range [dev, dev + bytes) to the queue that
 * accd__last_queue_using returns. Returns false if no queue uses the range, so that the caller releases it now.
 * Otherwise returns true, also without memory for the task. */
static bool defer_release(struct accd__device_env *env, enum accd__task_kind kind, uint64_t dev, uint64_t bytes)
{
    struct accd__queue *queue = accd__last_queue_using(env, dev, bytes);
    if (!queue)
        return false;
    struct accd__task *task = accd__task_new(env, kind, 0);
    if (!task) /* the range stays as it is until the context is closed */
        return true;
    task->u.memory.dev = dev;
    task->u.memory.bytes = bytes;
    accd__task_append(queue, task);
    return true;
}

void accd__free_device_memory(struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    if (env->queues.ntasks && defer_release(env, ACCD_TASK_FREE, dev, bytes))
        return;
    if (env->device.ops->free(env->device.handle, dev) == ACCD_OK) {
        env->device.stats.frees++;
        env->device.stats.live_allocations--;
        env->device.stats.live_bytes -= bytes;
    }
}

void accd__release_block(struct accd__device_env *env, struct accd__block *block, size_t objects)
{
    assert(block->live >= objects);
    block->live -= objects;
    if (block->live)
        return;
    accd__btree_erase(&env->present.blocks, block->dev);
    if (block->frame)
        accd__btree_erase(&env->present.frames, block->frame);
    if (!block->user_owned)
        accd__free_device_memory(env, block->dev, block->bytes);
    accd__pool_free(&env->present.block_pool, block);
}

void accd__mark_unwritten(struct accd__device_env *env, uint64_t dev, uint64_t bytes)
{
    if (env->queues.ntasks && defer_release(env, ACCD_TASK_MARK_UNWRITTEN, dev, bytes))
        return;
    if (env->device.ops->mark_unwritten)
        env->device.ops->mark_unwritten(env->device.handle, dev, bytes);
}

void accd__free_object_memory(struct accd__device_env *env, struct accd__object *object)
{
    if (object->size & ACCD_OBJECT_SHARED)
        accd__release_block(env, accd__object_block(env, object), 1);
    else if (!(object->size & ACCD_OBJECT_MAPPED))
        accd__free_device_memory(env, object->dev, accd__object_bytes(object));
}
