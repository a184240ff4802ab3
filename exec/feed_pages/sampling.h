/* sampling.h - decides which constructs a strict run checks. */
#ifndef RT_SAMPLING_H
#define RT_SAMPLING_H

#include "base/runtime.h"

/* Decides whether the current construct is checked, and returns the decision. Constructs of the same key
 * (line, data and arguments) are checked less often the more often they ran. */
enum rt_sampling rt_sample_construct(struct rt_thread *self, accd_construct_kind kind, const accd_item *items,
                                     size_t nitems);
/* Adds a kernel's by-value argument to the key of its construct, before the decision. */
void rt_sampling_add_value(struct rt_thread *self, uint64_t value);
void rt_sampling_event(const accd_event *event); /* keeps account of the present data, by allocations and frees */
void rt_sampling_reset(void);                    /* forgets the present data, as the context ends */

#endif
