/* locate.c - questions about a finished walk (walk.h). In which segment and row is the section with a number? At which
 * offset does it lie in the device block of its group? Are elements copied as one piece? core/table, core/plan and
 * core/ops ask these questions. */
#include "walk/inside.h"

/* Returns the root (item of the construct) from which the sections of a segment were reached. */
const struct accd__walk_root *accd__segment_root(const struct accd_walk *walk, const struct accd__segment *segment)
{
    return &walk->roots[walk->rowsets[segment->rowset].root];
}

/* Returns the segment that contains section number `section`, and sets *row_p to the section's row there. */
const struct accd__segment *accd__find_segment(const struct accd_walk *walk, size_t section, size_t *row_p)
{
    assert(section < walk->sections);
    /* a segment without rows has the same `first` as the next segment, so that the last one with that value is taken */
    const struct accd__segment *found =
        walk->segments + ACCD_UPPER_BOUND(walk->segments, first, walk->nsegments, section) - 1;
    *row_p = section - found->first;
    return found;
}

/* Returns the offset of the section in a row in the device block of its group. If lengths differ, begins at the nearest
 * stored offset (one for every ACCD_ROWS rows), and adds the padded lengths of the rows up to this one. */
uint64_t accd__section_block_offset(const struct accd__segment *segment, size_t row)
{
    assert(row < segment->rows);
    if (!segment->bytes_of)
        return segment->dev + row * accd__padded(segment->bytes);
    size_t at = row / ACCD_ROWS * ACCD_ROWS;
    uint64_t place = segment->dev_of[row / ACCD_ROWS];
    for (; at < row; at++)
        place += accd__padded(segment->bytes_of[at]);
    return place;
}

/* Returns the address to which a field of the element in a row points: the value of the pointer or, if the field's
 * elements lie inside that element, their address. */
uint64_t accd__field_target(const struct accd__rowset *set, const accd_field *field, size_t row)
{
    uint64_t at = accd__row_address(set, row) + field->offset;
    return accd__is_inline_field(field) ? at : accd__load_pointer(at);
}

/* Returns true if updates copy bytes of the program's elements themselves, not only sections that their pointers reach:
 * some piece of the program is not entry_only. */
bool accd__has_own_moves(const accd_program *program)
{
    size_t own = 0;
    while (own < program->spec.npieces && program->spec.pieces[own].entry_only)
        own++;
    return own < program->spec.npieces;
}

/* Returns true if `action` copies all bytes of an element of `program` as one piece: to the host if `out`, otherwise to
 * the device. Requires that the pieces cover the element, and that all of them are copied in this direction, also those
 * with the flag init (initial value needed). */
bool accd__moves_as_one_piece(const accd_program *program, uint8_t action, bool out)
{
    assert(action < ACCD_ACTION_COUNT);
    const struct accd__action_traits *plain = &accd__traits_of_action[action];
    const struct accd__action_traits *init = &accd__traits_of_action[accd__effective_action(action, true, action)];
    if (!program->covers || !(out ? plain->out : plain->in))
        return false;
    return !program->init || (out ? init->out : init->in);
}
