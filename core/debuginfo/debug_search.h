/* debug_search.h - a range of memory whose name is looked for. */
#ifndef ACCD__DEBUG_SEARCH_H
#define ACCD__DEBUG_SEARCH_H

#include "debug_dw.h"

/* An object on the way from a variable. */
struct accd__search_node {
    struct accd__debug_type *type;
    uint64_t at;    /* its address, or with is_value what is in it */
    uint64_t block; /* what the last pointer on the way points at, 0: no pointer was followed */
    const char *name;
    uint64_t index;
    uint32_t parent;
    enum { ACCD__DEBUG_ROOT, ACCD__DEBUG_MEMBER, ACCD__DEBUG_ELEMENT, ACCD__DEBUG_POINTEE } how : 8;
    unsigned steps : 8;
    bool is_value : 1;
    bool is_guess : 1; /* an element that may not be there */
};

/* How a name fits, the better first: a pointer to the range or the object itself; part of what a
 * pointer points at; an element that may be there; a pointer without a type; behind a pointer. */
enum accd__debug_rank {
    ACCD__DEBUG_EXACT,
    ACCD__DEBUG_INSIDE,
    ACCD__DEBUG_GUESSED,
    ACCD__DEBUG_UNTYPED,
    ACCD__DEBUG_BEHIND,
    ACCD__DEBUG_NOTHING
};

struct accd__debug_search {
    struct accd__frame_view view;
    uint64_t address, bytes;
    struct accd__search_node *nodes;
    uint32_t n;
    enum accd__debug_rank rank;
    uint64_t distance; /* from the pointer, when it is behind */
    struct accd__debug_name *name_p;
};

/* A name as it grows; what does not fit is left out. */
struct accd__debug_name_path {
    char *to;
    size_t used;
    const char *dot; /* before the next member */
};

void accd__path_append(struct accd__debug_name_path *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *accd__member_separator(const struct accd__debug_type *type);
/* The i-th object. */
void accd__path_append_node(struct accd__debug_search *s, struct accd__debug_name_path *path, uint32_t i);
/* Subscripts of the index-th element in memory of what begins at object; the path has the first ones. */
void accd__path_append_index(struct accd__debug_search *s, struct accd__debug_name_path *path,
                             const struct accd__debug_type *type, uint64_t object, int64_t index, unsigned first);

/* Whether these bytes are, or contain, the range. */
bool accd__debug_is_exact_range(struct accd__debug_search *s, uint64_t start, uint64_t bytes);
bool accd__debug_contains_range(struct accd__debug_search *s, uint64_t start, uint64_t bytes);
/* All of what the path names, with elements of unit bytes; elements of what it names, if the range
 * is some. */
bool accd__name_as_whole(uint64_t unit, struct accd__debug_name *name);
bool accd__name_as_section(struct accd__debug_search *s, uint64_t offset, uint64_t unit, struct accd__debug_name *name);
/* The range lies in an object, or among the elements of an array that begin at data; the path grows
 * to what name is about. */
bool accd__path_describe(struct accd__debug_search *s, struct accd__debug_name_path *path,
                         struct accd__debug_type *type, uint64_t object, struct accd__debug_name *name);
bool accd__path_describe_elements(struct accd__debug_search *s, struct accd__debug_name_path *path,
                                  struct accd__debug_type *type, uint64_t object, uint64_t data,
                                  struct accd__debug_name *name);
/* What the name is about. */
void accd__name_set_object(struct accd__debug_name *name, struct accd__debug_type *type, uint64_t object, uint64_t data,
                           unsigned subscripts);
/* The path grows from what the name is about to the scalar that has the byte at an address. */
bool accd__path_descend(struct accd__debug_search *s, struct accd__debug_name_path *path,
                        const struct accd__debug_name *name, uint64_t address, struct accd__debug_name *element);
/* Names the range by pointers that start from variables in scope. */
bool accd__search_locals(struct accd__debug_search *s, struct accd__code_site *site);

#endif
