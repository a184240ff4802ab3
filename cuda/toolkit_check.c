/* toolkit_check.c - checks that driver.h and nvrtc.h agree with the toolkit's cuda.h and nvrtc.h. It is compiled only
 * where the CUDA Toolkit is found. */
#include <cuda.h>
#undef cuMemcpyBatchAsync /* this is a macro for another symbol since CUDA 13.0 */

#include "driver.h"

/* Compilation error unless both numbers are equal. */
#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #ours " is " #theirs)

#if CUDA_VERSION >= 12080
#define BATCHES
#else /* batches did not exist yet: their constants are not compared */
#define CU_MEMCPY_SRC_ACCESS_ORDER_STREAM CU_ACCESS_STREAM
#define CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL CU_ACCESS_DURING_CALL
#endif

#define X(name, value, sticky) SAME(CU_##name, CUDA_ERROR_##name);
ACCD_CUDA_RESULTS(X)
#undef X
#define X(name, value, theirs) SAME(CU_##name, theirs);
ACCD_CUDA_CONSTANTS(X)
#undef X

SAME(sizeof(cu_device), sizeof(CUdevice));
SAME(sizeof(cu_address), sizeof(CUdeviceptr));
SAME(sizeof(cu_result), sizeof(CUresult));
SAME(sizeof(struct cu_pool_props), sizeof(CUmemPoolProps));
SAME(offsetof(struct cu_pool_props, allocation), offsetof(CUmemPoolProps, allocType));
SAME(offsetof(struct cu_pool_props, location), offsetof(CUmemPoolProps, location));
#ifdef BATCHES
SAME(offsetof(struct cu_pool_props, most), offsetof(CUmemPoolProps, maxSize));
SAME(sizeof(struct cu_copy_attributes), sizeof(CUmemcpyAttributes));
SAME(offsetof(struct cu_copy_attributes, access), offsetof(CUmemcpyAttributes, srcAccessOrder));
SAME(offsetof(struct cu_copy_attributes, from), offsetof(CUmemcpyAttributes, srcLocHint));
SAME(offsetof(struct cu_copy_attributes, to), offsetof(CUmemcpyAttributes, dstLocHint));
SAME(offsetof(struct cu_copy_attributes, flags), offsetof(CUmemcpyAttributes, flags));
#define cu_copy_attributes CUmemcpyAttributes_st
#endif

/* Declaring a function twice is an error unless both declarations agree. */
#define cu_result CUresult
#define cu_device CUdevice
#define cu_attribute CUdevice_attribute
#define cu_pool_attribute CUmemPool_attribute
#define cu_address CUdeviceptr
#define cu_context CUcontext
#define cu_stream CUstream
#define cu_event CUevent
#define cu_pool CUmemoryPool
#define cu_module CUmodule
#define cu_function CUfunction
#define cu_pool_props CUmemPoolProps_st
#define X(symbol, parameters) CUresult CUDAAPI symbol parameters;
ACCD_CUDA_REQUIRED(X)
ACCD_CUDA_OPTIONAL(X)
#undef X

#if __has_include(<nvrtc.h>)
#include <nvrtc.h>

#include "nvrtc.h"

SAME(NV_OK, NVRTC_SUCCESS);
SAME(NV_INVALID_OPTION, NVRTC_ERROR_INVALID_OPTION);
SAME(NV_COMPILATION, NVRTC_ERROR_COMPILATION);
SAME(sizeof(nv_result), sizeof(nvrtcResult));

#define nv_result nvrtcResult
#define nv_program nvrtcProgram
#define X(symbol, parameters) nvrtcResult symbol parameters;
ACCD_NVRTC_REQUIRED(X)
ACCD_NVRTC_OPTIONAL(X)
#undef X
#endif
