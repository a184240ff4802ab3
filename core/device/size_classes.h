/* size_classes.h - size classes of blocks of a simulated device, in units of 16 bytes: multiples of a unit up to 512
 * bytes, then eight classes for each doubling. */
#ifndef ACCD_SIZE_CLASSES_H
#define ACCD_SIZE_CLASSES_H

#include <assert.h>
#include <stdint.h>

enum { ACCD_FINE_CLASSES = 32, ACCD_SIZE_CLASSES = ACCD_FINE_CLASSES + 8 * 48 };

/* Returns the smallest class whose blocks have at least `units` units; class 0 for 0 units. */
static inline unsigned accd__size_class(uint64_t units)
{
    if (units <= ACCD_FINE_CLASSES)
        return units ? (unsigned)units - 1 : 0;
    unsigned shift = 60 - (unsigned)__builtin_clzll(units - 1);
    return ACCD_FINE_CLASSES + (shift - 2) * 8 + (unsigned)((units - 1) >> shift) - 8;
}

/* Returns the number of units of a block of a class. */
static inline uint64_t accd__class_units(unsigned class)
{
    assert(class < ACCD_SIZE_CLASSES);
    if (class < ACCD_FINE_CLASSES)
        return class + 1;
    unsigned shift = (class - ACCD_FINE_CLASSES) / 8 + 2;
    return (uint64_t)((class - ACCD_FINE_CLASSES) % 8 + 9) << (shift & 63);
}

#endif
