/* residency.h - counts the host memory that a simulated device uses. Pages of its address space become memory at the
 * first write; config.charge counts them in chunks. A checkpoint does not restore the count. */
#ifndef ACCD_RESIDENCY_H
#define ACCD_RESIDENCY_H

#include "accdeep_core.h"

#include <stdbool.h>
#include <stdint.h>

enum { ACCD_RESIDENCY_CHUNK = 64 << 10 };

struct accd__residency {
    uint64_t space; /* bytes of the device's address space */
    accd_charge_fn charge;
    void *charge_ud;
    uint64_t charged;  /* bytes charged so far */
    uint64_t chunks[]; /* bits of the chunks that were written */
};

/* Makes a counter; NULL: no memory. charge is not NULL. */
struct accd__residency *accd__residency_new(uint64_t space, accd_charge_fn charge, void *charge_ud);
/* Uncharges everything and frees the counter; NULL is allowed. */
void accd__residency_free(struct accd__residency *residency);
/* Charges bytes in addition to the chunks. */
void accd__residency_charge(struct accd__residency *residency, uint64_t bytes);
/* Charges the chunks of a range that is written; n > 0. huge: the chunks lie in huge pages. */
void accd__residency_add(struct accd__residency *residency, uint64_t at, uint64_t n, bool huge);
/* Returns the whole chunks of a freed range to the system; bytes: the memory of the device. */
void accd__residency_drop(struct accd__residency *residency, char *bytes, uint64_t at, uint64_t n);

/* Charges the chunks of a range that is written. residency may be NULL. */
static inline void accd__residency_touch(struct accd__residency *residency, uint64_t at, uint64_t n, bool huge)
{
    if (residency && n)
        accd__residency_add(residency, at, n, huge);
}

#endif
