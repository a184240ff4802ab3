/* guarded.c - simulated devices with guard pages: a kernel that runs off its block is stopped by the processor.
 *
 * This file has the allocation functions of accd_backend for the backends guarded*, which sim.c registers. Up to 8192
 * blocks at a time are guarded: each lies in an enclosing block, whose whole pages no other block uses:
 *
 *     enclosing block   |  rest  | page  ...  page | guard page | rest |
 *     guarded                     poison [block  ] poison to the unit
 *     guarded-end                 poison   [block]                        the block ends exactly at the guard page
 *     guarded-begin     |  rest  | guard page | [block] poison ... |      the page comes before the block
 *
 * Poison (a fill pattern) next to a block detects writes that do not reach the guard page (accd__guarded_find_overrun).
 *
 * Invariants. sizes[first unit of the block] is its bytes. sizes[last unit of the enclosing block] is the offset of the
 * block, or 0 after its free. covers[guard page] is the offset of the enclosing block + 1. (sim.h has sizes and
 * covers.)
 *
 * Life of a block: accd__guarded_alloc allocates the enclosing block and makes the guard page inaccessible.
 * accd__guarded_free puts a small block into quarantine: a ring of 256 blocks, all of whose pages are inaccessible, so
 * that stale accesses stop the program. The oldest block leaves the ring when the ring is full or memory is short. A
 * large block is freed at once, with its guard page. guarded-again: quarantined blocks stay accessible, and the next
 * block of their size takes their place. guarded-end: a block's address is a multiple of the largest power of two that
 * divides its size, up to 16. */
#include "device/sim.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns `bytes`, rounded up to a multiple of UNIT. */
static uint64_t round_to_units(uint64_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}
/* Returns `bytes`, rounded up to a multiple of PAGE. */
static uint64_t round_to_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Returns the number of the last unit (16 bytes) of the enclosing block that begins at offset `start`. */
static uint64_t last_unit(const struct sim *sim, uint64_t start)
{
    assert(sim->units[start / UNIT] & CLASS_BITS);
    return start / UNIT + accd__class_units((sim->units[start / UNIT] & CLASS_BITS) - 1u) - 1;
}

/* Makes the pages of `bytes` bytes at offset `at` inaccessible; returns false if the system refuses. The pages become
 * mappings of a page past the end of an empty file: any access to such a page stops the program, even if protections of
 * neighbouring pages change. memfd_create is called through syscall, because the oldest C library that the
 * self-contained program runs with has no function for it. */
static bool make_inaccessible(struct sim *sim, uint64_t at, uint64_t bytes)
{
    if (!sim->inaccessible_page) {
        const int file = (int)syscall(SYS_memfd_create, "guard", MFD_CLOEXEC);
        void *page = file < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (file >= 0)
            close(file);
        if (page == MAP_FAILED)
            return false;
        sim->inaccessible_page = page;
    }
    return mremap(sim->inaccessible_page, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, sim->bytes + at) != MAP_FAILED;
}

/* Least number of bytes of poison next to a block, which detect writes beside the block. */
enum { REDZONE = 64 };

/* Removes the latest quarantined block whose inaccessible pages have exactly `bytes` bytes from the ring, and sets
 * *start_p to the offset of its enclosing block. Returns false if there is none. */
static bool take_quarantined(struct sim *sim, uint64_t bytes, uint64_t *start_p)
{
    assert(sim->nquarantined <= QUARANTINE_SIZE);
    for (unsigned k = 0; k < sim->nquarantined; k++) {
        struct quarantined *block = &sim->quarantined[(sim->last_quarantined + QUARANTINE_SIZE - k) % QUARANTINE_SIZE];
        if (block->bytes != bytes)
            continue;
        *start_p = block->start;
        *block = sim->quarantined[sim->last_quarantined];
        sim->last_quarantined = (sim->last_quarantined + QUARANTINE_SIZE - 1) % QUARANTINE_SIZE;
        sim->nquarantined--;
        return true;
    }
    return false;
}

/* Returns the offset of the guard page of the enclosing block at offset `start`. body: bytes of the pages for block and
 * poison. */
static uint64_t guard_page_of(const struct sim *sim, uint64_t start, uint64_t body)
{
    return round_to_pages(start) + (sim->guard_mode == BEGIN ? 0 : body);
}

/* Places a block of `bytes` bytes in the enclosing block at offset `start`, and writes its sizes and poison. body:
 * bytes of the pages for block and poison. Returns the block's device address. */
static uint64_t place_guarded_block(struct sim *sim, uint64_t start, uint64_t bytes, uint64_t body)
{
    assert(bytes > 0 && body % PAGE == 0);
    const uint64_t first = round_to_pages(start), end = first + body;
    const uint64_t at =
        sim->guard_mode == BEGIN ? first + PAGE : end - (sim->guard_mode == END ? bytes : round_to_units(bytes));
    sim->sizes[start / UNIT] = 0;
    sim->units[start / UNIT] |= GUARD_BIT;
    sim->units[at / UNIT] = sim->units[start / UNIT];
    sim->sizes[at / UNIT] = bytes;
    sim->sizes[last_unit(sim, start)] = at;
    for (uint64_t page = at / PAGE + 1; page * PAGE < at + bytes; page++)
        sim->covers[page] = at + 1;
    sim->covers[guard_page_of(sim, start, body) / PAGE] = start + 1;
    const uint64_t low = sim->guard_mode == BEGIN ? at : at - REDZONE;
    const uint64_t high = sim->guard_mode == BEGIN ? at + bytes + REDZONE : end;
    memset(sim->bytes + low, ACCD_POISON, high - low);
    return sim->base + at;
}

/* Allocates a block of `bytes` bytes with a guard page, and sets *dev_p to its device address. The block has no guard
 * page if 8192 are in use, the system refuses, or guards are off and the block has at most a page. Returns
 * ACCD_ERROR_OUT_OF_DEVICE_MEMORY if no space is left. */
accd_status accd__guarded_alloc(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p)
{
    enum { MAX_GUARDS = 8192 }; /* each guard needs mappings, whose number the operating system limits */
    struct sim *sim = device;
    const uint64_t body = round_to_pages(bytes + REDZONE), more = body - bytes + (uint64_t)2 * PAGE;
    uint64_t start;
    if (sim->reuses_quarantined && !sim->fail_allocation && bytes <= sim->capacity - sim->live &&
        take_quarantined(sim, body + PAGE, &start)) {
        sim->live += bytes;
        *dev_p = place_guarded_block(sim, start, bytes, body);
        return ACCD_OK;
    }
    if (sim->guards == MAX_GUARDS)
        accd__sim_release_oldest(sim);
    if (sim->guards == MAX_GUARDS || bytes > sim->capacity - sim->live || (sim->skips_small_guards && bytes <= PAGE))
        return accd__sim_alloc(device, host, bytes, dev_p);
    sim->live -= more; /* accd__sim_alloc_block adds it again, so that guard and poison do not count as memory in use */
    const accd_status status = accd__sim_alloc_block(sim, bytes + more, dev_p);
    if (status != ACCD_OK) {
        sim->live += more;
        return status;
    }
    start = *dev_p - sim->base;
    if (!make_inaccessible(sim, guard_page_of(sim, start, body), PAGE)) {
        sim->live += more;
        accd__sim_free(sim, *dev_p);
        return accd__sim_alloc(device, host, bytes, dev_p);
    }
    sim->guards++;
    *dev_p = place_guarded_block(sim, start, bytes, body);
    return ACCD_OK;
}

/* Frees the block at `dev`: a guarded one of few pages goes into quarantine, another block is freed at once.
 * ACCD_ERROR_MISUSE: no block begins at `dev`. */
accd_status accd__guarded_free(void *device, uint64_t dev)
{
    /* larger blocks are not quarantined, because each quarantined page costs a page fault at its next use */
    enum { MAX_QUARANTINED_BYTES = 6 * PAGE };
    struct sim *sim = device;
    const uint64_t at = dev - sim->base, unit = at / UNIT;
    if (!accd__sim_owns(device, dev) || !accd__sim_is_block_start(sim, at) || !sim->sizes[unit])
        return ACCD_ERROR_MISUSE;
    if (!(sim->units[unit] & GUARD_BIT))
        return accd__sim_free(device, dev);
    const uint64_t guard = sim->guard_mode == BEGIN ? at - PAGE : round_to_pages(at + sim->sizes[unit]);
    const uint64_t start = sim->covers[guard / PAGE] - 1, first = round_to_pages(start);
    const uint64_t bytes = (guard < at ? round_to_pages(at + sim->sizes[unit]) : guard + PAGE) - first;
    sim->live -= sim->sizes[unit];
    sim->sizes[unit] = 0;
    if (unit != start / UNIT)
        sim->units[unit] = 0;
    sim->sizes[last_unit(sim, start)] = 0;
    if (bytes > MAX_QUARANTINED_BYTES) {
        accd__sim_release_quarantined(sim, &(struct quarantined){start, guard, PAGE});
        return ACCD_OK;
    }
    if (sim->nquarantined == QUARANTINE_SIZE)
        accd__sim_release_oldest(sim);
    sim->last_quarantined = (sim->last_quarantined + 1) % QUARANTINE_SIZE;
    sim->quarantined[sim->last_quarantined] = (struct quarantined){start, first, bytes};
    sim->nquarantined++;
    if (!sim->reuses_quarantined)
        make_inaccessible(sim, first, bytes);
    return ACCD_OK;
}

/* Turns guard pages for later allocations of at most a page on or off; larger allocations always ask for one. */
void accd__guarded_set_guards(void *device, int on)
{
    struct sim *sim = device;
    sim->skips_small_guards = !on;
}

/* Returns the device address of the first byte beside a guarded block that is no longer poison, and sets *block_p to
 * that block. Returns 0 if there is none. */
uint64_t accd__guarded_find_overrun(void *device, uint64_t *block_p)
{
    const struct sim *sim = device;
    for (uint64_t start = 0; start < sim->bump; start = (last_unit(sim, start) + 1) * UNIT) {
        const uint64_t at = sim->units[start / UNIT] & FREE_BIT || !(sim->units[start / UNIT] & GUARD_BIT)
                                ? 0
                                : sim->sizes[last_unit(sim, start)];
        const uint64_t high = at + sim->sizes[at / UNIT];
        const uint64_t low = sim->guard_mode == BEGIN ? at : at - REDZONE;
        const uint64_t end = sim->guard_mode == BEGIN ? high + REDZONE : round_to_pages(high);
        for (uint64_t k = low; at && k < end; k++) {
            if (k == at)
                k = high;
            if (k < end && (unsigned char)sim->bytes[k] != ACCD_POISON) {
                *block_p = sim->base + at;
                return sim->base + k;
            }
        }
    }
    return 0;
}
