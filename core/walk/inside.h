/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_WALK_INSIDE_H
#define ACCD_WALK_INSIDE_H

#include "walk/walk.h"

/* ------------------------------------------------------------------------------------ seen.c -- */

/* Adds an element; *first_p: whether it is new. False: no memory. */
bool accd_seen_add(struct accd_seen *seen, struct accd_mem *mem, uint64_t address,
                   const accd_program *program, bool *first_p);
void accd_seen_close(struct accd_seen *seen, struct accd_mem *mem);

/* ------------------------------------------------------------------------------------ grid.c -- */

/* The addresses of elements of so many bytes, and how many there are. */
uint64_t accd_grid_rows(const struct accd_grid *grid, uint64_t unit);
void accd_grid_addresses(const struct accd_grid *grid, uint64_t unit, uint64_t *to);
bool accd_segment_gaps(const struct accd_walk *walk, const struct accd_segment *segment);

/* ------------------------------------------------------------------------------ descriptor.c -- */

bool accd_descriptor_shape(const accd_context *context, const char *rest, uint32_t bytes,
                           struct accd_shape *shape);

#endif
