/* vector.h - allocators, and arrays that grow. Header only, since the library of checked programs uses it, too. */
#ifndef RT_VECTOR_H
#define RT_VECTOR_H

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

/* Allocates, resizes or frees (n = 0) a block of `old` bytes, as an accd_allocator does: rt_arena_realloc for memory
 * that guarded kernels and signal handlers read, otherwise rt_heap_realloc. */
typedef void *rt_allocator(void *ud, void *ptr, size_t old, size_t n);

/* Allocates, resizes or frees a block of the C library's heap; see rt_allocator. */
static inline void *rt_heap_realloc(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud, (void)old;
    if (n)
        return realloc(ptr, n);
    free(ptr);
    return NULL;
}

/* Returns `array` if its capacity (number of elements) is more than n. Otherwise returns an array of twice the capacity
 * with the same elements, which replaces `array`, and updates *capacity_p. Returns NULL, and changes nothing, without
 * memory. size: bytes of an element. */
static inline void *rt_grow_array(rt_allocator *allocate, void *array, size_t n, size_t *capacity_p, size_t size)
{
    assert(n <= *capacity_p && size);
    if (n < *capacity_p)
        return array;
    const size_t capacity = n ? 2 * n : 16;
    array = allocate(NULL, array, n * size, capacity * size);
    if (array)
        *capacity_p = capacity;
    return array;
}

/* Makes place for element n of an array, which is a variable like `capacity`. Returns false, and changes nothing,
 * without memory. */
#define RT_RESERVE(allocate, array, n, capacity)                                                 \
    __extension__({                                                                              \
        void *const at_ = rt_grow_array((allocate), (array), (n), &(capacity), sizeof *(array)); \
        if (at_)                                                                                 \
            (array) = at_;                                                                       \
        at_ != NULL;                                                                             \
    })

#endif
