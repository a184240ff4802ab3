/* sort.c - sorts pairs by key: insertion sort for few pairs, radix sort for many. */
#include "base/base.h"

enum { FEW = 32, BITS = 11, DIGITS = 1 << BITS };

/* Sorts n pairs by ascending key, stably, in place. */
static void insertion_sort(struct accd__pair *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct accd__pair pair = pairs[i];
        size_t k = i;
        for (; k && pairs[k - 1].key > pair.key; k--)
            pairs[k] = pairs[k - 1];
        pairs[k] = pair;
    }
}

/* Sorts n pairs by ascending key, stably. Returns the array that has the result: `pairs` or `spare`, which has space
 * for n pairs. The radix sort skips leading and trailing bits that are equal in all keys, and returns sorted input
 * unchanged. */
struct accd__pair *accd__sort_pairs(struct accd__pair *pairs, struct accd__pair *spare, size_t n)
{
    assert(!n || pairs);
    if (n <= FEW) {
        insertion_sort(pairs, n);
        return pairs;
    }
    uint64_t differ = 0, descents = 0;
    for (size_t i = 1; i < n; i++) {
        differ |= pairs[i].key ^ pairs[0].key;
        descents += pairs[i].key < pairs[i - 1].key;
    }
    if (!descents)
        return pairs;
    for (unsigned shift = (unsigned)__builtin_ctzll(differ); shift < 64 && differ >> shift; shift += BITS) {
        size_t at[DIGITS] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            at[pairs[i].key >> shift & (DIGITS - 1)]++;
        for (unsigned d = 0; d < DIGITS; d++) {
            size_t count = at[d];
            at[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            spare[at[pairs[i].key >> shift & (DIGITS - 1)]++] = pairs[i];
        struct accd__pair *swap = pairs;
        pairs = spare;
        spare = swap;
    }
    return pairs;
}
