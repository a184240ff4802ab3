/* device_memory.h - device memory that the program handles itself, for the routines of OpenACC and OpenMP: allocation,
 * release, copies. The lock must be held. */
#ifndef RT_DEVICE_MEMORY_H
#define RT_DEVICE_MEMORY_H

#include "base/runtime.h"

/* Allocates `bytes` bytes of memory of `device`, and informs the checks. Returns its device address; NULL if memory is
 * exhausted, and for 0 bytes. */
void *rt_alloc_device_memory(int device, size_t bytes);
/* Frees memory of rt_alloc_device_memory, and informs the checks; NULL does nothing. Ends the program with a report if
 * the memory at `pointer` is not allocated. */
void rt_free_device_memory(int device, void *pointer);
/* Copies bytes between devices; device -1 is the host. Informs the checks. Ends the program with a report if the bytes
 * are not allocated, or if a copy between two devices finds no memory for its buffer. */
void rt_copy_device_memory(void *to, const void *from, size_t bytes, int to_device, int from_device);

#endif
