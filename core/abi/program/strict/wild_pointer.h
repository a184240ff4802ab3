/* wild_pointer.h - values that a kernel followed as a pointer and that are no address. */
#ifndef RT_WILD_POINTER_H
#define RT_WILD_POINTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ucontext.h>

/* The register whose value the processor refused to follow: its highest bits are neither all 0 nor
 * all 1. The processor does not say which register was used; what device memory holds before
 * anything is written is preferred. UNALIGNED: every register is an address, and the instruction needs one that is
 * aligned. */
enum { RT_UNALIGNED_ACCESS = 1 };
uint64_t rt_find_wild_pointer(const greg_t *registers);

/* Whether a value is what device memory holds before anything is written, as a pointer or near one. */
bool rt_is_uninitialized_pointer(uint64_t value);

#endif
