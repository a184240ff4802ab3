/* observed.c - a backend that tells an observer of allocations, frees and transfers, and leaves the work to another
 * backend. Contexts with other backends pay nothing for it.
 *
 *     core ---> observed: alloc, free, stage, fetch ---> observer
 *                  |                                        (compares bytes, counts)
 *                  v
 *               inner: "direct", "guarded-end", ... */
#include "accdeep_internal.h"
#include "device/device.h"

static const accd_backend *inner;
static const accd__memory_observer *observer;
static accd_backend observed;

/* Opens a device of the inner backend, which must find itself in the configuration. */
static accd_status observed_open(void **device_p, int number, const accd_context_config *config, struct accd__mem *mem)
{
    accd_context_config inner_config = *config;
    inner_config.backend = inner;
    return inner->open(device_p, number, &inner_config, mem);
}

/* Allocates memory, and tells the observer if that succeeds. */
static accd_status observed_alloc(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p)
{
    const accd_status status = inner->alloc(device, host, bytes, dev_p);
    if (status == ACCD_OK)
        observer->alloc(*dev_p, host, bytes);
    return status;
}

/* Tells the observer, and frees memory. An address at which no allocation begins has 0 bytes. */
static accd_status observed_free(void *device, uint64_t dev)
{
    observer->free(dev, inner->size_of(device, dev));
    return inner->free(device, dev);
}

/* Tells the observer, and stages a range. */
static void *observed_stage(void *device, uint64_t dev, uint64_t bytes, const void *host)
{
    observer->send(dev, host, bytes);
    return inner->stage(device, dev, bytes, host);
}

/* Tells the observer, and fetches a range. */
static const void *observed_fetch(void *device, uint64_t dev, uint64_t bytes, const void *host)
{
    observer->fetch(dev, host, bytes);
    return inner->fetch(device, dev, bytes, host);
}

/* Makes the observed backend of the process. */
const accd_backend *accd__observe_memory(const accd_backend *backend, const accd__memory_observer *memory_observer)
{
    assert(backend && backend != &observed && memory_observer && !backend->announce);
    inner = backend;
    observer = memory_observer;
    observed = *backend;
    observed.open = observed_open;
    observed.alloc = observed_alloc;
    observed.free = observed_free;
    observed.stage = observed_stage;
    observed.fetch = observed_fetch;
    return &observed;
}
