/* order.h - notes for each word of device memory which work used it last, and finds two uses between which
 * the program does not wait. The library of programs compiled for checking does so for kernels, the runtime
 * for its transfers. */
#ifndef GOACC_CHECKED_ORDER_H
#define GOACC_CHECKED_ORDER_H

#include "checked.h"

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
    if (how & GOACC_CHANGES)
        *last = (struct goacc_last){.write = own};
    else if (read == work || own == work)
        last->read = read == work ? own : read;
    return true;
}

static inline void goacc_part_grain(const struct goacc_checked *checked, size_t grain)
{
    struct goacc_last *whole = &checked->grains[grain];
    for (size_t i = 0; whole->write != GOACC_APART && i < GOACC_GRAIN; i++)
        checked->apart[GOACC_GRAIN * grain + i] = *whole;
    whole->write = GOACC_APART;
}

/* The change of the numbers of 8 aligned bytes that was kept last, where theirs may be. */
static inline struct goacc_change *goacc_change_of(struct goacc_inside *inside, uint64_t numbers, unsigned how)
{
    return &inside->changes[how & GOACC_WRITES][numbers * 0x9E3779B97F4A7C15u >> 60];
}

/* A use of n bytes of device memory. False: it clashes. */
static inline bool goacc_use_all(const struct goacc_checked *checked, struct goacc_inside *inside, uintptr_t at,
                                 size_t n, unsigned how, uintptr_t pc, const uintptr_t *frame)
{
    bool fine = true;
    for (size_t k = at - checked->low, end = k + n, next; k < end; k = next) {
        struct goacc_last *last = &checked->grains[k / GOACC_GRAIN];
        next = k + GOACC_GRAIN;
        if (k % GOACC_GRAIN || end - k < GOACC_GRAIN || last->write == GOACC_APART) {
            goacc_part_grain(checked, k / GOACC_GRAIN);
            last = &checked->apart[k];
            next = k + 1;
        }
        if (goacc_use(checked, inside, last, how))
            continue;
        checked->clash(last, checked->low + k, how, pc, frame);
        fine = false;
    }
    return fine;
}

/* The same for a load or store of a kernel: most words have numbers that other words had before them. */
static inline void goacc_use_word(const struct goacc_checked *checked, struct goacc_inside *inside, uintptr_t at,
                                  size_t n, unsigned how, uintptr_t pc, const uintptr_t *frame)
{
    uint64_t *numbers = (uint64_t *)(void *)&checked->grains[(at - checked->low) / GOACC_GRAIN], before = 0;
    const bool whole = n == 8 && at % 8 == 0 && !(how & GOACC_ATOMIC);
    if (whole) {
        before = *numbers;
        const struct goacc_change *change = goacc_change_of(inside, before, how);
        if (change->from == before) {
            *numbers = change->to;
            return;
        }
    }
    if (goacc_use_all(checked, inside, at, n, how, pc, frame) && whole)
        *goacc_change_of(inside, before, how) = (struct goacc_change){before, *numbers};
}

#endif
