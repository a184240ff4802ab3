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

bool goacc_check_is_there(void)
{
    return &goacc_checked && goacc_check_inside;
}

void *goacc_reserve(uint64_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void goacc_shadow_open(void (*access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                       void (*freed)(uintptr_t at, size_t n))
{
    static struct goacc_shadow **leaves;
    const uint64_t bytes = goacc.device_high - goacc.device_low;
    if (!leaves)
        leaves = goacc_reserve((uint64_t)GOACC_LEAVES * sizeof *leaves);
    goacc_checked.device = goacc_reserve(bytes / 8 * sizeof *goacc_checked.device);
    if (!leaves || !goacc_checked.device)
        goacc_die("out-of-memory", "no memory for the checks");
    goacc_checked.low = goacc.device_low;
    goacc_checked.bytes = bytes;
    goacc_checked.access = access;
    goacc_checked.freed = freed;
    goacc_checked.leaves = leaves;
}

void goacc_shadow_close(void)
{
    const uint64_t bytes = goacc_checked.bytes;
    goacc_pairs_changed();
    for (size_t i = 0; i < ncovered; i++)
        madvise(goacc_checked.leaves[covered[i]], GOACC_LEAF, MADV_DONTNEED);
    goacc_checked.leaves = NULL;
    goacc_checked.bytes = 0;
    munmap(goacc_checked.device, bytes / 8 * sizeof *goacc_checked.device);
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
        goacc_checked.leaves[i] = goacc_reserve(GOACC_LEAF / 8 * sizeof *goacc_checked.leaves[i]);
        if (!goacc_checked.leaves[i])
            return false;
        covered[ncovered++] = i;
    }
    return true;
}

struct goacc_part goacc_part_of(uint64_t at, uint64_t n)
{
    const unsigned into = at % 8;
    struct goacc_part part = {.at = at, .n = n < 8 - into ? n : 8 - into};
    part.bytes = (part.n == 8 ? UINT32_MAX : (1u << 4 * part.n) - 1) << 4 * into;
    if (goacc_on_device(at)) {
        part.word = &goacc_checked.device[(at - goacc_checked.low) / 8];
    } else {
        struct goacc_shadow *leaf = goacc_checked.leaves[at / GOACC_LEAF % GOACC_LEAVES];
        part.word = leaf ? &leaf[at % GOACC_LEAF / 8] : NULL;
    }
    return part;
}

void goacc_set(uint64_t at, uint64_t n, uint32_t clear, uint32_t set)
{
    GOACC_EACH_PART(part, at, n)
        goacc_change(&part, clear, set);
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
    return part->word->states & GOACC_IN_ALL(GOACC_VALID);
}

/* Of the bytes of a word that are present. */
static uint32_t digest_of(const struct goacc_part *part)
{
    uint64_t value, used = 0;
    memcpy(&value, (const char *)goacc_content(part->at) - part->at % 8, sizeof value);
    for (unsigned i = 0; i < 8; i++)
        if (part->word->states >> 4 * i & GOACC_PRESENT)
            used |= (uint64_t)0xff << 8 * i;
    return (uint32_t)((value & used) * 0x9E3779B97F4A7C15u >> 32);
}

void goacc_digest(const struct goacc_part *part)
{
    if (part->word && !some_valid(part))
        __atomic_store_n(&part->word->note, digest_of(part), __ATOMIC_RELAXED);
}

bool goacc_unchanged(const struct goacc_part *part)
{
    return !part->word || some_valid(part) || part->word->note == digest_of(part);
}

/* ------------------------------------------------------------------------------------- pairs -- */

void goacc_pairs_changed(void)
{
    memset(kept, 0, sizeof kept);
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

void goacc_outdate(const struct goacc_pair *pair, uint64_t at, uint64_t n)
{
    GOACC_EACH_PART(part, goacc_other(pair, at), n) {
        if (!goacc_having(&part, GOACC_VALID))
            continue;
        goacc_change(&part, GOACC_VALID | GOACC_ONLY, 0);
        goacc_digest(&part);
    }
}
