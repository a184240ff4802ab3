/* messages.c - MPI may be given device addresses, as libraries with support for GPUs are. Its accesses open device
 * memory to the host: those of its own code by a fault, those of system calls, as of TCP, as the call fails. */
#include "abi/program/base/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unwind.h>

#define API __attribute__((visibility("default")))

struct frames {
    const void *base; /* of MPI's library */
    bool found;
};

static _Unwind_Reason_Code is_of(struct _Unwind_Context *context, void *arg)
{
    struct frames *frames = arg;
    Dl_info info;
    frames->found |= dladdr((void *)_Unwind_GetIP(context), &info) && info.dli_fbase == frames->base;
    return frames->found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool goacc_strict_lend_to_message(void)
{
    const void *mpi = dlsym(RTLD_DEFAULT, "PMPI_Init");
    Dl_info info;
    struct frames frames = {0};
    if (!mpi || !dladdr(mpi, &info))
        return false;
    frames.base = info.dli_fbase;
    _Unwind_Backtrace(is_of, &frames);
    if (frames.found)
        goacc_strict_lend_devices();
    return frames.found;
}

/* Whether a call that failed is worth another try. */
static bool is_opened(ssize_t result)
{
    if (result >= 0 || errno != EFAULT || !goacc.options.strict || !goacc.context || goacc_region(goacc_own.does))
        return false;
    const bool opened = goacc_strict_lend_to_message();
    errno = EFAULT;
    return opened;
}

#define AGAIN(name, parameters, ...)                                                  \
    API ssize_t name parameters;                                                      \
    ssize_t name parameters                                                           \
    {                                                                                 \
        static ssize_t(*real) parameters;                                             \
        if (!real)                                                                    \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                \
        const ssize_t result = real(__VA_ARGS__);                                     \
        return is_opened(result) ? real(__VA_ARGS__) : result;                        \
    }
AGAIN(send, (int fd, const void *from, size_t n, int flags), fd, from, n, flags)
AGAIN(sendmsg, (int fd, const struct msghdr *message, int flags), fd, message, flags)
AGAIN(writev, (int fd, const struct iovec *parts, int n), fd, parts, n)
AGAIN(recv, (int fd, void *to, size_t n, int flags), fd, to, n, flags)
AGAIN(recvmsg, (int fd, struct msghdr *message, int flags), fd, message, flags)
AGAIN(readv, (int fd, const struct iovec *parts, int n), fd, parts, n)
