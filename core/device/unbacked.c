/* unbacked.c - the backend "unbacked": a device whose memory has addresses, but no bytes. Transfers move nothing, so
 * that a context with such devices never changes host memory. It shows what constructs would do, by their status and
 * events.
 *
 * Addresses are no addresses of this process, and none is used twice. The records lie in the memory of the context,
 * with which checkpoints save them. */
#include "base/btree.h"
#include "device/device.h"

#include <assert.h>

/* Bytes of address space of each device, and the address of device 0, beyond those of processes. */
static const uint64_t space = (uint64_t)1 << 52, first_base = (uint64_t)1 << 60;

/* Allocation of `bytes` bytes at `dev`. */
struct allocation {
    uint64_t dev, bytes;
};

/* Device: `base` is its lowest address, `end` the end of the newest allocation. */
struct unbacked {
    struct accd__mem *mem;
    uint64_t base, end;
    struct accd__btree allocations; /* struct allocation, by address */
};

static accd_status unbacked_open(void **device_p, int number, const accd_context_config *config, struct accd__mem *mem)
{
    (void)config;
    struct unbacked *device = accd__mem_alloc_zeroed(mem, sizeof *device);
    if (!device)
        return ACCD_ERROR_OUT_OF_MEMORY;
    device->mem = mem;
    device->base = device->end = first_base + (uint64_t)number * space;
    accd__btree_init(&device->allocations, mem);
    *device_p = device;
    return ACCD_OK;
}

static void unbacked_close(void *handle)
{
    struct unbacked *device = handle;
    ACCD_FOR_EACH(struct allocation, allocation, &device->allocations, 0)
    accd__mem_free(device->mem, allocation, sizeof *allocation);
    accd__btree_clear(&device->allocations);
    accd__mem_free(device->mem, device, sizeof *device);
}

/* Allocates addresses. ACCD_ERROR_OUT_OF_DEVICE_MEMORY: the address space is used up, or there is no memory for the
 * record. */
static accd_status unbacked_alloc(void *handle, uint64_t host, uint64_t bytes, uint64_t *dev_p)
{
    struct unbacked *device = handle;
    (void)host;
    assert(bytes);
    if (bytes > device->base + space - device->end - 32)
        return ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
    struct allocation *allocation = accd__mem_alloc(device->mem, sizeof *allocation);
    if (!allocation)
        return ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
    *allocation = (struct allocation){device->end, bytes};
    if (!accd__btree_insert(&device->allocations, allocation->dev, allocation)) {
        accd__mem_free(device->mem, allocation, sizeof *allocation);
        return ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    device->end += (bytes + 31) / 16 * 16; /* a gap, so that allocations do not adjoin */
    *dev_p = allocation->dev;
    return ACCD_OK;
}

/* Returns the allocation that contains the address; NULL: none. */
static struct allocation *find_allocation(struct unbacked *device, uint64_t dev)
{
    struct allocation *allocation = accd__btree_floor(&device->allocations, dev);
    return allocation && dev - allocation->dev < allocation->bytes ? allocation : NULL;
}

static accd_status unbacked_free(void *handle, uint64_t dev)
{
    struct unbacked *device = handle;
    struct allocation *allocation = find_allocation(device, dev);
    if (!allocation || allocation->dev != dev)
        return ACCD_ERROR_MISUSE;
    accd__btree_erase(&device->allocations, dev);
    accd__mem_free(device->mem, allocation, sizeof *allocation);
    return ACCD_OK;
}

static accd_status unbacked_begin_batch(void *device, const struct accd__traffic *traffic)
{
    (void)device, (void)traffic;
    return ACCD_OK;
}

static accd_status unbacked_end_batch(void *device)
{
    (void)device;
    return ACCD_OK;
}

/* Device memory has no bytes: accd__run_batch calls neither stage nor fetch. */
static void *unbacked_stage(void *device, uint64_t dev, uint64_t bytes, const void *host)
{
    (void)device, (void)dev, (void)bytes, (void)host;
    assert(!"an unbacked device was given bytes");
    return NULL;
}

static const void *unbacked_fetch(void *device, uint64_t dev, uint64_t bytes, const void *host)
{
    return unbacked_stage(device, dev, bytes, host);
}

static void unbacked_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    (void)device, (void)to, (void)from, (void)bytes;
}

/* Reads zeros. */
static accd_status unbacked_read(void *device, uint64_t dev, void *to, uint64_t bytes)
{
    (void)device, (void)dev;
    memset(to, 0, bytes);
    return ACCD_OK;
}

static accd_status unbacked_write(void *device, uint64_t dev, const void *from, uint64_t bytes)
{
    (void)device, (void)dev, (void)from, (void)bytes;
    return ACCD_OK;
}

static int unbacked_owns(void *handle, uint64_t dev)
{
    const struct unbacked *device = handle;
    return dev - device->base < space;
}

static int unbacked_is_allocated(void *handle, uint64_t dev, uint64_t bytes)
{
    const struct allocation *allocation = find_allocation(handle, dev);
    return allocation && bytes <= allocation->bytes - (dev - allocation->dev);
}

static uint64_t unbacked_size_of(void *handle, uint64_t dev)
{
    const struct allocation *allocation = find_allocation(handle, dev);
    return allocation && allocation->dev == dev ? allocation->bytes : 0;
}

/* Checkpoints save the device with the memory of its context. */
static uint64_t unbacked_state_bytes(void *device)
{
    (void)device;
    return 0;
}

static void unbacked_state_save(void *device, uint8_t *to)
{
    (void)device, (void)to;
}

static uint64_t unbacked_state_restore(void *device, const uint8_t *from)
{
    (void)device, (void)from;
    return 0;
}

const accd_backend accd__backend_unbacked = {
    .name = "unbacked",
    .has_no_bytes = true,
    .open = unbacked_open,
    .close = unbacked_close,
    .alloc = unbacked_alloc,
    .free = unbacked_free,
    .begin_batch = unbacked_begin_batch,
    .end_batch = unbacked_end_batch,
    .stage = unbacked_stage,
    .fetch = unbacked_fetch,
    .copy = unbacked_copy,
    .read = unbacked_read,
    .write = unbacked_write,
    .owns = unbacked_owns,
    .is_allocated = unbacked_is_allocated,
    .size_of = unbacked_size_of,
    .state_bytes = unbacked_state_bytes,
    .state_save = unbacked_state_save,
    .state_restore = unbacked_state_restore,
};
