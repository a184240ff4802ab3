/* sim.c - the simulated device: discrete memory with addresses of its own. Fresh memory reads as ACCD_POISON.
 *
 * Implements accd_backend for the backends "sim", "direct" and, with guarded.c, "guarded" and its variants. sim.h shows
 * the data structure.
 *
 * sim: device addresses lie in reserved address space without access, so that the processor stops a host program that
 * dereferences one. The bytes lie in a second mapping at the same offset. One bit for each byte tells if it was ever
 * written.
 *
 * direct: the bytes lie at the device addresses, for kernels that the processor itself runs. Such writes cannot be
 * recorded, so there are no written bits, and allocated memory is filled with poison. */
#include "accdeep_context.h"
#include "device/sim.h"
#include "device/written.h"

#include <sys/mman.h>

static const uint64_t min_space = (uint64_t)64 << 20, default_bytes = (uint64_t)16 << 30,
                      max_bytes = (uint64_t)1 << (ADDRESS_BITS - 1);

/* Returns the bytes of struct sim for a backend (NULL: "sim"). For guarded backends, these include the quarantine (ring
 * of freed blocks that are not yet used again). */
static size_t sim_struct_bytes(const accd_backend *backend)
{
    return sizeof(struct sim) + (backend && backend->find_overrun ? QUARANTINE_SIZE * sizeof(struct quarantined) : 0);
}

/* ------------------------------------------------------------------------------- open, close -- */

/* Returns new zeroed pages of `bytes` bytes with a protection (PROT_*); NULL if the system refuses. */
static void *map_pages(uint64_t bytes, int protection)
{
    void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Unmaps `bytes` bytes of pages; p = NULL does nothing. */
static void unmap_pages(void *p, uint64_t bytes)
{
    if (p)
        munmap(p, bytes);
}

/* Returns the bytes of the tables sizes, covers and units of `sim`, which are adjacent in this order. */
static uint64_t table_bytes(const struct sim *sim)
{
    return sim->space / UNIT * (sizeof sim->sizes[0] + sizeof sim->units[0]) +
           sim->space / PAGE * sizeof sim->covers[0];
}

/* Unmaps all memory of a device, of which a failed sim_open may have made only a part, and frees its record. */
static void sim_close(void *device)
{
    struct sim *sim = device;
    if (sim->base)
        unmap_pages((void *)(uintptr_t)(sim->base - sim->margin), sim->margin + sim->space);
    if (sim->bits) {
        unmap_pages(sim->bytes, sim->space);
        unmap_pages(sim->bits, sim->space / 8);
    }
    unmap_pages(sim->inaccessible_page, PAGE);
    unmap_pages(sim->sizes, table_bytes(sim));
    accd__residency_free(sim->residency);
    accd__mem_free(sim->mem, sim, sim->sim_struct_bytes);
}

/* Opens a simulated device: maps its address space and tables, and sets *device_p to its record, made in `mem`.
 * `number` has no meaning here. ACCD_ERROR_OUT_OF_MEMORY: the system refuses, or the configured memory exceeds the
 * address space. */
static accd_status sim_open(void **device_p, int number, const accd_context_config *config, struct accd__mem *mem)
{
    const bool direct = config->backend && config->backend->address_range;
    const uint64_t capacity = config->device_bytes ? config->device_bytes : default_bytes;
    struct sim *sim = capacity <= max_bytes ? accd__mem_alloc_zeroed(mem, sim_struct_bytes(config->backend)) : NULL;
    (void)number;
    if (!sim)
        return ACCD_ERROR_OUT_OF_MEMORY;
    sim->mem = mem;
    sim->sim_struct_bytes = sim_struct_bytes(config->backend);
    sim->capacity = capacity;
    sim->guard_mode = config->backend == &accd__backend_guarded_end     ? END
                      : config->backend == &accd__backend_guarded_begin ? BEGIN
                                                                        : GUARD_AFTER;
    sim->reuses_quarantined = config->backend == &accd__backend_guarded_again;
    sim->avoids_reuse = config->avoid_reuse != 0;
    /* Twice the capacity, so that the capacity can be used up in spite of size classes and fragmentation. */
    sim->space = 2 * sim->capacity;
    if (sim->space < min_space)
        sim->space = min_space;
    sim->space = (sim->space + 8191) & ~(uint64_t)8191;
    int both = PROT_READ | PROT_WRITE;
    sim->margin = sim->space / 2;
    char *margin = map_pages(sim->margin + sim->space, PROT_NONE);
    sim->base = margin ? (uintptr_t)margin + sim->margin : 0;
    bool open = !direct || (margin && !mprotect(margin + sim->margin, sim->space, both));
    sim->bytes = !direct ? map_pages(sim->space, both) : open ? (char *)(uintptr_t)sim->base : NULL;
    sim->bits = direct ? NULL : map_pages(sim->space / 8, both);
    sim->sizes = map_pages(table_bytes(sim), both);
    sim->covers = sim->sizes ? sim->sizes + sim->space / UNIT : NULL;
    sim->residency = config->charge ? accd__residency_new(sim->space, config->charge, config->charge_ud) : NULL;
    sim->units = sim->sizes ? (uint16_t *)(void *)(sim->covers + sim->space / PAGE) : NULL;
    if (!sim->base || !sim->bytes || (!direct && !sim->bits) || !sim->sizes || (config->charge && !sim->residency)) {
        sim_close(sim);
        return ACCD_ERROR_OUT_OF_MEMORY;
    }
    *device_p = sim;
    return ACCD_OK;
}

/* ----------------------------------------------------------------------------------- blocks -- */

/* Returns the requested bytes of the block that begins at a device address; 0: none begins there. */
static uint64_t sim_allocation_size(void *device, uint64_t dev)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    return accd__sim_owns(device, dev) && accd__sim_is_block_start(sim, at) ? sim->sizes[at / UNIT] : 0;
}

/* Returns true if the range lies in one allocated block. The table `units` finds a block that begins in the page of
 * `dev`; the table `covers` finds one that begins before that page. */
static int sim_is_allocated(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    if (!accd__sim_owns(device, dev) || at >= sim->bump)
        return 0;
    /* Finds the first unit of the block around `at`: the last unit in the page, up to `at`, at which a block begins. If
     * no block begins there, takes the block that covers the start of the page. */
    uint64_t first = at / UNIT, least = at / PAGE * (PAGE / UNIT);
    while (first > least && !sim->units[first])
        first--;
    if (!sim->units[first]) {
        if (!sim->covers[at / PAGE])
            return 0;
        first = (sim->covers[at / PAGE] - 1) / UNIT;
    }
    const uint64_t start = accd__sim_block_start(sim, first);
    if (!accd__sim_is_block_start(sim, start))
        return 0;
    uint64_t offset = at - start, size = sim->sizes[first];
    return offset < size && bytes <= size - offset;
}

/* -------------------------------------------------------------------------------- transfers -- */

/* Begins a batch: only counts down to an injected failure of a copy. Returns ACCD_ERROR_DEVICE if this batch contains
 * the failing copy, otherwise ACCD_OK. */
static accd_status sim_begin_batch(void *device, const struct accd__traffic *traffic)
{
    struct sim *sim = device;
    uint64_t copies = traffic->in + traffic->out + traffic->within;
    if (!sim->fail_copy)
        return ACCD_OK;
    if (sim->fail_copy <= copies) {
        sim->fail_copy = 0;
        return ACCD_ERROR_DEVICE;
    }
    sim->fail_copy -= copies;
    return ACCD_OK;
}

/* Ends a batch: does nothing, because stage and fetch give the device's own memory, which is final at once. */
static accd_status sim_end_batch(void *device)
{
    (void)device;
    return ACCD_OK;
}

/* Marks a range as written, and returns its memory for the caller to fill. */
static void *sim_stage(void *device, uint64_t dev, uint64_t bytes, const void *host)
{
    (void)host;
    assert(!bytes || accd__sim_owns(device, dev));
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    accd__sim_set_written_bits(sim, at, bytes, true);
    accd__residency_touch(sim->residency, at, bytes, sim->huge);
    return sim->bytes + at;
}

/* Fills the unwritten bytes of a range with poison, before they are read. Does nothing without written bits. */
static void poison_unwritten(struct sim *sim, uint64_t at, uint64_t bytes)
{
    accd__residency_touch(sim->residency, at, bytes, sim->huge);
    if (sim->bits)
        accd__written_poison(sim->bits, at, bytes, sim->bytes + at);
}

/* Returns the memory of a range, after filling its unwritten bytes with poison. */
static const void *sim_fetch(void *device, uint64_t dev, uint64_t bytes, const void *host)
{
    (void)host;
    struct sim *sim = device;
    assert(!bytes || accd__sim_owns(device, dev));
    uint64_t at = dev - sim->base;
    poison_unwritten(sim, at, bytes);
    return sim->bytes + at;
}

/* Copies `bytes` bytes with their written bits within the device, from address `from` to address `to`; the ranges may
 * overlap. */
static void sim_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct sim *sim = device;
    assert(!bytes || (accd__sim_owns(device, to) && accd__sim_owns(device, from)));
    uint64_t source = from - sim->base, target = to - sim->base;
    poison_unwritten(sim, source, bytes);
    accd__residency_touch(sim->residency, target, bytes, sim->huge);
    memmove(sim->bytes + target, sim->bytes + source, bytes);
    if (sim->bits)
        accd__written_copy(sim->bits, target, sim->bits, source, bytes);
}

/* ---------------------------------------------------------------------------- kernel's view -- */

/* Copies a range of device memory to `to`; never fails. */
static accd_status sim_read(void *device, uint64_t dev, void *to, uint64_t bytes)
{
    struct sim *sim = device;
    memcpy(to, sim_fetch(sim, dev, bytes, NULL), bytes);
    return ACCD_OK;
}

/* Copies `bytes` bytes to a range of device memory, and marks it as written; never fails. */
static accd_status sim_write(void *device, uint64_t dev, const void *from, uint64_t bytes)
{
    memcpy(sim_stage(device, dev, bytes, NULL), from, bytes);
    return ACCD_OK;
}

/* Sets [*low_p, *high_p) to the host memory of the tables sizes, covers and units; the end is rounded up to a page. */
static void direct_metadata_range(void *device, uint64_t *low_p, uint64_t *high_p)
{
    const struct sim *sim = device;
    *low_p = (uintptr_t)sim->sizes;
    *high_p = (*low_p + table_bytes(sim) + PAGE - 1) / PAGE * PAGE;
}

/* Sets [*low_p, *high_p) to the range of all device addresses. */
static void direct_address_range(void *device, uint64_t *low_p, uint64_t *high_p)
{
    const struct sim *sim = device;
    *low_p = sim->base;
    *high_p = sim->base + sim->space;
}

/* Returns the number of bytes of a range that were ever written. The device must record written bits. */
static uint64_t sim_count_written(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    assert(((const struct sim *)device)->bits);
    return accd__written_count(sim->bits, dev - sim->base, bytes);
}

/* Saves the content of a range to `to` and, if they are recorded, the written bits of the range after the content;
 * never fails. */
static accd_status sim_save(void *device, uint64_t dev, uint64_t bytes, uint8_t *to)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    memcpy(to, sim->bytes + at, bytes);
    if (sim->bits)
        accd__written_save(sim->bits, at, bytes, to + bytes);
    return ACCD_OK;
}

/* Restores the content and the written bits that sim_save has saved at `from`. */
static void sim_restore(void *device, uint64_t dev, uint64_t bytes, const uint8_t *from)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    accd__residency_touch(sim->residency, at, bytes, sim->huge);
    memcpy(sim->bytes + at, from, bytes);
    if (sim->bits)
        accd__written_restore(sim->bits, at, bytes, from + bytes);
}

/* ------------------------------------------------------------------------------- checkpoints -- */

/* Returns the end offset of the memory that a saved state contains: bump (end of the blocks), rounded up to a page. */
static uint64_t state_end(const struct sim *sim)
{
    return (sim->bump + PAGE - 1) / PAGE * PAGE;
}

/* Copies memory, written bits and tables up to offset `end` to a saved state (`to`) or from one (`from`); with both
 * NULL, copies nothing. Returns the bytes of the state, whose first 16 bytes are left to the caller, for the value of
 * `end`. */
static uint64_t copy_state(const struct sim *sim, uint64_t end, uint8_t *to, const uint8_t *from)
{
    assert(end % PAGE == 0 && end <= sim->space);
    const struct {
        void *memory;
        uint64_t bytes;
    } parts[] = {{sim->bytes, end},
                 {sim->bits, end / 8},
                 {sim->sizes, end / UNIT * sizeof sim->sizes[0]},
                 {sim->units, end / UNIT * sizeof sim->units[0]},
                 {sim->covers, end / PAGE * sizeof sim->covers[0]}};
    uint64_t at = 16;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; at += parts[i++].bytes) {
        if (to)
            memcpy(to + at, parts[i].memory, parts[i].bytes);
        if (from)
            memcpy(parts[i].memory, from + at, parts[i].bytes);
    }
    return at;
}

/* Returns the bytes that sim_state_save would write now. */
static uint64_t sim_state_bytes(void *device)
{
    return copy_state(device, state_end(device), NULL, NULL);
}

/* Saves the state of the device to `to`, of sim_state_bytes bytes. */
static void sim_state_save(void *device, uint8_t *to)
{
    const uint64_t end = state_end(device);
    memcpy(to, &end, sizeof end);
    (void)copy_state(device, end, to, NULL);
}

/* Makes the memory between offsets `from` and `to`, which was allocated after the checkpoint to restore, unallocated
 * and unwritten. */
static void clear_tail(struct sim *sim, uint64_t from, uint64_t to)
{
    assert(from <= to && from % PAGE == 0);
    accd__sim_clear_written_bits(sim, from, to - from);
    memset(sim->units + from / UNIT, 0, (to - from) / UNIT * sizeof sim->units[0]);
    memset(sim->covers + from / PAGE, 0, (to - from) / PAGE * sizeof sim->covers[0]);
}

/* Restores the state saved at `from`, and returns the number of its bytes. Memory allocated since it was saved becomes
 * unallocated. */
static uint64_t sim_state_restore(void *device, const uint8_t *from)
{
    const uint64_t now = state_end(device);
    uint64_t end;
    memcpy(&end, from, sizeof end);
    if (now > end)
        clear_tail(device, end, now);
    return copy_state(device, end, NULL, from);
}

/* Returns the address of the first allocated block that begins at or after `dev`, and sets *bytes_p to its requested
 * bytes; 0: none. */
static uint64_t sim_next_allocation(void *device, uint64_t dev, uint64_t *bytes_p)
{
    const struct sim *sim = device;
    uint64_t at = dev > sim->base ? (dev - sim->base + UNIT - 1) / UNIT * UNIT : 0;
    while (at < sim->bump && !accd__sim_is_block_start(sim, at))
        at += UNIT;
    if (at >= sim->bump)
        return 0;
    *bytes_p = sim->sizes[at / UNIT];
    return sim->base + at;
}

/* Returns the lowest device address, which offsets are relative to. */
static uint64_t sim_base_address(void *device)
{
    return ((const struct sim *)device)->base;
}

/* Clears the written bits of a range, so that it reads as poison. */
static void sim_mark_unwritten(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    accd__sim_set_written_bits(sim, dev - sim->base, bytes, false);
}

/* Makes the `allocation`-th allocation and the `copy`-th copy from now on fail; 0: no failure, UINT64_MAX: keeps the
 * present countdown. */
static void sim_inject_failure(void *device, uint64_t allocation, uint64_t copy)
{
    struct sim *sim = device;
    if (allocation != UINT64_MAX)
        sim->fail_allocation = allocation;
    if (copy != UINT64_MAX)
        sim->fail_copy = copy;
}

/* Initialisers of the functions that the backends of all simulated devices have. */
#define COMMON                                                                                        \
    .open = sim_open, .close = sim_close, .begin_batch = sim_begin_batch, .end_batch = sim_end_batch, \
    .stage = sim_stage, .fetch = sim_fetch, .copy = sim_copy, .read = sim_read, .write = sim_write,   \
    .owns = accd__sim_owns, .is_allocated = sim_is_allocated, .size_of = sim_allocation_size,         \
    .inject_failure = sim_inject_failure, .save = sim_save, .restore = sim_restore, .base_address = sim_base_address

const accd_backend accd__backend_sim = {
    COMMON,
    .name = "sim",
    .small_bytes = ACCD_SMALL_OBJECT,
    .alloc = accd__sim_alloc,
    .free = accd__sim_free,
    .count_written = sim_count_written,
    .mark_unwritten = sim_mark_unwritten,
    .next_allocation = sim_next_allocation,
    .state_bytes = sim_state_bytes,
    .state_save = sim_state_save,
    .state_restore = sim_state_restore,
};

const accd_backend accd__backend_direct = {
    COMMON,
    .name = "direct",
    .small_bytes = ACCD_SMALL_OBJECT,
    .alloc = accd__sim_alloc,
    .free = accd__sim_free,
    .address_range = direct_address_range,
    .metadata_range = direct_metadata_range,
};

/* Initialisers of the functions that the backends of all guarded devices have. */
#define GUARDED                                                                                              \
    COMMON, .alloc = accd__guarded_alloc, .free = accd__guarded_free, .address_range = direct_address_range, \
            .metadata_range = direct_metadata_range, .find_overrun = accd__guarded_find_overrun,             \
            .set_guards = accd__guarded_set_guards

const accd_backend accd__backend_guarded = {GUARDED, .name = "guarded"};
const accd_backend accd__backend_guarded_end = {GUARDED, .name = "guarded-end"};
const accd_backend accd__backend_guarded_begin = {GUARDED, .name = "guarded-begin"};
const accd_backend accd__backend_guarded_again = {GUARDED, .name = "guarded-again"};

/* Describes device `number` of a backend in *info_p. Without get_info, the backend is simulated, and every number
 * exists. ACCD_ERROR_MISUSE: an argument is NULL. Otherwise returns the status of get_info. */
accd_status accd_device_get_info(const accd_backend *backend, unsigned number, accd_device_info *info_p)
{
    if (!backend || !info_p)
        return ACCD_ERROR_MISUSE;
    *info_p = (accd_device_info){0};
    if (backend->get_info)
        return backend->get_info(number, info_p);
    strcpy(info_p->name, "simulated device");
    info_p->bytes = default_bytes;
    return ACCD_OK;
}
