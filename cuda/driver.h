/* driver.h - the part of the CUDA driver's interface that the backend uses.
 *
 * The declarations are our own, so that no toolkit is needed to build. Entry points are found at run time (driver.c).
 * toolkit_check.c compares the declarations with the toolkit's where there is one. */
#ifndef ACCD_CUDA_DRIVER_H
#define ACCD_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int cu_result;
typedef int cu_device;
typedef int cu_attribute;
typedef int cu_pool_attribute;
typedef uint64_t cu_address;
typedef struct cu_context_object *cu_context;
typedef struct cu_stream_object *cu_stream;
typedef struct cu_event_object *cu_event;
typedef struct cu_pool_object *cu_pool;
typedef struct cu_module_object *cu_module;
typedef struct cu_function_object *cu_function;

/* X(name, value, sticky): results that the backend distinguishes; names of all other results come from the driver.
 * After a sticky result, every later call in the context fails with the same result. */
#define ACCD_CUDA_RESULTS(X)            \
    X(INVALID_VALUE, 1, false)          \
    X(OUT_OF_MEMORY, 2, false)          \
    X(NOT_INITIALIZED, 3, false)        \
    X(DEINITIALIZED, 4, true)           \
    X(STUB_LIBRARY, 34, false)          \
    X(NO_DEVICE, 100, false)            \
    X(INVALID_DEVICE, 101, false)       \
    X(INVALID_IMAGE, 200, false)        \
    X(INVALID_CONTEXT, 201, false)      \
    X(ECC_UNCORRECTABLE, 214, true)     \
    X(INVALID_HANDLE, 400, false)       \
    X(NOT_FOUND, 500, false)            \
    X(NOT_READY, 600, false)            \
    X(ILLEGAL_ADDRESS, 700, true)       \
    X(LAUNCH_TIMEOUT, 702, true)        \
    X(CONTEXT_IS_DESTROYED, 709, true)  \
    X(ASSERT, 710, true)                \
    X(HARDWARE_STACK_ERROR, 714, true)  \
    X(ILLEGAL_INSTRUCTION, 715, true)   \
    X(MISALIGNED_ADDRESS, 716, true)    \
    X(INVALID_ADDRESS_SPACE, 717, true) \
    X(INVALID_PC, 718, true)            \
    X(LAUNCH_FAILED, 719, true)         \
    X(NOT_SUPPORTED, 801, false)        \
    X(UNKNOWN, 999, false)

enum {
    CU_OK = 0,
#define X(name, value, sticky) CU_##name = (value),
    ACCD_CUDA_RESULTS(X)
#undef X
};

/* X(name, value, the driver's name): constants that the backend passes to the driver. ACCESS_STREAM and
 * ACCESS_DURING_CALL: a batch of copies reads its sources in the order of the stream, or before the call returns. */
#define ACCD_CUDA_CONSTANTS(X)                                                 \
    X(MEMORY_POOLS_SUPPORTED, 115, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) \
    X(MULTIPROCESSORS, 16, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)           \
    X(CAPABILITY_MAJOR, 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)      \
    X(CAPABILITY_MINOR, 76, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)      \
    X(POOL_RELEASE_THRESHOLD, 4, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)            \
    X(STREAM_NON_BLOCKING_FLAG, 1, CU_STREAM_NON_BLOCKING)                     \
    X(ALLOCATION_PINNED, 1, CU_MEM_ALLOCATION_TYPE_PINNED)                     \
    X(LOCATION_DEVICE, 1, CU_MEM_LOCATION_TYPE_DEVICE)                         \
    X(EVENT_DISABLE_TIMING_FLAG, 2, CU_EVENT_DISABLE_TIMING)                   \
    X(ACCESS_STREAM, 1, CU_MEMCPY_SRC_ACCESS_ORDER_STREAM)                     \
    X(ACCESS_DURING_CALL, 2, CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL)

enum {
#define X(name, value, theirs) CU_##name = (value),
    ACCD_CUDA_CONSTANTS(X)
#undef X
};

/* Structures of the driver under other names, with members of the same types in the same order. */
struct cu_location {
    int type, id;
};
struct cu_pool_props {
    int allocation, handles;
    struct cu_location location;
    void *security;
    size_t most;
    unsigned short usage;
    unsigned char reserved[54];
};
struct cu_copy_attributes {
    int access;
    struct cu_location from, to;
    unsigned flags;
};

/* X(symbol, parameters): entry points without which the backend does not run. Symbols are the oldest that suffice:
 * macros of new headers name newer ones, which old drivers lack. */
#define ACCD_CUDA_REQUIRED(X)                                                                                 \
    X(cuInit, (unsigned flags))                                                                               \
    X(cuDriverGetVersion, (int *version))                                                                     \
    X(cuGetErrorName, (cu_result error, const char **text))                                                   \
    X(cuGetErrorString, (cu_result error, const char **text))                                                 \
    X(cuDeviceGetCount, (int *count))                                                                         \
    X(cuDeviceGet, (cu_device * device, int number))                                                          \
    X(cuDeviceGetName, (char *name, int capacity, cu_device device))                                          \
    X(cuDeviceGetAttribute, (int *value, cu_attribute attribute, cu_device device))                           \
    X(cuDeviceTotalMem_v2, (size_t * bytes, cu_device device))                                                \
    X(cuDevicePrimaryCtxRetain, (cu_context * context, cu_device device))                                     \
    X(cuDevicePrimaryCtxRelease_v2, (cu_device device))                                                       \
    X(cuCtxPushCurrent_v2, (cu_context context))                                                              \
    X(cuCtxPopCurrent_v2, (cu_context * context))                                                             \
    X(cuMemAlloc_v2, (cu_address * at, size_t bytes))                                                         \
    X(cuMemFree_v2, (cu_address at))                                                                          \
    X(cuMemHostAlloc, (void **at, size_t bytes, unsigned flags))                                              \
    X(cuMemFreeHost, (void *at))                                                                              \
    X(cuMemcpyHtoDAsync_v2, (cu_address to, const void *from, size_t bytes, cu_stream stream))                \
    X(cuMemcpyDtoHAsync_v2, (void *to, cu_address from, size_t bytes, cu_stream stream))                      \
    X(cuMemcpyDtoDAsync_v2, (cu_address to, cu_address from, size_t bytes, cu_stream stream))                 \
    X(cuStreamCreate, (cu_stream * stream, unsigned flags))                                                   \
    X(cuStreamDestroy_v2, (cu_stream stream))                                                                 \
    X(cuStreamSynchronize, (cu_stream stream))                                                                \
    X(cuStreamQuery, (cu_stream stream))                                                                      \
    X(cuStreamWaitEvent, (cu_stream stream, cu_event event, unsigned flags))                                  \
    X(cuEventCreate, (cu_event * event, unsigned flags))                                                      \
    X(cuEventRecord, (cu_event event, cu_stream stream))                                                      \
    X(cuEventQuery, (cu_event event))                                                                         \
    X(cuEventSynchronize, (cu_event event))                                                                   \
    X(cuEventDestroy_v2, (cu_event event))                                                                    \
    X(cuModuleLoadData, (cu_module * module, const void *image))                                              \
    X(cuModuleUnload, (cu_module module))                                                                     \
    X(cuModuleGetFunction, (cu_function * function, cu_module module, const char *name))                      \
    X(cuLaunchKernel, (cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
                       unsigned bz, unsigned shared, cu_stream stream, void **parameters, void **extra))

/* X(symbol, parameters): entry points that drivers may lack. Pools came with 11.2, batch copies with 12.8 and, with
 * another signature, with 13.0. */
#define ACCD_CUDA_OPTIONAL(X)                                                                                \
    X(cuMemPoolCreate, (cu_pool * pool, const struct cu_pool_props *props))                                  \
    X(cuMemPoolDestroy, (cu_pool pool))                                                                      \
    X(cuMemPoolSetAttribute, (cu_pool pool, cu_pool_attribute attribute, void *value))                       \
    X(cuMemAllocFromPoolAsync, (cu_address * at, size_t bytes, cu_pool pool, cu_stream stream))              \
    X(cuMemFreeAsync, (cu_address at, cu_stream stream))                                                     \
    X(cuMemcpyBatchAsync_v2,                                                                                 \
      (cu_address * to, cu_address * from, size_t * bytes, size_t n, struct cu_copy_attributes * attributes, \
       size_t * first, size_t nattributes, cu_stream stream))                                                \
    X(cuMemcpyBatchAsync,                                                                                    \
      (cu_address * to, cu_address * from, size_t * bytes, size_t n, struct cu_copy_attributes * attributes, \
       size_t * first, size_t nattributes, size_t * failed, cu_stream stream))

/* Entry points of the driver; optional ones may be NULL. */
struct cuda_driver {
#define X(symbol, parameters) cu_result(*symbol) parameters; /* NOLINT(bugprone-macro-parentheses): no expressions */
    ACCD_CUDA_REQUIRED(X)
    ACCD_CUDA_OPTIONAL(X)
#undef X
    int installed; /* version of the driver; 12040 is CUDA 12.4 */
};

/* Loads the system's driver, fills *driver and starts the driver. Returns 0 on success; another number, with a
 * sentence about the reason in `why` (`capacity` bytes), on failure. The library is never unloaded, because it has
 * threads of its own. */
int accd__cuda_load_driver(struct cuda_driver *driver, char *why, size_t capacity);
/* Writes a text such as "CUDA_ERROR_OUT_OF_MEMORY (out of memory) in cuMemAlloc_v2" to `to` (`capacity` bytes).
 * `error` is a result other than CU_OK, `call` the name of the function that returned it. */
void accd__cuda_format_error(const struct cuda_driver *driver, cu_result error, const char *call, char *to,
                             size_t capacity);
/* Returns true if every later call in the context fails with `error`, too. */
bool accd__cuda_is_sticky(cu_result error);
/* Writes the address of the symbol `symbol` of `library` (a handle of dlopen) to the pointer at `entry`. Returns false,
 * and writes NULL, if the symbol does not exist. */
bool accd__cuda_find_symbol(void *library, const char *symbol, void *entry);

#endif
