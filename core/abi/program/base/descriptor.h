/* descriptor.h - descriptors of arrays, as gfortran makes them since its version 8. */
#ifndef RT_DESCRIPTOR_H
#define RT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of an array of any rank. */
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

static inline uint64_t rt_descriptor_bytes(int rank)
{
    return sizeof(struct rt_gfortran_descriptor) + (uint64_t)rank * sizeof(struct rt_gfortran_dimension);
}

/* Whether a descriptor may have so many bytes. */
static inline bool rt_has_descriptor_size(uint64_t bytes)
{
    const uint64_t head = sizeof(struct rt_gfortran_descriptor);
    return bytes >= head && bytes <= rt_descriptor_bytes(RT_MAX_RANK) &&
           (bytes - head) % sizeof(struct rt_gfortran_dimension) == 0;
}

/* Whether bytes at an address of the process are a descriptor, by what they hold. Where no array is
 * allocated, they hold a null pointer, and anything else. */
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
