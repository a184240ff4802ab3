/* name.h - formats names of objects, pointers and sections. */
#ifndef ACCD_NAME_H
#define ACCD_NAME_H

#include "table/table.h"

/* Functions that format write at most capacity bytes, with a final zero. */
void accd__format_object(struct accd__device_env *env, const struct accd__object *object, char *to, size_t capacity);
void accd__format_original(struct accd__device_env *env, const struct accd__original *original, char *to,
                           size_t capacity);
/* Formats the name of a range that begins at offset `into` of an object. */
void accd__format_range(struct accd__device_env *env, const struct accd__object *object, uint64_t into, uint64_t bytes,
                        char *to, size_t capacity);
/* Formats a position in a present object, as a member or element of it. */
void accd__format_member(struct accd__device_env *env, const struct accd__object *object, uint64_t offset, char *to,
                         size_t capacity);
/* Formats bytes of a present object: the member that they are, or the element. */
void accd__format_element(struct accd__device_env *env, const struct accd__object *object, uint64_t offset,
                          uint64_t bytes, char *to, size_t capacity);
/* Formats a pointer, given by its own address. */
void accd__format_slot(struct accd__device_env *env, uint64_t slot, uint32_t label, char *to, size_t capacity);
void accd__format_label(const accd_label *label, const int64_t *index, int64_t start, uint64_t bytes, char *to,
                        size_t capacity);
/* Formats an item, or a part of it; accd__source_start: the index of the part's first element. */
void accd__format_source(const struct accd__item_source *source, uint64_t host, uint64_t bytes, char *to,
                         size_t capacity);
int64_t accd__source_start(const struct accd__item_source *source, uint64_t host);
/* Formats the name of a pointer alone, without section. */
void accd__format_pointer(const accd_label *label, const int64_t *index, char *to, size_t capacity);
/* Formats a section of a walk, or the pointer through which it was reached. */
void accd__format_section(const struct accd_walk *walk, size_t section, char *to, size_t capacity);
void accd__format_row_slot(const struct accd_walk *walk, size_t section, char *to, size_t capacity);
/* Tells how the walk reached a section of a row, and writes its indices: as many as an item has. */
enum accd__root_kind accd__get_root_kind(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                                         int64_t *index);
/* Formats a piece of an element of a walk; piece may be NULL: the element. */
void accd__format_piece(const struct accd_walk *walk, const struct accd__rowset *set, size_t row,
                        const accd_piece *piece, char *to, size_t capacity);
/* Makes an object info without a name: a range, and the clause of its label. */
accd_object_info accd__make_object_info(const accd_label *label, uint64_t host, uint64_t bytes);
void accd__describe_object(struct accd__device_env *env, const struct accd__object *object, accd_object_info *info);
/* Returns the program that describes the elements of an object, or NULL. */
const accd_program *accd__object_layout(struct accd__device_env *env, const struct accd__object *object);

#endif
