/* directory_cuda.c - a CUDA device by hand: plain calls of the driver, as a careful program makes them.
 * Memory comes from a pool that keeps what is freed, where the driver has pools; copies and kernels are
 * issued in one stream, and waited for where the program needs what they bring. */
#include "directory.h"

#include <backend.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    struct accd__cuda *accdeep; /* the device of accdeep, which shares the GPU and its context */
    struct cuda_driver driver;
    cu_context context;
    cu_device gpu;
    cu_stream stream;
    cu_pool pool; /* NULL: the driver has none */
    cu_module module;
    cu_function launch_sums;
    cu_address sums; /* the arguments of kernels */
} cuda;

#define CALL(symbol, ...) called(cuda.driver.symbol(__VA_ARGS__), #symbol)
static void called(cu_result result, const char *call)
{
    char why[200];
    if (result == CU_OK)
        return;
    accd__cuda_format_error(&cuda.driver, result, call, why, sizeof why);
    fprintf(stderr, "directory: %s\n", why);
    exit(1);
}

static cu_address allocate_device_bytes(size_t bytes)
{
    cu_address at;
    if (cuda.pool)
        CALL(cuMemAllocFromPoolAsync, &at, bytes, cuda.pool, cuda.stream);
    else
        CALL(cuMemAlloc_v2, &at, bytes);
    return at;
}

static uint64_t take_device_floats(size_t n)
{
    return allocate_device_bytes(n * FLOAT);
}

static void give(uint64_t at)
{
    if (cuda.pool)
        CALL(cuMemFreeAsync, at, cuda.stream);
    else
        CALL(cuMemFree_v2, at);
}

static void send(uint64_t to, const float *from, size_t n)
{
    CALL(cuMemcpyHtoDAsync_v2, to, from, n * FLOAT, cuda.stream);
}

static void fetch(float *to, uint64_t from, size_t n)
{
    CALL(cuMemcpyDtoHAsync_v2, to, from, n * FLOAT, cuda.stream);
}

static void wait_for_stream(void)
{
    CALL(cuStreamSynchronize, cuda.stream);
}

/* All arguments cross at once; each kernel finds its own. */
static void launch_sums(const struct sum *sums, size_t nsums)
{
    enum { THREADS = 256, BLOCKS_MOST = 4096 };
    CALL(cuMemcpyHtoDAsync_v2, cuda.sums, sums, nsums * sizeof sums[0], cuda.stream);
    for (size_t i = 0; i < nsums; i++) {
        uint64_t blocks = (sums[i].n + THREADS - 1) / THREADS;
        cu_address sum = cuda.sums + i * sizeof sums[0];
        void *parameters[] = {&sum};
        CALL(cuLaunchKernel, cuda.launch_sums, (unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST), 1, 1, THREADS,
             1, 1, 0, cuda.stream, parameters, NULL);
    }
}

/* ------------------------------------------------------------------------------- open, close -- */

/* With struct sum, as CUDA text. */
static const char kernel[] = "struct sum { unsigned long long to, x, y, n; };\n"
                             "extern \"C\" __global__ void add(const sum *at)\n"
                             "{\n"
                             "  const sum s = *at;\n"
                             "  float *to = (float *)s.to;\n"
                             "  const float *x = (const float *)s.x, *y = (const float *)s.y;\n"
                             "  const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;\n"
                             "  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  for (; i < s.n; i += threads)\n"
                             "    to[i] = x[i] + y[i];\n"
                             "}\n";

static void load_kernel(void)
{
    struct accd__mem mem;
    struct accd__image image;
    int major, minor;
    CALL(cuDeviceGetAttribute, &major, CU_CAPABILITY_MAJOR, cuda.gpu);
    CALL(cuDeviceGetAttribute, &minor, CU_CAPABILITY_MINOR, cuda.gpu);
    accd__mem_init(&mem, NULL, NULL);
    accd__nvrtc_compile(&mem, cuda.driver.installed, 10 * major + minor, kernel, &image);
    if (!image.bytes) {
        fprintf(stderr, "directory: %s\n", image.log ? image.log : image.why);
        exit(1);
    }
    CALL(cuModuleLoadData, &cuda.module, image.bytes);
    CALL(cuModuleGetFunction, &cuda.launch_sums, cuda.module, "add");
    accd__mem_free(&mem, image.bytes, image.n);
    accd__mem_drop_cache(&mem);
}

static void open_pool(void)
{
    const struct cuda_driver *driver = &cuda.driver;
    const struct cu_pool_props props = {
        .allocation = CU_ALLOCATION_PINNED,
        .location = {CU_LOCATION_DEVICE, cuda.gpu},
    };
    uint64_t all = UINT64_MAX;
    int supported = 0;
    if (driver->cuMemPoolCreate && driver->cuMemPoolDestroy && driver->cuMemPoolSetAttribute &&
        driver->cuMemAllocFromPoolAsync && driver->cuMemFreeAsync)
        CALL(cuDeviceGetAttribute, &supported, CU_MEMORY_POOLS_SUPPORTED, cuda.gpu);
    if (!supported)
        return;
    CALL(cuMemPoolCreate, &cuda.pool, &props);
    CALL(cuMemPoolSetAttribute, cuda.pool, CU_POOL_RELEASE_THRESHOLD, &all);
}

const struct by_hand *cuda_by_hand(struct accd__device_env *device, char *why, size_t room)
{
    static const struct by_hand calls = {take_device_floats, give, send, fetch, launch_sums, wait_for_stream};
    cuda.accdeep = device->device.handle;
    cuda.driver = cuda.accdeep->driver;
    cuda.gpu = cuda.accdeep->gpu;
    if (!accd__nvrtc_get_version(cuda.driver.installed, why, room))
        return NULL;
    CALL(cuDevicePrimaryCtxRetain, &cuda.context, cuda.gpu);
    CALL(cuCtxPushCurrent_v2, cuda.context);
    CALL(cuStreamCreate, &cuda.stream, CU_STREAM_NON_BLOCKING_FLAG);
    open_pool();
    cuda.sums = allocate_device_bytes(SUMS_MOST * sizeof(struct sum));
    load_kernel();
    return &calls;
}

void cuda_by_hand_close(void)
{
    if (!cuda.context)
        return;
    give(cuda.sums);
    wait_for_stream();
    CALL(cuModuleUnload, cuda.module);
    if (cuda.pool)
        CALL(cuMemPoolDestroy, cuda.pool);
    CALL(cuStreamDestroy_v2, cuda.stream);
    CALL(cuCtxPopCurrent_v2, &cuda.context);
    CALL(cuDevicePrimaryCtxRelease_v2, cuda.gpu);
}
