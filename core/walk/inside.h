/* inside.h - functions that only files of core/walk use. */
#ifndef ACCD_WALK_INSIDE_H
#define ACCD_WALK_INSIDE_H

#include "walk/walk.h"

/* ------------------------------------------------------------------------------------ grid.c -- */

/* Returns the number of elements of `unit` bytes in a grid. */
uint64_t accd__grid_element_count(const struct accd__grid *grid, uint64_t unit);
/* Writes the host addresses of the elements of `unit` bytes in a grid; `to` has space for accd__grid_element_count
 * addresses. */
void accd__grid_list_addresses(const struct accd__grid *grid, uint64_t unit, uint64_t *to);
/* Returns true if the descriptor of some section of the segment describes gaps. */
bool accd__segment_has_gaps(const struct accd_walk *walk, const struct accd__segment *segment);

/* ------------------------------------------------------------------------------ descriptor.c -- */

/* Reads element size, rank, counts and steps of a descriptor of `bytes` bytes into *shape and returns true. `rest`
 * points to the descriptor's second word, after its address of data. Returns false if the rank exceeds ACCD_MAX_RANK,
 * the dimensions do not fit into the descriptor, or a count or step is not representable. */
bool accd__read_array_shape(const accd_context *context, const char *rest, uint32_t bytes,
                            struct accd__array_shape *shape);

#endif
