/* leaks.h - reports of what is left on the devices at the end of a strict or checked run. All functions need the lock.
 */
#ifndef RT_LEAKS_H
#define RT_LEAKS_H

#include "base/runtime.h"

/* leaks.c: reports the objects that are still mapped on a device, and the pointers that are still attached. */
void rt_report_leaks(int device);

/* device_allocations.c: table of the device memory that the program itself allocates, by acc_malloc and
 * omp_target_alloc. */
/* Records a block of `bytes` bytes at the device address `dev`; dev 0 is ignored. Without memory the block is
 * not recorded. */
void rt_device_alloc_add(int device, uint64_t dev, uint64_t bytes);
/* Forgets the block that starts at `dev`; does nothing if no such block is recorded. */
void rt_device_alloc_remove(uint64_t dev);
/* Reports the blocks that were not freed, in one note for each allocating line, and clears the table. */
void rt_report_device_alloc_leaks(void);
/* Clears the table without a report; called when the memory of the devices is freed. */
void rt_device_alloc_clear(void);

#endif
