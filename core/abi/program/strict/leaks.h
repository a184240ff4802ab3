/* leaks.h - reports of what is left on the devices at the end of a strict or checked run. All functions need the lock.
 */
#ifndef RT_LEAKS_H
#define RT_LEAKS_H

#include "abi/program/base/runtime.h"

/* leaks.c: reports objects that are still mapped, and pointers that are still attached. */
void rt_report_leaks(int device);

/* device_allocations.c: table of the device memory that the program itself allocates, by acc_malloc and
 * omp_target_alloc. */
/* Records a block; dev 0 is ignored. Without memory the block is not recorded. */
void rt_device_alloc_add(int device, uint64_t dev, uint64_t bytes);
/* Forgets a block, if it is recorded. */
void rt_device_alloc_remove(uint64_t dev);
/* Reports what is left, in one note for each place that allocated, and clears the table. */
void rt_report_device_alloc_leaks(void);
/* Clears the table: the devices' memory is freed. */
void rt_device_alloc_clear(void);

#endif
