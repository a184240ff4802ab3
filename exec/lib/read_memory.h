/* read_memory.h - reads memory that may be unmapped. */
#ifndef RT_READ_MEMORY_H
#define RT_READ_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* A system call: returns its result, or -errno on failure. */
typedef long rt_system_call(long number, long a, long b, long c, long d, long e, long f);

/* The system call by the C library, for callers whose system calls are not dispatched (guard/protection_map.h). */
long rt_libc_system_call(long number, long a, long b, long c, long d, long e, long f);

/* Copies the n bytes at `from` to `to`, up to the first byte that cannot be read. Returns how many it has copied. Uses
 * process_vm_readv; where that is not permitted, as in some containers, it copies each page that the system can read. A
 * page that another thread unmaps meanwhile then raises a fault. */
size_t rt_read_memory(rt_system_call *system_call, void *to, uint64_t from, size_t n);

#endif
