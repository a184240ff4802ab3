/* debug_format.c - writes the name of a range: the path to an object, then the part of the object that the range is.
 *
 * debug_names.c and debug_search.c find an object that contains the range. accd__path_describe then descends from the
 * object to the smallest member or element that contains the range, and appends each step to the path. */
#ifdef HAVE_LIBDW
#include "debug_search.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- paths -- */

/* Appends formatted text to the path, cut off at the size of a name. */
void accd__path_append(struct accd__debug_name_path *path, const char *format, ...)
{
    assert(path->used < sizeof((struct accd__debug_name *)0)->name);
    va_list args;
    va_start(args, format);
    size_t left = sizeof((struct accd__debug_name *)0)->name - path->used;
    int n = vsnprintf(path->to + path->used, left, format, args);
    va_end(args);
    if (n > 0)
        path->used += (size_t)n < left ? (size_t)n : left - 1;
}

/* Returns the separator before members of `type`: "%" in Fortran, otherwise ".". */
const char *accd__member_separator(const struct accd__debug_type *type)
{
    return type->fortran ? "%" : ".";
}

/* Appends the separator and the name of a member of `type`. Does nothing if `name` is NULL: such a member is left out
 * of the path, and its own members follow directly. */
static void add_member(struct accd__debug_name_path *path, const struct accd__debug_type *type, const char *name)
{
    if (!name)
        return;
    accd__path_append(path, "%s%s", path->dot, name);
    path->dot = accd__member_separator(type);
}

/* Returns a / b, rounded towards minus infinity. Requires b > 0. */
static int64_t floor_divide(int64_t a, int64_t b)
{
    assert(b > 0);
    return a / b - (a % b < 0);
}

/* Appends the subscripts of an element of the array at `object`: "[2][3]", or "(2,3)" in Fortran. `index`: number of
 * the element in memory order; `first`: number of subscripts that the path has already. */
void accd__path_append_index(struct accd__debug_search *s, struct accd__debug_name_path *path,
                             const struct accd__debug_type *type, uint64_t object, int64_t index, unsigned first)
{
    long long subscript[ACCD__DEBUG_DIMS_MAX] = {0};
    size_t n = type->ndims;
    path->dot = accd__member_separator(type);
    for (size_t i = 0; i + first < n; i++) { /* the dimension with i = 0 varies fastest */
        size_t dim = type->fortran ? i : n - 1 - i;
        uint64_t extent = 0;
        int64_t rest = index;
        if (i + first + 1 < n && accd__dimension_extent(&s->view, type, dim, object, &extent) && extent &&
            extent <= INT64_MAX) {
            index = floor_divide(rest, (int64_t)extent);
            rest -= index * (int64_t)extent;
        }
        subscript[dim] = (long long)(rest + accd__dimension_lower(&s->view, type, dim, object));
    }
    if (!n)
        accd__path_append(path, type->fortran ? "(%lld)" : "[%lld]", (long long)(index + type->fortran));
    for (size_t i = first; i < n && !type->fortran; i++)
        accd__path_append(path, "[%lld]", subscript[i]);
    for (size_t i = 0; i < n && type->fortran; i++)
        accd__path_append(path, "%s%lld%s", i ? "," : "(", subscript[i], i + 1 < n ? "" : ")");
}

/* Appends the path from a variable to node `i`, an object that the search has reached; the path of the node's parent
 * comes first. */
void accd__path_append_node(struct accd__debug_search *s, struct accd__debug_name_path *path, uint32_t i)
{
    assert(s->nodes[i].parent <= i);
    const struct accd__search_node *node = &s->nodes[i], *parent = &s->nodes[node->parent];
    if (node->kind != ACCD__DEBUG_ROOT)
        accd__path_append_node(s, path, node->parent);
    switch (node->kind) {
    case ACCD__DEBUG_ROOT:
        accd__path_append(path, "%s", node->name);
        path->dot = accd__member_separator(node->type);
        break;
    case ACCD__DEBUG_MEMBER:
        add_member(path, parent->type, node->name);
        break;
    case ACCD__DEBUG_ELEMENT:
        accd__path_append_index(s, path, parent->type, parent->at, (int64_t)node->index, 0);
        break;
    default:
        if (parent->type->kind == ACCD__DEBUG_POINTER && !parent->type->fortran)
            path->dot = "->";
    }
}

/* ----------------------------------------------------------------------------------- storage -- */

/* Sets unit[i] to the bytes of one element of dimension i of an array, whose elements are rows of the dimensions after
 * i. A C program can name a part of each dimension; a Fortran array counts as one row. Returns the number of
 * dimensions; 0: sizes are not known. */
static size_t get_dimension_units(struct accd__debug_search *s, const struct accd__debug_type *type, uint64_t object,
                                  uint64_t *unit)
{
    size_t n = type->fortran || !type->ndims ? 1 : type->ndims;
    unit[n - 1] = type->target ? accd__type_bytes_of_object(&s->view, type->target, 0) : 0;
    for (size_t i = n - 1; i > 0; i--) {
        uint64_t count;
        if (!accd__dimension_extent(&s->view, type, i, object, &count) ||
            __builtin_mul_overflow(unit[i], count, &unit[i - 1]))
            return 0;
    }
    return unit[0] ? n : 0;
}

/* Returns true if the object of `bytes` bytes at `start` is exactly the range; for a range of 0 bytes, if it begins
 * at `start`. */
bool accd__debug_is_exact_range(struct accd__debug_search *s, uint64_t start, uint64_t bytes)
{
    return s->address == start && (s->bytes == 0 || s->bytes == bytes);
}

/* Makes *name stand for a whole object, not a section. `unit`: bytes of an element, 0: the object is no array.
 * Returns true. */
bool accd__name_as_whole(uint64_t unit, struct accd__debug_name *name)
{
    name->section = 0;
    name->start = 0;
    name->unit = unit;
    return true;
}

/* Makes *name stand for a section: the range, which begins `offset` bytes after the named object. Returns false if
 * the range does not consist of whole elements of `unit` bytes. */
bool accd__name_as_section(struct accd__debug_search *s, uint64_t offset, uint64_t unit, struct accd__debug_name *name)
{
    assert(unit > 0);
    if (offset % unit || s->bytes % unit)
        return false;
    name->section = 1;
    name->start = (int64_t)(offset / unit);
    name->unit = unit;
    return true;
}

/* Names a range among elements: as a section of a dimension or, if it is within one element, as a part of that element.
 * Returns false if the range cannot be named. */
bool accd__path_describe_elements(struct accd__debug_search *s, struct accd__debug_name_path *path,
                                  struct accd__debug_type *type, uint64_t object, uint64_t data,
                                  struct accd__debug_name *name)
{
    uint64_t unit[ACCD__DEBUG_DIMS_MAX], offset = s->address - data;
    size_t n = get_dimension_units(s, type, object, unit);
    for (size_t i = 0; i < n; i++) {
        if (accd__name_as_section(s, offset, unit[i], name)) {
            accd__name_set_object(name, type, object, s->address - offset, (unsigned)i);
            return true;
        }
        if (offset % unit[i] + s->bytes > unit[i])
            return false;
        if (type->fortran)
            accd__path_append_index(s, path, type, object, (int64_t)(offset / unit[i]), 0);
        else
            accd__path_append(path, "[%llu]", (unsigned long long)(offset / unit[i]));
        offset %= unit[i];
    }
    path->dot = accd__member_separator(type);
    return n && accd__path_describe(s, path, type->target, s->address - offset, name);
}

/* Returns the member of the object of `type` that is exactly the range; otherwise the first member that contains the
 * range; NULL: no member does. */
static const struct accd__debug_member *find_member_of_range(struct accd__debug_search *s,
                                                             const struct accd__debug_type *type, uint64_t object)
{
    const struct accd__debug_member *found = NULL;
    uint64_t offset = s->address - object;
    for (size_t i = 0; i < type->nmembers; i++) {
        const struct accd__debug_member *member = &type->members[i];
        uint64_t bytes = accd__type_bytes_of_object(&s->view, member->type, object + member->offset);
        if (offset < member->offset || offset - member->offset + s->bytes > bytes)
            continue;
        if (accd__debug_is_exact_range(s, object + member->offset, bytes) && bytes)
            return member;
        if (!found && offset - member->offset < bytes)
            found = member;
    }
    return found;
}

/* Names a range of several members, from the beginning of one to the end of another: "s.a to s.c". Returns false if the
 * range is not such a sequence. */
static bool describe_members(struct accd__debug_search *s, struct accd__debug_name_path *path,
                             const struct accd__debug_type *type, uint64_t object, struct accd__debug_name *name)
{
    const struct accd__debug_member *first = NULL, *last = NULL;
    char whole[sizeof name->name];
    const char *dot = path->dot;
    for (size_t i = 0; i < type->nmembers; i++) {
        const struct accd__debug_member *member = &type->members[i];
        const uint64_t at = object + member->offset;
        if (member->name && at == s->address)
            first = member;
        if (member->name && at + accd__type_bytes_of_object(&s->view, member->type, at) == s->address + s->bytes)
            last = member;
    }
    if (!first || !last || first == last)
        return false;
    memcpy(whole, path->to, sizeof whole);
    add_member(path, type, first->name);
    accd__path_append(path, " to %s%s%s", whole, dot, last->name);
    return accd__name_as_whole(0, name);
}

/* Names the range, which is a part of an object of `type`: extends the path and sets *name. Returns false if the range
 * cannot be named. */
static bool describe_part(struct accd__debug_search *s, struct accd__debug_name_path *path,
                          struct accd__debug_type *type, uint64_t object, struct accd__debug_name *name)
{
    const struct accd__debug_member *member;
    switch (type->kind) {
    case ACCD__DEBUG_STRUCT:
        member = find_member_of_range(s, type, object);
        if (!name->aggregate_end)
            name->aggregate_end = object + accd__type_bytes_of_object(&s->view, type, object);
        if (!member)
            return describe_members(s, path, type, object, name);
        object += member->offset;
        if (!member->name && member->type->kind == ACCD__DEBUG_STRUCT)
            return describe_part(s, path, member->type, object, name);
        add_member(path, type, member->name);
        return accd__path_describe(s, path, member->type, object, name);
    case ACCD__DEBUG_ARRAY:
        return accd__path_describe_elements(s, path, type, object, object, name);
    case ACCD__DEBUG_DESCRIPTOR: /* words of a descriptor have no names, so that the descriptor's name is used */
        return accd__name_as_whole(0, name);
    default:
        return false;
    }
}

/* Names a range within an object: the object itself, or a part of it. Returns false if the range cannot be named. */
bool accd__path_describe(struct accd__debug_search *s, struct accd__debug_name_path *path,
                         struct accd__debug_type *type, uint64_t object, struct accd__debug_name *name)
{
    assert(type);
    uint64_t unit[ACCD__DEBUG_DIMS_MAX];
    if (!accd__debug_is_exact_range(s, object, accd__type_bytes_of_object(&s->view, type, object)))
        return describe_part(s, path, type, object, name);
    bool has_unit = type->kind == ACCD__DEBUG_ARRAY && get_dimension_units(s, type, object, unit);
    accd__name_set_object(name, type->kind == ACCD__DEBUG_DESCRIPTOR ? NULL : type, object, object, 0);
    return accd__name_as_whole(has_unit ? unit[0] : 0, name);
}

/* Sets the object that *name is about: its type and address, the address of its elements, and the number of
 * subscripts that the name has already. */
void accd__name_set_object(struct accd__debug_name *name, struct accd__debug_type *type, uint64_t object, uint64_t data,
                           unsigned subscripts)
{
    name->type = type;
    name->object = object;
    name->data = data;
    name->subscripts = subscripts;
}

/* Returns the member of the object of `type` that has the byte at `address`; NULL: no member does, or the type is a
 * union. */
static const struct accd__debug_member *find_member_with_byte(struct accd__debug_search *s,
                                                              const struct accd__debug_type *type, uint64_t object,
                                                              uint64_t address)
{
    Dwarf_Die die = type->die;
    if (s->view.debug->dw.dwarf_tag(&die) == DW_TAG_union_type)
        return NULL;
    for (size_t i = 0; i < type->nmembers; i++) {
        const uint64_t at = object + type->members[i].offset;
        if (address >= at && address - at < accd__type_bytes_of_object(&s->view, type->members[i].type, at))
            return &type->members[i];
    }
    return NULL;
}

/* Extends the path to the scalar with the byte at `address`, step by step, and sets type and object of *element.
 * Returns false if there was no step. */
bool accd__path_descend(struct accd__debug_search *s, struct accd__debug_name_path *path,
                        const struct accd__debug_name *name, uint64_t address, struct accd__debug_name *element)
{
    enum { NESTING_MOST = 64 };
    struct accd__debug_type *type = name->type;
    const struct accd__debug_member *member;
    uint64_t object = name->object, data = name->data, unit;
    unsigned first = name->subscripts;
    bool is_first = true;
    for (int i = 0; type && i < NESTING_MOST; i++) {
        const bool is_apart =
            (type->kind == ACCD__DEBUG_POINTER && name->section) || type->kind == ACCD__DEBUG_DESCRIPTOR;
        if (type->kind == ACCD__DEBUG_ARRAY || (is_first && is_apart)) {
            struct accd__debug_type *target =
                type->kind == ACCD__DEBUG_POINTER ? accd__type_target(s->view.debug, type) : type->target;
            unit = target ? accd__type_bytes_of_object(&s->view, target, 0) : 0;
            if (!unit || unit > INT64_MAX)
                return !is_first;
            const int64_t index = floor_divide((int64_t)(address - data), (int64_t)unit);
            accd__path_append_index(s, path, type, object, index, first);
            object = data + (uint64_t)index * unit;
            type = target;
        } else if (type->kind == ACCD__DEBUG_STRUCT && (member = find_member_with_byte(s, type, object, address))) {
            add_member(path, type, member->name);
            object += member->offset;
            type = member->type;
        } else {
            return !is_first;
        }
        element->type = type;
        element->object = data = object;
        first = 0;
        is_first = false;
    }
    return !is_first;
}

/* Returns true if the object of `bytes` bytes at `start` contains the range. */
bool accd__debug_contains_range(struct accd__debug_search *s, uint64_t start, uint64_t bytes)
{
    uint64_t offset = s->address - start;
    return s->address >= start && offset < bytes && s->bytes <= bytes - offset;
}

#endif
