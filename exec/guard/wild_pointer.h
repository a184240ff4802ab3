/* wild_pointer.h - wild pointers: values that a kernel used as a pointer, although they cannot be addresses. */
#ifndef RT_WILD_POINTER_H
#define RT_WILD_POINTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ucontext.h>

/* Returns the register value that the processor most likely refused as an address: its highest bits are neither all 0
 * nor all 1. The processor does not report the register, so a value that looks like uninitialized device memory is
 * preferred. Returns RT_UNALIGNED_ACCESS if all registers hold possible addresses; then the instruction has failed
 * because it needs an aligned address. */
enum { RT_UNALIGNED_ACCESS = 1 };
uint64_t rt_find_wild_pointer(const greg_t *registers);

/* Returns true if a value is within 1 MB of the poison, the value that device memory holds before it is written. */
bool rt_is_uninitialized_pointer(uint64_t value);

#endif
