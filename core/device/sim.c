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
#include "device/classes.h"
#include "device/device.h"
#include "device/touched.h"
#include "device/written.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { UNIT = 16, PAGE = 4096, ADDRESS_BITS = 47, RESTING = 256 };
#define FREE_BIT 0x8000u
#define GUARD_BIT 0x4000u /* of a guarded block, and of the larger one that it lies in */
#define CLASS_BITS 0x3fffu
static const uint64_t least_space = (uint64_t)64 << 20, usual_bytes = (uint64_t)16 << 30,
                      most_bytes = (uint64_t)1 << (ADDRESS_BITS - 1), huge_page = (uint64_t)2 << 20;

struct sim {
    struct accd_mem *mem;
    size_t own_bytes;     /* of this structure */
    uint64_t base, space; /* device addresses [base, base + space) */
    uint64_t front;       /* bytes before them that are the device's, too, and never allocated: where pointers
                             point to the base of a section that begins behind it */
    uint64_t capacity, live;
    uint64_t bump;        /* offset of memory that was never handed out */
    char *bytes;
    uint64_t *bits;       /* NULL: direct */
    uint16_t *units;      /* size class of the block that begins at a unit, 0: none begins there */
    uint64_t *sizes;      /* bytes asked for, at the first unit of a block */
    uint64_t *covers;     /* the last block laid over the start of each page, offset + 1 */
    struct accd_touched *touched; /* of the machine; NULL: it is not counted */
    uint64_t heads[ACCD_SIZE_CLASSES]; /* free blocks of a class, offset + 1, linked through their first word */
    bool huge;
    uint64_t fail_allocation, fail_copy; /* countdowns, 0: off */
    enum guarding { LOOSE, END, BEGIN } guarding;
    bool sparing; /* small allocations are not guarded */
    bool again; /* blocks that rest stay open, and are used again */
    bool advances; /* freed memory is used again only if there is no other */
    void *closed_page;
    unsigned guards, nresting, last_resting;
    struct resting {           /* a larger block that was freed */
        uint64_t start, first, bytes; /* pages that are closed */
    } resting[];               /* a ring, of guarded devices */
};

/* Of a device of this backend. */
static size_t own_bytes(const accd_backend *backend)
{
    return sizeof(struct sim) + (backend && backend->overrun ? RESTING * sizeof(struct resting) : 0);
}

/* The bits of a range that was written or freed. */
static inline void set_bits(struct sim *sim, uint64_t at, uint64_t n, bool on)
{
    if (sim->bits)
        accd_written_set(sim->bits, at, n, on);
}

/* ------------------------------------------------------------------------------- open, close -- */

static void *map(uint64_t bytes, int protection)
{
    void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void unmap(void *p, uint64_t bytes)
{
    if (p)
        munmap(p, bytes);
}

/* sizes, covers and units lie one behind the other. */
static uint64_t table_bytes(const struct sim *sim)
{
    return sim->space / UNIT * (sizeof sim->sizes[0] + sizeof sim->units[0]) + sim->space / PAGE * sizeof sim->covers[0];
}

static void sim_close(void *device)
{
    struct sim *sim = device;
    if (sim->base)
        unmap((void *)(uintptr_t)(sim->base - sim->front), sim->front + sim->space);
    if (sim->bits) {
        unmap(sim->bytes, sim->space);
        unmap(sim->bits, sim->space / 8);
    }
    unmap(sim->closed_page, PAGE);
    unmap(sim->sizes, table_bytes(sim));
    accd_touched_free(sim->touched);
    accd_mem_free(sim->mem, sim, sim->own_bytes);
}

static accd_status sim_open(void **device_p, int number, const accd_context_config *config,
                            struct accd_mem *mem)
{
    const bool direct = config->backend && config->backend->space;
    const uint64_t capacity = config->device_bytes ? config->device_bytes : usual_bytes;
    struct sim *sim = capacity <= most_bytes ? accd_mem_zero(mem, own_bytes(config->backend)) : NULL;
    (void)number;
    if (!sim)
        return ACCD_OUT_OF_MEMORY;
    sim->mem = mem;
    sim->own_bytes = own_bytes(config->backend);
    sim->capacity = capacity;
    sim->guarding = config->backend == &accd_backend_guarded_end     ? END
                    : config->backend == &accd_backend_guarded_begin ? BEGIN
                                                                     : LOOSE;
    sim->again = config->backend == &accd_backend_guarded_again;
    sim->advances = config->new_places != 0;
    /* Twice the capacity, so that neither size classes nor fragments eat into it. */
    sim->space = 2 * sim->capacity;
    if (sim->space < least_space)
        sim->space = least_space;
    sim->space = (sim->space + 8191) & ~(uint64_t)8191;
    int both = PROT_READ | PROT_WRITE;
    sim->front = sim->space / 2;
    char *front = map(sim->front + sim->space, PROT_NONE);
    sim->base = front ? (uintptr_t)front + sim->front : 0;
    bool open = !direct || (front && !mprotect(front + sim->front, sim->space, both));
    sim->bytes = !direct ? map(sim->space, both) : open ? (char *)(uintptr_t)sim->base : NULL;
    sim->bits = direct ? NULL : map(sim->space / 8, both);
    sim->sizes = map(table_bytes(sim), both);
    sim->covers = sim->sizes ? sim->sizes + sim->space / UNIT : NULL;
    sim->touched = config->charge ? accd_touched_new(sim->space, config->charge, config->charge_ud) : NULL;
    sim->units = sim->sizes ? (uint16_t *)(void *)(sim->covers + sim->space / PAGE) : NULL;
    if (!sim->base || !sim->bytes || (!direct && !sim->bits) || !sim->sizes ||
        (config->charge && !sim->touched)) {
        sim_close(sim);
        return ACCD_OUT_OF_MEMORY;
    }
    *device_p = sim;
    return ACCD_OK;
}

/* ------------------------------------------------------------------------------- allocation -- */

static void push_free(struct sim *sim, uint64_t at, unsigned class)
{
    memcpy(sim->bytes + at, &sim->heads[class], sizeof sim->heads[class]);
    sim->heads[class] = at + 1;
    sim->units[at / UNIT] = (uint16_t)((class + 1) | FREE_BIT);
}

static bool pop_free(struct sim *sim, unsigned class, uint64_t *at_p)
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
        unsigned class = accd_size_class(units);
        if (accd_class_units(class) > units)
            class--;
        push_free(sim, at, class);
        uint64_t taken = accd_class_units(class) * UNIT;
        at += taken;
        bytes -= taken;
    }
}

/* Joins free neighbours; runs only when the untouched end of the space is used up. */
static void gather_free(struct sim *sim)
{
    memset(sim->heads, 0, sizeof sim->heads);
    uint64_t from = 0, bytes = 0;
    for (uint64_t at = 0; at < sim->bump;) {
        uint16_t unit = sim->units[at / UNIT];
        uint64_t length = accd_class_units((unit & CLASS_BITS) - 1) * UNIT;
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

static bool find_space(struct sim *sim, unsigned class, uint64_t *at_p)
{
    if (!sim->advances && pop_free(sim, class, at_p))
        return true;
    uint64_t bytes = accd_class_units(class) * UNIT;
    if (bytes <= sim->space - sim->bump) {
        if (sim->touched) /* the tables take a page or two for a block, and a word for each of its pages */
            accd_touched_charge(sim->touched,
                                (bytes < PAGE ? bytes : 2 * PAGE) + bytes / PAGE * sizeof sim->covers[0]);
        *at_p = sim->bump;
        sim->bump += bytes;
        return true;
    }
    return sim->advances && pop_free(sim, class, at_p);
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
    if (sim->heads[class] || gap + accd_class_units(class) * UNIT > sim->space - sim->bump)
        return;
    add_extent(sim, sim->bump, gap);
    sim->bump += gap;
}

static bool release_one(struct sim *sim);

/* A block whose bytes are what they are. */
static inline __attribute__((always_inline)) accd_status take_block(struct sim *sim, uint64_t bytes,
                                                                     uint64_t *dev_p)
{
    if (sim->fail_allocation && --sim->fail_allocation == 0)
        return ACCD_OUT_OF_DEVICE_MEMORY;
    if (bytes > sim->capacity - sim->live)
        return ACCD_OUT_OF_DEVICE_MEMORY;
    unsigned class = accd_size_class((bytes + UNIT - 1) / UNIT);
    uint64_t at;
    if (bytes >= huge_page)
        use_huge_pages(sim, class);
    if (!find_space(sim, class, &at)) {
        while (release_one(sim))
            continue;
        gather_free(sim);
        bool found = find_space(sim, class, &at);
        for (unsigned larger = class + 1; !found && larger < ACCD_SIZE_CLASSES; larger++)
            if (pop_free(sim, larger, &at)) {
                found = true;
                add_extent(sim, at + accd_class_units(class) * UNIT,
                           (accd_class_units(larger) - accd_class_units(class)) * UNIT);
            }
        if (!found)
            return ACCD_OUT_OF_DEVICE_MEMORY;
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
    const accd_status status = take_block(sim, bytes, dev_p);
    if (status == ACCD_OK && !sim->bits)
        memset(sim->bytes + (*dev_p - sim->base), ACCD_POISON, bytes);
    return status;
}

static int sim_owns(void *device, uint64_t dev)
{
    struct sim *sim = device;
    return dev - (sim->base - sim->front) < sim->front + sim->space;
}

/* Where the block begins whose first unit it is. */
static uint64_t beginning(const struct sim *sim, uint64_t unit)
{
    const uint64_t bytes = sim->sizes[unit];
    return sim->guarding == END && sim->units[unit] & GUARD_BIT && bytes
               ? (unit * UNIT + bytes + PAGE - 1) / PAGE * PAGE - bytes
               : unit * UNIT;
}

static bool begins_block(const struct sim *sim, uint64_t at)
{
    return at < sim->bump && sim->units[at / UNIT] && !(sim->units[at / UNIT] & FREE_BIT) &&
           at == beginning(sim, at / UNIT);
}

/* The bits of freed memory say that it was never written. Of a large block the operating system takes whole pages of
 * bits back, most of which were never touched. */
static void forget_bits(struct sim *sim, uint64_t at, uint64_t n)
{
    uint64_t first = (at / 8 + PAGE - 1) / PAGE * PAGE, end = (at + n) / 8 / PAGE * PAGE;
    if (sim->bits && n >= least_space / 16 && !madvise((char *)sim->bits + first, end - first, MADV_DONTNEED)) {
        set_bits(sim, at, first * 8 - at, false);
        set_bits(sim, end * 8, at + n - end * 8, false);
    } else {
        set_bits(sim, at, n, false);
    }
}

static accd_status sim_free(void *device, uint64_t dev)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    if (!sim_owns(device, dev) || !begins_block(sim, at))
        return ACCD_MISUSE;
    forget_bits(sim, at, sim->sizes[at / UNIT]);
    if (sim->touched && sim->advances)
        accd_touched_drop(sim->touched, sim->bytes, at, sim->sizes[at / UNIT]);
    sim->live -= sim->sizes[at / UNIT];
    push_free(sim, at, sim->units[at / UNIT] - 1u);
    return ACCD_OK;
}

static uint64_t sim_size_of(void *device, uint64_t dev)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    return sim_owns(device, dev) && begins_block(sim, at) ? sim->sizes[at / UNIT] : 0;
}

static int sim_allocated(void *device, uint64_t dev, uint64_t bytes)
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
    const uint64_t start = beginning(sim, first);
    if (!begins_block(sim, start))
        return 0;
    uint64_t into = at - start, size = sim->sizes[first];
    return into < size && bytes <= size - into;
}

/* -------------------------------------------------------------------------------- transfers -- */

static accd_status sim_begin(void *device, const struct accd_traffic *traffic)
{
    struct sim *sim = device;
    uint64_t copies = traffic->in + traffic->out + traffic->within;
    if (!sim->fail_copy)
        return ACCD_OK;
    if (sim->fail_copy <= copies) {
        sim->fail_copy = 0;
        return ACCD_DEVICE_ERROR;
    }
    sim->fail_copy -= copies;
    return ACCD_OK;
}

static accd_status sim_end(void *device)
{
    (void)device;
    return ACCD_OK;
}

static void *sim_stage(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    set_bits(sim, at, bytes, true);
    accd_touch(sim->touched, at, bytes, sim->huge);
    return sim->bytes + at;
}

static void poison(struct sim *sim, uint64_t at, uint64_t bytes)
{
    accd_touch(sim->touched, at, bytes, sim->huge);
    if (sim->bits)
        accd_written_poison(sim->bits, at, bytes, sim->bytes + at);
}

static const void *sim_fetch(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    poison(sim, at, bytes);
    return sim->bytes + at;
}

static void sim_copy(void *device, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct sim *sim = device;
    uint64_t source = from - sim->base, target = to - sim->base;
    poison(sim, source, bytes);
    accd_touch(sim->touched, target, bytes, sim->huge);
    memmove(sim->bytes + target, sim->bytes + source, bytes);
    if (sim->bits)
        accd_written_copy(sim->bits, target, sim->bits, source, bytes);
}

/* ---------------------------------------------------------------------------- kernel's view -- */

/* ------------------------------------------------------------------------------------ guarded -- */

/* A guarded block lies in a larger one, whose whole pages no other block uses. In sizes, the block's bytes stand at its
 * first unit, and its own start at the last unit of the larger one, 0 while that rests. In covers, the start of the
 * larger one stands at the guard's page. */
static uint64_t rounded(uint64_t bytes) { return (bytes + UNIT - 1) / UNIT * UNIT; }
static uint64_t in_pages(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

static uint64_t last_unit(const struct sim *sim, uint64_t start)
{
    return start / UNIT + accd_class_units((sim->units[start / UNIT] & CLASS_BITS) - 1u) - 1;
}

/* Pages of an empty file cannot be touched, however the memory around them is protected. One such page is mapped; the
 * others are copies of its mapping. The C library's function for the file is newer than the oldest library that the
 * self-contained program runs with. */
static bool close_pages(struct sim *sim, uint64_t at, uint64_t bytes)
{
    if (!sim->closed_page) {
        const int file = (int)syscall(SYS_memfd_create, "guard", MFD_CLOEXEC);
        void *page = file < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (file >= 0)
            close(file);
        if (page == MAP_FAILED)
            return false;
        sim->closed_page = page;
    }
    return mremap(sim->closed_page, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, sim->bytes + at) != MAP_FAILED;
}

static bool open_pages(struct sim *sim, uint64_t at, uint64_t bytes)
{
    return mmap(sim->bytes + at, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

/* Writes go unnoticed no further than so many bytes from a block. */
enum { BESIDE = 64 };

/* The block that rests and was the last to have so many bytes in pages. False: there is none. */
static bool take_resting(struct sim *sim, uint64_t bytes, uint64_t *start_p)
{
    for (unsigned k = 0; k < sim->nresting; k++) {
        struct resting *block = &sim->resting[(sim->last_resting + RESTING - k) % RESTING];
        if (block->bytes != bytes)
            continue;
        *start_p = block->start;
        *block = sim->resting[sim->last_resting];
        sim->last_resting = (sim->last_resting + RESTING - 1) % RESTING;
        sim->nresting--;
        return true;
    }
    return false;
}

/* Where the closed page is of a larger block. */
static uint64_t guard_of(const struct sim *sim, uint64_t start, uint64_t body)
{
    return in_pages(start) + (sim->guarding == BEGIN ? 0 : body);
}

/* Lays a block into a larger one. Returns its address. */
static uint64_t lay(struct sim *sim, uint64_t start, uint64_t bytes, uint64_t body)
{
    const uint64_t first = in_pages(start), end = first + body;
    const uint64_t at = sim->guarding == BEGIN ? first + PAGE : end - (sim->guarding == END ? bytes : rounded(bytes));
    sim->sizes[start / UNIT] = 0;
    sim->units[start / UNIT] |= GUARD_BIT;
    sim->units[at / UNIT] = sim->units[start / UNIT];
    sim->sizes[at / UNIT] = bytes;
    sim->sizes[last_unit(sim, start)] = at;
    for (uint64_t page = at / PAGE + 1; page * PAGE < at + bytes; page++)
        sim->covers[page] = at + 1;
    sim->covers[guard_of(sim, start, body) / PAGE] = start + 1;
    const uint64_t low = sim->guarding == BEGIN ? at : at - BESIDE;
    const uint64_t high = sim->guarding == BEGIN ? at + bytes + BESIDE : end;
    memset(sim->bytes + low, ACCD_POISON, high - low);
    return sim->base + at;
}

static accd_status guarded_alloc(void *device, uint64_t bytes, uint64_t *dev_p)
{
    enum { GUARDS_MOST = 8192 }; /* the operating system has a limit, too */
    struct sim *sim = device;
    const uint64_t body = in_pages(bytes + BESIDE), more = body - bytes + (uint64_t)2 * PAGE;
    uint64_t start;
    if (sim->again && !sim->fail_allocation && bytes <= sim->capacity - sim->live &&
        take_resting(sim, body + PAGE, &start)) {
        sim->live += bytes;
        *dev_p = lay(sim, start, bytes, body);
        return ACCD_OK;
    }
    if (sim->guards == GUARDS_MOST)
        release_one(sim);
    if (sim->guards == GUARDS_MOST || bytes > sim->capacity - sim->live || (sim->sparing && bytes <= PAGE))
        return sim_alloc(device, bytes, dev_p);
    sim->live -= more; /* the guard is no memory of the program's */
    const accd_status status = take_block(sim, bytes + more, dev_p);
    if (status != ACCD_OK) {
        sim->live += more;
        return status;
    }
    start = *dev_p - sim->base;
    if (!close_pages(sim, guard_of(sim, start, body), PAGE)) {
        sim->live += more;
        sim_free(sim, *dev_p);
        return sim_alloc(device, bytes, dev_p);
    }
    sim->guards++;
    *dev_p = lay(sim, start, bytes, body);
    return ACCD_OK;
}

/* A larger block can be used again. */
static void reuse(struct sim *sim, const struct resting *block)
{
    if (!open_pages(sim, block->first, block->bytes))
        return; /* it stays unused */
    sim->guards--;
    push_free(sim, block->start, (sim->units[block->start / UNIT] & CLASS_BITS) - 1u);
}

/* The one that has rested longest can be used again. False: none rests. */
static bool release_one(struct sim *sim)
{
    if (!sim->nresting)
        return false;
    reuse(sim, &sim->resting[(sim->last_resting + RESTING + 1 - sim->nresting) % RESTING]);
    sim->nresting--;
    return true;
}

static accd_status guarded_free(void *device, uint64_t dev)
{
    enum { REST_MOST = 6 * PAGE }; /* resting costs a page fault for each page later */
    struct sim *sim = device;
    const uint64_t at = dev - sim->base, unit = at / UNIT;
    if (!sim_owns(device, dev) || !begins_block(sim, at) || !sim->sizes[unit])
        return ACCD_MISUSE;
    if (!(sim->units[unit] & GUARD_BIT))
        return sim_free(device, dev);
    const uint64_t guard = sim->guarding == BEGIN ? at - PAGE : in_pages(at + sim->sizes[unit]);
    const uint64_t start = sim->covers[guard / PAGE] - 1, first = in_pages(start);
    const uint64_t bytes = (guard < at ? in_pages(at + sim->sizes[unit]) : guard + PAGE) - first;
    sim->live -= sim->sizes[unit];
    sim->sizes[unit] = 0;
    if (unit != start / UNIT)
        sim->units[unit] = 0;
    sim->sizes[last_unit(sim, start)] = 0;
    if (bytes > REST_MOST) {
        reuse(sim, &(struct resting){start, guard, PAGE});
        return ACCD_OK;
    }
    if (sim->nresting == RESTING)
        release_one(sim);
    sim->last_resting = (sim->last_resting + 1) % RESTING;
    sim->resting[sim->last_resting] = (struct resting){start, first, bytes};
    sim->nresting++;
    if (!sim->again)
        close_pages(sim, first, bytes);
    return ACCD_OK;
}

static void guarded_guard(void *device, int on)
{
    struct sim *sim = device;
    sim->sparing = !on;
}

/* The first byte close to a block that is no poison any more. */
static uint64_t guarded_overrun(void *device, uint64_t *block_p)
{
    const struct sim *sim = device;
    for (uint64_t start = 0; start < sim->bump; start = (last_unit(sim, start) + 1) * UNIT) {
        const uint64_t at = sim->units[start / UNIT] & FREE_BIT || !(sim->units[start / UNIT] & GUARD_BIT)
                                ? 0
                                : sim->sizes[last_unit(sim, start)];
        const uint64_t high = at + sim->sizes[at / UNIT];
        const uint64_t low = sim->guarding == BEGIN ? at : at - BESIDE;
        const uint64_t end = sim->guarding == BEGIN ? high + BESIDE : in_pages(high);
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

static void direct_tables(void *device, uint64_t *low_p, uint64_t *high_p)
{
    const struct sim *sim = device;
    *low_p = (uintptr_t)sim->sizes;
    *high_p = (*low_p + table_bytes(sim) + PAGE - 1) / PAGE * PAGE;
}

static void direct_space(void *device, uint64_t *low_p, uint64_t *high_p)
{
    const struct sim *sim = device;
    *low_p = sim->base;
    *high_p = sim->base + sim->space;
}

static uint64_t sim_written(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    return accd_written_count(sim->bits, dev - sim->base, bytes);
}

static accd_status sim_save(void *device, uint64_t dev, uint64_t bytes, uint8_t *to)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    memcpy(to, sim->bytes + at, bytes);
    if (sim->bits)
        accd_written_save(sim->bits, at, bytes, to + bytes);
    return ACCD_OK;
}

static void sim_restore(void *device, uint64_t dev, uint64_t bytes, const uint8_t *from)
{
    struct sim *sim = device;
    uint64_t at = dev - sim->base;
    accd_touch(sim->touched, at, bytes, sim->huge);
    memcpy(sim->bytes + at, from, bytes);
    if (sim->bits)
        accd_written_restore(sim->bits, at, bytes, from + bytes);
}

/* ------------------------------------------------------------------------------- checkpoints -- */

/* A multiple of a page, behind which nothing was handed out. */
static uint64_t state_end(const struct sim *sim) { return (sim->bump + PAGE - 1) / PAGE * PAGE; }

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

static uint64_t sim_state_bytes(void *device) { return copy_state(device, state_end(device), NULL, NULL); }

static void sim_state_save(void *device, uint8_t *to)
{
    const uint64_t end = state_end(device);
    memcpy(to, &end, sizeof end);
    (void)copy_state(device, end, to, NULL);
}

/* What was handed out since is as if it had not been. */
static void clear_behind(struct sim *sim, uint64_t from, uint64_t to)
{
    forget_bits(sim, from, to - from);
    memset(sim->units + from / UNIT, 0, (to - from) / UNIT * sizeof sim->units[0]);
    memset(sim->covers + from / PAGE, 0, (to - from) / PAGE * sizeof sim->covers[0]);
}

static uint64_t sim_state_restore(void *device, const uint8_t *from)
{
    const uint64_t now = state_end(device);
    uint64_t end;
    memcpy(&end, from, sizeof end);
    if (now > end)
        clear_behind(device, end, now);
    return copy_state(device, end, NULL, from);
}

static uint64_t sim_next(void *device, uint64_t dev, uint64_t *bytes_p)
{
    const struct sim *sim = device;
    uint64_t at = dev > sim->base ? (dev - sim->base + UNIT - 1) / UNIT * UNIT : 0;
    while (at < sim->bump && !begins_block(sim, at))
        at += UNIT;
    if (at >= sim->bump)
        return 0;
    *bytes_p = sim->sizes[at / UNIT];
    return sim->base + at;
}

static uint64_t sim_origin(void *device) { return ((const struct sim *)device)->base; }

static void sim_forget(void *device, uint64_t dev, uint64_t bytes)
{
    struct sim *sim = device;
    set_bits(sim, dev - sim->base, bytes, false);
}

static void sim_fail(void *device, uint64_t allocation, uint64_t copy)
{
    struct sim *sim = device;
    if (allocation != UINT64_MAX)
        sim->fail_allocation = allocation;
    if (copy != UINT64_MAX)
        sim->fail_copy = copy;
}

#define COMMON                                                                                      \
    .open = sim_open, .close = sim_close, .begin = sim_begin, .end = sim_end,                         \
    .stage = sim_stage, .fetch = sim_fetch, .copy = sim_copy, .read = sim_read, .write = sim_write, \
    .owns = sim_owns, .allocated = sim_allocated, .size_of = sim_size_of, .fail = sim_fail,         \
    .save = sim_save, .restore = sim_restore, .origin = sim_origin

const accd_backend accd_backend_sim = {
    COMMON,
    .name = "sim",
    .small = ACCD_SMALL_OBJECT,
    .alloc = sim_alloc, .free = sim_free,
    .written = sim_written, .forget = sim_forget,
    .next = sim_next,
    .state_bytes = sim_state_bytes, .state_save = sim_state_save, .state_restore = sim_state_restore,
};

const accd_backend accd_backend_direct = {
    COMMON,
    .name = "direct",
    .small = ACCD_SMALL_OBJECT,
    .alloc = sim_alloc, .free = sim_free,
    .space = direct_space, .tables = direct_tables,
};

#define GUARDED                                                                                       \
    COMMON, .alloc = guarded_alloc, .free = guarded_free, .space = direct_space, .tables = direct_tables, \
    .overrun = guarded_overrun, .guard = guarded_guard

const accd_backend accd_backend_guarded = {GUARDED, .name = "guarded"};
const accd_backend accd_backend_guarded_end = {GUARDED, .name = "guarded-end"};
const accd_backend accd_backend_guarded_begin = {GUARDED, .name = "guarded-begin"};
const accd_backend accd_backend_guarded_again = {GUARDED, .name = "guarded-again"};

accd_status accd_device_about(const accd_backend *backend, unsigned number, accd_device_info *info_p)
{
    if (!backend || !info_p)
        return ACCD_MISUSE;
    *info_p = (accd_device_info){0};
    if (backend->about)
        return backend->about(number, info_p);
    strcpy(info_p->name, "simulated device");
    info_p->bytes = usual_bytes;
    return ACCD_OK;
}
