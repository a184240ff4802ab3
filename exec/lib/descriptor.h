/* descriptor.h - descriptors (address, element size and bounds) of Fortran arrays, as gfortran since version 8 lays
 * them out. */
#ifndef RT_DESCRIPTOR_H
#define RT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Descriptor of an array of any rank; `data` is NULL if the array is not allocated. */
struct rt_gfortran_descriptor {
    char *data;
    size_t offset, element;
    int version;
    signed char rank, type;
    short attribute;
    ptrdiff_t span;
    struct rt_gfortran_dimension {
        ptrdiff_t stride, lower, upper;
    } dim[];
};
enum { RT_MAX_RANK = 15 };

/* Returns the size of a descriptor of this rank, in bytes. */
static inline uint64_t rt_descriptor_bytes(int rank)
{
    return sizeof(struct rt_gfortran_descriptor) + (uint64_t)rank * sizeof(struct rt_gfortran_dimension);
}

/* Returns true if a descriptor may have this size: its header and 0 to 15 dimensions. */
static inline bool rt_has_descriptor_size(uint64_t bytes)
{
    const uint64_t head = sizeof(struct rt_gfortran_descriptor);
    return bytes >= head && bytes <= rt_descriptor_bytes(RT_MAX_RANK) &&
           (bytes - head) % sizeof(struct rt_gfortran_dimension) == 0;
}

/* Returns true if the bytes at `at`, in memory of this process, look like a descriptor of `bytes` bytes. If the array
 * is not allocated, only the null pointer `data` is tested, since the other fields are undefined. */
static inline bool rt_is_descriptor_size(const void *at, uint64_t bytes)
{
    enum { TYPES = 15, ATTRIBUTES = 3 };
    struct rt_gfortran_descriptor array;
    if (!rt_has_descriptor_size(bytes))
        return false;
    memcpy(&array, at, sizeof array);
    return !array.data || (!array.version && array.element && array.type > 0 && array.type <= TYPES &&
                           array.attribute >= 0 && array.attribute <= ATTRIBUTES && array.rank >= 0 &&
                           (rt_descriptor_bytes(array.rank) == bytes || bytes == rt_descriptor_bytes(RT_MAX_RANK)));
}

#endif
