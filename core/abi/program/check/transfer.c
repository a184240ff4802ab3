/* transfer.c - what the runtime does with data: allocates, frees, moves, attaches. */
#include "abi/program/strict/tally.h"
#include "shadow.h"

/* Whether both sides have the newest value of n bytes of an object. */
static bool is_same(const struct goacc_pair *pair, uint64_t at, uint64_t n)
{
    return goacc_range_has(at, n, GOACC_VALID, GOACC_ONLY) &&
           goacc_range_has(goacc_other(pair, at), n, GOACC_VALID, GOACC_ONLY) && !goacc_is_uneven(pair);
}

/* Whether all bytes of a part that are not valid are as the device gives them: one alone may have that value. */
static bool is_unwritten(const struct goacc_part *part)
{
    for (uint64_t i = 0; i < part->n; i++) {
        const struct goacc_part byte = goacc_part_of(part->at + i, 1);
        if (!goacc_having(&byte, GOACC_VALID) && !goacc_is_poison(byte.at, 1))
            return false;
    }
    return true;
}

/* Whole words from the first on that have the newest value, of n bytes. Returns how many bytes they are. */
static uint64_t move_valid(uint64_t to, uint64_t from, uint64_t n, uint32_t read)
{
    const struct goacc_run target = goacc_run_of(to, n);
    struct goacc_run source = goacc_run_of(from, target.n * 8);
    source.n = goacc_run_having(&source, GOACC_VALID, 0);
    for (size_t i = 0; i < source.n; i++) {
        target.states[i] = (target.states[i] & ~GOACC_IN_ALL(GOACC_ONLY | GOACC_READ)) |
                           GOACC_IN_ALL(GOACC_PRESENT | GOACC_VALID) | GOACC_IN_ALL(read);
        source.states[i] &= ~GOACC_IN_ALL(GOACC_ONLY);
    }
    goacc_forget_tiles(to, source.n * 8);
    return source.n * 8;
}

/* Moves what is known of n bytes from one side to the other. pair: NULL where there is no object. */
static void move(uint64_t to, uint64_t from, uint64_t n, const struct goacc_pair *pair)
{
    /* The host's reads are of interest only before it has waited. */
    const uint32_t read = goacc_on_device(to) || goacc_own.turn.strand ? 0 : GOACC_READ;
    bool reported = false;
    for (uint64_t k = 0; k < n;) {
        const uint64_t left = n - k, moved = move_valid(to + k, from + k, left, read);
        if (moved) {
            k += moved;
            continue;
        }
        struct goacc_part target = goacc_part_of(to + k, left), source = goacc_part_of(from + k, target.n);
        if (source.n < target.n)
            target = goacc_part_of(to + k, source.n);
        const uint32_t whole = target.bytes & GOACC_IN_ALL(GOACC_VALID);
        if (goacc_lost(&source) == source.bytes && !goacc_having(&target, GOACC_ONLY) &&
            !goacc_is_poison(source.at, source.n)) {
            goacc_change(&target, GOACC_READ, GOACC_PRESENT | GOACC_VALID);
        } else if (goacc_having(&source, GOACC_VALID) >> 4 * (source.at % 8) == whole >> 4 * (target.at % 8)) {
            goacc_change(&target, GOACC_ONLY | GOACC_READ, GOACC_PRESENT | GOACC_VALID | read);
            goacc_change(&source, GOACC_ONLY, 0);
        } else {
            const bool unwritten = is_unwritten(&source);
            for (uint64_t i = 0; i < target.n; i++) {
                const struct goacc_part a = goacc_part_of(target.at + i, 1),
                                        b = goacc_part_of(source.at + i, 1);
                const bool only = goacc_having(&a, GOACC_ONLY) && goacc_having(&a, GOACC_VALID);
                bool valid = !b.states || goacc_having(&b, GOACC_VALID) || (goacc_lost(&b) && !only && !unwritten);
                if (!valid && only && !unwritten) {
                    if (!reported && pair && goacc_unchanged(&b))
                        goacc_report_overwritten(pair, a.at, *a.note);
                    reported = valid = true;
                    goacc_change(&b, 0, GOACC_VALID);
                }
                goacc_change(&a, GOACC_ONLY | GOACC_READ | GOACC_VALID,
                             GOACC_PRESENT | (valid ? GOACC_VALID | read : 0));
                goacc_change(&b, goacc_lost(&b) ? 0 : GOACC_ONLY, 0);
            }
            goacc_digest(&target);
        }
        k += target.n;
    }
}

/* Makes the copies on other devices old: a transfer from one device, under way, gives the host new values. */
static void outdate_elsewhere(const struct goacc_pair *from, uint64_t host, uint64_t bytes)
{
    struct goacc_pair pair;
    if (goacc.options.devices == 1 || goacc_range_has(host, bytes, GOACC_VALID, 0))
        return;
    for (uint64_t at = host; at < host + bytes; at++) {
        const struct goacc_part own = goacc_part_of(at, 1);
        const struct goacc_part source = goacc_part_of(goacc_other(from, at), 1);
        if (goacc_having(&own, GOACC_VALID) || !goacc_having(&source, GOACC_VALID))
            continue;
        for (int device = 0; device < goacc.options.devices; device++)
            if (device != from->device && goacc_pair_of(device, at, &pair))
                goacc_outdate(&pair, at, 1);
        if (own.states && goacc.site)
            *own.note = (uint32_t)goacc.site->call.pc;
    }
}

/* The host's bytes that were not the newest as their data were unmapped stay so. */
static void map_host(const struct goacc_pair *pair)
{
    if (goacc_range_has(pair->host, pair->bytes, 0, GOACC_PRESENT)) {
        goacc_set(pair->host, pair->bytes, 0, GOACC_PRESENT | GOACC_VALID | GOACC_ONLY);
        return;
    }
    GOACC_EACH_PART(part, pair->host, pair->bytes) {
        const uint32_t valid = goacc_having(&part, GOACC_VALID) / GOACC_VALID;
        const uint32_t old = goacc_unchanged(&part) ? (goacc_having(&part, GOACC_PRESENT) & ~valid) * 0xf : 0;
        goacc_change(&part, 0, GOACC_PRESENT | GOACC_ONLY);
        part.bytes &= ~old;
        goacc_change(&part, 0, GOACC_VALID);
    }
}

static void allocated(const accd_event *event)
{
    struct goacc_pair pair;
    goacc_pairs_changed();
    if (!event->bytes || !goacc_pair_of(event->device, event->host, &pair) ||
        !goacc_cover(pair.host, pair.bytes))
        return;
    goacc_widen(pair.dev, pair.bytes);
    goacc_check_allocated(pair.dev, pair.bytes);
    goacc_tally_count(event);
    map_host(&pair);
}

/* gcc passes a private variable of an OpenACC construct as it passes a copyin clause. */
static bool may_be_private(const accd_event *event)
{
    enum { SMALL = 16 };
    return event->bytes <= SMALL && goacc.site && !strcmp(goacc.site->what, "compute");
}

/* Of another device, too. */
static bool is_present_elsewhere(const accd_event *event)
{
    for (int device = 0; device < goacc.options.devices; device++)
        if (device != event->device &&
            accd_presence_of(goacc.context, device, (const void *)(uintptr_t)event->host, event->bytes) !=
                ACCD_ABSENT)
            return true;
    return false;
}

/* What the host's bytes are, if they are not the newest, is kept until they are written. */
static void freed(const accd_event *event)
{
    struct goacc_pair pair;
    bool noted = false, unwritten = false;
    if (!goacc_pair_of(event->device, event->host, &pair))
        return;
    goacc_turns_use(pair.dev, pair.bytes, GOACC_FREES);
    goacc_unused_freed(&pair);
    const bool stays = is_present_elsewhere(event);
    const bool newest = !stays && goacc_range_has(pair.host, pair.bytes, GOACC_VALID, 0);
    if (newest)
        goacc_set(pair.host, pair.bytes, 0xf, 0);
    GOACC_EACH_PART(part, pair.host, newest ? pair.bytes : 0)
        goacc_digest(&part); /* of what lies beside it, in one word, and is old */
    GOACC_EACH_PART(part, pair.host, stays || newest ? 0 : pair.bytes) {
        const uint32_t valid = goacc_having(&part, GOACC_VALID) / GOACC_VALID * 0xf;
        const bool same = valid != part.bytes && !memcmp(goacc_content(part.at),
                                                         goacc_content(goacc_other(&pair, part.at)), part.n);
        for (uint64_t i = 0; i < part.n && valid != part.bytes; i++) {
            const struct goacc_part own = goacc_part_of(part.at + i, 1);
            const struct goacc_part other = goacc_part_of(goacc_other(&pair, part.at + i), 1);
            const bool other_valid = !goacc_having(&own, GOACC_VALID) && goacc_having(&other, GOACC_VALID);
            const bool newer = other_valid && !same;
            if (other_valid && (newer ? may_be_private(event) : !goacc_lost(&own)))
                goacc_change(&own, 0, GOACC_VALID);
            else if (newer && !noted)
                goacc_note_lost(event, *other.note);
            noted |= newer;
            unwritten |= !newer && !goacc_having(&own, GOACC_VALID) && !goacc_lost(&own);
        }
        const uint32_t old = part.bytes & ~(goacc_having(&part, GOACC_VALID) / GOACC_VALID * 0xf);
        part.bytes &= ~old;
        goacc_change(&part, 0xf, 0);
        if (part.bytes)
            goacc_digest(&part);
        part.bytes = old;
        goacc_change(&part, GOACC_ONLY | GOACC_READ, 0);
    }
    if (unwritten && !noted)
        goacc_note_lost(event, 0);
    goacc_set(pair.dev, pair.bytes, 0xf, 0);
    goacc_forget_uneven(&pair);
    goacc_pairs_changed(); /* it goes now */
    goacc_hold_pending(pair.host, pair.bytes);
}

void goacc_check_event(const accd_event *event)
{
    struct goacc_pair pair;
    const uint64_t host = event->host;
    uint16_t number;
    bool idle;
    switch (event->op) {
    case ACCD_OP_ALLOC:
        allocated(event);
        break;
    case ACCD_OP_FREE:
        freed(event);
        break;
    case ACCD_OP_H2D:
    case ACCD_OP_D2H:
        if (!goacc_pair_of(event->device, host, &pair) || event->bytes > pair.host + pair.bytes - host)
            break;
        idle = is_same(&pair, host, event->bytes);
        goacc_turns_use(goacc_other(&pair, host), event->bytes,
                        event->op == ACCD_OP_D2H || idle ? GOACC_READS : GOACC_WRITES);
        goacc_note_pending(event, &pair,
                           event->op == ACCD_OP_D2H && idle && goacc_range_has(host, event->bytes, GOACC_VALID, 0));
        number = goacc_idle_count(event, idle && !goacc_objects_unchecked(), false);
        if (event->op == ACCD_OP_D2H) {
            outdate_elsewhere(&pair, host, event->bytes);
            move(host, goacc_other(&pair, host), event->bytes, &pair);
            goacc_set(goacc_other(&pair, host), event->bytes, 0, GOACC_READ); /* the host has it now */
            break;
        }
        goacc_unused_moved(event, &pair, number, idle);
        if (!idle)
            move(goacc_other(&pair, host), host, event->bytes, &pair);
        break;
    case ACCD_OP_ATTACH:
    case ACCD_OP_DETACH:
        if (!goacc_pair_of(event->device, host, &pair) || event->bytes > pair.host + pair.bytes - host)
            break;
        goacc_set(goacc_other(&pair, host), event->bytes, 0, GOACC_PRESENT | GOACC_VALID);
        if (event->op == ACCD_OP_DETACH) /* no transfer would have sent a kernel's change of the pointer */
            goacc_set(host, event->bytes, 0, GOACC_VALID);
        break;
    default:
        break;
    }
}

void goacc_check_written(int device, uint64_t dev, const void *host, uint64_t bytes)
{
    (void)device, (void)host;
    goacc_set(dev, bytes, GOACC_ONLY, GOACC_PRESENT | GOACC_VALID);
}

/* Elements of which a byte differs are changed. Where their size is not known, only bytes are. */
void goacc_check_initial(int device, const char *host, const char *initial, uint64_t bytes)
{
    struct goacc_pair pair;
    struct goacc_name name;
    uint64_t unit = goacc_name_of(goacc.site, (uintptr_t)host, bytes, &name) && name.unit ? name.unit : bytes;
    if (unit == 0 || unit > 2 * sizeof(uint64_t) || bytes % unit)
        unit = 1;
    if (!initial)
        goacc_check_unmapped(device, host);
    goacc_pairs_changed();
    if (!initial || !goacc_pair_of(device, (uintptr_t)host, &pair) || !goacc_cover(pair.host, pair.bytes))
        return;
    goacc_set(pair.host, pair.bytes, GOACC_ONLY, GOACC_PRESENT | GOACC_VALID);
    goacc_set(pair.dev, pair.bytes, GOACC_ONLY, GOACC_PRESENT | GOACC_VALID);
    for (uint64_t k = 0; k < bytes; k += unit)
        if (memcmp(host + k, initial + k, unit) != 0)
            goacc_outdate(&pair, (uintptr_t)host + k, unit);
}

void goacc_check_allocated(uint64_t dev, uint64_t bytes)
{
    goacc_set(dev, bytes, GOACC_VALID | GOACC_ONLY | GOACC_READ, GOACC_PRESENT);
    GOACC_EACH_PART(part, dev, bytes)
        goacc_digest(&part);
}

/* Up to the gap behind it. */
void goacc_check_freed(uint64_t dev)
{
    uint64_t end = dev;
    goacc_pairs_changed();
    for (; goacc_on_device(end); end += 8) {
        const struct goacc_part part = goacc_part_of(end, 8);
        if (!goacc_having(&part, GOACC_PRESENT))
            break;
        goacc_change(&part, 0xf, 0);
    }
    goacc_turns_use(dev, end - dev, GOACC_FREES);
}

void goacc_check_mapped(const void *host, uint64_t bytes)
{
    goacc_pairs_changed();
    if (goacc_cover((uintptr_t)host, bytes))
        goacc_set((uintptr_t)host, bytes, 0, GOACC_PRESENT | GOACC_VALID | GOACC_ONLY);
}

void goacc_check_unmapped(int device, const void *host)
{
    struct goacc_pair pair;
    if (goacc_pair_of(device, (uintptr_t)host, &pair))
        goacc_set(pair.host, pair.bytes, 0xf, 0);
    goacc_pairs_changed();
}

static bool find_pair(uint64_t at, struct goacc_pair *pair)
{
    bool found = goacc_on_device(at) && goacc_pair_at(at, pair);
    for (int device = 0; !goacc_on_device(at) && device < goacc.options.devices && !found; device++)
        found = goacc_pair_of(device, at, pair);
    return found;
}

/* Whether a pointer in device memory has the device address of what the host's pointer points to: then the program itself
 * has attached the pointer. */
static bool is_attached(uint64_t at)
{
    struct goacc_pair pair;
    if (!goacc_on_device(at) || at % sizeof(void *) || !find_pair(at, &pair) ||
        at + sizeof(void *) > pair.dev + pair.bytes)
        return false;
    const uintptr_t value = goacc_word((const void *)(uintptr_t)at),
                    host = goacc_word((const void *)(uintptr_t)goacc_other(&pair, at));
    return value && value == accd_device_address(goacc.context, pair.device, (const void *)host);
}

/* The object of which two addresses are the same byte on both sides. */
static bool find_pair_between(uint64_t to, uint64_t from, struct goacc_pair *pair)
{
    const uint64_t dev = goacc_on_device(to) ? to : from;
    return goacc_on_device(dev) && goacc_pair_at(dev, pair) &&
           goacc_other(pair, dev) == (dev == to ? from : to);
}

/* A byte was written: makes the copies on the other side old, of the host on each device. */
static void outdate_copies(uint64_t at)
{
    struct goacc_pair pair;
    if (goacc_on_device(at)) {
        if (goacc_pair_at(at, &pair))
            goacc_outdate(&pair, at, 1);
        return;
    }
    for (int device = 0; device < goacc.options.devices; device++)
        if (goacc_pair_of(device, at, &pair))
            goacc_outdate(&pair, at, 1);
}

static void move_or_store(uint64_t to, uint64_t from, uint64_t bytes)
{
    struct goacc_pair pair;
    if (goacc_on_device(from))
        goacc_set(from, bytes, 0, GOACC_READ);
    if (bytes && find_pair_between(to, from, &pair)) {
        if (!goacc_on_device(to))
            outdate_elsewhere(&pair, to, bytes);
        move(to, from, bytes, &pair);
        return;
    }
    for (uint64_t i = 0; i < bytes; i++) {
        const struct goacc_part target = goacc_part_of(to + i, 1), source = goacc_part_of(from + i, 1);
        if (bytes - i >= sizeof(void *) && is_attached(to + i)) {
            goacc_set(to + i, sizeof(void *), GOACC_ONLY, GOACC_VALID);
            i += sizeof(void *) - 1;
            continue;
        }
        if (!goacc_having(&target, GOACC_PRESENT))
            continue;
        if (!find_pair(to + i, &pair) && !goacc_on_device(to + i)) {
            goacc_change(&target, 0xf, 0); /* it was present */
        } else if (goacc_having(&source, GOACC_PRESENT) && !goacc_having(&source, GOACC_VALID)) {
            goacc_change(&target, GOACC_VALID | GOACC_ONLY, 0);
        } else {
            goacc_change(&target, GOACC_READ, GOACC_VALID | GOACC_ONLY);
            outdate_copies(to + i);
        }
    }
}

void goacc_check_copied(uint64_t to, uint64_t from, uint64_t bytes)
{
    goacc_turns_use(from, bytes, GOACC_READS);
    goacc_turns_use(to, bytes, GOACC_WRITES);
    move_or_store(to, from, bytes);
    if (!goacc_on_device(to))
        goacc_note_pending_copy(to, bytes, true);
    if (!goacc_on_device(from))
        goacc_note_pending_copy(from, bytes, false);
}
