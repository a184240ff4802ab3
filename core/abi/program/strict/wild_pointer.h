/* wild_pointer.h - wild pointers: values that a kernel used as a pointer and that are not an address. */
#ifndef RT_WILD_POINTER_H
#define RT_WILD_POINTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ucontext.h>

/* Returns the value of the register that the processor refused as an address, whose highest bits are neither all 0 nor
 * all 1. The processor does not report the register; a value that looks like uninitialized device memory is preferred.
 * Returns RT_UNALIGNED_ACCESS if all registers are addresses: then the instruction needs an aligned one. */
enum { RT_UNALIGNED_ACCESS = 1 };
uint64_t rt_find_wild_pointer(const greg_t *registers);

/* True if a value is the poison that device memory holds before it is written, or at most 1 MB from it. */
bool rt_is_uninitialized_pointer(uint64_t value);

#endif
