/* sort.h - sorts pairs of a key and a value by key, and searches sorted records. */
#ifndef ACCD_SORT_H
#define ACCD_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Pair: a key, by which pairs are sorted, and a value that moves with the key. */
struct accd__pair {
    uint64_t key, value;
};
/* Sorts n pairs by ascending key, stably. `spare` is space for n pairs that the function may use. Returns the array
 * that has the result: `pairs` or `spare`. */
struct accd__pair *accd__sort_pairs(struct accd__pair *pairs, struct accd__pair *spare, size_t n);

/* Searches an array of n records of `bytes` bytes, which are sorted by the 64-bit member at offset `field`. Returns the
 * index of the first record in which this member is larger than `value`; n if there is no such record. */
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
/* Returns the index of the first element of the array `records` whose `member` is larger than `value`; n if there is
 * none. */
#define ACCD_UPPER_BOUND(records, member, n, value) \
    accd__upper_bound((records), sizeof *(records), offsetof(__typeof__(*(records)), member), (n), (value))

#endif
