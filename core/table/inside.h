/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_TABLE_INSIDE_H
#define ACCD_TABLE_INSIDE_H

#include "table/group.h"

/* ---------------------------------------------------------------------------------- attach.c -- */

/* Puts an attachment into the order by targets; where memory is missing, the order is given up. */
void accd_attach_put_in(struct accd_directory *dir, struct accd_attach *attach);

/* ----------------------------------------------------------------------------------- group.c -- */

/* Numbers of all sections that apply, by their addresses or by those of their pointers; *scratch, room for twice as
 * many pairs, is given back by the caller. NULL: no memory. */
struct accd_pair *accd_group_ordered(struct accd_directory *dir, const struct accd_group *group, bool slots,
                                     size_t *n_p, struct accd_pair **scratch);
bool accd_same_sections(const struct accd_walk *a, const struct accd_walk *b);

/* --------------------------------------------------------------------------------- members.c -- */

/* Turns pending groups that a range overlaps into objects. */
accd_status accd_index_met(struct accd_directory *dir, uint64_t low, uint64_t high);

#endif
