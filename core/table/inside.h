/* inside.h - functions that only files of core/table use. */
#ifndef ACCD_TABLE_INSIDE_H
#define ACCD_TABLE_INSIDE_H

#include "table/group.h"

/* ---------------------------------------------------------------------------------- attach.c -- */

/* Inserts an attachment, whose base (host address of its target) is not 0, into the order by targets. Without memory,
 * drops the whole order, which is built again when needed. */
void accd__attachment_order_by_target(struct accd__device_env *env, struct accd__attachment *attach);

/* ----------------------------------------------------------------------------------- group.c -- */

/* Returns the mapped, non-empty sections of a group as *n_p pairs of address and section number, by ascending address.
 * The address is that of the section or, if `slots`, of the pointer to the section. The caller frees *scratch, an array
 * of 2 * *n_p pairs that contains the result. NULL: no memory. */
struct accd__pair *accd__group_sorted_sections(struct accd__device_env *env, const struct accd__group *group,
                                               bool slots, size_t *n_p, struct accd__pair **scratch);
/* Returns true if two walks have equally many columns (sections of one field) and all columns are equal
 * (accd__columns_equal). */
bool accd__sections_equal(const struct accd_walk *a, const struct accd_walk *b);

/* --------------------------------------------------------------------------------- members.c -- */

/* Expands the pending groups whose bitmap has a section in or near [low, high): all their sections become objects.
 * Fails without memory. */
accd_status accd__expand_overlapping_groups(struct accd__device_env *env, uint64_t low, uint64_t high);

#endif
