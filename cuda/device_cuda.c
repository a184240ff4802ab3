/* device_cuda.c - a GPU as a device of the core, through the CUDA driver. It shares the primary context
 * of its GPU with whatever else runs in the process, and makes it current only while it is at work.
 *
 * What the simulated device knows beside its memory it knows as well, because it is kept here: which
 * bytes were ever written, which addresses are its own. Kernels that the GPU itself runs keep it, too. */
#include "backend.h"
#include "nvrtc.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------- open, close -- */

static void cuda_close(void *device)
{
    struct accd_cuda *cuda = device;
    if (cuda->context)
        (void)accd_cuda_enter(cuda);
    accd_cuda_streams_wait(cuda); /* what is under way may use what goes now */
    accd_cuda_batches_close(cuda);
    accd_cuda_places_close(cuda);
    if (cuda->module)
        (void)ACCD_CUDA(cuda, cuModuleUnload, cuda->module);
    accd_cuda_launch_close(cuda);
    accd_cuda_memory_close(cuda);
    accd_cuda_streams_close(cuda);
    if (cuda->pool)
        (void)ACCD_CUDA(cuda, cuMemPoolDestroy, cuda->pool);
    accd_cuda_leave(cuda);
    if (cuda->context)
        (void)cuda->driver.cuDevicePrimaryCtxRelease_v2(cuda->gpu);
    accd_mem_free(cuda->mem, cuda, sizeof *cuda);
}

static accd_status cuda_open(void **device_p, int number, const accd_context_config *config,
                             struct accd_mem *mem)
{
    struct accd_cuda *cuda = accd_mem_zero(mem, sizeof *cuda);
    int count = 0;
    if (!cuda)
        return ACCD_OUT_OF_MEMORY;
    cuda->mem = mem;
    cuda->capacity = config->device_bytes;
    cuda->own_kernels = config->own_kernels;
    cuda->usual = (struct accd_cuda_batch){.cuda = cuda, .stream = &cuda->main};
    cuda->batch = &cuda->usual;
    accd_range_init(&cuda->memories, mem);
    accd_pool_init(&cuda->memory_pool, mem, sizeof(struct accd_cuda_memory), 64);
    bool ok = accd_cuda_load(&cuda->driver, cuda->why, sizeof cuda->why) == CU_OK &&
              ACCD_CUDA(cuda, cuDeviceGetCount, &count) &&
              config->first_device < (unsigned)count &&
              ACCD_CUDA(cuda, cuDeviceGet, &cuda->gpu,
                        (int)((config->first_device + (unsigned)number) % (unsigned)count)) &&
              ACCD_CUDA(cuda, cuDevicePrimaryCtxRetain, &cuda->context, cuda->gpu) &&
              accd_cuda_enter(cuda) && accd_cuda_pool_open(cuda) &&
              ACCD_CUDA(cuda, cuStreamCreate, &cuda->main.at, CU_STREAM_NON_BLOCKING_FLAG);
    accd_cuda_leave(cuda);
    if (!ok) {
        if (config->no_device)
            snprintf(config->no_device->why, sizeof config->no_device->why, "%s",
                     *cuda->why ? cuda->why : "there are not so many CUDA devices");
        cuda_close(cuda);
        return ACCD_NO_DEVICE;
    }
    *device_p = cuda;
    return ACCD_OK;
}

static accd_status cuda_about(unsigned number, accd_device_info *info_p)
{
    struct cuda_driver driver;
    cu_device gpu;
    int count = 0;
    size_t bytes = 0;
    if (accd_cuda_load(&driver, info_p->why, sizeof info_p->why) != CU_OK)
        return ACCD_NO_DEVICE;
    cu_result result = driver.cuDeviceGetCount(&count);
    if (result == CU_OK && !count)
        snprintf(info_p->why, sizeof info_p->why, "the CUDA driver finds no device");
    if (result == CU_OK && number >= (unsigned)count)
        return ACCD_NO_DEVICE;
    if (result == CU_OK)
        result = driver.cuDeviceGet(&gpu, (int)number);
    if (result == CU_OK)
        result = driver.cuDeviceGetName(info_p->name, sizeof info_p->name, gpu);
    if (result == CU_OK)
        result = driver.cuDeviceTotalMem_v2(&bytes, gpu);
    if (result != CU_OK) {
        accd_cuda_say(&driver, result, "a query of the device", info_p->why, sizeof info_p->why);
        return ACCD_NO_DEVICE;
    }
    info_p->bytes = bytes;
    (void)accd_nvrtc_about(driver.installed, info_p->compiler, sizeof info_p->compiler);
    snprintf(info_p->driver, sizeof info_p->driver, "CUDA %d.%d", driver.installed / 1000,
             driver.installed % 1000 / 10);
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------------ faults -- */

static void cuda_fail(void *device, uint64_t allocation, uint64_t copy)
{
    struct accd_cuda *cuda = device;
    if (allocation != UINT64_MAX)
        cuda->fail_allocation = allocation;
    if (copy != UINT64_MAX)
        cuda->fail_copy = copy;
}

static const char *cuda_why(void *device)
{
    const struct accd_cuda *cuda = device;
    return cuda->why;
}

const accd_backend accd_backend_cuda = {
    .name = "cuda",
    .small = ACCD_SMALL_OBJECT,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = accd_cuda_alloc,
    .free = accd_cuda_free,
    .begin = accd_cuda_begin,
    .end = accd_cuda_end,
    .announce = accd_cuda_announce,
    .ready = accd_cuda_ready,
    .send = accd_cuda_send,
    .receive = accd_cuda_receive,
    .announce_parts = accd_cuda_announce_parts,
    .stage_part = accd_cuda_stage_part,
    .send_parts = accd_cuda_send_parts,
    .part_bytes = ACCD_CUDA_CHUNK,
    .stage = accd_cuda_stage,
    .fetch = accd_cuda_fetch,
    .copy = accd_cuda_copy,
    .fetch_most = (uint64_t)ACCD_CUDA_RING / 2 * ACCD_CUDA_CHUNK,
    .depart = accd_cuda_depart,
    .arrived = accd_cuda_arrived,
    .arrive = accd_cuda_arrive,
    .read = accd_cuda_read,
    .write = accd_cuda_write,
    .owns = accd_cuda_owns,
    .before = accd_cuda_before,
    .allocated = accd_cuda_allocated,
    .size_of = accd_cuda_size_of,
    .written = accd_cuda_written,
    .save = accd_cuda_save,
    .restore = accd_cuda_restore,
    .forget = accd_cuda_forget,
    .compiler = accd_cuda_compiler,
    .launch = accd_cuda_launch,
    .kernel_arrived = accd_cuda_kernel_arrived,
    .kernel_over = accd_cuda_kernel_over,
    .conclude = accd_cuda_conclude,
    .next = accd_cuda_next,
    .fail = cuda_fail,
    .why = cuda_why,
    .about = cuda_about,
};
