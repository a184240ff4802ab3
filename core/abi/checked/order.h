/* order.h - notes for each word of device memory which work used it last, and finds two uses between which
 * the program does not wait. The library of programs compiled for checking does so for kernels, the runtime
 * for its transfers. */
#ifndef GOACC_CHECKED_ORDER_H
#define GOACC_CHECKED_ORDER_H

#include "checked.h"

#include <string.h>

/* The number that takes the place of another. */
static inline uint16_t goacc_step(const struct goacc_checked *checked, struct goacc_inside *inside, uint16_t from)
{
    const unsigned i = from / 2 % GOACC_STEPS;
    if (inside->steps[i].from != from) {
        inside->steps[i].to = checked->step(from, inside->work);
        inside->steps[i].from = from;
    }
    return inside->steps[i].to;
}

/* False: the last use does not come before this one. */
static inline bool goacc_use(const struct goacc_checked *checked, struct goacc_inside *inside,
                             struct goacc_last *last, unsigned how)
{
    const uint16_t work = inside->work, own = work && how & GOACC_ATOMIC ? work + 1 : work;
    const uint16_t read = goacc_step(checked, inside, last->read);
    if (goacc_step(checked, inside, last->write) != work || (how & GOACC_CHANGES && read != work))
        return false;
    if (own != work) /* atomic, and remembers plain uses that came before */
        *last = how & GOACC_CHANGES
                    ? (struct goacc_last){checked->step(last->write, own), checked->step(last->read, 1)}
                    : (struct goacc_last){last->write, checked->step(last->read, own)};
    else if (how & GOACC_CHANGES)
        *last = (struct goacc_last){.write = work};
    else
        last->read = read;
    return true;
}

static inline uint32_t goacc_both(struct goacc_last last)
{
    return last.write | (uint32_t)last.read << 16;
}

static inline struct goacc_last goacc_numbers(uint32_t both)
{
    return (struct goacc_last){(uint16_t)both, (uint16_t)(both >> 16)};
}

/* Where numbers are looked for first: those of works that follow each other at different places. */
static inline unsigned goacc_spread(uint32_t both)
{
    return (both >> 1) + (both >> 16);
}

/* -------------------------------------------------------------------------------------- tiles -- */

/* One thread at a time changes tiles. False: this one does already, and a handler of a signal interrupts it. */
static inline bool goacc_take(struct goacc_checked *checked, const struct goacc_inside *inside)
{
    const struct goacc_inside *none = NULL;
    while (!__atomic_compare_exchange_n(&checked->busy, &none, inside, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        if (none == inside)
            return false;
        none = NULL;
    }
    return true;
}

static inline void goacc_give(struct goacc_checked *checked)
{
    __atomic_store_n(&checked->busy, NULL, __ATOMIC_RELEASE);
}

static inline bool goacc_is_apart(const struct goacc_uses *uses)
{
    return uses->last[0] == GOACC_APART;
}

static inline unsigned goacc_place_of(const struct goacc_uses *uses, size_t unit)
{
    return uses->of[unit / 2] >> 4 * (unit % 2) & 0xf;
}

static inline void goacc_set_places(struct goacc_uses *uses, size_t unit, size_t n, unsigned place)
{
    for (size_t step; n; unit += step, n -= step) {
        const unsigned shift = 4 * (unit % 2);
        step = shift || n == 1 ? 1 : 2;
        uint8_t *of = &uses->of[unit / 2];
        *of = (uint8_t)(step == 2 ? 0x11 * place : (*of & 0xf0u >> shift) | place << shift);
    }
}

/* The tile that has the numbers of a byte, and the size of its units; NULL: the byte has its own. */
static inline struct goacc_uses *goacc_uses_of(const struct goacc_checked *checked, size_t k, size_t *unit_p)
{
    struct goacc_uses *uses = &checked->uses[k / GOACC_TILE];
    *unit_p = GOACC_TILE / GOACC_UNITS;
    if (goacc_is_apart(uses)) {
        uses = &checked->parts[k / GOACC_UNITS];
        *unit_p = 1;
    }
    return goacc_is_apart(uses) ? NULL : uses;
}

/* Takes the tile of a byte apart. */
static inline void goacc_part(const struct goacc_checked *checked, size_t k)
{
    size_t unit;
    struct goacc_uses *uses = goacc_uses_of(checked, k, &unit);
    const size_t first = k / (unit * GOACC_UNITS) * (unit * GOACC_UNITS);
    for (size_t i = 0; uses && i < unit * GOACC_UNITS; i++) {
        const unsigned place = goacc_place_of(uses, i / unit);
        struct goacc_uses *part = &checked->parts[(first + i) / GOACC_UNITS];
        if (unit == 1) {
            checked->apart[first + i] = goacc_numbers(uses->last[place]);
            continue;
        }
        if (i % GOACC_UNITS == 0)
            memcpy(part->last, uses->last, sizeof part->last);
        goacc_set_places(part, i % GOACC_UNITS, 1, place);
    }
    for (size_t i = 0; uses && i < GOACC_PLACES; i++)
        uses->last[i] = GOACC_APART;
}

/* Places that no unit has become free, while no other thread may use one. */
static inline void goacc_free_places(const struct goacc_checked *checked, struct goacc_uses *uses)
{
    unsigned used = 1, two = 0;
    for (size_t i = 0; i < GOACC_UNITS / 2; i++)
        if (i == 0 || uses->of[i] != two) {
            two = uses->of[i];
            used |= 1u << two % GOACC_PLACES | 1u << two / GOACC_PLACES;
        }
    for (unsigned i = 1; i < GOACC_PLACES && checked->noting < 2; i++)
        if (!(used >> i & 1))
            uses->last[i] = 0;
}

/* The place of numbers in a tile, and whether it has them. Most have the same place in all tiles. 0: of those that are
 * not 0 the tile has too many. */
static inline bool goacc_find_place(const struct goacc_uses *uses, uint32_t last, unsigned *place_p)
{
    const unsigned first = goacc_spread(last);
    unsigned free = 0;
    *place_p = 0;
    for (unsigned i = first; i < first + GOACC_PLACES && last; i++) {
        const unsigned place = i % GOACC_PLACES;
        if (place && uses->last[place] == last) {
            *place_p = place;
            return true;
        }
        if (place && !free && !uses->last[place])
            free = place;
    }
    *place_p = free;
    return !last;
}

/* Two places may have the same numbers. */
static inline unsigned goacc_place_for(const struct goacc_checked *checked, struct goacc_uses *uses, uint32_t last)
{
    const unsigned first = goacc_spread(last) % GOACC_PLACES;
    unsigned place = first + !first;
    if (last && uses->last[place]) {
        if (goacc_find_place(uses, last, &place))
            return place;
        goacc_free_places(checked, uses);
        if (goacc_find_place(uses, last, &place) || !place)
            return place;
    }
    if (last)
        uses->last[place] = last;
    return last ? place : 0;
}

/* The numbers of a byte, and how many of n bytes from it on have the same and lie in one tile. A part of a unit has
 * none: the tile is taken apart. */
static inline size_t goacc_last_of(struct goacc_checked *checked, const struct goacc_inside *inside, size_t k,
                                   size_t n, uint32_t *last)
{
    size_t unit;
    struct goacc_uses *uses = goacc_uses_of(checked, k, &unit);
    if (uses && (k % unit || n < unit) && goacc_take(checked, inside)) {
        goacc_part(checked, k);
        goacc_give(checked);
        uses = goacc_uses_of(checked, k, &unit);
    }
    if (!uses) {
        *last = goacc_both(checked->apart[k]);
        return 1;
    }
    const size_t first = k / unit % GOACC_UNITS, most = first + n / unit;
    const unsigned place = goacc_place_of(uses, first);
    size_t end = first + 1;
    while (end < most && end < GOACC_UNITS && goacc_place_of(uses, end) == place)
        end++;
    *last = uses->last[place];
    return (end - first) * unit;
}

static inline void goacc_put_all(struct goacc_checked *checked, const struct goacc_inside *inside, size_t k, size_t n,
                                 uint32_t last);

/* Bytes of one tile, whole units of it, get numbers. Returns their place. */
static inline unsigned goacc_put(struct goacc_checked *checked, const struct goacc_inside *inside, size_t k, size_t n,
                                 uint32_t last)
{
    size_t unit;
    unsigned place = 0;
    if (!goacc_take(checked, inside))
        return 0;
    struct goacc_uses *uses = goacc_uses_of(checked, k, &unit);
    if (uses && n == unit * GOACC_UNITS)
        *uses = (struct goacc_uses){0};
    if (uses)
        place = goacc_place_for(checked, uses, last);
    if (uses && last && !place) {
        goacc_part(checked, k);
        goacc_give(checked);
        goacc_put_all(checked, inside, k, n, last);
        return 0;
    }
    if (uses)
        goacc_set_places(uses, k / unit % GOACC_UNITS, n / unit, place);
    else
        checked->apart[k] = goacc_numbers(last);
    goacc_give(checked);
    return place;
}

/* The same of any bytes. */
static inline void goacc_put_all(struct goacc_checked *checked, const struct goacc_inside *inside, size_t k, size_t n,
                                 uint32_t last)
{
    uint32_t old;
    for (size_t end = k + n, part; k < end; k += part) {
        part = goacc_last_of(checked, inside, k, end - k, &old);
        goacc_put(checked, inside, k, part, last);
    }
}

/* --------------------------------------------------------------------------------------- uses -- */

/* The change of some numbers that was kept last, where theirs may be. */
static inline struct goacc_change *goacc_change_of(struct goacc_inside *inside, uint32_t from, unsigned how)
{
    return &inside->changes[how % GOACC_FREES][goacc_spread(from) % GOACC_KEPT];
}

/* A use of n bytes of device memory. Bytes whose last uses are the same ones clash once. */
static inline void goacc_use_all(struct goacc_checked *checked, struct goacc_inside *inside, uintptr_t at, size_t n,
                                 unsigned how, uintptr_t pc, const uintptr_t *frame)
{
    struct goacc_change clash = {UINT32_MAX, 0, 0};
    for (size_t k = at - checked->low, end = k + n, part; k < end; k += part) {
        uint32_t from;
        part = goacc_last_of(checked, inside, k, end - k, &from);
        struct goacc_change *change = goacc_change_of(inside, from, how);
        if (change->from != from && clash.from == from)
            change = &clash;
        if (change->from != from) {
            struct goacc_last last = goacc_numbers(from);
            const bool fine = goacc_use(checked, inside, &last, how);
            if (!fine) {
                checked->clash(&last, checked->low + k, how, pc, frame);
                change = &clash;
            }
            *change = (struct goacc_change){from, goacc_both(last), 0};
        }
        if (change->to != from)
            change->place = goacc_put(checked, inside, k, part, change->to);
    }
}

/* A load or store of a kernel, of aligned bytes that are one or two units, of 4 bytes or of one. True: their numbers
 * were those of others, and have become what those became. */
static inline __attribute__((always_inline)) bool goacc_use_again(const struct goacc_checked *checked,
                                                                  struct goacc_inside *inside, size_t k, size_t n,
                                                                  unsigned how)
{
    const bool parts = n < 4;
    if (parts && !goacc_is_apart(&checked->uses[k / GOACC_TILE]))
        return false;
    struct goacc_uses *uses = parts ? &checked->parts[k / GOACC_UNITS] : &checked->uses[k / GOACC_TILE];
    const size_t unit = parts ? k : k / 4;
    const bool both = n == 8 || n == 2;
    uint8_t *of = &uses->of[unit % GOACC_UNITS / 2];
    const unsigned two = *of, shift = both ? 0 : unit % 2 * 4, place = two >> shift & 0xf;
    const uint32_t from = uses->last[place];
    const struct goacc_change *change = goacc_change_of(inside, from, how);
    if ((both && two != 0x11 * place) || change->from != from)
        return false;
    if (change->to == from)
        return true;
    unsigned other = (unsigned)change->place;
    if (checked->noting > 1 ||
        (uses->last[other] != change->to && !goacc_find_place(uses, change->to, &other)))
        return false;
    *of = (uint8_t)(both ? 0x11 * other : (two & 0xf0u >> shift) | other << shift);
    return true;
}

#endif
