/* host_access.h - reports about addresses that kernels use wrongly: host addresses, and device addresses outside of
 * data. */
#ifndef RT_HOST_ACCESS_H
#define RT_HOST_ACCESS_H

#include "base/runtime.h"

/* Returns the help text for a kernel's access outside of the object `info` with this name. offset: address of the
 * access, relative to the beginning of the object; negative before the object. */
const char *rt_get_out_of_bounds_help(int device, const accd_object_info *info, int64_t offset, const char *name);
/* Reports that `actor` accesses the former device memory of an unmapped object. Returns false, without a report, if
 * no such object is known to have contained the address. Arguments: as for rt_report_out_of_bounds. */
bool rt_report_unmapped_access(const struct rt_site *site, const char *actor, const char *verb, uint64_t address,
                               uintptr_t pc);
/* Reports that `actor` accesses a device address outside of present data. Returns false, without a report, if `address`
 * is not a device address. site: the kernel's construct, NULL: unknown; actor: for example "the compute region"; verb:
 * "reads", "writes" or "uses"; pc: address of the access in the program. */
bool rt_report_out_of_bounds(const struct rt_site *site, const char *actor, const char *verb, uint64_t address,
                             uintptr_t pc);
/* Reports that a kernel accesses host memory at `address`, and ends the program. verb: "reads", "writes" or
 * "uses"; pc: address of the access in the program; actor: for example "the compute region". */
_Noreturn void rt_report_host_access(const struct rt_site *site, int device, const char *actor, const char *verb,
                                     uint64_t address, uintptr_t pc);

#endif
