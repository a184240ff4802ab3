/* touched.h - memory of the machine that a simulated device uses: pages of its address space become memory when they
 * are written first. config.charge counts them, in chunks. A checkpoint does not restore what is counted here. */
#ifndef ACCD_TOUCHED_H
#define ACCD_TOUCHED_H

#include "accdeep_core.h"

#include <stdbool.h>
#include <stdint.h>

enum { ACCD_CHUNK = 64 << 10 };

struct accd_touched {
    uint64_t space; /* of the device, in bytes */
    accd_charge_fn charge;
    void *charge_ud;
    uint64_t charged;  /* bytes */
    uint64_t chunks[]; /* one bit for each chunk: it was written */
};

/* NULL: there is no memory. charge is not NULL. */
struct accd_touched *accd_touched_new(uint64_t space, accd_charge_fn charge, void *charge_ud);
/* Gives back all that is charged. touched may be NULL. */
void accd_touched_free(struct accd_touched *touched);
/* Counts so many bytes beside the chunks. */
void accd_touched_charge(struct accd_touched *touched, uint64_t bytes);
/* Counts the chunks of a range that is written, at least one byte. huge: they lie in huge pages. */
void accd_touched_add(struct accd_touched *touched, uint64_t at, uint64_t n, bool huge);
/* Gives the whole chunks of a freed range back to the system; bytes: the memory of the device. */
void accd_touched_drop(struct accd_touched *touched, char *bytes, uint64_t at, uint64_t n);

/* A range is written. touched may be NULL. */
static inline void accd_touch(struct accd_touched *touched, uint64_t at, uint64_t n, bool huge)
{
    if (touched && n)
        accd_touched_add(touched, at, n, huge);
}

#endif
