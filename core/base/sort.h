/* sort.h - pairs by key. */
#ifndef ACCD_SORT_H
#define ACCD_SORT_H

#include <stddef.h>
#include <stdint.h>

struct accd_pair {
    uint64_t key, value;
};
/* Ascending keys; returns whichever of the two arrays holds the result. */
struct accd_pair *accd_sort_pairs(struct accd_pair *pairs, struct accd_pair *spare, size_t n);

#endif
