/* unused.c - data that were moved to the device and not read there, and data that nothing used: advice at the end.
 *
 * Each word of device memory has the number of the transfers that moved it last: those from one place, of one variable.
 * A byte is unread while it is valid, no kernel has written it (GOACC_ONLY), and nothing has read it (GOACC_READ). It is
 * counted once: when a kernel or a transfer overwrites it, or when its data are removed. Read is also what is copied
 * back: the host gets it. Where a word has bytes of several transfers, none of them counts. So a sum that is all that was
 * moved says that the program needs none of it, and only such a sum is reported.
 *
 * Data that a library may use by their device address count as used, and so do those that a second construct names. */
#include "abi/program/strict/tally.h"
#include "shadow.h"

#include <stdlib.h>

enum { NO_TALLY = GOACC_TALLIES - 1 };
static uint16_t *sources; /* of each word of device memory: the tally of what moved it last; 0: nothing was moved there */

static uint64_t *exposed; /* device addresses of objects whose addresses the program has got */
static size_t nexposed, exposed_room;

/* Whether an object is a descriptor. One without an array may have any bytes: a variable of C is none. */
static bool is_descriptor(const struct goacc_pair *pair)
{
    struct goacc_name name;
    const void *const device = goacc_content(pair->dev);
    return goacc_is_descriptor(device, pair->bytes) &&
           (goacc_word(device) || !goacc_name_of(goacc.site, pair->host, pair->bytes, &name) || name.fortran);
}

/* Whether data are the program's: no pointer, and no descriptor. */
static bool is_data(const struct goacc_pair *pair, accd_present *object)
{
    return pair->bytes > GOACC_SMALL && !is_descriptor(pair) &&
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

void goacc_check_found(int device, const void *host)
{
    struct goacc_pair pair;
    if (!goacc_pair_of(device, (uintptr_t)host, &pair))
        return;
    const struct goacc_part first = goacc_part_of(pair.dev, 1);
    if (!goacc_having(&first, GOACC_VALID)) /* then it counts as used already */
        goacc_change(&first, 0, GOACC_READ);
}

void goacc_check_named(int device, const accd_item *items, size_t nitems)
{
    for (size_t i = 0; i < nitems; i++)
        if (items[i].bytes && items[i].action != ACCD_ATTACH && items[i].action != ACCD_DETACH &&
            !(items[i].flags & ACCD_ITEM_POINTER))
            goacc_check_found(device, items[i].host);
}

/* --------------------------------------------------------------------------------------- bytes -- */

static uint16_t *source_of(uint64_t dev)
{
    return &sources[(dev - goacc_checked.low) / 8];
}

/* Returns the bytes of a part that hold a transferred value which nothing has read: bit 0 of each state is set. */
static uint32_t unread_in(const struct goacc_part *part)
{
    const uint32_t states = goacc_states(part) & part->bytes;
    return states / GOACC_VALID & ~(states / GOACC_ONLY) & ~(states / GOACC_READ) & GOACC_IN_ALL(1);
}

void goacc_unused_overwritten(const struct goacc_part *part)
{
    const uint32_t unread = sources ? unread_in(part) : 0;
    if (unread)
        goacc_tallies[*source_of(part->at)].unread += (uint64_t)__builtin_popcount(unread); /* NO_TALLY has no report */
}

/* Bytes leave, or others take their place. */
static void count_unread(uint64_t dev, uint64_t bytes)
{
    for (uint64_t k = 0; k < bytes && sources;) {
        const struct goacc_run run = goacc_run_of(dev + k, bytes - k);
        const uint64_t read = 8 * goacc_run_having(&run, GOACC_READ, 0);
        const struct goacc_part part = goacc_part_of(dev + k + read, bytes - k - read);
        goacc_unused_overwritten(&part);
        k += read + part.n;
    }
}

/* The word of an end of a range, of which the range has a part: it is the transfers' if its other bytes are not those of
 * others. */
static void set_source_of_end(uint64_t dev, uint64_t bytes, uint64_t word, uint16_t number)
{
    const uint64_t low = word > dev ? word : dev, high = word + 8 < dev + bytes ? word + 8 : dev + bytes;
    const struct goacc_part before = goacc_part_of(word, low - word), behind = goacc_part_of(high, word + 8 - high);
    uint16_t *source = source_of(word);
    const bool alone = !unread_in(&before) && !unread_in(&behind) && (!*source || *source == number);
    *source = alone || !number ? number : NO_TALLY;
}

static void set_source(uint64_t dev, uint64_t bytes, uint16_t number)
{
    const uint64_t first = (dev + 7) / 8 * 8, end = (dev + bytes) / 8 * 8;
    for (uint64_t word = first; sources && word < end; word += 8)
        *source_of(word) = number;
    if (sources && dev < first)
        set_source_of_end(dev, bytes, first - 8, number);
    if (sources && end < dev + bytes && end >= first)
        set_source_of_end(dev, bytes, end, number);
}

void goacc_unused_moved(const accd_event *event, const struct goacc_pair *pair, uint16_t number, bool idle)
{
    const uint64_t dev = goacc_other(pair, event->host);
    if (idle) /* what was moved before stays, and is not unread: this transfer may be left out */
        return;
    if (is_descriptor(pair) || place_in_exposed(pair->dev) < nexposed)
        number = 0;
    if (!sources && goacc_tallies)
        sources = goacc_reserve(goacc_checked.bytes / 8 * sizeof *sources);
    goacc_checked.numbers |= number;
    if (event->bytes > pair->bytes / 2) /* a small part may be renewed at once */
        count_unread(dev, event->bytes);
    set_source(dev, event->bytes, number ? number : NO_TALLY);
}

/* Whether nothing was moved there, written or read. */
static bool is_unused(const struct goacc_pair *pair)
{
    GOACC_EACH_PART(part, pair->dev, pair->bytes)
        if (goacc_having(&part, GOACC_VALID) || goacc_having(&part, GOACC_READ) ||
            (sources && *source_of(part.at)))
            return false;
    return true;
}

void goacc_unused_freed(const struct goacc_pair *pair)
{
    accd_present object;
    char variable[sizeof goacc_tallies->variable];
    const size_t place = place_in_exposed(pair->dev);
    count_unread(pair->dev, pair->bytes);
    if (place < nexposed)
        exposed[place] = exposed[--nexposed];
    const bool unused = is_unused(pair);
    set_source(pair->dev, pair->bytes, 0);
    if (!unused || !is_data(pair, &object))
        return;
    goacc_variable_of(object.info.name, variable, sizeof variable);
    for (size_t i = 1; i <= goacc_ntallies; i++) {
        struct goacc_tally *tally = &goacc_tallies[i];
        if (tally->op == ACCD_OP_ALLOC && tally->line == object.info.line && tally->file && object.info.file &&
            !strcmp(tally->file, object.info.file) && !strcmp(tally->variable, variable)) {
            tally->unused++;
            tally->unused_bytes += pair->bytes;
            return;
        }
    }
}

/* -------------------------------------------------------------------------------------- report -- */

static uint64_t cost_of(const struct goacc_tally *tally)
{
    return tally->unread + tally->unused_bytes;
}

static bool is_unread(const struct goacc_tally *tally)
{
    return tally->unread == tally->bytes;
}

static bool is_all_unused(const struct goacc_tally *tally)
{
    return tally->unused == tally->n;
}

static void advise(const struct goacc_tally *tally)
{

    struct goacc_finding finding = {.level = "advice", .pc = tally->pc, .object = tally->name, .together = true};
    if (tally->unread && goacc_tally_is_whole(tally, is_unread)) {
        finding.code = "unread-transfer";
        finding.bytes = tally->unread;
        finding.times = finding.of = tally->n;
        goacc_find(&finding, "%s: %llu of %llu bytes that were moved to the device from here were never read there",
                   tally->name, (unsigned long long)tally->unread, (unsigned long long)tally->bytes);
    }
    if (tally->unused && goacc_tally_is_whole(tally, is_all_unused)) {
        finding.code = "unused-data";
        finding.bytes = tally->unused_bytes;
        finding.times = tally->unused;
        finding.of = tally->n;
        goacc_find(&finding, "%s: %llu of %llu allocations on the device from here were never used: %llu bytes",
                   tally->name, (unsigned long long)tally->unused, (unsigned long long)tally->n,
                   (unsigned long long)tally->unused_bytes);
    }
}

void goacc_unused_end(void)
{
    struct goacc_pair pair;
    accd_present object;
    for (int device = 0; device < goacc.options.devices && goacc_ntallies; device++)
        for (uint64_t at = 0; accd_present_next(goacc.context, device, &at, &object);) {
            pair = (struct goacc_pair){object.info.host, object.dev, object.info.bytes, device};
            goacc_unused_freed(&pair);
        }
    goacc_tallies_join(cost_of);
    for (size_t i = 1; i <= goacc_ntallies && !goacc_kernels_unchecked(); i++)
        advise(&goacc_tallies[i]);
    nexposed = 0;
    goacc_checked.numbers = 0;
}
