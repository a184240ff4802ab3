/* leaks.h - what is left on the devices at the end of a strict or checked run. With the lock. */
#ifndef RT_LEAKS_H
#define RT_LEAKS_H

#include "abi/program/base/runtime.h"

/* leaks.c: reports what is still mapped or attached. */
void rt_report_leaks(int device);

/* device_allocations.c: device memory that the program itself allocates, by acc_malloc and omp_target_alloc. */
void rt_device_alloc_add(int device, uint64_t dev, uint64_t bytes);
void rt_device_alloc_remove(uint64_t dev);
/* Reports what is left: a note for each place. */
void rt_report_device_alloc_leaks(void);
/* The devices' memory is gone. */
void rt_device_alloc_clear(void);

#endif
