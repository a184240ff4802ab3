/* allocatable.h - keeps the contents of Fortran's allocatable variables in declare directives present. The lock must be
 * held in all functions. */
#ifndef RT_ALLOCATABLE_H
#define RT_ALLOCATABLE_H

#include "base/runtime.h"

/* Adds the declared variable of `bytes` bytes at `host`, if its size is that of a pointer or Fortran descriptor; other
 * variables are ignored. Ends the program without memory. */
void rt_allocatable_add(char *host, uint64_t bytes);
void rt_allocatable_remove(const char *host); /* removes the variable at `host`, if it was added */
/* Maps contents on the thread's device that the program has allocated since the last call, and unmaps contents that it
 * has deallocated. */
void rt_allocatable_sync(const struct rt_thread *self);
/* Records that the declared variables now hold the device's values, or, at the next call, the host's again. Called by
 * rt_swap_declared_variables. */
void rt_allocatable_swap(void);
/* Marks the variable at `host`, if it was added, as one of declare copyin: new contents are then copied to the device.
 */
void rt_allocatable_set_copyin(const void *host);
/* Returns true if an allocatable variable with mapped contents, or these contents, begin at `host`. Such data stay
 * present until they are deallocated. */
bool rt_is_allocatable_data(uint64_t host);
void rt_allocatable_clear(void); /* forgets which contents are mapped, after all device data ended */

#endif
