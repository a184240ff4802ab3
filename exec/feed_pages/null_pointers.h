/* null_pointers.h - pointers that are null on the device, because the data that they point to on the host are not
 * present (OMP60-map-10). */
#ifndef RT_NULL_POINTERS_H
#define RT_NULL_POINTERS_H

#include "base/runtime.h"

/* Records that the construct under way passes null to its kernel for a pointer to host memory at `target`. Needs the
 * lock. */
void rt_record_nulled_argument(const void *target);
/* Records that the construct under way makes the pointer at host address `host`, in a present object, null on the
 * device. Needs the lock. */
void rt_record_nulled_pointer(int device, const void *host);
/* Forgets the null arguments of the construct `site`, after its kernel. Null pointers in present objects stay
 * recorded, without a construct. */
void rt_forget_nulled_pointers(const struct rt_site *site);
/* Reports that a kernel used a null pointer: `address` lies in the first page, or may be an element that a
 * recorded null pointer points to. Returns false, without a report, for other addresses. construct: id of the
 * kernel's construct (rt_construct_id); pc: address of the access in the kernel; actor: for example "the
 * compute region". */
bool rt_report_null_pointer(uintptr_t construct, int device, uint64_t address, uintptr_t pc, const char *actor);

#endif
