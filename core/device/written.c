/* written.c - counts, copies and saves written bits: one bit for each byte of device memory, set if the byte was ever
 * written (written.h). */
#include "device/written.h"

/* Returns the number of set bits in [at, at + n). */
uint64_t accd__written_count(const uint64_t *bits, uint64_t at, uint64_t n)
{
    uint64_t count = 0;
    while (n) {
        unsigned from = at % 64;
        unsigned take = n < 64 - from ? (unsigned)n : 64 - from;
        count += (unsigned)__builtin_popcountll(bits[at / 64] & accd__written_mask(from, from + take));
        at += take;
        n -= take;
    }
    return count;
}

/* Returns true if bit `at` is set: the byte at this offset was written. */
static bool get_written_bit(const uint64_t *bits, uint64_t at)
{
    return bits[at / 64] >> at % 64 & 1;
}

/* Copies n bits from position `from` of `other` to position `to` of `bits`; the ranges may overlap. */
void accd__written_copy(uint64_t *bits, uint64_t to, const uint64_t *other, uint64_t from, uint64_t n)
{
    if (accd__written_count(other, from, n) == n) {
        accd__written_set(bits, to, n, true);
        return;
    }
    bool back = bits == other && to > from; /* copies from the end, so that no bit is overwritten before its copy */
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = back ? n - 1 - i : i;
        accd__written_set(bits, to + k, 1, get_written_bit(other, from + k));
    }
}

/* Fills the bytes of [at, at + n) that were never written with ACCD_POISON. bytes: content of this range, from offset
 * `at` on. */
void accd__written_poison(const uint64_t *bits, uint64_t at, uint64_t n, char *bytes)
{
    bytes -= at; /* bytes[at] is now the content at offset `at` */
    for (uint64_t end = at + n; at < end;) {
        while (at % 64 == 0 && end - at >= 256 && /* skips 256 written bytes at once: usually all bytes were written */
               (bits[at / 64] & bits[at / 64 + 1] & bits[at / 64 + 2] & bits[at / 64 + 3]) == UINT64_MAX)
            at += 256;
        if (at == end)
            return;
        uint64_t next = (at / 64 + 1) * 64 < end ? (at / 64 + 1) * 64 : end;
        uint64_t word = bits[at / 64];
        if (word == 0)
            memset(bytes + at, ACCD_POISON, next - at);
        else if (word != UINT64_MAX)
            for (; at < next; at++)
                if (!(word >> at % 64 & 1))
                    bytes[at] = (char)ACCD_POISON;
        at = next;
    }
}

/* Packs bits [at, at + n) into `to`, from bit 0 on. */
void accd__written_save(const uint64_t *bits, uint64_t at, uint64_t n, uint8_t *to)
{
    memset(to, 0, (n + 7) / 8);
    for (uint64_t i = 0; i < n; i++)
        if (get_written_bit(bits, at + i))
            to[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Sets bits [at, at + n) to the n bits packed in `from`. */
void accd__written_restore(uint64_t *bits, uint64_t at, uint64_t n, const uint8_t *from)
{
    for (uint64_t i = 0; i < n; i++)
        accd__written_set(bits, at + i, 1, from[i / 8] >> i % 8 & 1);
}
