/* launch.c - runs kernels, and keeps the structured regions of a thread. Called by the entry points in
 * frontend/. */
#include "base/kernel.h"
#include "base/lock.h"
#include "diag/errors.h"
#include "image/declared.h"
#include "image/image.h"
#include "lib/arena.h"
#include "lib/vector.h"
#include "launch.h"
#include "lifecycle.h"

#include <assert.h>

/* Pushes a region, opened by the current call, on the thread's stack of open regions, and returns it. parent:
 * RT_PARENT_x for tools, 0 in OpenMP. Ends the program without memory. */
struct rt_region *rt_push_region(struct rt_thread *self, int parent)
{
    assert(rt.site && self->nregions <= self->regions_capacity);
    if (!RT_RESERVE(rt_arena_realloc, self->regions, self->nregions, self->regions_capacity))
        rt_fatal("out-of-memory", "no memory for a data region");
    struct rt_region *level = &self->regions[self->nregions++];
    *level = (struct rt_region){.pc = rt.site->call.pc, .parent = parent};
    return level;
}

/* Ends the thread's innermost region, and the core's region in it. Ends the program if no region is open. */
void rt_pop_region(struct rt_thread *self)
{
    if (!self->nregions)
        rt_fatal("region-nesting", "a data region ends, but this thread has none open");
    accd_region *region = self->regions[self->nregions - 1].region;
    if (region)
        rt_end_core_region(self, region);
    self->nregions--;
}

/* Leaves and enters the call at `site` again until it holds the exclusive lock, if the program has declared variables.
 * They may have been found only after the call began, but the exclusive lock must be taken before the runtime's lock.
 */
void rt_acquire_exclusive(const struct rt_site *site)
{
    assert(rt.site && site);
    while (rt.has_declared && !(rt_this_thread.exclusive_calls & 1)) {
        rt_leave();
        rt_enter(site);
    }
}

/* Allocates `bytes` bytes for a kernel with its arguments. Ends the program without memory. */
struct rt_kernel *rt_alloc_kernel(size_t bytes)
{
    assert(bytes >= sizeof(struct rt_kernel));
    /* Strict runs make the heap inaccessible to kernels, and instrumented runs report its use; the arena is exempt. */
    struct rt_kernel *kernel = rt.options.diagnose ? rt_arena_realloc(NULL, NULL, 0, bytes) : malloc(bytes);
    if (!kernel)
        rt_fatal("out-of-memory", "no memory for the arguments of a compute region");
    return kernel;
}

/* Frees the memory of a kernel, which has `bytes` bytes. */
void rt_free_kernel(struct rt_kernel *kernel, size_t bytes)
{
    if (rt.options.diagnose)
        rt_arena_realloc(NULL, kernel, bytes, 0);
    else
        free(kernel);
}

/* Runs a kernel, with the checks before and after it. While it runs, declared variables hold the device's bytes, and in
 * strict runs the page guard makes host memory inaccessible. */
void rt_launch_kernel(const struct rt_site *site, int device, struct rt_kernel *kernel)
{
    assert(kernel->fn && rt.context);
    struct rt_thread *self = rt_current_thread();
    const enum rt_sampling sampling = self->sampling;
    kernel->construct = rt_construct_id(site);
    self->nkernels++;
    rt_acquire_exclusive(site);
    const bool exclusive = rt.has_declared;
    if (exclusive)
        rt_set_exclusive(true);
    rt_swap_declared_variables(self);
    RT_CALL_HOOKS(begin_kernel, self, site, device);
    rt_leave();
    self->sampling = sampling; /* rt_leave and rt_enter may have changed it */
    if (RT_HAS_HOOK(run_kernel)) {
        rt_hooks.run_kernel[0](site, device, kernel);
    } else {
        rt_begin_kernel(self, kernel->construct);
        kernel->fn(kernel->args);
        self->activity = RT_SLOW_PATH;
    }
    rt_enter(site);
    rt_swap_declared_variables(self);
    if (exclusive)
        rt_set_exclusive(false);
    self->sampling = sampling;
    RT_CALL_HOOKS(end_kernel, self, site, device, kernel);
}
