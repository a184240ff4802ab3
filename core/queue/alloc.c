/* alloc.c - device memory that is asked for: where there is none left, queues give back what they hold. */
#include "queue/inside.h"

accd_status accd_alloc_memory(struct accd_directory *dir, uint64_t bytes, uint64_t *dev_p)
{
    accd_status status = dir->device.ops->alloc(dir->device.handle, bytes, dev_p);
    if (status == ACCD_OUT_OF_DEVICE_MEMORY && dir->queues.ntasks && accd_is_concurrent(dir)) {
        ACCD_TRY(accd_order_all(dir)); /* queues have some to give back */
        status = dir->device.ops->alloc(dir->device.handle, bytes, dev_p);
    }
    if (status == ACCD_OK) {
        dir->device.stats.allocations++;
        dir->device.stats.live_allocations++;
        dir->device.stats.live_bytes += bytes;
    }
    return status;
}
