/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_TABLE_INSIDE_H
#define ACCD_TABLE_INSIDE_H

#include "table/table.h"

/* --------------------------------------------------------------------------------- objects.c -- */

/* The same of what is inserted at once, beside what a construct has reserved: places of objects, attachments. */
bool accd_directory_reserve_beside(struct accd_directory *dir, size_t objects, size_t attachments);

/* ---------------------------------------------------------------------------------- attach.c -- */

/* Puts an attachment into the order by targets; where memory is missing, the order is given up. */
void accd_attach_put_in(struct accd_directory *dir, struct accd_attach *attach);

/* ----------------------------------------------------------------------------------- group.c -- */

/* Turns pending groups that a range meets into objects. */
accd_status accd_index_met(struct accd_directory *dir, uint64_t low, uint64_t high);

#endif
