/* name.h - formats names of objects, pointers and sections, as events and messages show them. A label is the record
 * with which a caller names an item or field; each # in its name stands for an index. A walk follows the pointers in an
 * item; it finds sections (targets of pointers), of which segments are columns and rowsets the elements. */
#ifndef ACCD_NAME_H
#define ACCD_NAME_H

#include "table/table.h"

/* Formats a present object. All functions accd__format_* write a name to `to`, at most `capacity` bytes with the final
 * zero; longer names are cut. `capacity` must not be 0. */
void accd__format_object(struct accd__device_env *env, const struct accd__object *object, char *to, size_t capacity);
/* Formats the name of an original tuple (fusion's record of a clause, table/tuples.h). It may be a part of the clause.
 * The name is empty if the clause has no label. */
void accd__format_original(struct accd__device_env *env, const struct accd__original *original, char *to,
                           size_t capacity);
/* Formats the name of a range of `bytes` bytes that begins at byte `offset` of an object. */
void accd__format_range(struct accd__device_env *env, const struct accd__object *object, uint64_t offset,
                        uint64_t bytes, char *to, size_t capacity);
/* Formats the name of the element and member at byte `offset` of a present object. */
void accd__format_member(struct accd__device_env *env, const struct accd__object *object, uint64_t offset, char *to,
                         size_t capacity);
/* Formats the name of `bytes` bytes at byte `offset` of a present object: as the only member that they overlap or, if
 * there are several or none, as the element. */
void accd__format_element(struct accd__device_env *env, const struct accd__object *object, uint64_t offset,
                          uint64_t bytes, char *to, size_t capacity);
/* Formats the pointer at host address `slot`: by the present object that contains the pointer or, without one, by the
 * label with id `label`. */
void accd__format_slot(struct accd__device_env *env, uint64_t slot, uint32_t label, char *to, size_t capacity);
/* Formats a label with the numbers in `index` (or NULL) in place of each #. Appends the section of `bytes` bytes from
 * element `start`, if names with this label have a section. NULL label: an empty name. */
void accd__format_label(const accd_label *label, const int64_t *index, int64_t start, uint64_t bytes, char *to,
                        size_t capacity);
/* Formats the name of the range [host, host + bytes) of the item `source`: the whole item, or a part. The name is empty
 * if the item has no label. */
void accd__format_source(const struct accd__item_source *source, uint64_t host, uint64_t bytes, char *to,
                         size_t capacity);
/* Returns the index that names show for the element at host address `host` of the item `source`. */
int64_t accd__source_start(const struct accd__item_source *source, uint64_t host);
/* Formats the name of a pointer alone, without section: label->pointer or, if that is NULL, the label's name with
 * `index` in place of each #. NULL label: an empty name. */
void accd__format_pointer(const accd_label *label, const int64_t *index, char *to, size_t capacity);
/* Formats the name of section number `section` of a walk. */
void accd__format_section(const struct accd_walk *walk, size_t section, char *to, size_t capacity);
/* Formats the name of the pointer through which section number `section` of a walk was reached. */
void accd__format_row_slot(const struct accd_walk *walk, size_t section, char *to, size_t capacity);
/* Returns the position of the pointer through which the walk reached the section in a row, relative to the item of the
 * clause. Writes ACCD_MAX_LABEL_INDICES indices for its name to `index`. */
enum accd__root_kind accd__get_root_kind(const struct accd_walk *walk, const struct accd__segment *segment, size_t row,
                                         int64_t *index);
/* Formats the name of a piece of the element in row `row` of the rowset `set`; piece = NULL: the whole element. */
void accd__format_piece(const struct accd_walk *walk, const struct accd__rowset *set, size_t row,
                        const accd_piece *piece, char *to, size_t capacity);
/* Returns an object info with an empty name, the given range, and the source location of the label; NULL label: no
 * location. */
accd_object_info accd__make_object_info(const accd_label *label, uint64_t host, uint64_t bytes);
/* Fills `info` for a present object: name, host range, and source location of its clause. */
void accd__describe_object(struct accd__device_env *env, const struct accd__object *object, accd_object_info *info);
/* Returns the program that describes the parts of an object's elements; NULL: its label has none. */
const accd_program *accd__object_layout(struct accd__device_env *env, const struct accd__object *object);

#endif
