/* memory.c - device memory that is given back, or forgotten: behind what queues still do with it. */
#include "queue/inside.h"

static bool leave_memory(struct accd_directory *dir, enum accd_task_kind kind, uint64_t dev, uint64_t bytes)
{
    struct accd_queue *queue = accd_last_user(dir, dev, bytes);
    if (!queue)
        return false;
    struct accd_task *task = accd_task_new(dir, kind, 0);
    if (!task) /* then it goes with the context */
        return true;
    task->u.memory.dev = dev;
    task->u.memory.bytes = bytes;
    accd_task_append(queue, task);
    return true;
}

void accd_free_memory(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (dir->queues.ntasks && leave_memory(dir, ACCD_TASK_FREE, dev, bytes))
        return;
    if (dir->device.ops->free(dir->device.handle, dev) == ACCD_OK) {
        dir->device.stats.frees++;
        dir->device.stats.live_allocations--;
        dir->device.stats.live_bytes -= bytes;
    }
}

void accd_release_block(struct accd_directory *dir, struct accd_block *block, size_t objects)
{
    block->live -= objects;
    if (block->live)
        return;
    accd_range_erase(&dir->present.blocks, block->dev);
    if (block->frame)
        accd_range_erase(&dir->present.frames, block->frame);
    if (!block->borrowed)
        accd_free_memory(dir, block->dev, block->bytes);
    accd_pool_give(&dir->present.block_pool, block);
}

void accd_forget_bytes(struct accd_directory *dir, uint64_t dev, uint64_t bytes)
{
    if (dir->queues.ntasks && leave_memory(dir, ACCD_TASK_FORGET, dev, bytes))
        return;
    if (dir->device.ops->forget)
        dir->device.ops->forget(dir->device.handle, dev, bytes);
}

void accd_free_memory_of(struct accd_directory *dir, struct accd_object *object)
{
    if (object->size & ACCD_OBJECT_SHARED)
        accd_release_block(dir, accd_block_of(dir, object), 1);
    else if (!(object->size & ACCD_OBJECT_MAPPED))
        accd_free_memory(dir, object->dev, accd_object_bytes(object));
}
