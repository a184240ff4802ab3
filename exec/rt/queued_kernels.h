/* queued_kernels.h - kernels that a queue of the core runs later (orders.h). */
#ifndef RT_QUEUED_KERNELS_H
#define RT_QUEUED_KERNELS_H

#include "base/runtime.h"

/* Prepares the n items of a compute construct for a queue: scalars on the stack are read at once. They are written back
 * after the kernel only if the kernel has changed them, since gcc passes private scalars in the same way. Called before
 * rt_run_items if rt_get_work_queue is not 0. The lock must be held. Ends the program without memory. */
void rt_prepare_queued_items(struct rt_thread *self, accd_item *items, size_t n);
/* Hands the kernel of an open compute region, in memory of `bytes` bytes from rt_alloc_kernel, to the region's queue,
 * which frees that memory. site->queue is the queue's number. Called instead of rt_launch_kernel if rt_get_work_queue
 * is not 0. `kernel->args` has nargs arguments. The lock must be held. Failure ends the program. */
void rt_queue_kernel(const struct rt_site *site, accd_region *region, struct rt_kernel *kernel, size_t nargs,
                     size_t bytes);

#endif
