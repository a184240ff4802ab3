/* inside.h - functions that only files of core/walk use. */
#ifndef ACCD_WALK_INSIDE_H
#define ACCD_WALK_INSIDE_H

#include "walk/walk.h"

/* ------------------------------------------------------------------------------------ grid.c -- */

/* Counts, or lists, the addresses of elements of `unit` bytes in a grid. */
uint64_t accd__grid_element_count(const struct accd__grid *grid, uint64_t unit);
/* Writes the element addresses; `to` has space for accd__grid_element_count of them. */
void accd__grid_list_addresses(const struct accd__grid *grid, uint64_t unit, uint64_t *to);
/* Returns true if some section of the segment has gaps, which its descriptor tells. */
bool accd__segment_has_gaps(const struct accd_walk *walk, const struct accd__segment *segment);

/* ------------------------------------------------------------------------------ descriptor.c -- */

/* Reads the dimensions of the descriptor of `bytes` bytes whose address of data ends at `rest`. Returns false if they
 * do not fit into it, or are not representable. */
bool accd__read_array_shape(const accd_context *context, const char *rest, uint32_t bytes,
                            struct accd__array_shape *shape);

#endif
