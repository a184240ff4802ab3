/* host_interval.h - host memory that stays protected between kernels. Host intervals, the times between two kernels,
 * are numbered; a range is untouched if the host cannot have written it after interval `interval`. */
#ifndef RT_HOST_INTERVAL_H
#define RT_HOST_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t rt_get_host_interval(void);
bool rt_is_untouched_since(uint64_t host, uint64_t bytes, uint64_t interval);
/* Copies protected host memory, which stays protected, to `to`; false: not readable. */
bool rt_peek_protected(uint64_t host, char *to, size_t n);
/* True if protected memory is readable and differs from these bytes. */
bool rt_protected_differs(uint64_t host, const char *from, size_t n);

#endif
