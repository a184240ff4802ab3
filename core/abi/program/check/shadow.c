/* shadow.c - shadow memory. That of the device is one mapping, that of the host a table of leaves;
 * neither takes memory before it is used. */
#include "shadow.h"

#include <stdlib.h>
#include <sys/mman.h>

static size_t *covered; /* leaves that there are */
static size_t ncovered, covered_room;

/* The last objects that were asked for; 0 bytes: none. */
enum { KEPT = 4 };
static struct goacc_pair kept[KEPT];
static unsigned next_kept;

/* Objects both of whose sides count as valid, though they differ: a bit for the first byte of each on the
 * device. NULL: there are none. */
static unsigned char *uneven;

#define SHADOW(bytes) ((bytes) / 8 * 2 * sizeof(uint32_t))

bool goacc_check_is_there(void)
{
    return &goacc_checked && goacc_check_inside;
}

void *goacc_reserve(uint64_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Of the device, and of the stack, if that lies behind and there is room. */
static void make_tiles(uint64_t bytes)
{
    const uint64_t stack = goacc_stack_high(&goacc_own);
    goacc_checked.reach = stack > goacc.device_high ? stack - goacc.device_low : bytes;
    goacc_checked.tiles = goacc_reserve(goacc_checked.reach / GOACC_TILE + 1);
    if (goacc_checked.tiles)
        return;
    goacc_checked.reach = bytes;
    goacc_checked.tiles = goacc_reserve(bytes / GOACC_TILE + 1);
}

void goacc_shadow_open(void (*access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                       void (*message)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                       void (*freed)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame),
                       void (*lent)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame))
{
    static uint32_t **leaves;
    const uint64_t bytes = goacc.device_high - goacc.device_low;
    if (!leaves)
        leaves = goacc_reserve((uint64_t)GOACC_LEAVES * sizeof *leaves);
    goacc_checked.states = goacc_reserve(SHADOW(bytes));
    make_tiles(bytes);
    if (!leaves || !goacc_checked.states || !goacc_checked.tiles)
        goacc_die("out-of-memory", "no memory for the checks");
    goacc_checked.notes = goacc_checked.states + bytes / 8;
    goacc_checked.low = goacc.device_low;
    goacc_checked.bytes = bytes;
    goacc_checked.access = access;
    goacc_checked.message = message;
    goacc_checked.freed = freed;
    goacc_checked.lent = lent;
    goacc_checked.leaves = leaves;
}

void goacc_shadow_close(void)
{
    const uint64_t bytes = goacc_checked.bytes;
    goacc_pairs_changed();
    if (uneven)
        munmap(uneven, bytes / 8);
    uneven = NULL;
    for (size_t i = 0; i < ncovered; i++)
        madvise(goacc_checked.leaves[covered[i]], SHADOW(GOACC_LEAF), MADV_DONTNEED);
    goacc_checked.leaves = NULL;
    goacc_checked.bytes = 0;
    munmap(goacc_checked.states, SHADOW(bytes));
    munmap(goacc_checked.tiles, goacc_checked.reach / GOACC_TILE + 1);
}

bool goacc_cover(uint64_t host, uint64_t n)
{
    for (uint64_t i = host / GOACC_LEAF; i <= (host + n - 1) / GOACC_LEAF && i < GOACC_LEAVES; i++) {
        if (goacc_checked.leaves[i])
            continue;
        if (ncovered == covered_room) {
            size_t *grown = realloc(covered, (2 * covered_room + 16) * sizeof *grown);
            if (!grown)
                return false;
            covered = grown;
            covered_room = 2 * covered_room + 16;
        }
        goacc_checked.leaves[i] = goacc_reserve(SHADOW(GOACC_LEAF));
        if (!goacc_checked.leaves[i])
            return false;
        covered[ncovered++] = i;
    }
    return true;
}

void goacc_widen(uint64_t dev, uint64_t bytes)
{
    enum { HUGE = 2 << 20 };
    const uintptr_t first = (uintptr_t)&goacc_checked.states[(dev - goacc_checked.low) / 8],
                    end = (first + bytes / 8 * sizeof(uint32_t)) & ~(uintptr_t)(HUGE - 1),
                    start = (first + HUGE - 1) & ~(uintptr_t)(HUGE - 1);
    if (start < end)
        madvise((void *)start, end - start, MADV_HUGEPAGE);
}

static void shadow_of(uint64_t at, uint32_t **states_p, uint32_t **note_p)
{
    if (goacc_on_device(at)) {
        const size_t i = (at - goacc_checked.low) / 8;
        *states_p = &goacc_checked.states[i];
        *note_p = &goacc_checked.notes[i];
    } else {
        uint32_t *leaf = goacc_checked.leaves[at / GOACC_LEAF % GOACC_LEAVES];
        *states_p = leaf ? &leaf[at % GOACC_LEAF / 8] : NULL;
        *note_p = leaf ? &leaf[at % GOACC_LEAF / 8 + GOACC_NOTES] : NULL;
    }
}

struct goacc_part goacc_part_of(uint64_t at, uint64_t n)
{
    const unsigned into = at % 8;
    struct goacc_part part = {.at = at, .n = n < 8 - into ? n : 8 - into};
    part.bytes = (part.n == 8 ? UINT32_MAX : (1u << 4 * part.n) - 1) << 4 * into;
    shadow_of(at, &part.states, &part.note);
    return part;
}

struct goacc_run goacc_run_of(uint64_t at, uint64_t n)
{
    struct goacc_run run = {.n = at % 8 ? 0 : n / 8};
    const uint64_t high = goacc_checked.low + goacc_checked.bytes;
    const uint64_t left = (goacc_on_device(at) ? high - at : GOACC_LEAF - at % GOACC_LEAF) / 8;
    shadow_of(at, &run.states, &run.notes);
    if (!run.states)
        run.n = 0;
    run.n = run.n < left ? run.n : left;
    return run;
}

size_t goacc_run_having(const struct goacc_run *run, uint32_t states, uint32_t none)
{
    enum { BLOCK = 16 };
    const uint32_t mask = GOACC_IN_ALL(states | none), wanted = GOACC_IN_ALL(states);
    size_t i = 0;
    for (; i + BLOCK <= run->n; i += BLOCK) {
        uint32_t differs = 0;
        for (size_t k = i; k < i + BLOCK; k++)
            differs |= (run->states[k] & mask) ^ wanted;
        if (differs)
            break;
    }
    while (i < run->n && (run->states[i] & mask) == wanted)
        i++;
    return i;
}

void goacc_set(uint64_t at, uint64_t n, uint32_t clear, uint32_t set)
{
    for (uint64_t k = 0; k < n;) {
        const struct goacc_run run = goacc_run_of(at + k, n - k);
        for (size_t i = 0; i < run.n; i++)
            run.states[i] = (run.states[i] & ~GOACC_IN_ALL(clear)) | GOACC_IN_ALL(set);
        const struct goacc_part part = goacc_part_of(at + k, n - k);
        if (!run.n)
            goacc_change(&part, clear, set);
        else if (clear & ~(uint32_t)GOACC_ONLY)
            goacc_forget_tiles(at + k, 8 * run.n);
        k += run.n ? 8 * run.n : part.n;
    }
}

bool goacc_range_has(uint64_t at, uint64_t n, uint32_t states, uint32_t none)
{
    for (uint64_t k = 0; k < n;) {
        const struct goacc_run run = goacc_run_of(at + k, n - k);
        const struct goacc_part part = goacc_part_of(at + k, n - k);
        if (run.n ? goacc_run_having(&run, states, none) < run.n
                  : !goacc_all_have(&part, states) || goacc_having(&part, none))
            return false;
        k += run.n ? 8 * run.n : part.n;
    }
    return true;
}

/* ----------------------------------------------------------------------------------- digests -- */

atomic_bool goacc_swapped;

const void *goacc_content(uint64_t at)
{
    struct goacc_pair pair;
    if (!goacc_swapped)
        return (const void *)(uintptr_t)at;
    const bool found =
        goacc_on_device(at) ? goacc_pair_at(at, &pair) : goacc_pair_of(goacc_own.device, at, &pair);
    return (const void *)(uintptr_t)(found && goacc_declared((const void *)pair.host) ? goacc_other(&pair, at)
                                                                                      : at);
}

static bool some_valid(const struct goacc_part *part)
{
    return *part->states & GOACC_IN_ALL(GOACC_VALID);
}

static uint32_t digest_of(const struct goacc_part *part)
{
    uint64_t value;
    memcpy(&value, (const char *)goacc_content(part->at) - part->at % 8, sizeof value);
    return goacc_digest_of(*part->states, value);
}

void goacc_digest(const struct goacc_part *part)
{
    if (part->states && !some_valid(part))
        __atomic_store_n(part->note, digest_of(part), __ATOMIC_RELAXED);
}

bool goacc_unchanged(const struct goacc_part *part)
{
    return !part->states || some_valid(part) || *part->note == digest_of(part);
}

void goacc_forget(uint64_t at, uint64_t n)
{
    GOACC_EACH_PART(part, at, n) {
        const bool same = goacc_unchanged(&part);
        goacc_change(&part, 0xf, 0);
        if (same)
            goacc_digest(&part);
    }
}

/* ------------------------------------------------------------------------------------- pairs -- */

void goacc_pairs_changed(void)
{
    memset(kept, 0, sizeof kept);
    __atomic_fetch_add(&goacc_checked.version, 1, __ATOMIC_RELAXED);
}

void goacc_pair_is_near(const struct goacc_pair *pair, uint64_t at)
{
    struct goacc_inside *inside = goacc_check_inside();
    const uint64_t start = goacc_on_device(at) ? pair->dev : pair->host, offset = goacc_other(pair, start) - start;
    const uint64_t word = at / 8 * 8;
    if (goacc.options.devices != 1 || goacc.declares || offset % 8 || word < start || inside->notes_uses)
        return;
    const struct goacc_run own = goacc_run_of(word, start + pair->bytes - word);
    const struct goacc_run other = goacc_run_of(word + offset, 8 * own.n);
    if (!other.n)
        return;
    if (inside->version != goacc_checked.version)
        memset(inside->near, 0, sizeof inside->near);
    inside->version = goacc_checked.version;
    memmove(inside->near + 1, inside->near, (GOACC_NEAR - 1) * sizeof inside->near[0]);
    inside->near[0] = (struct goacc_near){word, 8 * other.n, offset, own.states, own.notes, other.states, other.notes};
    if (inside->runs)
        return;
    inside->low = word;
    inside->states = own.states;
    inside->notes = own.notes;
    for (unsigned shift = 0; shift < 4; shift++)
        inside->units[shift] = (8 * other.n - 8) >> shift; /* accesses of 16 bytes use the next word */
}

static void keep(const struct goacc_pair *pair)
{
    kept[next_kept++ % KEPT] = *pair;
}

bool goacc_pair_of(int device, uint64_t host, struct goacc_pair *pair)
{
    for (size_t i = 0; i < KEPT; i++)
        if (host - kept[i].host < kept[i].bytes && kept[i].device == device) {
            *pair = kept[i];
            return true;
        }
    uint64_t start, bytes;
    if (!accd_present_bounds(goacc.context, device, (const void *)(uintptr_t)host, &start, &bytes))
        return false;
    const uint64_t dev = accd_device_address(goacc.context, device, (const void *)(uintptr_t)start);
    *pair = (struct goacc_pair){start, dev, bytes, device};
    keep(pair);
    return true;
}

bool goacc_pair_at(uint64_t dev, struct goacc_pair *pair)
{
    for (size_t i = 0; i < KEPT; i++)
        if (dev - kept[i].dev < kept[i].bytes) {
            *pair = kept[i];
            return true;
        }
    const int device = accd_device_of(goacc.context, dev);
    const uint64_t host = device < 0 ? 0 : accd_host_address(goacc.context, device, dev);
    return host && goacc_pair_of(device, host, pair) && dev - pair->dev < pair->bytes;
}

void goacc_note_uneven(const struct goacc_pair *pair)
{
    const uint64_t at = pair->dev - goacc_checked.low;
    if (!uneven && !(uneven = goacc_reserve(goacc_checked.bytes / 8)))
        goacc_die("out-of-memory", "no memory for the checks");
    uneven[at / 8] |= (unsigned char)(1u << at % 8);
}

bool goacc_is_uneven(const struct goacc_pair *pair)
{
    const uint64_t at = pair->dev - goacc_checked.low;
    return uneven && uneven[at / 8] >> at % 8 & 1;
}

void goacc_forget_uneven(const struct goacc_pair *pair)
{
    const uint64_t at = pair->dev - goacc_checked.low;
    if (uneven)
        uneven[at / 8] &= (unsigned char)~(1u << at % 8);
}

void goacc_outdate(const struct goacc_pair *pair, uint64_t at, uint64_t n)
{
    GOACC_EACH_PART(part, goacc_other(pair, at), n) {
        if (!goacc_having(&part, GOACC_VALID))
            continue;
        goacc_change(&part, GOACC_VALID | GOACC_ONLY, 0);
        goacc_digest(&part);
    }
}
