/* random.h - random numbers of unit tests, the same in each run. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Returns a random number less than n, which must not be 0. */
static inline size_t pick(size_t n)
{
    static uint64_t state = 20261129;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

#endif
