/* inside.h - functions that only files of core/table use. */
#ifndef ACCD_TABLE_INSIDE_H
#define ACCD_TABLE_INSIDE_H

#include "table/group.h"

/* ---------------------------------------------------------------------------------- attach.c -- */

/* Inserts an attachment into the order by targets; drops the order if memory is missing. */
void accd__attachment_order_by_target(struct accd__device_env *env, struct accd__attachment *attach);

/* ----------------------------------------------------------------------------------- group.c -- */

/* Lists the numbers of all non-empty sections, sorted by their addresses, or by those of their pointers. The caller
 * frees *scratch, 2 * *n_p pairs. NULL: no memory. */
struct accd__pair *accd__group_sorted_sections(struct accd__device_env *env, const struct accd__group *group,
                                               bool slots, size_t *n_p, struct accd__pair **scratch);
/* Returns true if all columns of two walks are equal. */
bool accd__sections_equal(const struct accd_walk *a, const struct accd_walk *b);

/* --------------------------------------------------------------------------------- members.c -- */

/* Expands the pending groups whose sections overlap a range. Fails without memory. */
accd_status accd__expand_overlapping_groups(struct accd__device_env *env, uint64_t low, uint64_t high);

#endif
