/* touched.h - memory of the machine that a simulated device uses: pages of its address space become memory when they
 * are written first. config.charge counts them, in chunks. A checkpoint does not restore what is counted here. */
#ifndef ACCD_RESIDENCY_H
#define ACCD_RESIDENCY_H

#include "accdeep_core.h"

#include <stdbool.h>
#include <stdint.h>

enum { ACCD_RESIDENCY_CHUNK = 64 << 10 };

struct accd__residency {
    uint64_t space; /* of the device, in bytes */
    accd_charge_fn charge;
    void *charge_ud;
    uint64_t charged;  /* bytes */
    uint64_t chunks[]; /* one bit for each chunk: it was written */
};

/* NULL: there is no memory. charge is not NULL. */
struct accd__residency *accd__residency_new(uint64_t space, accd_charge_fn charge, void *charge_ud);
/* Gives back all that is charged. touched may be NULL. */
void accd__residency_free(struct accd__residency *residency);
/* Counts so many bytes beside the chunks. */
void accd__residency_charge(struct accd__residency *residency, uint64_t bytes);
/* Counts the chunks of a range that is written, at least one byte. huge: they lie in huge pages. */
void accd__residency_add(struct accd__residency *residency, uint64_t at, uint64_t n, bool huge);
/* Gives the whole chunks of a freed range back to the system; bytes: the memory of the device. */
void accd__residency_drop(struct accd__residency *residency, char *bytes, uint64_t at, uint64_t n);

/* A range is written. touched may be NULL. */
static inline void accd__residency_touch(struct accd__residency *residency, uint64_t at, uint64_t n, bool huge)
{
    if (residency && n)
        accd__residency_add(residency, at, n, huge);
}

#endif
