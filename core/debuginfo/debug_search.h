/* debug_search.h - search for the name of a range of memory: its state, the name being built, and the functions of
 * debug_format.c and debug_search.c. "The range" is that of the search: s->bytes bytes at s->address. A descriptor is
 * that of a Fortran array, whose elements are elsewhere. */
#ifndef ACCD__DEBUG_SEARCH_H
#define ACCD__DEBUG_SEARCH_H

#include "debug_dw.h"

/* Object that a path of members, elements and pointers from a variable reaches. */
struct accd__search_node {
    struct accd__debug_type *type;
    uint64_t at;      /* address of the object; with is_value, the value of the object itself */
    uint64_t block;   /* value of the last pointer of the path; 0: the path follows no pointer */
    const char *name; /* name of the variable or member */
    uint64_t index;   /* number of the object in its array in memory order, from 0; for elements only */
    uint32_t parent;  /* index of the node from which this node was reached */
    /* last step of the path: a variable, a member or element of the parent, or what the parent points to */
    enum { ACCD__DEBUG_ROOT, ACCD__DEBUG_MEMBER, ACCD__DEBUG_ELEMENT, ACCD__DEBUG_POINTEE } kind : 8;
    unsigned steps : 8; /* number of pointers that the path follows */
    bool is_value : 1;  /* `at` is the value of a variable without an address, such as one in a register */
    bool is_guess : 1;  /* the object, or one on its path, is a guessed element: one after the first to which a pointer
                           points */
};

/* Quality of a name, best first. */
enum accd__debug_rank {
    ACCD__DEBUG_EXACT,   /* the range is the object itself, or all that a pointer points to */
    ACCD__DEBUG_INSIDE,  /* the range is a part of what a pointer points to */
    ACCD__DEBUG_GUESSED, /* the range is an element that may not exist */
    ACCD__DEBUG_UNTYPED, /* the range is named by a pointer to void or to a type of unknown size */
    ACCD__DEBUG_AFTER,   /* the range is after the memory that a pointer points to */
    ACCD__DEBUG_NOTHING  /* the search has not found a name yet */
};

/* Search for the name of the range of `bytes` bytes at `address`. */
struct accd__debug_search {
    struct accd__frame_view view; /* registers and variables of the call from which the range is seen */
    uint64_t address, bytes;
    struct accd__search_node *nodes; /* objects found so far, in the order in which they are visited */
    uint32_t n;                      /* number of nodes */
    enum accd__debug_rank rank;      /* quality of the best name so far (the name in *name_p) */
    /* distance of the range from the pointer's target; the smaller one wins between names of one rank */
    uint64_t distance;
    struct accd__debug_name *name_p; /* best name so far; set once rank is better than NOTHING */
};

/* Name under construction, the path to an object. Text that does not fit into accd__debug_name.name is cut off. */
struct accd__debug_name_path {
    char *to;        /* text, the `name` of an accd__debug_name */
    size_t used;     /* length of the text */
    const char *dot; /* separator before the next member: ".", "->" or "%" */
};

/* Appends formatted text to the path; what does not fit is cut off. */
void accd__path_append(struct accd__debug_name_path *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the separator before members in the type's language: "%" in Fortran, otherwise ".". */
const char *accd__member_separator(const struct accd__debug_type *type);
/* Appends the path from a variable to node `i`, such as "p->next->a". */
void accd__path_append_node(struct accd__debug_search *s, struct accd__debug_name_path *path, uint32_t i);
/* Appends the subscripts of the element with `index` in memory order, in the array at `object`. The path already has
 * the first `first` subscripts. */
void accd__path_append_index(struct accd__debug_search *s, struct accd__debug_name_path *path,
                             const struct accd__debug_type *type, uint64_t object, int64_t index, unsigned first);

/* Returns true if the `bytes` bytes at `start` are exactly the range; for a range of 0 bytes, if it begins at `start`.
 */
bool accd__debug_is_exact_range(struct accd__debug_search *s, uint64_t start, uint64_t bytes);
/* Returns true if the `bytes` bytes at `start` contain all bytes of the range. */
bool accd__debug_contains_range(struct accd__debug_search *s, uint64_t start, uint64_t bytes);
/* Makes *name stand for all of the object that the path names, not for a section. `unit`: bytes of one element; 0:
 * the object is no array. Always returns true. */
bool accd__name_as_whole(uint64_t unit, struct accd__debug_name *name);
/* Sets *name to a section of the object that the path names: the range, which begins `offset` bytes after that object.
 * Returns false, without a change, if the range does not consist of whole elements of `unit` > 0 bytes. */
bool accd__name_as_section(struct accd__debug_search *s, uint64_t offset, uint64_t unit, struct accd__debug_name *name);
/* Names the range, which is within the object of `type` at `object`: extends the path, which names the object, and sets
 * *name. Returns false if the range cannot be named; the path may then be longer. */
bool accd__path_describe(struct accd__debug_search *s, struct accd__debug_name_path *path,
                         struct accd__debug_type *type, uint64_t object, struct accd__debug_name *name);
/* Names the range, which is among the elements at `data` of the array at `object`: extends the path, which names the
 * array, and sets *name. Returns false if the range cannot be named; the path may then be longer. */
bool accd__path_describe_elements(struct accd__debug_search *s, struct accd__debug_name_path *path,
                                  struct accd__debug_type *type, uint64_t object, uint64_t data,
                                  struct accd__debug_name *name);
/* Sets the fields of *name that have the names of the last four parameters. They are type and address of the object,
 * address of its elements, and number of subscripts that the name has already. */
void accd__name_set_object(struct accd__debug_name *name, struct accd__debug_type *type, uint64_t object, uint64_t data,
                           unsigned subscripts);
/* Extends the path, which names the object of `name`, by members and subscripts to the scalar that has the byte at
 * `address`; sets type and object of *element to it. Returns false if the path was not extended. */
bool accd__path_descend(struct accd__debug_search *s, struct accd__debug_name_path *path,
                        const struct accd__debug_name *name, uint64_t address, struct accd__debug_name *element);
/* Searches for the range in memory to which pointers, descriptors or references point. The search starts from the
 * variables of the site (place of a call) and the globals of its module (file in memory). Sets *s->name_p. Returns
 * false if no name was found, or without memory. */
bool accd__search_locals(struct accd__debug_search *s, struct accd__code_site *site);

#endif
