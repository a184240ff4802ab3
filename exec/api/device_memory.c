/* device_memory.c - device memory that the program handles itself (acc_malloc, omp_target_alloc, copies). The lock must
 * be held. */
#include "device_memory.h"

#include "diag/errors.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Allocates device memory and informs the checks. Returns its address; NULL without memory, and for 0 bytes. */
void *rt_alloc_device_memory(int device, size_t bytes)
{
    assert(rt.site && device >= 0);
    uint64_t address = 0;
    if (accd_device_alloc(rt.context, device, bytes, &address) != ACCD_OK || !address)
        return NULL;
    RT_CALL_HOOKS(allocate, device, address, bytes);
    return (void *)(uintptr_t)address;
}

/* Frees device memory and informs the checks. Ends the program if the memory is not allocated. */
void rt_free_device_memory(int device, void *pointer)
{
    assert(rt.site && device >= 0);
    RT_CALL_HOOKS(begin_free, device, (uintptr_t)pointer);
    rt_check_status(accd_device_free(rt.context, device, (uintptr_t)pointer));
    RT_CALL_HOOKS(end_free, device, (uintptr_t)pointer);
}

/* Copies bytes between devices; device -1 is the host. Returns ACCD_OK, the error of the core,
 * or ACCD_ERROR_OUT_OF_MEMORY if a copy between two devices finds no memory for its buffer. */
static accd_status copy_bytes(void *to, const void *from, size_t bytes, int to_device, int from_device)
{
    if (to_device < 0 && from_device < 0) {
        memmove(to, from, bytes);
        return ACCD_OK;
    }
    if (from_device < 0)
        return accd_copy_to_device(rt.context, to_device, (uintptr_t)to, from, bytes);
    if (to_device < 0)
        return accd_copy_from_device(rt.context, from_device, to, (uintptr_t)from, bytes);
    if (to_device == from_device)
        return accd_copy_within_device(rt.context, to_device, (uintptr_t)to, (uintptr_t)from, bytes);
    void *buffer = malloc(bytes);
    if (!buffer)
        return ACCD_ERROR_OUT_OF_MEMORY;
    accd_status status = accd_copy_from_device(rt.context, from_device, buffer, (uintptr_t)from, bytes);
    if (status == ACCD_OK)
        status = accd_copy_to_device(rt.context, to_device, (uintptr_t)to, buffer, bytes);
    free(buffer);
    return status;
}

/* Copies bytes between devices (-1: the host) and informs the checks. Ends the program if the copy fails. */
void rt_copy_device_memory(void *to, const void *from, size_t bytes, int to_device, int from_device)
{
    assert(rt.site);
    const struct rt_copy copy = {(uintptr_t)to, (uintptr_t)from, bytes, to_device, from_device};
    rt.construct.nitems = 0; /* tools must not take the items of an earlier construct for those of this call */
    RT_CALL_HOOKS(begin_copy, &copy);
    rt_check_status(copy_bytes(to, from, bytes, to_device, from_device));
    RT_CALL_HOOKS(copy, &copy);
}
