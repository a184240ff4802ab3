/* locate.c - where a section of a walk lies: its column, its row, its place in a device block; whether
 * elements move as one piece. */
#include "walk/inside.h"

const struct accd_walk_root *accd_section_root(const struct accd_walk *walk, const struct accd_segment *segment)
{
    return &walk->roots[walk->rowsets[segment->rowset].root];
}

const struct accd_segment *accd_walk_locate(const struct accd_walk *walk, size_t section, size_t *row_p)
{
    /* segments without rows share their first section with the next one */
    const struct accd_segment *found =
        walk->segments + ACCD_FIRST_ABOVE(walk->segments, first, walk->nsegments, section) - 1;
    *row_p = section - found->first;
    return found;
}

/* Place of a section in its group's device block, from the block's start. */
uint64_t accd_section_place(const struct accd_segment *segment, size_t row)
{
    if (!segment->bytes_of)
        return segment->dev + row * accd_padded(segment->bytes);
    size_t at = row / ACCD_ROWS * ACCD_ROWS;
    uint64_t place = segment->dev_of[row / ACCD_ROWS];
    for (; at < row; at++)
        place += accd_padded(segment->bytes_of[at]);
    return place;
}

uint64_t accd_field_base(const struct accd_rowset *set, const accd_field *field, size_t row)
{
    uint64_t at = accd_row_address(set, row) + field->offset;
    return accd_field_lies_inside(field) ? at : accd_load_pointer(at);
}

bool accd_moves_itself(const accd_program *program)
{
    size_t own = 0;
    while (own < program->spec.npieces && program->spec.pieces[own].entry_only)
        own++;
    return own < program->spec.npieces;
}

bool accd_moves_whole(const accd_program *program, uint8_t action, bool out)
{
    const struct accd_demand *plain = &accd_demands[action];
    const struct accd_demand *init = &accd_demands[accd_effective(action, true, action)];
    if (!program->covers || !(out ? plain->out : plain->in))
        return false;
    return !program->init || (out ? init->out : init->in);
}
