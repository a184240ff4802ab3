/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_TABLE_INSIDE_H
#define ACCD_TABLE_INSIDE_H

#include "table/group.h"

/* ---------------------------------------------------------------------------------- attach.c -- */

/* Puts an attachment into the order by targets; where memory is missing, the order is given up. */
void accd__attachment_order_by_target(struct accd__device_env *env, struct accd__attachment *attach);

/* ----------------------------------------------------------------------------------- group.c -- */

/* Numbers of all sections that apply, by their addresses or by those of their pointers; *scratch, room for twice as
 * many pairs, is given back by the caller. NULL: no memory. */
struct accd__pair *accd__group_sorted_sections(struct accd__device_env *env, const struct accd__group *group,
                                               bool slots, size_t *n_p, struct accd__pair **scratch);
bool accd__sections_equal(const struct accd_walk *a, const struct accd_walk *b);

/* --------------------------------------------------------------------------------- members.c -- */

/* Turns pending groups that a range overlaps into objects. */
accd_status accd__expand_overlapping_groups(struct accd__device_env *env, uint64_t low, uint64_t high);

#endif
