/* mpi_access.c - device addresses that are passed to MPI, as libraries with support for GPUs allow. Accesses
 * of MPI unprotect device memory. If MPI's own code makes the access, the fault handler does so. If a system
 * call makes the access, as for TCP, it fails, and is repeated here with open memory. */
#include "base/kernel.h"
#include "base/runtime.h"
#include "strict.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unwind.h>

#define API __attribute__((visibility("default")))

/* Search of the stack for a frame of MPI's library. */
struct mpi_frame_search {
    const void *base; /* base address of MPI's library */
    bool is_found;
};

/* Callback of _Unwind_Backtrace: sets is_found of the search `arg`, and stops, at a frame whose code is in MPI's
 * library. */
static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *arg)
{
    struct mpi_frame_search *mpi_frame_search = arg;
    Dl_info info;
    mpi_frame_search->is_found |=
        dladdr((void *)_Unwind_GetIP(context), &info) && info.dli_fbase == mpi_frame_search->base;
    return mpi_frame_search->is_found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Opens device memory until the next call ends and returns true, if code of MPI's library is on the call
 * stack. Returns false otherwise, or if the program has no MPI. */
bool rt_unprotect_devices_for_mpi(void)
{
    const void *mpi = dlsym(RTLD_DEFAULT, "PMPI_Init");
    Dl_info info;
    struct mpi_frame_search mpi_frame_search = {0};
    if (!mpi || !dladdr(mpi, &info))
        return false;
    mpi_frame_search.base = info.dli_fbase;
    _Unwind_Backtrace(visit_frame, &mpi_frame_search);
    if (mpi_frame_search.is_found)
        rt_unprotect_devices_until_next_call();
    return mpi_frame_search.is_found;
}

/* Returns true if a call with this result failed (EFAULT) because it accessed protected device memory for
 * MPI. Opens device memory then, so that the call can be repeated. False without strict runs and in kernels.
 * Does not change errno. */
static bool can_retry_call(ssize_t result)
{
    if (result >= 0 || errno != EFAULT || !rt.options.strict || !rt.context || rt_kernel_kind(rt_this_thread.activity))
        return false;
    const bool is_open = rt_unprotect_devices_for_mpi();
    errno = EFAULT;
    return is_open;
}

/* Defines a function of the C library that repeats the call of the real function if can_retry_call allows it. */
#define RETRIED(name, parameters, ...)                              \
    API ssize_t name parameters;                                    \
    ssize_t name parameters                                         \
    {                                                               \
        static ssize_t(*real) parameters;                           \
        if (!real)                                                  \
            *(void **)&real = dlsym(RTLD_NEXT, #name);              \
        const ssize_t result = real(__VA_ARGS__);                   \
        return can_retry_call(result) ? real(__VA_ARGS__) : result; \
    }
RETRIED(send, (int fd, const void *from, size_t n, int flags), fd, from, n, flags)
RETRIED(sendmsg, (int fd, const struct msghdr *message, int flags), fd, message, flags)
RETRIED(writev, (int fd, const struct iovec *parts, int n), fd, parts, n)
RETRIED(recv, (int fd, void *to, size_t n, int flags), fd, to, n, flags)
RETRIED(recvmsg, (int fd, struct msghdr *message, int flags), fd, message, flags)
RETRIED(readv, (int fd, const struct iovec *parts, int n), fd, parts, n)
