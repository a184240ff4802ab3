/* residency.c - counts the host memory that a simulated device uses, in chunks of 64 KiB, and reports it to the
 * callback config.charge; see residency.h. */
#include "device/residency.h"

#include <assert.h>
#include <sys/mman.h>

/* Returns the bytes of a counter (struct accd__residency with its set of chunks) for `space` bytes of address space. */
static uint64_t residency_struct_bytes(uint64_t space)
{
    return sizeof(struct accd__residency) + (space / ACCD_RESIDENCY_CHUNK / 64 + 1) * sizeof(uint64_t);
}

/* Returns a new counter, in pages of its own, for `space` bytes of address space, which reports to `charge` with
 * `charge_ud`; NULL: no memory. */
struct accd__residency *accd__residency_new(uint64_t space, accd_charge_fn charge, void *charge_ud)
{
    void *block = mmap(NULL, residency_struct_bytes(space), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    struct accd__residency *residency = block;
    residency->space = space;
    residency->charge = charge;
    residency->charge_ud = charge_ud;
    return residency;
}

/* Gives back all charged bytes and unmaps the counter; NULL does nothing. */
void accd__residency_free(struct accd__residency *residency)
{
    if (!residency)
        return;
    residency->charge(residency->charge_ud, -(int64_t)residency->charged);
    munmap(residency, residency_struct_bytes(residency->space));
}

/* Adds `bytes` to the bytes charged so far, and reports them. A negative number, converted to uint64_t, is given back.
 */
void accd__residency_charge(struct accd__residency *residency, uint64_t bytes)
{
    residency->charged += bytes;
    residency->charge(residency->charge_ud, (int64_t)bytes);
}

/* Marks a chunk (64 KiB) as resident (`on`) or not. If that is a change, charges the bytes of the chunk and of its
 * written bits, or gives them back. */
static void set_chunk_resident(struct accd__residency *residency, uint64_t chunk, bool on)
{
    assert(chunk <= residency->space / ACCD_RESIDENCY_CHUNK);
    const uint64_t bit = (uint64_t)1 << chunk % 64, bytes = ACCD_RESIDENCY_CHUNK + ACCD_RESIDENCY_CHUNK / 8;
    uint64_t *word = &residency->chunks[chunk / 64];
    if (on == ((*word & bit) != 0))
        return;
    *word ^= bit;
    accd__residency_charge(residency, on ? bytes : 0 - bytes);
}

/* Charges the chunks of the n bytes at offset `at`, which are about to be written, unless they are charged already.
 * huge: charges all chunks of each huge page (2 MiB) that the range touches. */
void accd__residency_add(struct accd__residency *residency, uint64_t at, uint64_t n, bool huge)
{
    assert(n > 0);
    const uint64_t unit = huge ? 2 << 20 : ACCD_RESIDENCY_CHUNK;
    const uint64_t first = at / unit * unit / ACCD_RESIDENCY_CHUNK,
                   end = (at + n + unit - 1) / unit * unit / ACCD_RESIDENCY_CHUNK;
    for (uint64_t chunk = first; chunk < end && chunk <= residency->space / ACCD_RESIDENCY_CHUNK; chunk++)
        set_chunk_resident(residency, chunk, true);
}

/* Returns the whole chunks in the freed n bytes at offset `at` to the system, and gives back their charge. Does nothing
 * if the system refuses, or the range has no whole chunk. `bytes`: address of the device's memory. */
void accd__residency_drop(struct accd__residency *residency, char *bytes, uint64_t at, uint64_t n)
{
    const uint64_t first = (at + ACCD_RESIDENCY_CHUNK - 1) / ACCD_RESIDENCY_CHUNK,
                   end = (at + n) / ACCD_RESIDENCY_CHUNK;
    if (first >= end ||
        madvise(bytes + first * ACCD_RESIDENCY_CHUNK, (end - first) * ACCD_RESIDENCY_CHUNK, MADV_DONTNEED))
        return;
    for (uint64_t chunk = first; chunk < end; chunk++)
        set_chunk_resident(residency, chunk, false);
}
