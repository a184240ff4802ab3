/* written.h - which bytes of device memory were ever written: one bit for each. Backends whose device
 * cannot tell keep such bits beside it; what was never written reads as poison. */
#ifndef ACCD_WRITTEN_H
#define ACCD_WRITTEN_H

#include "accdeep_core.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 64-bit words of bits for so many bytes. */
static inline uint64_t accd__written_words(uint64_t bytes)
{
    return bytes / 64 + (bytes % 64 != 0);
}

static inline uint64_t accd__written_mask(unsigned from, unsigned to) /* bits [from, to), to <= 64 */
{
    uint64_t below = to == 64 ? UINT64_MAX : ((uint64_t)1 << to) - 1;
    return below & ~(((uint64_t)1 << from) - 1);
}

/* Bits of [at, at + n): edges by word, the middle by memset. */
static inline void accd__written_set(uint64_t *bits, uint64_t at, uint64_t n, bool on)
{
    if (n == 0)
        return;
    uint64_t first = at / 64, last = (at + n - 1) / 64;
    unsigned from = at % 64, to = (unsigned)((at + n - 1) % 64) + 1;
    if (first == last) {
        uint64_t m = accd__written_mask(from, to);
        bits[first] = on ? bits[first] | m : bits[first] & ~m;
        return;
    }
    uint64_t head = accd__written_mask(from, 64), tail = accd__written_mask(0, to);
    bits[first] = on ? bits[first] | head : bits[first] & ~head;
    bits[last] = on ? bits[last] | tail : bits[last] & ~tail;
    memset(bits + first + 1, on ? 0xff : 0, (last - first - 1) * sizeof bits[0]);
}

uint64_t accd__written_count(const uint64_t *bits, uint64_t at, uint64_t n);
/* Overlapping ranges of the same bits are copied as by memmove. */
void accd__written_copy(uint64_t *bits, uint64_t to, const uint64_t *other, uint64_t from, uint64_t n);
/* bytes are the content of [at, at + n): makes the poison real in those that were never written. */
void accd__written_poison(const uint64_t *bits, uint64_t at, uint64_t n, char *bytes);
/* Bits of [at, at + n) packed from bit 0 of *to on, (n + 7) / 8 bytes; and back. */
void accd__written_save(const uint64_t *bits, uint64_t at, uint64_t n, uint8_t *to);
void accd__written_restore(uint64_t *bits, uint64_t at, uint64_t n, const uint8_t *from);

#endif
