/* touched.c - memory of the machine that a simulated device uses. */
#include "device/touched.h"

#include <sys/mman.h>

static uint64_t own_bytes(uint64_t space)
{
    return sizeof(struct accd_touched) + (space / ACCD_CHUNK / 64 + 1) * sizeof(uint64_t);
}

struct accd_touched *accd_touched_new(uint64_t space, accd_charge_fn charge, void *charge_ud)
{
    void *block = mmap(NULL, own_bytes(space), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    struct accd_touched *touched = block;
    touched->space = space;
    touched->charge = charge;
    touched->charge_ud = charge_ud;
    return touched;
}

void accd_touched_free(struct accd_touched *touched)
{
    if (!touched)
        return;
    touched->charge(touched->charge_ud, -(int64_t)touched->charged);
    munmap(touched, own_bytes(touched->space));
}

void accd_touched_charge(struct accd_touched *touched, uint64_t bytes)
{
    touched->charged += bytes;
    touched->charge(touched->charge_ud, (int64_t)bytes);
}

/* With a chunk go the bits that say which of its bytes were written. */
static void set_chunk(struct accd_touched *touched, uint64_t chunk, bool on)
{
    const uint64_t bit = (uint64_t)1 << chunk % 64, bytes = ACCD_CHUNK + ACCD_CHUNK / 8;
    uint64_t *word = &touched->chunks[chunk / 64];
    if (on == ((*word & bit) != 0))
        return;
    *word ^= bit;
    accd_touched_charge(touched, on ? bytes : 0 - bytes);
}

void accd_touched_add(struct accd_touched *touched, uint64_t at, uint64_t n, bool huge)
{
    const uint64_t unit = huge ? 2 << 20 : ACCD_CHUNK;
    const uint64_t first = at / unit * unit / ACCD_CHUNK, end = (at + n + unit - 1) / unit * unit / ACCD_CHUNK;
    for (uint64_t chunk = first; chunk < end && chunk <= touched->space / ACCD_CHUNK; chunk++)
        set_chunk(touched, chunk, true);
}

void accd_touched_drop(struct accd_touched *touched, char *bytes, uint64_t at, uint64_t n)
{
    const uint64_t first = (at + ACCD_CHUNK - 1) / ACCD_CHUNK, end = (at + n) / ACCD_CHUNK;
    if (first >= end || madvise(bytes + first * ACCD_CHUNK, (end - first) * ACCD_CHUNK, MADV_DONTNEED))
        return;
    for (uint64_t chunk = first; chunk < end; chunk++)
        set_chunk(touched, chunk, false);
}
