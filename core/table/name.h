/* name.h - what objects, pointers and sections are called. */
#ifndef ACCD_NAME_H
#define ACCD_NAME_H

#include "table/table.h"

/* All write at most room bytes and end with a zero. */
void accd__format_object(struct accd__device_env *env, const struct accd__object *object, char *to, size_t capacity);
void accd__format_original(struct accd__device_env *env, const struct accd__original *original, char *to,
                           size_t capacity);
/* A range that begins in an object, called as the object is. */
void accd__format_range(struct accd__device_env *env, const struct accd__object *object, uint64_t into, uint64_t bytes,
                        char *to, size_t capacity);
/* The place in a present object, as a member or element of it. */
void accd__format_member(struct accd__device_env *env, const struct accd__object *object, uint64_t offset, char *to,
                         size_t capacity);
/* Bytes of a present object: the member that they are, or the element. */
void accd__format_element(struct accd__device_env *env, const struct accd__object *object, uint64_t offset,
                          uint64_t bytes, char *to, size_t capacity);
/* A pointer, by its own address. */
void accd__format_slot(struct accd__device_env *env, uint64_t slot, uint32_t label, char *to, size_t capacity);
void accd__format_label(const accd_label *label, const int64_t *index, int64_t start, uint64_t bytes, char *to,
                        size_t capacity);
/* The same of an item, or of a part of it; the index of its first element. */
void accd__format_source(const struct accd__item_source *source, uint64_t host, uint64_t bytes, char *to,
                         size_t capacity);
int64_t accd__source_start(const struct accd__item_source *source, uint64_t host);
/* The name alone, without section. */
void accd__format_pointer(const accd_label *label, const int64_t *index, char *to, size_t capacity);
/* A section of a walk, the pointer it was reached through, an element's own bytes. */
void accd__format_section(const struct accd_walk *walk, size_t section, char *to, size_t capacity);
void accd__format_row_slot(const struct accd_walk *walk, size_t section, char *to, size_t capacity);
/* What the walk began with for a section of a row, and its indices: as many as an item has. */
enum accd__root_kind accd__get_root_kind(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                                         int64_t *index);
void accd__format_piece(const struct accd_walk *walk, const struct accd__rowset *set, size_t row,
                        const accd_piece *piece, char *to, size_t capacity);
/* A range and where its label is from; without a name. */
accd_object_info accd__make_object_info(const accd_label *label, uint64_t host, uint64_t bytes);
void accd__describe_object(struct accd__device_env *env, const struct accd__object *object, accd_object_info *info);
/* The program that says what the elements of the object are made of, or NULL; with the number of
 * the first element and the bytes of each. */
const accd_program *accd__object_layout(struct accd__device_env *env, const struct accd__object *object);

#endif
