/* sim.h - the memory of a simulated device, shared by sim.c (transfers, checkpoints), sim_alloc.c (allocation) and
 * guarded.c (guard pages).
 *
 * The address space has `space` bytes, divided into units of 16 bytes. A block begins at a unit and has the units of
 * its size class. Blocks at offsets [0, bump) are adjacent; each is allocated, free or quarantined (freed on a guarded
 * device, but not yet available). Memory after bump was never allocated.
 *
 *     offset   0                                                bump             space
 *     blocks   | A | free | B             | free | guarded block |  never allocated |
 *     units    A's class, class + FREE_BIT, ...    at the first unit of each block
 *     sizes    bytes requested                     at the first unit of each allocated block
 *     covers   offset + 1 of the last block over the first byte of each page; 0: none
 *     heads    class -> free block -> free block, linked through the first word of each
 *
 * The size tables are found by offset, so that no header lies in the memory of the program. */
#ifndef ACCD_SIM_H
#define ACCD_SIM_H

#include "device/device.h"
#include "device/residency.h"
#include "device/size_classes.h"
#include "device/written.h"

enum { UNIT = 16, PAGE = 4096, ADDRESS_BITS = 47, QUARANTINE_SIZE = 256 };
/* Bit of an element of `units`, set for a free block. */
#define FREE_BIT 0x8000u
/* Bit of an element of `units`, set for a guarded block (next to an inaccessible page) and for its enclosing block
 * (guarded.c). */
#define GUARD_BIT 0x4000u
/* Bits of an element of `units` that hold the size class + 1; 0: no block begins here. */
#define CLASS_BITS 0x3fffu

/* Simulated device. */
struct sim {
    struct accd__mem *mem;
    size_t sim_struct_bytes; /* bytes of this structure */
    uint64_t base, space;    /* device addresses [base, base + space) */
    uint64_t margin; /* bytes before base that belong to the device and are never allocated. A pointer to element 0 of
                        an array may point there, if only a later section is mapped */
    /* capacity: bytes that may be allocated. live: bytes that are allocated, without padding */
    uint64_t capacity, live;
    uint64_t bump; /* offset of the memory that was never allocated */
    /* Content of the device memory, by offset. */
    char *bytes;
    uint64_t *bits;   /* written bits, set for each byte that was ever written; NULL: not recorded (direct and guarded
                         devices) */
    uint16_t *units;  /* size class + 1 of the block that begins at each unit, with FREE_BIT and GUARD_BIT; 0: no block
                         begins there */
    uint64_t *sizes;  /* bytes requested for the block that begins at each unit */
    uint64_t *covers; /* offset + 1 of the last block that covers the first byte of each page; 0: none */
    struct accd__residency *residency; /* counter of the host memory in use; NULL: not counted */
    uint64_t heads[ACCD_SIZE_CLASSES]; /* first free block of each class, offset + 1; 0: none. Free blocks are linked
                                          through their first word */
    /* True if the system was asked for huge pages (2 MiB) for this memory. */
    bool huge;
    uint64_t fail_allocation,
        fail_copy; /* numbers of allocations and copies until an injected failure, for tests; 0: none */
    enum guard_mode { GUARD_AFTER, END, BEGIN } guard_mode;
    bool skips_small_guards; /* true if small allocations are not guarded */
    bool reuses_quarantined; /* true if quarantined blocks stay accessible, and are used again */
    bool avoids_reuse;       /* true if freed memory is used again only after all other memory */
    /* Mapping of one page past the end of an empty file, so that any access to it stops the program. Guard pages and
     * the pages of quarantined blocks are further mappings of this page. NULL: not made yet. */
    void *inaccessible_page;
    /* guards: number of guard pages in use. nquarantined: number of quarantined blocks; last_quarantined: index of the
     * latest of these in the ring */
    unsigned guards, nquarantined, last_quarantined;
    struct quarantined {              /* quarantined enclosing block */
        uint64_t start, first, bytes; /* offset of the enclosing block; offset and bytes of the inaccessible pages */
    } quarantined[];                  /* ring of QUARANTINE_SIZE elements; absent unless the device is guarded */
};

/* Sets or clears the written bits of n bytes at offset `at`, if bits are recorded. */
static inline void accd__sim_set_written_bits(struct sim *sim, uint64_t at, uint64_t n, bool on)
{
    if (sim->bits)
        accd__written_set(sim->bits, at, n, on);
}

/* Adds the block at offset `at` to the free blocks of its size class. */
static inline void accd__sim_push_free_block(struct sim *sim, uint64_t at, unsigned class)
{
    assert(at % UNIT == 0 && class < ACCD_SIZE_CLASSES);
    memcpy(sim->bytes + at, &sim->heads[class], sizeof sim->heads[class]);
    sim->heads[class] = at + 1;
    sim->units[at / UNIT] = (uint16_t)((class + 1) | FREE_BIT);
}

/* Returns true if an address belongs to the device, allocated or not, including the margin before its memory. */
static inline int accd__sim_owns(void *device, uint64_t dev)
{
    struct sim *sim = device;
    return dev - (sim->base - sim->margin) < sim->margin + sim->space;
}

/* Returns the offset of the first byte of the block whose first unit is `unit`. Blocks of guarded-end devices begin
 * inside that unit, because they end exactly at a page. */
static inline uint64_t accd__sim_block_start(const struct sim *sim, uint64_t unit)
{
    const uint64_t bytes = sim->sizes[unit];
    return sim->guard_mode == END && sim->units[unit] & GUARD_BIT && bytes
               ? (unit * UNIT + bytes + PAGE - 1) / PAGE * PAGE - bytes
               : unit * UNIT;
}

/* Returns true if an allocated block begins at an offset. */
static inline bool accd__sim_is_block_start(const struct sim *sim, uint64_t at)
{
    return at < sim->bump && sim->units[at / UNIT] && !(sim->units[at / UNIT] & FREE_BIT) &&
           at == accd__sim_block_start(sim, at / UNIT);
}

/* ------------------------------------------------------------------------------- sim_alloc.c -- */

/* Allocates a block of `bytes` bytes without changing its content, and sets *dev_p to its device address. Fails with
 * ACCD_ERROR_OUT_OF_DEVICE_MEMORY. */
accd_status accd__sim_alloc_block(struct sim *sim, uint64_t bytes, uint64_t *dev_p);
/* Allocates a block of `bytes` bytes, and sets *dev_p to its device address. Fills the block with poison (ACCD_POISON)
 * if the device has no written bits. Fails with ACCD_ERROR_OUT_OF_DEVICE_MEMORY. */
accd_status accd__sim_alloc(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p);
/* Frees the unguarded block that begins at `dev`. ACCD_ERROR_MISUSE: no block begins there. */
accd_status accd__sim_free(void *device, uint64_t dev);
/* Clears the written bits of n bytes of freed memory at offset `at`. */
void accd__sim_clear_written_bits(struct sim *sim, uint64_t at, uint64_t n);
/* Makes the inaccessible pages of an enclosing block accessible, and frees the block; if the system refuses, the block
 * stays unused. */
void accd__sim_release_quarantined(struct sim *sim, const struct quarantined *block);
/* Frees the block that was quarantined longest. Returns false if there is none. */
bool accd__sim_release_oldest(struct sim *sim);

/* --------------------------------------------------------------------------------- guarded.c -- */

/* Functions alloc, free, set_guards and find_overrun of accd_backend for guarded devices. */
accd_status accd__guarded_alloc(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p);
accd_status accd__guarded_free(void *device, uint64_t dev);
void accd__guarded_set_guards(void *device, int on);
uint64_t accd__guarded_find_overrun(void *device, uint64_t *block_p);

#endif
