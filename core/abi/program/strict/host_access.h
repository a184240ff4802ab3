/* host_access.h - reports about addresses that kernels use: of the host, beside data, of no memory. */
#ifndef RT_HOST_ACCESS_H
#define RT_HOST_ACCESS_H

#include "abi/program/base/runtime.h"

/* The help for an access beside an object, so many bytes from its beginning. */
const char *rt_get_out_of_bounds_help(int device, const accd_object_info *info, int64_t into);
/* Reports that a region reads, writes or uses an address of a device where no data are. False: it is none. */
bool rt_report_out_of_bounds(const struct rt_site *site, const char *region, const char *verb, uint64_t address,
                             uintptr_t pc);
/* A kernel at pc, "the compute region", follows a value that is no address. */
void rt_report_wild_pointer(uint64_t value, uintptr_t pc, const char *region);
/* Reports that a kernel uses memory of the host, and ends the program. region: "the compute region of a.c:5". */
_Noreturn void rt_report_host_access(const struct rt_site *site, int device, const char *region, const char *verb,
                                     uint64_t address, uintptr_t pc);

#endif
