/* inside.h - declarations that the files of core/routines share. */
#ifndef ACCD_ROUTINES_INSIDE_H
#define ACCD_ROUTINES_INSIDE_H

#include "accdeep_routines.h"
#include "base/base.h"

/* Returns the rule that errors of a routine cite; R_NONE: errors of the core keep their own rule. */
enum accd__rule accd__get_routine_rule(accd__routine routine);

/* Layout of a box of elements in one of its arrays. */
struct accd__box_layout {
    uint64_t strides[ACCD__MAX_BOX_RANK]; /* bytes between neighbours in each dimension */
    uint64_t first;                       /* offset in bytes of the first element of the box */
    uint64_t bytes;                       /* number of bytes from the first to the last byte of the box */
};
/* Sets *layout to the layout of `box` in the array with these offsets and dimensions. Returns false if the box is not
 * inside the array, or if the array does not fit into memory. The box must have 1 to ACCD__MAX_BOX_RANK dimensions. */
bool accd__lay_out_box(const accd__routine_box *box, const size_t *offsets, const size_t *dimensions,
                       struct accd__box_layout *layout);

#endif
