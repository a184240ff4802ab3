/* written.h - written bits: one bit for each byte of device memory, set if the byte was ever written. The backends of
 * "sim" and "cuda" keep such bits; unwritten bytes read as ACCD_POISON. */
#ifndef ACCD_WRITTEN_H
#define ACCD_WRITTEN_H

#include "accdeep_context.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns the number of 64-bit words that hold one bit for each of `bytes` bytes. */
static inline uint64_t accd__written_words(uint64_t bytes)
{
    return bytes / 64 + (bytes % 64 != 0);
}

/* Returns a word in which the bits [from, to) are set; from < 64, to <= 64. */
static inline uint64_t accd__written_mask(unsigned from, unsigned to)
{
    assert(from < 64 && to <= 64);
    uint64_t below = to == 64 ? UINT64_MAX : ((uint64_t)1 << to) - 1;
    return below & ~(((uint64_t)1 << from) - 1);
}

/* Sets (`on`) or clears the bits [at, at + n); n = 0 does nothing. */
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

/* Returns the number of set bits in [at, at + n). */
uint64_t accd__written_count(const uint64_t *bits, uint64_t at, uint64_t n);
/* Copies n bits from position `from` of `other` to position `to` of `bits`, like memmove if the ranges overlap. */
void accd__written_copy(uint64_t *bits, uint64_t to, const uint64_t *other, uint64_t from, uint64_t n);
/* Fills the bytes whose bits in [at, at + n) are clear with ACCD_POISON. bytes: the content of this range, from offset
 * `at`. */
void accd__written_poison(const uint64_t *bits, uint64_t at, uint64_t n, char *bytes);
/* Packs bits [at, at + n) into `to`, from bit 0 of its first byte: (n + 7) / 8 bytes. */
void accd__written_save(const uint64_t *bits, uint64_t at, uint64_t n, uint8_t *to);
/* Unpacks n bits from `from` to bits [at, at + n). */
void accd__written_restore(uint64_t *bits, uint64_t at, uint64_t n, const uint8_t *from);

#endif
