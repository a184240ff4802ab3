/* host_interval.h - queries about host memory that stays protected between kernels. Host intervals, the times
 * between two kernels, are numbered. A range is untouched if the host cannot have written to it after
 * interval `interval`. */
#ifndef RT_HOST_INTERVAL_H
#define RT_HOST_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t rt_get_host_interval(void);
bool rt_is_untouched_since(uint64_t host, uint64_t bytes, uint64_t interval);
/* Copies n bytes of host memory to `to`; protected memory stays protected. False: the memory cannot be read. */
bool rt_peek_protected(uint64_t host, char *to, size_t n);
/* True if n bytes of host memory, protected or not, can be read and differ from those at `from`. */
bool rt_protected_differs(uint64_t host, const char *from, size_t n);

#endif
