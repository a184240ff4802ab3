/* sim_alloc.c - allocation of simulated memory: size classes with lists of free blocks; and release of the quarantine
 * of guarded devices, whose blocks become free when memory is short. sim.h explains bump (end of the blocks). Used by
 * sim.c and guarded.c. */
#include "device/sim.h"

#include <sys/mman.h>

static const uint64_t huge_page = (uint64_t)2 << 20, large_block = (uint64_t)4 << 20;

/* Removes the first free block of a size class from its list, and sets *at_p to the block's offset. Returns false if
 * there is none. */
static bool pop_free_block(struct sim *sim, unsigned class, uint64_t *at_p)
{
    if (!sim->heads[class])
        return false;
    *at_p = sim->heads[class] - 1;
    memcpy(&sim->heads[class], sim->bytes + *at_p, sizeof sim->heads[class]);
    return true;
}

/* Cuts free memory of `bytes` bytes at offset `at` into free blocks of size classes, each time the largest that fits.
 */
static void add_extent(struct sim *sim, uint64_t at, uint64_t bytes)
{
    assert(bytes % UNIT == 0);
    while (bytes) {
        uint64_t units = bytes / UNIT;
        unsigned class = accd__size_class(units);
        if (accd__class_units(class) > units)
            class --;
        accd__sim_push_free_block(sim, at, class);
        uint64_t removed_count = accd__class_units(class) * UNIT;
        at += removed_count;
        bytes -= removed_count;
    }
}

/* Joins adjacent free blocks, and lowers bump (end of the blocks) if the last block is free. Called only when neither a
 * free block nor the memory after bump suffices. */
static void coalesce_free_blocks(struct sim *sim)
{
    memset(sim->heads, 0, sizeof sim->heads);
    uint64_t from = 0, bytes = 0;
    for (uint64_t at = 0; at < sim->bump;) {
        uint16_t unit = sim->units[at / UNIT];
        uint64_t length = accd__class_units((unit & CLASS_BITS) - 1) * UNIT;
        if (unit & FREE_BIT) {
            if (!bytes)
                from = at;
            bytes += length;
            sim->units[at / UNIT] = 0;
        } else if (bytes) {
            add_extent(sim, from, bytes);
            bytes = 0;
        }
        at += length;
    }
    if (bytes) /* the free memory at the end becomes part of the unallocated memory after bump */
        sim->bump = from;
}

/* Takes a free block of a size class, or, if there is none, a new block from the memory after bump; with avoids_reuse,
 * in the other order. Sets *at_p to the block's offset. Returns false if there is neither. */
static bool find_block(struct sim *sim, unsigned class, uint64_t *at_p)
{
    if (!sim->avoids_reuse && pop_free_block(sim, class, at_p))
        return true;
    uint64_t bytes = accd__class_units(class) * UNIT;
    if (bytes <= sim->space - sim->bump) {
        if (sim->residency) /* charges the tables, of which a block uses at most two pages, and a word for each of its
                               pages */
            accd__residency_charge(sim->residency,
                                   (bytes < PAGE ? bytes : 2 * PAGE) + bytes / PAGE * sizeof sim->covers[0]);
        *at_p = sim->bump;
        sim->bump += bytes;
        return true;
    }
    return sim->avoids_reuse && pop_free_block(sim, class, at_p);
}

/* Prepares the allocation of a large block of a size class. The first call asks the system for huge pages (2 MiB).
 * Moves bump to the beginning of a huge page, unless a free block of the class exists or too little space is left. */
static __attribute__((noinline)) void use_huge_pages(struct sim *sim, unsigned class)
{
    const uint64_t gap = -(sim->base + sim->bump) % huge_page;
    if (!sim->huge) {
        madvise(sim->bytes, sim->space, MADV_HUGEPAGE);
        if (sim->bits)
            madvise(sim->bits, sim->space / 8, MADV_HUGEPAGE);
        sim->huge = true;
    }
    if (sim->heads[class] || gap + accd__class_units(class) * UNIT > sim->space - sim->bump)
        return;
    add_extent(sim, sim->bump, gap);
    sim->bump += gap;
}

/* Replaces the pages of `bytes` bytes at offset `at` by fresh accessible pages of zeros; returns false if the system
 * refuses. */
static bool make_accessible(struct sim *sim, uint64_t at, uint64_t bytes)
{
    return mmap(sim->bytes + at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0) != MAP_FAILED;
}

/* Makes the inaccessible pages of a guarded enclosing block accessible, and frees the block. If the system refuses, the
 * block stays unused. */
void accd__sim_release_quarantined(struct sim *sim, const struct quarantined *block)
{
    assert(sim->guards > 0);
    if (!make_accessible(sim, block->first, block->bytes))
        return; /* an inaccessible block cannot be used, so it stays allocated */
    sim->guards--;
    accd__sim_push_free_block(sim, block->start, (sim->units[block->start / UNIT] & CLASS_BITS) - 1u);
}

/* Frees the block that was quarantined longest. Returns false if there is none. */
bool accd__sim_release_oldest(struct sim *sim)
{
    if (!sim->nquarantined)
        return false;
    accd__sim_release_quarantined(
        sim, &sim->quarantined[(sim->last_quarantined + QUARANTINE_SIZE + 1 - sim->nquarantined) % QUARANTINE_SIZE]);
    sim->nquarantined--;
    return true;
}

/* Allocates a block of `bytes` bytes without changing its content, and sets *dev_p to its device address. If no block
 * is found, releases quarantined blocks, joins free ones and splits a larger one. Returns
 * ACCD_ERROR_OUT_OF_DEVICE_MEMORY if that does not help, the capacity is exceeded, or a failure is injected. */
static inline __attribute__((always_inline)) accd_status allocate_block(struct sim *sim, uint64_t bytes,
                                                                        uint64_t *dev_p)
{
    if (sim->fail_allocation && --sim->fail_allocation == 0)
        return ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
    if (bytes > sim->capacity - sim->live)
        return ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
    unsigned class = accd__size_class((bytes + UNIT - 1) / UNIT);
    uint64_t at;
    if (bytes >= huge_page)
        use_huge_pages(sim, class);
    if (!find_block(sim, class, &at)) {
        while (accd__sim_release_oldest(sim))
            continue;
        coalesce_free_blocks(sim);
        bool found = find_block(sim, class, &at);
        for (unsigned larger = class + 1; !found && larger < ACCD_SIZE_CLASSES; larger++)
            if (pop_free_block(sim, larger, &at)) {
                found = true;
                add_extent(sim, at + accd__class_units(class) * UNIT,
                           (accd__class_units(larger) - accd__class_units(class)) * UNIT);
            }
        if (!found)
            return ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    sim->units[at / UNIT] = (uint16_t)(class + 1);
    sim->sizes[at / UNIT] = bytes;
    for (uint64_t page = at / PAGE + 1; page * PAGE < at + bytes; page++)
        sim->covers[page] = at + 1;
    sim->live += bytes;
    *dev_p = sim->base + at;
    return ACCD_OK;
}

/* Allocates a block of `bytes` bytes without changing its content, and sets *dev_p to its device address. Returns the
 * status of allocate_block. */
accd_status accd__sim_alloc_block(struct sim *sim, uint64_t bytes, uint64_t *dev_p)
{
    return allocate_block(sim, bytes, dev_p);
}

/* Allocates a block of `bytes` bytes, sets *dev_p to its device address, and fills it with poison if the device has no
 * written bits. Returns the status of allocate_block. */
accd_status accd__sim_alloc(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p)
{
    (void)host;
    struct sim *sim = device;
    const accd_status status = allocate_block(sim, bytes, dev_p);
    if (status == ACCD_OK && !sim->bits)
        memset(sim->bytes + (*dev_p - sim->base), ACCD_POISON, bytes);
    return status;
}

/* Clears the written bits of n bytes of freed memory at offset `at`. For a large block, returns whole pages of the bits
 * to the operating system; they read as 0 afterwards. */
void accd__sim_clear_written_bits(struct sim *sim, uint64_t at, uint64_t n)
{
    uint64_t first = (at / 8 + PAGE - 1) / PAGE * PAGE, end = (at + n) / 8 / PAGE * PAGE;
    if (sim->bits && n >= large_block && !madvise((char *)sim->bits + first, end - first, MADV_DONTNEED)) {
        accd__sim_set_written_bits(sim, at, first * 8 - at, false);
        accd__sim_set_written_bits(sim, end * 8, at + n - end * 8, false);
    } else {
        accd__sim_set_written_bits(sim, at, n, false);
    }
}

/* Frees the unguarded block that begins at `dev`: clears its written bits, and lists it as free. ACCD_ERROR_MISUSE:
 * none begins there. */
accd_status accd__sim_free(void *device, uint64_t dev)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    if (!accd__sim_owns(device, dev) || !accd__sim_is_block_start(sim, at))
        return ACCD_ERROR_MISUSE;
    accd__sim_clear_written_bits(sim, at, sim->sizes[at / UNIT]);
    if (sim->residency && sim->avoids_reuse)
        accd__residency_drop(sim->residency, sim->bytes, at, sim->sizes[at / UNIT]);
    sim->live -= sim->sizes[at / UNIT];
    accd__sim_push_free_block(sim, at, sim->units[at / UNIT] - 1u);
    return ACCD_OK;
}
