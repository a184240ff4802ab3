/* view.h - device ranges of objects. */
#ifndef ACCD_TABLE_VIEW_H
#define ACCD_TABLE_VIEW_H

#include "table.h"

/* Sets [*low_p, *high_p) to the device range of an object and returns 1; returns 0 if `object` is NULL. If the object
 * lies in a fused tuple (several objects at their host distances in one block), the range is that of the tuple, because
 * indices may cross objects there. */
int accd__object_device_range(struct accd__device_env *env, const struct accd__object *object, uint64_t *low_p,
                              uint64_t *high_p);

#endif
