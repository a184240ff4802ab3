/* sim.c - the simulated device: discrete memory with addresses of its own. Fresh memory reads
 * as ACCD_POISON.
 *
 * sim: device addresses lie in a reservation that no access may touch, so that a host program that
 * follows one is stopped by the processor; the bytes lie in a second mapping at the same offset. One
 * bit for each byte says whether it was ever written.
 *
 * direct: the bytes lie at the device addresses, for kernels that the processor itself runs. What
 * they write goes unseen, so there are no bits, and the poison is real from the start.
 *
 * guarded: direct, and after each block comes a page that no access may touch. Poison fills the rest of the
 * block's last unit, and the bytes before it. A small block that is freed rests: for a while no access may touch
 * it.
 * guarded-end: the same, and the block ends where that page begins. Its address is a multiple of the largest power of
 * two that divides its size, up to 16: that is enough for an array of elements.
 * guarded-begin: the page comes before the block, and poison after it.
 * guarded-again: guarded, but a small block that is freed keeps its page, and the next of its size takes its place. */
#include "device/size_classes.h"
#include "device/device.h"
#include "device/residency.h"
#include "device/written.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { UNIT = 16, PAGE = 4096, ADDRESS_BITS = 47, QUARANTINE_SIZE = 256 };
#define FREE_BIT 0x8000u
#define GUARD_BIT 0x4000u /* of a guarded block, and of the larger one that it lies in */
#define CLASS_BITS 0x3fffu
static const uint64_t min_space = (uint64_t)64 << 20, default_bytes = (uint64_t)16 << 30,
                      max_bytes = (uint64_t)1 << (ADDRESS_BITS - 1), huge_page = (uint64_t)2 << 20;

struct sim {
    struct accd__mem *mem;
    size_t sim_struct_bytes; /* of this structure */
    uint64_t base, space;    /* device addresses [base, base + space) */
    uint64_t margin;         /* bytes before them that are the device's, too, and never allocated: where pointers
                               point to the base of a section that begins behind it */
    uint64_t capacity, live;
    uint64_t bump; /* offset of memory that was never handed out */
    char *bytes;
    uint64_t *bits;                    /* NULL: direct */
    uint16_t *units;                   /* size class of the block that begins at a unit, 0: none begins there */
    uint64_t *sizes;                   /* bytes asked for, at the first unit of a block */
    uint64_t *covers;                  /* the last block laid over the start of each page, offset + 1 */
    struct accd__residency *residency; /* of the machine; NULL: it is not counted */
    uint64_t heads[ACCD_SIZE_CLASSES]; /* free blocks of a class, offset + 1, linked through their first word */
    bool huge;
    uint64_t fail_allocation, fail_copy; /* countdowns, 0: off */
    enum guard_mode { GUARD_AFTER, END, BEGIN } guard_mode;
    bool skips_small_guards; /* small allocations are not guarded */
    bool reuses_quarantined; /* blocks that rest stay open, and are used again */
    bool avoids_reuse;       /* freed memory is used again only if there is no other */
    void *inaccessible_page;
    unsigned guards, nquarantined, last_quarantined;
    struct quarantined {              /* a larger block that was freed */
        uint64_t start, first, bytes; /* pages that are closed */
    } quarantined[];                  /* a ring, of guarded devices */
};

/* Of a device of this backend. */
static size_t sim_struct_bytes(const accd_backend *backend)
{
    return sizeof(struct sim) + (backend && backend->find_overrun ? QUARANTINE_SIZE * sizeof(struct quarantined) : 0);
}

/* The bits of a range that was written or freed. */
static inline void set_written_bits(struct sim *sim, uint64_t at, uint64_t n, bool on)
{
    if (sim->bits)
        accd__written_set(sim->bits, at, n, on);
}

/* ------------------------------------------------------------------------------- open, close -- */

static void *map_pages(uint64_t bytes, int protection)
{
    void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void unmap_pages(void *p, uint64_t bytes)
{
    if (p)
        munmap(p, bytes);
}

/* sizes, covers and units lie one behind the other. */
static uint64_t table_bytes(const struct sim *sim)
{
    return sim->space / UNIT * (sizeof sim->sizes[0] + sizeof sim->units[0]) +
           sim->space / PAGE * sizeof sim->covers[0];
}

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
    /* Twice the capacity, so that neither size classes nor fragments eat into it. */
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

/* ------------------------------------------------------------------------------- allocation -- */

static void push_free_block(struct sim *sim, uint64_t at, unsigned class)
{
    memcpy(sim->bytes + at, &sim->heads[class], sizeof sim->heads[class]);
    sim->heads[class] = at + 1;
    sim->units[at / UNIT] = (uint16_t)((class + 1) | FREE_BIT);
}

static bool pop_free_block(struct sim *sim, unsigned class, uint64_t *at_p)
{
    if (!sim->heads[class])
        return false;
    *at_p = sim->heads[class] - 1;
    memcpy(&sim->heads[class], sim->bytes + *at_p, sizeof sim->heads[class]);
    return true;
}

/* Cuts free memory into blocks, the largest that fit first. */
static void add_extent(struct sim *sim, uint64_t at, uint64_t bytes)
{
    while (bytes) {
        uint64_t units = bytes / UNIT;
        unsigned class = accd__size_class(units);
        if (accd__class_units(class) > units)
            class --;
        push_free_block(sim, at, class);
        uint64_t removed_count = accd__class_units(class) * UNIT;
        at += removed_count;
        bytes -= removed_count;
    }
}

/* Joins free neighbours; runs only when the untouched end of the space is used up. */
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
    if (bytes) /* the last extent goes back to the untouched end */
        sim->bump = from;
}

static bool find_block(struct sim *sim, unsigned class, uint64_t *at_p)
{
    if (!sim->avoids_reuse && pop_free_block(sim, class, at_p))
        return true;
    uint64_t bytes = accd__class_units(class) * UNIT;
    if (bytes <= sim->space - sim->bump) {
        if (sim->residency) /* the tables take a page or two for a block, and a word for each of its pages */
            accd__residency_charge(sim->residency,
                                   (bytes < PAGE ? bytes : 2 * PAGE) + bytes / PAGE * sizeof sim->covers[0]);
        *at_p = sim->bump;
        sim->bump += bytes;
        return true;
    }
    return sim->avoids_reuse && pop_free_block(sim, class, at_p);
}

/* Large blocks lie in huge pages, from the beginning of one if there is space. */
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

static bool release_oldest(struct sim *sim);

/* A block whose bytes are what they are. */
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
        while (release_oldest(sim))
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

static accd_status sim_alloc(void *device, uint64_t bytes, uint64_t *dev_p)
{
    struct sim *sim = device;
    const accd_status status = allocate_block(sim, bytes, dev_p);
    if (status == ACCD_OK && !sim->bits)
        memset(sim->bytes + (*dev_p - sim->base), ACCD_POISON, bytes);
    return status;
}

static int sim_owns(void *device, uint64_t dev)
{
    struct sim *sim = device;
    return dev - (sim->base - sim->margin) < sim->margin + sim->space;
}

/* Where the block begins whose first unit it is. */
static uint64_t block_start(const struct sim *sim, uint64_t unit)
{
    const uint64_t bytes = sim->sizes[unit];
    return sim->guard_mode == END && sim->units[unit] & GUARD_BIT && bytes
               ? (unit * UNIT + bytes + PAGE - 1) / PAGE * PAGE - bytes
               : unit * UNIT;
}

static bool is_block_start(const struct sim *sim, uint64_t at)
{
    return at < sim->bump && sim->units[at / UNIT] && !(sim->units[at / UNIT] & FREE_BIT) &&
           at == block_start(sim, at / UNIT);
}

/* The bits of freed memory say that it was never written. Of a large block the operating system takes whole pages of
 * bits back, most of which were never touched. */
static void clear_written_bits(struct sim *sim, uint64_t at, uint64_t n)
{
    uint64_t first = (at / 8 + PAGE - 1) / PAGE * PAGE, end = (at + n) / 8 / PAGE * PAGE;
    if (sim->bits && n >= min_space / 16 && !madvise((char *)sim->bits + first, end - first, MADV_DONTNEED)) {
        set_written_bits(sim, at, first * 8 - at, false);
        set_written_bits(sim, end * 8, at + n - end * 8, false);
    } else {
        set_written_bits(sim, at, n, false);
    }
}

static accd_status sim_free(void *device, uint64_t dev)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    if (!sim_owns(device, dev) || !is_block_start(sim, at))
        return ACCD_ERROR_MISUSE;
    clear_written_bits(sim, at, sim->sizes[at / UNIT]);
    if (sim->residency && sim->avoids_reuse)
        accd__residency_drop(sim->residency, sim->bytes, at, sim->sizes[at / UNIT]);
    sim->live -= sim->sizes[at / UNIT];
    push_free_block(sim, at, sim->units[at / UNIT] - 1u);
    return ACCD_OK;
}

static uint64_t sim_allocation_size(void *device, uint64_t dev)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    return sim_owns(device, dev) && is_block_start(sim, at) ? sim->sizes[at / UNIT] : 0;
}

static int sim_is_allocated(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    if (!sim_owns(device, dev) || at >= sim->bump)
        return 0;
    /* The block begins at the next unit below that has a class, or before the page. */
    uint64_t first = at / UNIT, least = at / PAGE * (PAGE / UNIT);
    while (first > least && !sim->units[first])
        first--;
    if (!sim->units[first]) {
        if (!sim->covers[at / PAGE])
            return 0;
        first = (sim->covers[at / PAGE] - 1) / UNIT;
    }
    const uint64_t start = block_start(sim, first);
    if (!is_block_start(sim, start))
        return 0;
    uint64_t into = at - start, size = sim->sizes[first];
    return into < size && bytes <= size - into;
}

/* -------------------------------------------------------------------------------- transfers -- */

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

static accd_status sim_end_batch(void *device)
{
    (void)device;
    return ACCD_OK;
}

static void *sim_stage(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    set_written_bits(sim, at, bytes, true);
    accd__residency_touch(sim->residency, at, bytes, sim->huge);
    return sim->bytes + at;
}

static void poison_unwritten(struct sim *sim, uint64_t at, uint64_t bytes)
{
    accd__residency_touch(sim->residency, at, bytes, sim->huge);
    if (sim->bits)
        accd__written_poison(sim->bits, at, bytes, sim->bytes + at);
}

static const void *sim_fetch(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    poison_unwritten(sim, at, bytes);
    return sim->bytes + at;
}

static void sim_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct sim *sim = device;
    uint64_t source = from - sim->base, target = to - sim->base;
    poison_unwritten(sim, source, bytes);
    accd__residency_touch(sim->residency, target, bytes, sim->huge);
    memmove(sim->bytes + target, sim->bytes + source, bytes);
    if (sim->bits)
        accd__written_copy(sim->bits, target, sim->bits, source, bytes);
}

/* ---------------------------------------------------------------------------- kernel's view -- */

/* ------------------------------------------------------------------------------------ guarded -- */

/* A guarded block lies in a larger one, whose whole pages no other block uses. In sizes, the block's bytes stand at its
 * first unit, and its own start at the last unit of the larger one, 0 while that rests. In covers, the start of the
 * larger one stands at the guard's page. */
static uint64_t round_to_units(uint64_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}
static uint64_t round_to_pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static uint64_t last_unit(const struct sim *sim, uint64_t start)
{
    return start / UNIT + accd__class_units((sim->units[start / UNIT] & CLASS_BITS) - 1u) - 1;
}

/* Pages of an empty file cannot be touched, however the memory around them is protected. One such page is mapped; the
 * others are copies of its mapping. The C library's function for the file is newer than the oldest library that the
 * self-contained program runs with. */
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

static bool make_accessible(struct sim *sim, uint64_t at, uint64_t bytes)
{
    return mmap(sim->bytes + at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0) != MAP_FAILED;
}

/* Writes go unnoticed no further than so many bytes from a block. */
enum { REDZONE = 64 };

/* The block that rests and was the last to have so many bytes in pages. False: there is none. */
static bool take_quarantined(struct sim *sim, uint64_t bytes, uint64_t *start_p)
{
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

/* Where the closed page is of a larger block. */
static uint64_t guard_page_of(const struct sim *sim, uint64_t start, uint64_t body)
{
    return round_to_pages(start) + (sim->guard_mode == BEGIN ? 0 : body);
}

/* Lays a block into a larger one. Returns its address. */
static uint64_t place_guarded_block(struct sim *sim, uint64_t start, uint64_t bytes, uint64_t body)
{
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

static accd_status guarded_alloc(void *device, uint64_t bytes, uint64_t *dev_p)
{
    enum { MAX_GUARDS = 8192 }; /* the operating system has a limit, too */
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
        release_oldest(sim);
    if (sim->guards == MAX_GUARDS || bytes > sim->capacity - sim->live || (sim->skips_small_guards && bytes <= PAGE))
        return sim_alloc(device, bytes, dev_p);
    sim->live -= more; /* the guard is no memory of the program's */
    const accd_status status = allocate_block(sim, bytes + more, dev_p);
    if (status != ACCD_OK) {
        sim->live += more;
        return status;
    }
    start = *dev_p - sim->base;
    if (!make_inaccessible(sim, guard_page_of(sim, start, body), PAGE)) {
        sim->live += more;
        sim_free(sim, *dev_p);
        return sim_alloc(device, bytes, dev_p);
    }
    sim->guards++;
    *dev_p = place_guarded_block(sim, start, bytes, body);
    return ACCD_OK;
}

/* A larger block can be used again. */
static void release_quarantined(struct sim *sim, const struct quarantined *block)
{
    if (!make_accessible(sim, block->first, block->bytes))
        return; /* it stays unused */
    sim->guards--;
    push_free_block(sim, block->start, (sim->units[block->start / UNIT] & CLASS_BITS) - 1u);
}

/* The one that has rested longest can be used again. False: none rests. */
static bool release_oldest(struct sim *sim)
{
    if (!sim->nquarantined)
        return false;
    release_quarantined(
        sim, &sim->quarantined[(sim->last_quarantined + QUARANTINE_SIZE + 1 - sim->nquarantined) % QUARANTINE_SIZE]);
    sim->nquarantined--;
    return true;
}

static accd_status guarded_free(void *device, uint64_t dev)
{
    enum { MAX_QUARANTINED_BYTES = 6 * PAGE }; /* resting costs a page fault for each page later */
    struct sim *sim = device;
    const uint64_t at = dev - sim->base, unit = at / UNIT;
    if (!sim_owns(device, dev) || !is_block_start(sim, at) || !sim->sizes[unit])
        return ACCD_ERROR_MISUSE;
    if (!(sim->units[unit] & GUARD_BIT))
        return sim_free(device, dev);
    const uint64_t guard = sim->guard_mode == BEGIN ? at - PAGE : round_to_pages(at + sim->sizes[unit]);
    const uint64_t start = sim->covers[guard / PAGE] - 1, first = round_to_pages(start);
    const uint64_t bytes = (guard < at ? round_to_pages(at + sim->sizes[unit]) : guard + PAGE) - first;
    sim->live -= sim->sizes[unit];
    sim->sizes[unit] = 0;
    if (unit != start / UNIT)
        sim->units[unit] = 0;
    sim->sizes[last_unit(sim, start)] = 0;
    if (bytes > MAX_QUARANTINED_BYTES) {
        release_quarantined(sim, &(struct quarantined){start, guard, PAGE});
        return ACCD_OK;
    }
    if (sim->nquarantined == QUARANTINE_SIZE)
        release_oldest(sim);
    sim->last_quarantined = (sim->last_quarantined + 1) % QUARANTINE_SIZE;
    sim->quarantined[sim->last_quarantined] = (struct quarantined){start, first, bytes};
    sim->nquarantined++;
    if (!sim->reuses_quarantined)
        make_inaccessible(sim, first, bytes);
    return ACCD_OK;
}

static void guarded_set_guards(void *device, int on)
{
    struct sim *sim = device;
    sim->skips_small_guards = !on;
}

/* The first byte close to a block that is no poison any more. */
static uint64_t guarded_find_overrun(void *device, uint64_t *block_p)
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

static accd_status sim_read(void *device, uint64_t dev, void *to, uint64_t bytes)
{
    struct sim *sim = device;
    memcpy(to, sim_fetch(sim, dev, bytes), bytes);
    return ACCD_OK;
}

static accd_status sim_write(void *device, uint64_t dev, const void *from, uint64_t bytes)
{
    memcpy(sim_stage(device, dev, bytes), from, bytes);
    return ACCD_OK;
}

static void direct_metadata_range(void *device, uint64_t *low_p, uint64_t *high_p)
{
    const struct sim *sim = device;
    *low_p = (uintptr_t)sim->sizes;
    *high_p = (*low_p + table_bytes(sim) + PAGE - 1) / PAGE * PAGE;
}

static void direct_address_range(void *device, uint64_t *low_p, uint64_t *high_p)
{
    const struct sim *sim = device;
    *low_p = sim->base;
    *high_p = sim->base + sim->space;
}

static uint64_t sim_count_written(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    return accd__written_count(sim->bits, dev - sim->base, bytes);
}

static accd_status sim_save(void *device, uint64_t dev, uint64_t bytes, uint8_t *to)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    memcpy(to, sim->bytes + at, bytes);
    if (sim->bits)
        accd__written_save(sim->bits, at, bytes, to + bytes);
    return ACCD_OK;
}

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

/* A multiple of a page, behind which nothing was handed out. */
static uint64_t state_end(const struct sim *sim)
{
    return (sim->bump + PAGE - 1) / PAGE * PAGE;
}

/* Copies what lies outside of struct sim, up to an offset: to a state, from one, or not at all. The offset comes first
 * in a state. Returns the bytes of the state. */
static uint64_t copy_state(const struct sim *sim, uint64_t end, uint8_t *to, const uint8_t *from)
{
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

static uint64_t sim_state_bytes(void *device)
{
    return copy_state(device, state_end(device), NULL, NULL);
}

static void sim_state_save(void *device, uint8_t *to)
{
    const uint64_t end = state_end(device);
    memcpy(to, &end, sizeof end);
    (void)copy_state(device, end, to, NULL);
}

/* What was handed out since is as if it had not been. */
static void clear_tail(struct sim *sim, uint64_t from, uint64_t to)
{
    clear_written_bits(sim, from, to - from);
    memset(sim->units + from / UNIT, 0, (to - from) / UNIT * sizeof sim->units[0]);
    memset(sim->covers + from / PAGE, 0, (to - from) / PAGE * sizeof sim->covers[0]);
}

static uint64_t sim_state_restore(void *device, const uint8_t *from)
{
    const uint64_t now = state_end(device);
    uint64_t end;
    memcpy(&end, from, sizeof end);
    if (now > end)
        clear_tail(device, end, now);
    return copy_state(device, end, NULL, from);
}

static uint64_t sim_next_allocation(void *device, uint64_t dev, uint64_t *bytes_p)
{
    const struct sim *sim = device;
    uint64_t at = dev > sim->base ? (dev - sim->base + UNIT - 1) / UNIT * UNIT : 0;
    while (at < sim->bump && !is_block_start(sim, at))
        at += UNIT;
    if (at >= sim->bump)
        return 0;
    *bytes_p = sim->sizes[at / UNIT];
    return sim->base + at;
}

static uint64_t sim_base_address(void *device)
{
    return ((const struct sim *)device)->base;
}

static void sim_mark_unwritten(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    set_written_bits(sim, dev - sim->base, bytes, false);
}

static void sim_inject_failure(void *device, uint64_t allocation, uint64_t copy)
{
    struct sim *sim = device;
    if (allocation != UINT64_MAX)
        sim->fail_allocation = allocation;
    if (copy != UINT64_MAX)
        sim->fail_copy = copy;
}

#define COMMON                                                                                                        \
    .open = sim_open, .close = sim_close, .begin_batch = sim_begin_batch, .end_batch = sim_end_batch,                 \
    .stage = sim_stage, .fetch = sim_fetch, .copy = sim_copy, .read = sim_read, .write = sim_write, .owns = sim_owns, \
    .is_allocated = sim_is_allocated, .size_of = sim_allocation_size, .inject_failure = sim_inject_failure,           \
    .save = sim_save, .restore = sim_restore, .base_address = sim_base_address

const accd_backend accd__backend_sim = {
    COMMON,
    .name = "sim",
    .small_bytes = ACCD_SMALL_OBJECT,
    .alloc = sim_alloc,
    .free = sim_free,
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
    .alloc = sim_alloc,
    .free = sim_free,
    .address_range = direct_address_range,
    .metadata_range = direct_metadata_range,
};

#define GUARDED                                                                                  \
    COMMON, .alloc = guarded_alloc, .free = guarded_free, .address_range = direct_address_range, \
            .metadata_range = direct_metadata_range, .find_overrun = guarded_find_overrun,       \
            .set_guards = guarded_set_guards

const accd_backend accd__backend_guarded = {GUARDED, .name = "guarded"};
const accd_backend accd__backend_guarded_end = {GUARDED, .name = "guarded-end"};
const accd_backend accd__backend_guarded_begin = {GUARDED, .name = "guarded-begin"};
const accd_backend accd__backend_guarded_again = {GUARDED, .name = "guarded-again"};

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
