/* source.h - parts of an object that its clause includes. */
#ifndef ACCD_TABLE_SOURCE_H
#define ACCD_TABLE_SOURCE_H

#include "table.h"

/* Tells how many of the bytes [from, to) of an object that a clause requests are included by the object's `layout`:
 * all, some or none. Bytes that the clause's own layout `own` (or NULL) excludes do not count. `object_offset` is the
 * offset of the object in the clause's elements. */
enum accd__containment accd__compare_layouts(const accd_program *layout, uint64_t from, uint64_t to,
                                             const accd_program *own, uint64_t object_offset);
/* Tells how much of a range of an object is present: bytes that the object's clause excluded are not. */
enum accd__containment accd__compare_with_object(struct accd__device_env *env, const struct accd__object *object,
                                                 uint64_t host, uint64_t bytes);

#endif
