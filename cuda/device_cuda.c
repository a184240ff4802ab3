/* device_cuda.c - a GPU as a device of the core, through the CUDA driver: the table accd__backend_cuda.
 *
 * The backend uses the primary context of its GPU, as other libraries of the process do, and makes it current only
 * during its calls. Like the simulated device, the backend knows which bytes were ever written and which addresses
 * are the device's. It records both on the host, also for kernels that the GPU runs. */
#include "backend.h"
#include "nvrtc.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------- open, close -- */

/* Waits for all work, and frees the device's resources and the device. Also closes a device that was opened only in
 * part. */
static void cuda_close(void *device)
{
    struct accd__cuda *cuda = device;
    if (cuda->context)
        (void)accd__cuda_push_context(cuda);
    accd__cuda_streams_wait(cuda); /* work in progress may use the memory that is freed now */
    accd__cuda_batches_free(cuda);
    accd__cuda_host_memory_free(cuda);
    if (cuda->module)
        (void)ACCD_CUDA(cuda, cuModuleUnload, cuda->module);
    accd__cuda_kernels_free(cuda);
    accd__cuda_memory_free(cuda);
    accd__cuda_streams_free(cuda);
    if (cuda->pool)
        (void)ACCD_CUDA(cuda, cuMemPoolDestroy, cuda->pool);
    accd__cuda_pop_context(cuda);
    if (cuda->context)
        (void)cuda->driver.cuDevicePrimaryCtxRelease_v2(cuda->gpu);
    accd__mem_free(cuda->mem, cuda, sizeof *cuda);
}

/* Opens device `number` of a context, counted from config->first_device, and sets *device_p. Returns
 * ACCD_ERROR_OUT_OF_MEMORY, or ACCD_ERROR_NO_DEVICE; then config->no_device, unless NULL, has the reason. */
static accd_status cuda_open(void **device_p, int number, const accd_context_config *config, struct accd__mem *mem)
{
    struct accd__cuda *cuda = accd__mem_alloc_zeroed(mem, sizeof *cuda);
    int count = 0;
    if (!cuda)
        return ACCD_ERROR_OUT_OF_MEMORY;
    cuda->mem = mem;
    cuda->capacity = config->device_bytes;
    cuda->own_kernels = config->own_kernels;
    cuda->default_batch = (struct accd__cuda_batch){.cuda = cuda, .stream = &cuda->main};
    cuda->batch = &cuda->default_batch;
    accd__btree_init(&cuda->memories, mem);
    accd__pool_init(&cuda->memory_pool, mem, sizeof(struct accd__cuda_memory), 64);
    bool ok =
        accd__cuda_load_driver(&cuda->driver, cuda->why, sizeof cuda->why) == CU_OK &&
        ACCD_CUDA(cuda, cuDeviceGetCount, &count) && config->first_device < (unsigned)count &&
        ACCD_CUDA(cuda, cuDeviceGet, &cuda->gpu, (int)((config->first_device + (unsigned)number) % (unsigned)count)) &&
        ACCD_CUDA(cuda, cuDevicePrimaryCtxRetain, &cuda->context, cuda->gpu) && accd__cuda_push_context(cuda) &&
        accd__cuda_pool_open(cuda) && ACCD_CUDA(cuda, cuStreamCreate, &cuda->main.at, CU_STREAM_NON_BLOCKING_FLAG);
    accd__cuda_pop_context(cuda);
    if (!ok) {
        if (config->no_device)
            snprintf(config->no_device->why, sizeof config->no_device->why, "%s",
                     *cuda->why ? cuda->why : "there are too few CUDA devices");
        cuda_close(cuda);
        return ACCD_ERROR_NO_DEVICE;
    }
    *device_p = cuda;
    return ACCD_OK;
}

/* Fills *info_p with name, memory, driver and compiler of GPU `number`. ACCD_ERROR_NO_DEVICE: info_p->why has the
 * reason, or is empty if the number is too large. */
static accd_status cuda_about(unsigned number, accd_device_info *info_p)
{
    struct cuda_driver driver;
    cu_device gpu;
    int count = 0;
    size_t bytes = 0;
    if (accd__cuda_load_driver(&driver, info_p->why, sizeof info_p->why) != CU_OK)
        return ACCD_ERROR_NO_DEVICE;
    cu_result result = driver.cuDeviceGetCount(&count);
    if (result == CU_OK && !count)
        snprintf(info_p->why, sizeof info_p->why, "the CUDA driver finds no device");
    if (result == CU_OK && number >= (unsigned)count)
        return ACCD_ERROR_NO_DEVICE;
    if (result == CU_OK)
        result = driver.cuDeviceGet(&gpu, (int)number);
    if (result == CU_OK)
        result = driver.cuDeviceGetName(info_p->name, sizeof info_p->name, gpu);
    if (result == CU_OK)
        result = driver.cuDeviceTotalMem_v2(&bytes, gpu);
    if (result != CU_OK) {
        accd__cuda_format_error(&driver, result, "a query of the device", info_p->why, sizeof info_p->why);
        return ACCD_ERROR_NO_DEVICE;
    }
    info_p->bytes = bytes;
    (void)accd__nvrtc_get_version(driver.installed, info_p->compiler, sizeof info_p->compiler);
    snprintf(info_p->driver, sizeof info_p->driver, "CUDA %d.%d", driver.installed / 1000,
             driver.installed % 1000 / 10);
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ faults -- */

/* Sets the countdowns to an injected failure: n makes the n-th allocation or copy from now on fail, 0: none.
 * UINT64_MAX leaves a countdown as it is. */
static void cuda_fail(void *device, uint64_t allocation, uint64_t copy)
{
    struct accd__cuda *cuda = device;
    if (allocation != UINT64_MAX)
        cuda->fail_allocation = allocation;
    if (copy != UINT64_MAX)
        cuda->fail_copy = copy;
}

/* Returns the text of the last failure; "" if the last call of the core did not fail. */
static const char *cuda_why(void *device)
{
    const struct accd__cuda *cuda = device;
    return cuda->why;
}

const accd_backend accd__backend_cuda = {
    .name = "cuda",
    .small_bytes = ACCD_SMALL_OBJECT,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = accd__cuda_alloc,
    .free = accd__cuda_free,
    .begin_batch = accd__cuda_begin,
    .end_batch = accd__cuda_end,
    .announce = accd__cuda_announce,
    .ready = accd__cuda_ready,
    .send = accd__cuda_send,
    .receive = accd__cuda_receive,
    .announce_parts = accd__cuda_announce_parts,
    .stage_part = accd__cuda_stage_part,
    .send_parts = accd__cuda_send_parts,
    .part_bytes = ACCD_CUDA_CHUNK,
    .stage = accd__cuda_stage,
    .fetch = accd__cuda_fetch,
    .copy = accd__cuda_copy,
    .fetch_most = (uint64_t)ACCD_CUDA_RING / 2 * ACCD_CUDA_CHUNK,
    .start_batch = accd__cuda_start_batch,
    .is_batch_done = accd__cuda_is_batch_done,
    .finish_batch = accd__cuda_finish_batch,
    .read = accd__cuda_read,
    .write = accd__cuda_write,
    .owns = accd__cuda_owns,
    .is_before = accd__cuda_is_before,
    .is_allocated = accd__cuda_is_allocated,
    .size_of = accd__cuda_allocation_size,
    .count_written = accd__cuda_written,
    .save = accd__cuda_save,
    .restore = accd__cuda_restore,
    .mark_unwritten = accd__cuda_mark_unwritten,
    .get_compiler = accd__cuda_compiler,
    .launch = accd__cuda_launch,
    .is_kernel_done = accd__cuda_is_kernel_done,
    .finish_kernel = accd__cuda_finish_kernel,
    .settle_kernel = accd__cuda_settle_kernel,
    .next_allocation = accd__cuda_next_allocation,
    .inject_failure = cuda_fail,
    .last_error = cuda_why,
    .get_info = cuda_about,
};
