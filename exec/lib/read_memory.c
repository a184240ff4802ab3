/* read_memory.c - reads memory that may be unmapped, by system calls that fail instead of raising a fault. */
#include "read_memory.h"
#include "pages.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Makes the system call by the C library. */
long rt_libc_system_call(long number, long a, long b, long c, long d, long e, long f)
{
    const long result = syscall(number, a, b, c, d, e, f);
    return result < 0 ? -errno : result;
}

/* Returns true if the page of `address` can be read. rt_sigprocmask reads a set of signals there, and then refuses to
 * do the operation -1, so that it changes nothing. */
static int is_readable(rt_system_call *system_call, uint64_t address)
{
    enum { SET_BYTES = 8 };
    return system_call(SYS_rt_sigprocmask, -1, (long)rt_page_down(address), 0, SET_BYTES, 0, 0) != -EFAULT;
}

/* Copies the n bytes at `from` to `to`, up to the first byte that cannot be read. Returns how many it has copied. */
size_t rt_read_memory(rt_system_call *system_call, void *to, uint64_t from, size_t n)
{
    assert(system_call && (to || !n));
    const struct iovec local = {to, n}, remote = {(void *)(uintptr_t)from, n};
    const long pid = system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    const long nread = system_call(SYS_process_vm_readv, pid, (long)&local, 1, (long)&remote, 1, 0);
    if (nread >= 0 || nread == -EFAULT)
        return nread < 0 ? 0 : (size_t)nread;
    size_t ncopied = 0;
    while (ncopied < n && is_readable(system_call, from + ncopied)) {
        const uint64_t at = from + ncopied, rest = rt_page_down(at) + RT_PAGE_SIZE - at;
        const size_t part = n - ncopied < rest ? n - ncopied : (size_t)rest;
        memcpy((char *)to + ncopied, (const void *)(uintptr_t)at, part);
        ncopied += part;
    }
    return ncopied;
}
