/* null_pointers.h - pointers that are null on the device, because the data that they point to on the host are not
 * present (OMP60-map-10). */
#ifndef RT_NULL_POINTERS_H
#define RT_NULL_POINTERS_H

#include "abi/program/base/runtime.h"

/* Records, with the lock, that the construct under way passes null for a pointer to host memory at `target`, or makes
 * the pointer at `host` in a present object null. */
void rt_record_nulled_argument(const void *target);
void rt_record_nulled_pointer(int device, const void *host);
void rt_forget_nulled_pointers(const struct rt_site *site); /* forgets what the construct passed, after its kernel */
/* Reports a null pointer, if the address that a kernel used may be an element of one. pc: address in the kernel.
 * Returns false, without a report, if it cannot be. */
bool rt_report_null_pointer(uintptr_t construct, int device, uint64_t address, uintptr_t pc, const char *region);

#endif
