/* launch.h - structured regions of a thread, and launches of kernels. */
#ifndef RT_LAUNCH_H
#define RT_LAUNCH_H

#include "base/runtime.h"

/* Pushes a structured region of the current call, and returns it; its `region` of the core is NULL at first. `parent`:
 * RT_PARENT_x for tools, 0 in OpenMP. The lock must be held. Ends the program without memory. */
struct rt_region *rt_push_region(struct rt_thread *self, int parent);
void rt_pop_region(struct rt_thread *self); /* pops the innermost region; ends the program if no region is open */
/* Ensures that the call at `site` holds the exclusive lock if the program has declared variables. That lock keeps out
 * other calls while a kernel uses such variables. May release and retake the runtime's lock, which must be held. */
void rt_acquire_exclusive(const struct rt_site *site);
/* Allocates `bytes` bytes for a kernel, its arguments and its private variables, which the kernel can read in checked
 * runs, too. The lock must be held. Ends the program without memory. */
struct rt_kernel *rt_alloc_kernel(size_t bytes);
void rt_free_kernel(struct rt_kernel *kernel, size_t bytes); /* frees the `bytes` bytes of a kernel */
/* Runs a kernel, whose data must be present on `device`, for the construct at `site`. The lock is held before and
 * after, but not while the kernel runs. Sets kernel->construct. */
void rt_launch_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel);

#endif
