/* source.h - tells which bytes of an object its clause includes. A layout is the program that describes the type of the
 * elements, with the members that a clause excludes. */
#ifndef ACCD_TABLE_SOURCE_H
#define ACCD_TABLE_SOURCE_H

#include "table.h"

/* Tells how many of the requested bytes, offsets [from, to) in an object, the object's `layout` includes: all, some or
 * none. Bytes that the layout `own` (or NULL) of the requesting clause excludes do not count. `object_offset` is the
 * offset of the object in the clause's elements. */
enum accd__containment accd__compare_layouts(const accd_program *layout, uint64_t from, uint64_t to,
                                             const accd_program *own, uint64_t object_offset);
/* Tells how much of the range [host, host + bytes) of an object is present: all, some or none. Bytes that the object's
 * clause excluded are not present. */
enum accd__containment accd__compare_with_object(struct accd__device_env *env, const struct accd__object *object,
                                                 uint64_t host, uint64_t bytes);

#endif
