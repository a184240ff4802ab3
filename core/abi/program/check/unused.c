/* unused.c - data that were moved to the device and not read there, and data that nothing used: advice at the end.
 *
 * Words of device memory that hold what was moved have the number of the transfers from that place, of that variable, in
 * their shadow, until a kernel writes them. Data that a library may use by their device address count as used. */
#include "shadow.h"

#include <stdlib.h>

enum { SMALL = 64, NUMBERS = 1 << 16, SLOTS = 2 * NUMBERS };

/* What was done at a place with a variable. */
struct tally {
    uintptr_t pc;
    char name[160];
    const char *file;
    int line;
    uint64_t moves, moved, unread;          /* transfers; bytes */
    uint64_t allocations, unused, bytes;    /* unused: of allocations; their bytes */
};
static struct tally *tallies; /* from number 1 on */
static size_t ntallies;
static uint16_t *slots; /* by place and name: numbers; 0: free */

static uint64_t *exposed; /* device addresses of objects whose addresses the program has got */
static size_t nexposed, exposed_room;

/* ------------------------------------------------------------------------------------ tallies -- */

static uint16_t number_of(uintptr_t pc, const char *name)
{
    uint64_t hash = pc * 0x9E3779B97F4A7C15u;
    if (!tallies)
        tallies = goacc_reserve(NUMBERS * sizeof *tallies);
    if (!slots)
        slots = goacc_reserve(SLOTS * sizeof *slots);
    if (!tallies || !slots)
        return 0;
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
    for (size_t k = hash ^ hash >> 32;; k++) {
        uint16_t *slot = &slots[k % SLOTS];
        struct tally *tally = &tallies[*slot];
        if (*slot && tally->pc == pc && !strncmp(tally->name, name, sizeof tally->name - 1))
            return *slot;
        if (*slot)
            continue;
        if (ntallies + 1 == NUMBERS)
            return 0;
        *slot = (uint16_t)++ntallies;
        goacc_checked.numbers = (uint32_t)ntallies;
        tally = &tallies[*slot];
        *tally = (struct tally){.pc = pc};
        strncpy(tally->name, name, sizeof tally->name - 1);
        goacc_line(pc, &tally->file, &tally->line, NULL);
        return *slot;
    }
}

/* Whether data are the program's: no pointer, and no descriptor. */
static bool is_data(const struct goacc_pair *pair, accd_present *object)
{
    return pair->bytes > SMALL && !goacc_is_descriptor(pair->bytes) &&
           accd_present_at(goacc.context, pair->device, pair->host, 0, object) && !object->pointer;
}

static size_t place_in_exposed(uint64_t dev)
{
    size_t i = 0;
    while (i < nexposed && exposed[i] != dev)
        i++;
    return i;
}

void goacc_check_exposed(uint64_t dev)
{
    struct goacc_pair pair;
    if (!goacc_on_device(dev) || !goacc_pair_at(dev, &pair) || place_in_exposed(pair.dev) < nexposed)
        return;
    if (nexposed == exposed_room) {
        uint64_t *grown = realloc(exposed, (2 * exposed_room + 16) * sizeof *grown);
        if (!grown)
            return;
        exposed = grown;
        exposed_room = 2 * exposed_room + 16;
    }
    exposed[nexposed++] = pair.dev;
    goacc_set(pair.dev, pair.bytes, 0, GOACC_READ);
}

/* --------------------------------------------------------------------------------------- bytes -- */

/* Those of a part that hold what was moved, and that nothing read: their tally, or NULL. */
static struct tally *unread_of(const struct goacc_part *part, uint64_t *n_p)
{
    const uint32_t states = goacc_states(part) & part->bytes;
    const uint32_t unread = states / GOACC_VALID & ~(states / GOACC_ONLY) & ~(states / GOACC_READ) & GOACC_IN_ALL(1);
    if (!unread || !*part->note || *part->note > ntallies)
        return NULL;
    *n_p = (uint64_t)__builtin_popcount(unread);
    return &tallies[*part->note];
}

void goacc_unused_overwritten(const struct goacc_part *part)
{
    uint64_t n;
    struct tally *tally = ntallies ? unread_of(part, &n) : NULL;
    if (tally)
        tally->unread += n;
}

/* Bytes leave, or others take their place. */
static void count_unread(uint64_t dev, uint64_t bytes)
{
    for (uint64_t k = 0; k < bytes && ntallies;) {
        const struct goacc_run run = goacc_run_of(dev + k, bytes - k);
        const uint64_t read = 8 * goacc_run_having(&run, GOACC_READ, 0);
        const struct goacc_part part = goacc_part_of(dev + k + read, bytes - k - read);
        goacc_unused_overwritten(&part);
        k += read + part.n;
    }
}

uint32_t goacc_unused_moved(const accd_event *event, const struct goacc_pair *pair)
{
    const uint64_t dev = goacc_other(pair, event->host);
    if (event->bytes > pair->bytes / 2) /* a small part may be renewed at once */
        count_unread(dev, event->bytes);
    if (event->bytes <= SMALL || !goacc.site || goacc_is_descriptor(pair->bytes) ||
        place_in_exposed(pair->dev) < nexposed)
        return 0;
    const uint16_t number = number_of(goacc.site->call.pc, event->name);
    if (number) {
        tallies[number].moves++;
        tallies[number].moved += event->bytes;
    }
    return number;
}

void goacc_unused_allocated(const accd_event *event)
{
    const uint16_t number = event->bytes > SMALL && goacc.site ? number_of(goacc.site->call.pc, event->name) : 0;
    if (number)
        tallies[number].allocations++;
}

/* Whether nothing was moved there, written or read. */
static bool is_unused(const struct goacc_pair *pair)
{
    GOACC_EACH_PART(part, pair->dev, pair->bytes)
        if (goacc_having(&part, GOACC_VALID) || goacc_having(&part, GOACC_READ))
            return false;
    return true;
}

void goacc_unused_freed(const struct goacc_pair *pair)
{
    accd_present object;
    const size_t place = place_in_exposed(pair->dev);
    count_unread(pair->dev, pair->bytes);
    if (place < nexposed)
        exposed[place] = exposed[--nexposed];
    if (!is_unused(pair) || !is_data(pair, &object))
        return;
    for (size_t i = 1; i <= ntallies; i++) {
        struct tally *tally = &tallies[i];
        if (tally->allocations && tally->line == object.info.line && tally->file && object.info.file &&
            !strcmp(tally->file, object.info.file) && !strcmp(tally->name, object.info.name)) {
            tally->unused++;
            tally->bytes += pair->bytes;
            return;
        }
    }
}

/* -------------------------------------------------------------------------------------- report -- */

static int by_bytes(const void *a, const void *b)
{
    const struct tally *first = a, *second = b;
    const uint64_t one = first->unread + first->bytes, other = second->unread + second->bytes;
    return (one < other) - (one > other);
}

static void advise(const struct tally *tally)
{
    struct goacc_finding finding = {.level = "advice", .pc = tally->pc, .object = tally->name, .together = true};
    if (tally->unread > SMALL && 2 * tally->unread >= tally->moved) {
        finding.code = "unread-transfer";
        finding.bytes = tally->unread;
        finding.times = finding.of = tally->moves;
        goacc_find(&finding, "%s: %llu of %llu bytes that were moved to the device from here were never read there",
                   tally->name, (unsigned long long)tally->unread, (unsigned long long)tally->moved);
    }
    if (tally->unused) {
        finding.code = "unused-data";
        finding.bytes = tally->bytes;
        finding.times = tally->unused;
        finding.of = tally->allocations;
        goacc_find(&finding, "%s: %llu of %llu allocations on the device from here were never used: %llu bytes",
                   tally->name, (unsigned long long)tally->unused, (unsigned long long)tally->allocations,
                   (unsigned long long)tally->bytes);
    }
}

void goacc_unused_end(void)
{
    struct goacc_pair pair;
    accd_present object;
    for (int device = 0; device < goacc.options.devices && ntallies; device++)
        for (uint64_t at = 0; accd_present_next(goacc.context, device, &at, &object);) {
            pair = (struct goacc_pair){object.info.host, object.dev, object.info.bytes, device};
            goacc_unused_freed(&pair);
        }
    if (ntallies)
        qsort(tallies + 1, ntallies, sizeof *tallies, by_bytes);
    for (size_t i = 1; i <= ntallies; i++)
        advise(&tallies[i]);
    if (slots)
        memset(slots, 0, SLOTS * sizeof *slots);
    ntallies = nexposed = 0;
    goacc_checked.numbers = 0;
}
