/* view.h - device ranges of objects. */
#ifndef ACCD_TABLE_VIEW_H
#define ACCD_TABLE_VIEW_H

#include "table.h"

/* Gives the device range of an object, or of its fused tuple if it lies in one, because indices may then cross objects.
 * Returns 1, or 0 if `object` is NULL. */
int accd__object_device_range(struct accd__device_env *env, const struct accd__object *object, uint64_t *low_p,
                              uint64_t *high_p);

#endif
