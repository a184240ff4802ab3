/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_WALK_INSIDE_H
#define ACCD_WALK_INSIDE_H

#include "walk/walk.h"

/* ------------------------------------------------------------------------------------ grid.c -- */

/* The addresses of elements of so many bytes, and how many there are. */
uint64_t accd__grid_element_count(const struct accd__grid *grid, uint64_t unit);
void accd__grid_list_addresses(const struct accd__grid *grid, uint64_t unit, uint64_t *to);
bool accd__segment_has_gaps(const struct accd_walk *walk, const struct accd__segment *segment);

/* ------------------------------------------------------------------------------ descriptor.c -- */

bool accd__read_array_shape(const accd_context *context, const char *rest, uint32_t bytes,
                            struct accd__array_shape *shape);

#endif
