/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_WALK_INSIDE_H
#define ACCD_WALK_INSIDE_H

#include "walk/walk.h"

/* ------------------------------------------------------------------------------------ grid.c -- */

/* The addresses of elements of so many bytes, and how many there are. */
uint64_t accd_grid_rows(const struct accd_grid *grid, uint64_t unit);
void accd_grid_addresses(const struct accd_grid *grid, uint64_t unit, uint64_t *to);
bool accd_segment_gaps(const struct accd_walk *walk, const struct accd_segment *segment);

/* ------------------------------------------------------------------------------ descriptor.c -- */

bool accd_descriptor_shape(const accd_context *context, const char *rest, uint32_t bytes,
                           struct accd_shape *shape);

#endif
