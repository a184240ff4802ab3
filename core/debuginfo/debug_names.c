/* debug_names.c - finds names of ranges of memory: accd__debug_find_name and the functions like it.
 *
 * The search has three steps: storage of variables in scope, storage of globals, and memory that pointers in these
 * variables point to (debug_search.c). A site is a call in the code, with its line and the variables in scope; a module
 * is a file of the program in memory (debug_dw.h). The searched range is s->bytes bytes at s->address. */
#ifdef HAVE_LIBDW
#include "debug_search.h"

#include <stdio.h>

/* ----------------------------------------------------------------------------------- storage -- */

/* Sets *s->name_p and returns true if the searched range is in the storage of the variable with name `variable` and
 * type `type` at address `at`. Returns false if the range is elsewhere, if the type is NULL, or if this part of the
 * variable has no name. */
static bool name_storage(struct accd__debug_search *s, const char *variable, struct accd__debug_type *type, uint64_t at)
{
    struct accd__debug_name name = {.unit = 0};
    struct accd__debug_name_path path = {name.name, 0, ""};
    if (!type || !accd__debug_contains_range(s, at, accd__type_bytes_of_object(&s->view, type, at)))
        return false;
    accd__path_append(&path, "%s", variable);
    path.dot = accd__member_separator(type);
    if (!accd__path_describe(s, &path, type, at, &name))
        return false;
    *s->name_p = name;
    return true;
}

/* Sets *s->name_p and returns true if the range is in the storage of a variable that is in scope at the site; the
 * innermost such variable gives the name. Returns false if there is none that has an address. */
static bool name_local(struct accd__debug_search *s, struct accd__code_site *site)
{
    struct accd__value_location place;
    for (size_t i = 0; i < site->variables.n; i++) {
        struct accd__debug_variable *variable = &site->variables.at[i];
        if (accd__locate_variable(&s->view, variable, &place) && !place.is_value &&
            name_storage(s, variable->name, accd__get_variable_type(s->view.debug, variable), place.at))
            return true;
    }
    return false;
}

/* Returns the globals of the module that contains `address`, by ascending address; an empty list if no module does.
 * Sets *next_p to the index of the first global that begins after `address`. */
static const struct accd__debug_variables *globals_at(struct accd__debug_info *debug, uint64_t address, size_t *next_p)
{
    static const struct accd__debug_variables none;
    struct accd__debug_module *module = accd__find_module(debug, address);
    const struct accd__debug_variables *globals = module ? accd__module_globals(debug, module) : &none;
    size_t from = 0, to = globals->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (globals->at[middle].address <= address)
            from = middle + 1;
        else
            to = middle;
    }
    *next_p = from;
    return globals;
}

/* Sets *s->name_p and returns true if the range is in the storage of one of the last 16 globals that begin at or before
 * it; returns false otherwise. */
static bool name_global(struct accd__debug_search *s)
{
    enum { OVERLAPS_MOST = 16 }; /* number of globals to try: several may share storage, as in a COMMON block */
    size_t from;
    const struct accd__debug_variables *globals = globals_at(s->view.debug, s->address, &from);
    for (size_t i = from; i-- > 0 && from - i <= OVERLAPS_MOST;) {
        struct accd__debug_variable *variable = &globals->at[i];
        if (name_storage(s, variable->name, accd__get_variable_type(s->view.debug, variable), variable->address))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------- calls -- */

/* Returns a new search for the name of the range of `bytes` bytes at `address`, as seen from `call`. The search will
 * store the name in *name_p. */
static struct accd__debug_search new_search(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                                            uint64_t address, uint64_t bytes, struct accd__debug_name *name_p)
{
    return (struct accd__debug_search){.view = {.debug = debug, .call = call},
                                       .address = address,
                                       .bytes = bytes,
                                       .rank = ACCD__DEBUG_NOTHING,
                                       .name_p = name_p};
}

/* Sets rank and bounds of *name if it names an array, or section of one, in Fortran with at most 15 dimensions. */
static void add_array_bounds(struct accd__debug_search *s, struct accd__debug_name *name)
{
    const struct accd__debug_type *type = name->type;
    uint64_t extent;
    if (!name->unit || !type || !type->fortran || type->ndims > ACCD__DEBUG_RANK_MAX)
        return;
    for (size_t i = 0; i < type->ndims; i++) {
        if (!accd__dimension_extent(&s->view, type, i, name->object, &extent) || extent > INT64_MAX)
            extent = INT64_MAX; /* the extent is not known, as for the last dimension of an assumed-size array */
        name->dim[i].lower = accd__dimension_lower(&s->view, type, i, name->object);
        name->dim[i].extent = (int64_t)extent;
    }
    name->rank = (int)type->ndims;
}

/* Sets *s->name_p to the best name of the range. Returns false if no name is found, if the reader of debug information
 * is NULL, or if the range begins at 0 or wraps around. Memory that pointers point to is searched only if the
 * call is in a unit with debug information. */
static bool find_range_name(struct accd__debug_search *s)
{
    struct accd__code_site *site = s->view.debug ? accd__find_code_site(s->view.debug, s->view.call->pc) : NULL;
    s->view.site = site;
    if (!site || !s->address || s->address + s->bytes < s->address)
        return false;
    if (!name_local(s, site) && !name_global(s) && !(site->has_unit && accd__search_locals(s, site)))
        return false;
    add_array_bounds(s, s->name_p);
    s->name_p->fortran = s->name_p->type && s->name_p->type->fortran;
    return true;
}

/* Sets *name_p to the name of the range of `bytes` bytes at `address`, as seen from `call`. Returns 1; or 0 if no name
 * is known. */
int accd__debug_find_name(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                          uint64_t bytes, struct accd__debug_name *name_p)
{
    struct accd__debug_search s = new_search(debug, call, address, bytes, name_p);
    return find_range_name(&s);
}

/* Sets *name_p to the name of a range, and *element_p to the name of the element or member with the byte at address +
 * at. The second name is empty if that byte has none. Returns 1; or 0 if the range has no name. */
int accd__debug_find_element(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                             uint64_t address, uint64_t bytes, int64_t at, struct accd__debug_name *name_p,
                             struct accd__debug_name *element_p)
{
    struct accd__debug_search s = new_search(debug, call, address, bytes, name_p);
    element_p->name[0] = 0;
    if (!find_range_name(&s))
        return 0;
    struct accd__debug_name_path path = {element_p->name, 0, name_p->type ? accd__member_separator(name_p->type) : ""};
    accd__path_append(&path, "%s", name_p->name);
    if (!name_p->type || !accd__path_descend(&s, &path, name_p, address + (uint64_t)at, element_p))
        element_p->name[0] = 0;
    return 1;
}

/* Returns 1 if the byte at address + at is known to be padding in the type of the named range. Returns 0 if the byte
 * holds a value, or if the name or type of the range is not known. */
int accd__debug_is_padding(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                           uint64_t bytes, uint64_t at)
{
    struct accd__debug_name name = {.unit = 0}, element = {.unit = 0};
    struct accd__debug_search s = new_search(debug, call, address, bytes, &name);
    if (!find_range_name(&s) || !name.type)
        return 0;
    struct accd__debug_name_path path = {element.name, 0, accd__member_separator(name.type)};
    element.type = name.type;
    element.object = name.data;
    accd__path_descend(&s, &path, &name, address + at, &element);
    return element.type && accd__debug_is_type_gap(debug, element.type, address + at - element.object);
}

/* Stores the pointers, references and descriptors in a range, the first ones by offset, at most `capacity`, and returns
 * how many. Each aligned word of the range gets a name of its own, as members of unions and nested arrays need. */
size_t accd__debug_find_pointers(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                                 uint64_t address, uint64_t bytes, struct accd__debug_pointer *pointers,
                                 size_t capacity)
{
    enum { WORD = sizeof(void *), BYTES_MOST = 1 << 16 };
    struct accd__debug_name name = {.unit = 0};
    struct accd__debug_search s = new_search(debug, call, address, bytes, &name);
    const uint64_t end = bytes < BYTES_MOST ? bytes : BYTES_MOST;
    size_t n = 0;
    if (address % WORD || !find_range_name(&s) || !name.type || !name.type->points)
        return 0;
    for (uint64_t at = 0; at + WORD <= end && n < capacity; at += WORD) {
        struct accd__debug_name element = {.type = name.type, .object = name.object};
        struct accd__debug_name_path path = {element.name, 0, accd__member_separator(name.type)};
        accd__path_descend(&s, &path, &name, address + at, &element);
        if (!element.type || element.object != address + at)
            continue;
        if (element.type->kind == ACCD__DEBUG_POINTER || element.type->kind == ACCD__DEBUG_REFERENCE ||
            element.type->kind == ACCD__DEBUG_DESCRIPTOR) {
            pointers[n].offset = at;
            snprintf(pointers[n++].path, sizeof pointers->path, "%.*s", (int)sizeof pointers->path - 1, element.name);
        }
    }
    return n;
}

/* Returns the size in bytes of the target of the global or static Fortran pointer whose variable is at `address`.
 * Returns 0 if there is no such variable, or its target has no constant size. */
uint64_t accd__debug_get_pointee_bytes(struct accd__debug_info *debug, uint64_t address)
{
    size_t i;
    const struct accd__debug_variables *globals = globals_at(debug, address, &i);
    while (i-- > 0 && globals->at[i].address == address) {
        struct accd__debug_type *type = accd__get_variable_type(debug, &globals->at[i]), *target = NULL;
        if (type && type->kind == ACCD__DEBUG_POINTER && type->fortran)
            target = accd__type_target(debug, type);
        if (target && target->bytes)
            return target->bytes;
    }
    return 0;
}

#endif
