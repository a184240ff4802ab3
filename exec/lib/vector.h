/* vector.h - allocators, arrays that grow, and sorted arrays. Header only, since the library of checked programs uses
 * it, too. */
#ifndef RT_VECTOR_H
#define RT_VECTOR_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
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

/* Returns an array of twice the capacity *capacity_p (number of elements), which it updates, with the elements of
 * `array`, which it replaces. Returns NULL, and changes nothing, without memory. size: bytes of an element. */
static inline void *rt_grow_array(rt_allocator *allocate, void *array, size_t *capacity_p, size_t size)
{
    assert(size);
    const size_t capacity = *capacity_p ? 2 * *capacity_p : 16;
    array = allocate(NULL, array, *capacity_p * size, capacity * size);
    if (array)
        *capacity_p = capacity;
    return array;
}

/* Makes place for element n, at most `capacity`, of an array, which is a variable like `capacity`. Returns false, and
 * changes nothing, without memory. */
#define RT_RESERVE(allocate, array, n, capacity)                                             \
    ((n) < (capacity) || __extension__({                                                     \
         void *const at_ = rt_grow_array((allocate), (array), &(capacity), sizeof *(array)); \
         if (at_)                                                                            \
             (array) = at_;                                                                  \
         at_ != NULL;                                                                        \
     }))

/* Returns how many of n elements of `size` bytes have a first member of at most `value`. That member is a uint64_t, by
 * which the array is sorted. */
static inline size_t rt_count_up_to(const void *array, size_t n, size_t size, uint64_t value)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (*(const uint64_t *)((const char *)array + middle * size) <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
