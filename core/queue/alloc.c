/* alloc.c - device memory that is asked for: where there is none left, queues give back what they hold. */
#include "core.h"

accd_status accd_alloc_memory(struct accd_directory *dir, uint64_t bytes, uint64_t *dev_p)
{
    accd_status status = dir->ops->alloc(dir->device, bytes, dev_p);
    if (status == ACCD_OUT_OF_DEVICE_MEMORY && dir->ntasks && accd_is_concurrent(dir)) {
        ACCD_TRY(accd_order_all(dir)); /* queues have some to give back */
        status = dir->ops->alloc(dir->device, bytes, dev_p);
    }
    if (status == ACCD_OK) {
        dir->stats.allocations++;
        dir->stats.live_allocations++;
        dir->stats.live_bytes += bytes;
    }
    return status;
}
