/* stray.h - values that a kernel followed as a pointer and that are no address. */
#ifndef GOACC_STRAY_H
#define GOACC_STRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ucontext.h>

/* The register whose value the processor refused to follow: its highest bits are neither all 0 nor
 * all 1. The processor does not say which register was used; what device memory holds before
 * anything is written is preferred. UNALIGNED: every register is an address, and the instruction needs one that is
 * aligned. */
enum { GOACC_UNALIGNED = 1 };
uint64_t goacc_stray(const greg_t *registers);

/* Whether a value is what device memory holds before anything is written, as a pointer or near one. */
bool goacc_unwritten(uint64_t value);

#endif
