/* out_of_bounds.h - quarantine: list of the data unmapped last, by which an access after the unmapping is
 * explained. */
#ifndef RT_OUT_OF_BOUNDS_H
#define RT_OUT_OF_BOUNDS_H

#include <stdint.h>

/* Adds unmapped data, whose device memory began at `dev`, to the quarantine. */
void rt_quarantine_add(const accd_event *event, uint64_t dev);

#endif
