/* unmatched.h - pointers that are null on the device, because nothing present matches them (OMP60-map-10). */
#ifndef GOACC_UNMATCHED_H
#define GOACC_UNMATCHED_H

#include "abi/program/base/runtime.h"

/* With the lock: the construct under way passes null for a pointer to host memory, or
 * makes a pointer in a present object null (OMP60-map-10). */
void goacc_note_unmatched_argument(const void *target);
void goacc_note_unmatched_slot(int device, const void *host);
void goacc_forget_unmatched(const struct goacc_site *site); /* after its kernel */
/* A kernel of the construct, on a device, at pc, uses an address that belongs to nothing: reports a
 * null pointer if it may be one. False: it is none, or nothing is reported. */
bool goacc_tell_null(uintptr_t construct, int device, uint64_t address, uintptr_t pc,
                     const char *region);

#endif
