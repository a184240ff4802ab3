/* residency.h - counts the host memory that a simulated device uses. Pages of its address space become memory at the
 * first write; config.charge counts them in chunks. A checkpoint does not restore the count. */
#ifndef ACCD_RESIDENCY_H
#define ACCD_RESIDENCY_H

#include "accdeep_context.h"

#include <stdbool.h>
#include <stdint.h>

enum { ACCD_RESIDENCY_CHUNK = 64 << 10 };

/* Counter of the host memory that one simulated device uses. */
struct accd__residency {
    uint64_t space; /* bytes of the device's address space */
    accd_charge_fn charge;
    void *charge_ud;
    uint64_t charged;  /* bytes charged so far */
    uint64_t chunks[]; /* set of the chunks (64 KiB) that were written, one bit for each */
};

/* Returns a new counter for `space` bytes of address space, which reports to `charge` (not NULL); NULL: no memory. */
struct accd__residency *accd__residency_new(uint64_t space, accd_charge_fn charge, void *charge_ud);
/* Gives back all charged bytes and frees the counter; NULL does nothing. */
void accd__residency_free(struct accd__residency *residency);
/* Charges bytes that are not in chunks, such as tables. */
void accd__residency_charge(struct accd__residency *residency, uint64_t bytes);
/* Charges the chunks, not charged before, of the range of n > 0 bytes at offset `at`, which is about to be written.
 * huge: charges all chunks of each huge page (2 MiB) that the range touches. */
void accd__residency_add(struct accd__residency *residency, uint64_t at, uint64_t n, bool huge);
/* Returns the whole chunks in a freed range of n bytes at offset `at` to the system, and gives back their charge.
 * `bytes` is the address of the device's memory. */
void accd__residency_drop(struct accd__residency *residency, char *bytes, uint64_t at, uint64_t n);

/* Charges the range of n bytes at offset `at`, which is about to be written, by accd__residency_add. Does nothing if
 * `residency` is NULL or n = 0. */
static inline void accd__residency_touch(struct accd__residency *residency, uint64_t at, uint64_t n, bool huge)
{
    if (residency && n)
        accd__residency_add(residency, at, n, huge);
}

#endif
