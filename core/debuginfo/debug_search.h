/* debug_search.h - a range of memory whose name is looked for. */
#ifndef GOACC_DEBUG_SEARCH_H
#define GOACC_DEBUG_SEARCH_H

#include "debug_dw.h"

/* An object on the way from a variable. */
struct goacc_node {
    struct goacc_type *type;
    uint64_t at;    /* its address, or with is_value what is in it */
    uint64_t block; /* what the last pointer on the way points at, 0: no pointer was followed */
    const char *name;
    uint64_t index;
    uint32_t parent;
    enum { GOACC_ROOT, GOACC_MEMBER, GOACC_ELEMENT, GOACC_POINTEE } how : 8;
    unsigned steps : 8;
    bool is_value : 1;
    bool is_guess : 1; /* an element that may not be there */
};

/* How a name fits, the better first: a pointer to the range or the object itself; part of what a
 * pointer points at; an element that may be there; a pointer without a type; behind a pointer. */
enum goacc_rank {
    GOACC_EXACT,
    GOACC_INSIDE,
    GOACC_GUESSED,
    GOACC_UNTYPED,
    GOACC_BEHIND,
    GOACC_NOTHING
};

struct goacc_search {
    struct goacc_view view;
    uint64_t address, bytes;
    struct goacc_node *nodes;
    uint32_t n;
    enum goacc_rank rank;
    uint64_t distance; /* from the pointer, when it is behind */
    struct goacc_name *name_p;
};

/* A name as it grows; what does not fit is left out. */
struct goacc_path {
    char *to;
    size_t used;
    const char *dot; /* before the next member */
};

void goacc_add(struct goacc_path *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *goacc_dot(const struct goacc_type *type);
/* The i-th object. */
void goacc_add_node(struct goacc_search *s, struct goacc_path *path, uint32_t i);
/* Subscripts of the index-th element in memory of what begins at object; the path has the first ones. */
void goacc_add_index(struct goacc_search *s, struct goacc_path *path, const struct goacc_type *type,
                     uint64_t object, int64_t index, unsigned first);

/* Whether these bytes are, or contain, the range. */
bool goacc_is_whole(struct goacc_search *s, uint64_t start, uint64_t bytes);
bool goacc_contains(struct goacc_search *s, uint64_t start, uint64_t bytes);
/* All of what the path names, with elements of unit bytes; elements of what it names, if the range
 * is some. */
bool goacc_as_whole(uint64_t unit, struct goacc_name *name);
bool goacc_as_section(struct goacc_search *s, uint64_t offset, uint64_t unit,
                      struct goacc_name *name);
/* The range lies in an object, or among the elements of an array that begin at data; the path grows
 * to what name is about. */
bool goacc_describe(struct goacc_search *s, struct goacc_path *path, struct goacc_type *type,
                    uint64_t object, struct goacc_name *name);
bool goacc_describe_elements(struct goacc_search *s, struct goacc_path *path, struct goacc_type *type,
                             uint64_t object, uint64_t data,
                             struct goacc_name *name);
/* What the name is about. */
void goacc_is_about(struct goacc_name *name, struct goacc_type *type, uint64_t object, uint64_t data,
                    unsigned subscripts);
/* The path grows from what the name is about to the scalar that has the byte at an address. */
bool goacc_descend(struct goacc_search *s, struct goacc_path *path, const struct goacc_name *name, uint64_t address,
                   struct goacc_name *element);
/* Names the range by pointers that start from variables in scope. */
bool goacc_reach(struct goacc_search *s, struct goacc_site *site);

#endif
