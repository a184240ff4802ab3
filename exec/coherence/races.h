/* races.h - race detection of strict runs. The lock must be held in all functions. */
#ifndef RT_RACES_H
#define RT_RACES_H

#include "base/runtime.h"

struct rt_device_section;

void rt_races_event(const accd_event *event); /* records the accesses of an event of the core */
/* Records that a routine reads or (`writes`) writes `bytes` bytes from `start` on, on the device or the host. */
void rt_races_routine_access(bool on_device, bool writes, uint64_t start, uint64_t bytes);
void rt_races_free(int device, uint64_t dev); /* called before the block at `dev` is freed */
/* Hook before a kernel, whose data are present. items: those of its construct. */
void rt_races_before_kernel(struct rt_thread *self, const accd_item *items, size_t nitems);
size_t rt_races_get_sections(const struct rt_thread *self, struct rt_device_section *sections, size_t capacity);
void rt_races_record_touched(struct rt_thread *self, uintptr_t pc, const struct rt_device_section *sections, size_t n);
void rt_races_after_kernel(struct rt_thread *self); /* hook after a kernel */
/* Hook after a call in which the host may have waited for asynchronous work. */
void rt_races_after_wait(void);
void rt_races_finish(void);

#endif
