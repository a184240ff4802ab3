/* allocatable.h - contents of allocatable variables in declare directives. */
#ifndef RT_ALLOCATABLE_H
#define RT_ALLOCATABLE_H

#include "abi/program/base/runtime.h"

/* Adds a declared variable whose size is that of a pointer or descriptor; other variables are ignored.
 */
void rt_allocatable_add(char *host, uint64_t bytes);
void rt_allocatable_remove(const char *host); /* removes a variable, if it was added */
/* Maps contents that were allocated since the last call, and unmaps contents that were deallocated. */
void rt_allocatable_sync(const struct rt_thread *self);
void rt_allocatable_swap(void); /* called by rt_swap_declared_variables */
/* Marks an allocatable variable as one of declare copyin. */
void rt_allocatable_set_copyin(const void *host);
/* True if an allocatable variable with mapped contents, or these contents, begin at an address: they stay present. */
bool rt_is_allocatable_data(uint64_t host);
void rt_allocatable_clear(void); /* forgets all contents, after the device data ended */

#endif
