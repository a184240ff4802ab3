/* null_pointers.h - pointers that are null on the device, because nothing present matches them (OMP60-map-10). */
#ifndef RT_NULL_POINTERS_H
#define RT_NULL_POINTERS_H

#include "abi/program/base/runtime.h"

/* With the lock: the construct under way passes null for a pointer to host memory, or
 * makes a pointer in a present object null (OMP60-map-10). */
void rt_record_nulled_argument(const void *target);
void rt_record_nulled_pointer(int device, const void *host);
void rt_forget_nulled_pointers(const struct rt_site *site); /* after its kernel */
/* A kernel of the construct, on a device, at pc, uses an address that belongs to nothing: reports a
 * null pointer if it may be one. False: it is none, or nothing is reported. */
bool rt_report_null_pointer(uintptr_t construct, int device, uint64_t address, uintptr_t pc, const char *region);

#endif
