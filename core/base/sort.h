/* sort.h - sorts pairs by key, and searches sorted records. */
#ifndef ACCD_SORT_H
#define ACCD_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Pair: a key by which it is sorted, and a value that goes with the key. */
struct accd__pair {
    uint64_t key, value;
};
/* Sorts n pairs by ascending key, stably. `spare` has space for n pairs. Returns the array that holds the result:
 * `pairs` or `spare`. */
struct accd__pair *accd__sort_pairs(struct accd__pair *pairs, struct accd__pair *spare, size_t n);

/* Returns the index of the first of n records of `bytes` bytes whose 64-bit member at offset `field` is larger than
 * `value`; n if there is none. The records must be sorted by that member. */
static inline size_t accd__upper_bound(const void *records, size_t bytes, size_t field, size_t n, uint64_t value)
{
    const char *fields = (const char *)records + field;
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)(const void *)(fields + middle * bytes) <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
/* Calls accd__upper_bound for a typed array, with a member of its elements. */
#define ACCD_UPPER_BOUND(records, member, n, value) \
    accd__upper_bound((records), sizeof *(records), offsetof(__typeof__(*(records)), member), (n), (value))

#endif
