/* clang.h - what CUDA C++ knows without being told, for clang without a toolkit: kernels as device code. */
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define threadIdx (standin_index{(unsigned)__nvvm_read_ptx_sreg_tid_x()})
#define blockIdx (standin_index{(unsigned)__nvvm_read_ptx_sreg_ctaid_x()})
#define blockDim (standin_index{(unsigned)__nvvm_read_ptx_sreg_ntid_x()})
#define gridDim (standin_index{(unsigned)__nvvm_read_ptx_sreg_nctaid_x()})
struct standin_index {
    unsigned x;
};
template <class T> static __device__ T atomicCAS(T *at, T is, T to)
{
    __atomic_compare_exchange_n(at, &is, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return is;
}
template <class T> static __device__ T atomicExch(T *at, T to)
{
    return __atomic_exchange_n(at, to, __ATOMIC_RELAXED);
}
template <class T> static __device__ T atomicAdd(T *at, T by)
{
    return __atomic_fetch_add(at, by, __ATOMIC_RELAXED);
}
template <class T> static __device__ T atomicOr(T *at, T by)
{
    return __atomic_fetch_or(at, by, __ATOMIC_RELAXED);
}
static __device__ void __threadfence()
{
    __nvvm_membar_gl();
}
extern "C" __device__ double sqrt(double), fabs(double), floor(double), ceil(double), fmod(double, double),
    trunc(double), round(double);
