/* name.h - what objects, pointers and sections are called. */
#ifndef ACCD_NAME_H
#define ACCD_NAME_H

#include "table/table.h"

/* All write at most room bytes and end with a zero. */
void accd_name_object(struct accd_directory *dir, const struct accd_object *object, char *to, size_t room);
void accd_name_original(struct accd_directory *dir, const struct accd_original *original, char *to,
                        size_t room);
/* A range that begins in an object, called as the object is. */
void accd_name_range(struct accd_directory *dir, const struct accd_object *object, uint64_t into,
                     uint64_t bytes, char *to, size_t room);
/* The place in a present object, as a member or element of it. */
void accd_name_inside(struct accd_directory *dir, const struct accd_object *object,
                      uint64_t offset, char *to, size_t room);
/* Bytes of a present object: the member that they are, or the element. */
void accd_name_element(struct accd_directory *dir, const struct accd_object *object,
                       uint64_t offset, uint64_t bytes, char *to, size_t room);
/* A pointer, by its own address. */
void accd_name_slot(struct accd_directory *dir, uint64_t slot, uint32_t label, char *to, size_t room);
void accd_name_label(const accd_label *label, const int64_t *index, int64_t start, uint64_t bytes,
                     char *to, size_t room);
/* The same of an item, or of a part of it; the index of its first element. */
void accd_name_source(const struct accd_source *source, uint64_t host, uint64_t bytes, char *to, size_t room);
int64_t accd_source_start(const struct accd_source *source, uint64_t host);
/* The name alone, without section. */
void accd_name_pointer(const accd_label *label, const int64_t *index, char *to, size_t room);
/* A section of a walk, the pointer it was reached through, an element's own bytes. */
void accd_name_section(const struct accd_walk *walk, size_t section, char *to, size_t room);
void accd_name_row_slot(const struct accd_walk *walk, size_t section, char *to, size_t room);
/* What the walk began with for a section of a row, and its indices: as many as an item has. */
enum accd_root_kind accd_name_root(const struct accd_walk *walk, const struct accd_segment *segment,
                                   size_t row, int64_t *index);
void accd_name_piece(const struct accd_walk *walk, const struct accd_rowset *set, size_t row,
                     const accd_piece *piece, char *to, size_t room);
/* A range and where its label is from; without a name. */
accd_object_info accd_info_of(const accd_label *label, uint64_t host, uint64_t bytes);
void accd_describe_object(struct accd_directory *dir, const struct accd_object *object,
                          accd_object_info *info);
/* The program that says what the elements of the object are made of, or NULL; with the number of
 * the first element and the bytes of each. */
const accd_program *accd_layout_of(struct accd_directory *dir, const struct accd_object *object);

#endif
