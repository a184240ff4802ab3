/* inside.h - what the files of this floor alone use of each other. */
#ifndef ACCD_FACE_INSIDE_H
#define ACCD_FACE_INSIDE_H

#include "table/table.h"

/* ---------------------------------------------------------------------------------- access.c -- */

/* ACCD_OUT_OF_BOUNDS: a device range does not lie in one allocation. */
accd_status accd_not_allocated(const struct accd_directory *dir);
/* ACCD_OUT_OF_BOUNDS if data lay at a device address that are elsewhere now. */
accd_status accd_check_stale(struct accd_directory *dir, uint64_t dev);

#endif
