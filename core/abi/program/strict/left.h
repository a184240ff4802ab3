/* left.h - what is left on the devices at the end of a strict or checked run. With the lock. */
#ifndef GOACC_LEFT_H
#define GOACC_LEFT_H

#include "abi/program/base/runtime.h"

/* left.c: reports what is still mapped or attached. */
void goacc_tell_left(int device);

/* raw.c: device memory that the program itself allocates, by acc_malloc and omp_target_alloc. */
void goacc_raw_allocated(int device, uint64_t dev, uint64_t bytes);
void goacc_raw_freed(uint64_t dev);
/* Reports what is left: a note for each place. */
void goacc_raw_tell(void);
/* The devices' memory is gone. */
void goacc_raw_forget(void);

#endif
