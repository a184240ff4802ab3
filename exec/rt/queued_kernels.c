/* queued_kernels.c - hands kernels of OpenACC's asynchronous compute constructs to queues of the core, which run them
 * later. Called by frontend/gcc_acc.c in place of launch.c if the construct's queue keeps its work (orders.h). */
#include "base/compiler_facts.h"
#include "base/context.h"
#include "base/kernel.h"
#include "diag/errors.h"
#include "image/declared.h"
#include "lib/vector.h"
#include "launch.h"
#include "orders.h"
#include "queued_kernels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Scalar on a thread's stack that a kernel may change, with its value before the kernel. dev: its device address. */
struct scalar {
    void *host;
    uint64_t dev, bytes;
    char before[RT_PRIVATE_SCALAR_MAX];
};
static struct scalar *scalars; /* scalars of the construct under way; protected by the lock */
static size_t nscalars, scalars_capacity;

/* Kernel in a queue. */
struct queued_kernel {
    struct rt_site site; /* the construct; site.queue points to `queue` */
    int queue, device;
    uint64_t thread; /* thread that executed the construct */
    struct rt_kernel *kernel;
    size_t bytes; /* bytes of the kernel's memory */
    size_t nscalars;
    struct scalar scalars[];
};

void rt_prepare_queued_items(struct rt_thread *self, accd_item *items, size_t n)
{
    nscalars = 0;
    for (size_t i = 0; i < n; i++) {
        accd_item *item = &items[i];
        if (item->action != ACCD_ACTION_COPY || item->bytes > RT_PRIVATE_SCALAR_MAX ||
            !rt_is_on_stack(self, item->host) ||
            accd_get_presence(rt.context, self->device, item->host, item->bytes) != ACCD_PRESENCE_NONE)
            continue;
        if (!RT_RESERVE(rt_heap_realloc, scalars, nscalars, scalars_capacity))
            rt_fatal("out-of-memory", "no memory for the work of a queue");
        item->action = ACCD_ACTION_COPYIN;
        scalars[nscalars] = (struct scalar){.host = (void *)(uintptr_t)item->host, .bytes = item->bytes};
        memcpy(scalars[nscalars++].before, item->host, item->bytes);
    }
}

/* Copies the scalars that a kernel has changed to the host, unless the function that they belong to has returned. */
static void write_scalars(const struct queued_kernel *queued, const struct rt_thread *self)
{
    for (size_t i = 0; i < queued->nscalars; i++) {
        const struct scalar *scalar = &queued->scalars[i];
        const void *const value = (const void *)(uintptr_t)scalar->dev;
        const bool is_gone = queued->thread == self->number && (uintptr_t)scalar->host < rt.site->call.sp;
        if (!is_gone && memcmp(value, scalar->before, scalar->bytes) != 0)
            memcpy(scalar->host, value, scalar->bytes);
    }
}

/* Runs a queued kernel in the call under way, with the lock held. */
static void run_queued_kernel(const struct queued_kernel *queued)
{
    struct rt_thread *self = &rt_this_thread;
    const struct rt_site *const site = rt.site;
    const int device = self->device;
    const uintptr_t activity = self->activity;
    rt.site = &queued->site;
    self->device = queued->device;
    self->in_core = false;
    rt_swap_declared_variables(self);
    RT_CALL_HOOKS(begin_kernel, self, &queued->site, queued->device);
    self->nkernels++;
    rt_begin_kernel(self, queued->kernel->construct);
    queued->kernel->fn(queued->kernel->args);
    self->activity = activity;
    rt_swap_declared_variables(self);
    RT_CALL_HOOKS(end_kernel, self, &queued->site, queued->device, queued->kernel);
    self->in_core = true;
    self->device = device;
    rt.site = site;
    write_scalars(queued, self);
}

/* Function of the core's queue: runs the kernel, unless it is dropped, and frees it. */
static int on_kernel(void *ud, accd_host_call call)
{
    struct queued_kernel *queued = ud;
    if (call == ACCD_CALL_RUN)
        run_queued_kernel(queued);
    rt_free_kernel(queued->kernel, queued->bytes);
    free(queued);
    return 0;
}

void rt_queue_kernel(const struct rt_site *site, accd_region *region, struct rt_kernel *kernel, size_t nargs,
                     size_t bytes)
{
    assert(site->queue && region);
    struct queued_kernel *queued = malloc(sizeof *queued + nscalars * sizeof queued->scalars[0]);
    uint64_t *devices = malloc((nargs + 1) * sizeof *devices);
    size_t ndevices = 0;
    if (!queued || !devices)
        rt_fatal("out-of-memory", "no memory for a kernel in a queue");
    *queued = (struct queued_kernel){*site, *site->queue, rt_this_thread.device, rt_this_thread.number, kernel,
                                     bytes, nscalars};
    queued->site.queue = &queued->queue;
    for (size_t i = 0; i < nscalars; i++) {
        queued->scalars[i] = scalars[i];
        queued->scalars[i].dev = accd_device_address(rt.context, queued->device, scalars[i].host);
    }
    kernel->construct = rt_construct_id(site);
    for (size_t i = 0; i < nargs; i++)
        if (rt_is_device_address(kernel->args[i]))
            devices[ndevices++] = (uintptr_t)kernel->args[i];
    rt_check_status(accd_launch_function(region, devices, ndevices, on_kernel, queued));
    free(devices);
}
