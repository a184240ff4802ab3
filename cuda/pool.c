/* pool.c - device memory, allocated and freed in the order of a stream. */
#include "backend.h"

/* Creates a pool of device memory, if the driver has pools; returns false if a call failed. The pool retains freed
 * memory, because the next construct needs about as much. Without pools, the driver allocates and frees each block. */
bool accd__cuda_pool_open(struct accd__cuda *cuda)
{
    int supported = 0;
    uint64_t all = UINT64_MAX;
    const struct cu_pool_props props = {
        .allocation = CU_ALLOCATION_PINNED,
        .location = {CU_LOCATION_DEVICE, cuda->gpu},
    };
    const struct cuda_driver *driver = &cuda->driver;
    if (!driver->cuMemPoolCreate || !driver->cuMemPoolDestroy || !driver->cuMemPoolSetAttribute ||
        !driver->cuMemAllocFromPoolAsync || !driver->cuMemFreeAsync)
        return true;
    if (!ACCD_CUDA(cuda, cuDeviceGetAttribute, &supported, CU_MEMORY_POOLS_SUPPORTED, cuda->gpu))
        return false;
    return !supported || (ACCD_CUDA(cuda, cuMemPoolCreate, &cuda->pool, &props) &&
                          ACCD_CUDA(cuda, cuMemPoolSetAttribute, cuda->pool, CU_POOL_RELEASE_THRESHOLD, &all));
}

/* Allocates `bytes` bytes of device memory, and sets *at_p to its address. With a pool, the allocation takes place in
 * the order of `stream`. Returns false on failure. */
bool accd__cuda_pool_alloc(struct accd__cuda *cuda, const struct accd__cuda_stream *stream, uint64_t bytes,
                           cu_address *at_p)
{
    if (cuda->pool)
        return ACCD_CUDA(cuda, cuMemAllocFromPoolAsync, at_p, bytes, cuda->pool, stream->at);
    return ACCD_CUDA(cuda, cuMemAlloc_v2, at_p, bytes);
}

/* Frees device memory: with a pool in the order of the stream, otherwise by cuMemFree. A failure is only stored. */
void accd__cuda_pool_free(struct accd__cuda *cuda, const struct accd__cuda_stream *stream, cu_address at)
{
    if (cuda->pool)
        (void)ACCD_CUDA(cuda, cuMemFreeAsync, at, stream->at);
    else
        (void)ACCD_CUDA(cuda, cuMemFree_v2, at);
}
